import { brandById, brandIdForTitle } from "#catalogue/brand-titles.ts";

/** The usual price of similar listings, and where one listing stands among them. Asked prices, without shipping. */
export interface Standing {
  /** Quartiles of the total price. */
  readonly lowCents: number;
  readonly medianCents: number;
  readonly highCents: number;
  /** Whole percent of similar listings that are strictly dearer; null where only less similar ones are known. */
  readonly rank: number | null;
  /** The similar listings behind the figures, and on how many days they were seen. */
  readonly sampleSize: number;
  readonly dayCount: number;
  /** In what the similar listings agree. */
  readonly basis: "type_brand_condition" | "type_brand" | "type_condition";
}

/** From this many similar listings on a price is known well enough to buy by it, or to refuse by it. */
export const MIN_SAMPLE_TO_BUY = 20;

/** Whether a filter that asks for a good price may buy by this standing. @param minDays on which similar ones were seen */
export function isWellKnown(standing: Standing | null, minDays: number): boolean {
  return (
    standing !== null &&
    standing.rank !== null &&
    standing.sampleSize >= MIN_SAMPLE_TO_BUY &&
    standing.dayCount >= minDays
  );
}

/** Of the usual price: a listing below it is probably not what it says. Costly brands are imitated, others mistyped. */
const SUSPICIOUS_SHARES = { costly: 0.25, other: 0.15 } as const;

/** Whether a price is too good to be true: far below a usual price that is well known. */
export function isTooGood(
  { totalPriceCents, brandTitle }: { readonly totalPriceCents: number; readonly brandTitle: string },
  standing: Standing | null,
): boolean {
  if (standing === null || standing.sampleSize < MIN_SAMPLE_TO_BUY) return false;
  const share = totalPriceCents / standing.medianCents;
  // Few prices are so low that the brand, which is found by folding its title, decides.
  return share < SUSPICIOUS_SHARES.other || (share < SUSPICIOUS_SHARES.costly && isCostlyBrand(brandTitle));
}

function isCostlyBrand(brandTitle: string): boolean {
  const id = brandIdForTitle(brandTitle);
  const brand = id === null ? undefined : brandById(id);
  return brand !== undefined && (brand.isLuxury || brand.isAuthenticated);
}

/** Quartiles of counted prices; null where too few are known. */
export interface PriceRange {
  readonly count: number;
  readonly quartilesCents: readonly [low: number, median: number, high: number] | null;
}

/** The counted prices of a type, and of one brand in it. */
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
