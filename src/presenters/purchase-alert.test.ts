import { expect, test } from "vitest";
import { aListing } from "#verify/testing/a-listing.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { isAlert, presentPurchaseAlert } from "./purchase-alert.ts";

const publicUrl = "https://synapse.example";

test("an alert tells what happened, with the picture, the price and the filter", () => {
  const listing = aListing({
    title: "Robe",
    photoUrl: "https://images.example/1.jpg",
    totalPriceCents: 1_250,
  });
  const purchase = aPurchase({ listing, chargedCents: 1_600, source: "auto" });
  expect(presentPurchaseAlert({ purchase, filterTag: "Robes d'été", publicUrl })).toMatchObject({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: "Achat confirmé",
        description: expect.stringContaining("Achat confirmé") as unknown,
        url: "https://synapse.example/synapse/achats",
        image: { url: "https://images.example/1.jpg" },
        fields: [
          { name: "Prix", value: "12,50\u00A0€" },
          { name: "Payé, livraison comprise", value: "16,00\u00A0€" },
          { name: "Filtre", value: "Robes d'été" },
        ],
      },
    ],
  });
});

test("a seller's words are shown, not obeyed, and bounded", () => {
  const title = `@everyone [gratuit](https://evil.example) **${"x".repeat(5_000)}`;
  const purchase = aPurchase({ listing: aListing({ title }) });
  const [embed] = presentPurchaseAlert({ purchase, filterTag: null, publicUrl }).embeds;
  expect(embed?.description).toContain(String.raw`\@everyone \[gratuit\]\(https\:\/\/evil.example\)`);
  expect(embed?.description.length).toBeLessThan(2_000);
  expect(embed?.fields.at(-1)?.value).toBe("Achat en un clic");
});

test.each([
  [{ state: "confirmed" }, true],
  [{ state: "awaiting" }, true],
  [{ state: "quarantine" }, true],
  [{ state: "failed", failureReason: "payment_refused" }, true],
  [{ state: "failed", failureReason: "limit_reached", reachedCheckout: false }, false],
  [{ state: "submitting" }, false],
  [{ state: "cancelled" }, false],
  [{ state: "confirmed", mode: "simulation" }, false],
  [{ state: "confirmed", source: "external" }, false],
] as const)("%j is told: %s", (traits, isTold) => {
  expect(isAlert(aPurchase(traits))).toBe(isTold);
});
