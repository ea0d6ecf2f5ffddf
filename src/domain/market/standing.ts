import { brandById, brandIdForTitle } from "#catalogue/brand-titles.ts";

/** The usual price of similar listings, and where one listing stands among them. Asked prices, without shipping. */
export interface Standing {
  /** Quartiles of the total price. */
  readonly lowCents: number;
  readonly medianCents: number;
  readonly highCents: number;
  /** Whole percent of similar listings that are strictly dearer; null if only less similar ones are known. */
  readonly rank: number | null;
  /** The number of similar listings, and on how many days they were seen. */
  readonly sampleSize: number;
  readonly dayCount: number;
  /** What the similar listings have in common. */
  readonly basis: "type_brand_condition" | "type_brand" | "type_condition";
}

/** Minimum number of similar listings to buy, or refuse, by a price. */
export const MIN_SAMPLE_TO_BUY = 20;

/** Whether a filter for good prices may buy by this standing. @param minDays days with similar listings */
export function isWellKnown(standing: Standing | null, minDays: number): boolean {
  return (
    standing !== null &&
    standing.rank !== null &&
    standing.sampleSize >= MIN_SAMPLE_TO_BUY &&
    standing.dayCount >= minDays
  );
}

/** Suspicious fractions of the usual price: costly brands are counterfeited, other prices mistyped. */
const SUSPICIOUS_SHARES = { costly: 0.25, other: 0.15 } as const;

/**
 * Whether a price is too good to be true: far below the usual one. The listing's own cell may have few prices,
 * because its median includes wider cells' prices, and a question is safer than a purchase.
 */
export function isTooGood(
  { totalPriceCents, brandTitle }: { readonly totalPriceCents: number; readonly brandTitle: string },
  standing: Standing | null,
): boolean {
  if (standing === null) return false;
  if (standing.basis !== "type_brand_condition" && standing.sampleSize < MIN_SAMPLE_TO_BUY) return false;
  const share = totalPriceCents / standing.medianCents;
  // The brand is resolved last, because that folds its title and few prices are so low.
  return share < SUSPICIOUS_SHARES.other || (share < SUSPICIOUS_SHARES.costly && isCostlyBrand(brandTitle));
}

function isCostlyBrand(brandTitle: string): boolean {
  const id = brandIdForTitle(brandTitle);
  const brand = id === null ? undefined : brandById(id);
  return brand !== undefined && (brand.isLuxury || brand.isAuthenticated);
}

/** Quartiles of counted prices; null if there are too few. */
export interface PriceRange {
  readonly count: number;
  readonly quartilesCents: readonly [low: number, median: number, high: number] | null;
}

/** The counted prices of a type, or of one brand in it. */
export interface MarketPrices {
  readonly all: PriceRange;
  readonly conditions: readonly (PriceRange & { readonly id: number })[];
  readonly sizes: readonly (PriceRange & { readonly id: number })[];
  readonly brands: readonly (PriceRange & { readonly id: number })[];
  readonly days: readonly {
    readonly day: string;
    readonly count: number;
    readonly medianCents: number | null;
  }[];
}
