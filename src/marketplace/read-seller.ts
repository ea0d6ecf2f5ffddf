import { isCountryCode } from "#catalogue/country-codes.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import type { WireSeller } from "./wire.ts";

const BEST_RATING = 5;

/** A reputation without reviews is ignored. */
export function toSellerFacts(user: WireSeller): SellerFacts {
  const reviewCount = user.feedback_count ?? null;
  const share = reviewCount === 0 ? null : (user.feedback_reputation ?? null);
  const countryCode = user.country_code?.toUpperCase() ?? "";
  return {
    // Rounded to hundredths: a fraction such as 0.94 is not exact in binary.
    rating: share === null ? null : Math.round(share * BEST_RATING * 100) / 100,
    reviewCount,
    countryCode: isCountryCode(countryCode) ? countryCode : null,
  };
}
