import { describe, expect, test } from "vitest";
import { ANY_SELLER, asksForSeller, judgeSeller, type SellerCondition, type SellerFacts } from "./seller.ts";

const known: SellerFacts = { rating: 4.8, reviewCount: 50, countryCode: "FR" };
const wants = (traits: Partial<SellerCondition>): SellerCondition => ({ ...ANY_SELLER, ...traits });

describe("what a filter asks of sellers", () => {
  test("nothing: every seller is allowed, known or not", () => {
    expect(asksForSeller(ANY_SELLER)).toBe(false);
    expect(judgeSeller(ANY_SELLER, null)).toBe("allows");
  });

  test.each([
    [{ minRating: 4.8 }, "allows"],
    [{ minRating: 4.9 }, "refuses"],
    [{ minReviews: 50 }, "allows"],
    [{ minReviews: 51 }, "refuses"],
    [{ countryCodes: ["BE", "FR"] }, "allows"],
    [{ countryCodes: ["BE"] }, "refuses"],
  ] as const)("%j of a known seller: %s", (traits, verdict) => {
    expect(judgeSeller(wants(traits), known)).toBe(verdict);
    expect(judgeSeller(wants(traits), null)).toBe("unknown");
  });

  test("one fact that is not allowed decides, whatever else is unknown", () => {
    const facts = { rating: null, reviewCount: 3, countryCode: null };
    expect(judgeSeller(wants({ minRating: 4, minReviews: 10 }), facts)).toBe("refuses");
    expect(judgeSeller(wants({ minRating: 4, minReviews: 2 }), facts)).toBe("unknown");
  });
});
