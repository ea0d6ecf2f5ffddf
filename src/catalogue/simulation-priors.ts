/**
 * Priors of the sandbox's marketplace: categories, prices, conditions, colours and hours. Observed on the French site in
 * 2022–2024 unless a docstring says that a figure is authored. Only for the server and the sandbox.
 */
import { categoryPath } from "./categories.ts";
import type { ConditionId } from "./conditions.ts";
import weightRows from "./data/category-weights.json" with { type: "json" };
import priceRows from "./data/price-priors.json" with { type: "json" };
import { flagIn, numberIn } from "./row-cells.ts";

const categoryWeights = new Map(weightRows.map((row) => [numberIn(row, 0), numberIn(row, 1)]));

/**
 * Listings of a leaf in March 2024, a weight for drawing categories; 0 for an empty leaf, a branch or an unknown id.
 * Constant time.
 */
export function categoryWeight(leafId: number): number {
  return categoryWeights.get(leafId) ?? 0;
}

/** Item prices (without the protection fee) in cents. */
export interface PricePrior {
  readonly lowerQuartileCents: number;
  readonly medianCents: number;
  readonly upperQuartileCents: number;
  /** False: no public sample was found, the figures are authored. */
  readonly isObserved: boolean;
}

const pricePriors = new Map<number, PricePrior>(
  priceRows.map((row) => [
    numberIn(row, 0),
    {
      lowerQuartileCents: numberIn(row, 1),
      medianCents: numberIn(row, 2),
      upperQuartileCents: numberIn(row, 3),
      isObserved: flagIn(row, 4),
    },
  ]),
);

/** Prices of a category, or of its nearest ancestor with any; every root has some. Undefined: unknown id. */
export function pricePriorFor(categoryId: number): PricePrior | undefined {
  return categoryPath(categoryId)
    .map(({ id }) => pricePriors.get(id))
    .findLast((prior) => prior !== undefined);
}

/** The share of prices in whole euros (n = 13,883). */
export const WHOLE_EURO_SHARE = 0.997;

/** The price factor of a condition; 'Très bon état' is 1. Medians of mid-range brands, 2022. */
export const conditionPriceFactors: Readonly<Record<ConditionId, number>> = {
  6: 2.1,
  1: 1.5,
  2: 1,
  3: 0.56,
  4: 0.31,
};

/** The share of listings in each condition; sums to 1. An authored blend of two samples (12,115 and 1,771). */
export const conditionShares: Readonly<Record<ConditionId, number>> = {
  6: 0.08,
  1: 0.13,
  2: 0.57,
  3: 0.19,
  4: 0.03,
};

/** Maje, Sandro, The Kooples, ba&sh, Zadig & Voltaire. */
export const midRangeBrandIds: ReadonlySet<number> = new Set([116, 115, 2021, 3697, 765]);

/** The share (0 to 1) of listings with this first colour. */
export interface ColourShare {
  readonly marketplaceColourId: number;
  readonly share: number;
}

/** Most frequent first; from women's coats and blazers, hence darker than the whole. Sums to about 1. */
export const firstColourShares: readonly ColourShare[] = [
  { marketplaceColourId: 1, share: 0.5076 },
  { marketplaceColourId: 3, share: 0.108 },
  { marketplaceColourId: 27, share: 0.0926 },
  { marketplaceColourId: 4, share: 0.0482 },
  { marketplaceColourId: 2, share: 0.0387 },
  { marketplaceColourId: 9, share: 0.0374 },
  { marketplaceColourId: 20, share: 0.0262 },
  { marketplaceColourId: 12, share: 0.0201 },
  { marketplaceColourId: 7, share: 0.02 },
  { marketplaceColourId: 16, share: 0.0171 },
  { marketplaceColourId: 24, share: 0.0167 },
  { marketplaceColourId: 15, share: 0.0113 },
  { marketplaceColourId: 23, share: 0.0105 },
  { marketplaceColourId: 14, share: 0.0076 },
  { marketplaceColourId: 6, share: 0.0067 },
  { marketplaceColourId: 10, share: 0.0059 },
  { marketplaceColourId: 13, share: 0.0051 },
  { marketplaceColourId: 28, share: 0.0044 },
  { marketplaceColourId: 29, share: 0.0043 },
  { marketplaceColourId: 26, share: 0.0027 },
  { marketplaceColourId: 8, share: 0.0022 },
  { marketplaceColourId: 22, share: 0.0017 },
  { marketplaceColourId: 21, share: 0.0016 },
  { marketplaceColourId: 17, share: 0.0012 },
  { marketplaceColourId: 11, share: 0.0012 },
  { marketplaceColourId: 25, share: 0.0007 },
  { marketplaceColourId: 30, share: 0.0003 },
];

/** The share of listings with a second colour. */
export const TWO_COLOURS_SHARE = 0.31;

/** The share of a day's listings posted in each hour, from 0 h UTC; 24 values that sum to about 1 (n = 12,115). */
export const hourSharesUtc: readonly number[] = [
  0.0027, 0.0011, 0.0007, 0.001, 0.0007, 0.0033, 0.0111, 0.0246, 0.0445, 0.0664, 0.0733, 0.0737, 0.0791,
  0.0859, 0.0891, 0.0971, 0.0847, 0.0752, 0.0525, 0.0441, 0.0409, 0.0267, 0.0146, 0.0069,
];

/** Among women's sizes S to XL, the share of each letter; sums to 1. */
export const womenSizeShares: Readonly<Record<string, number>> = { S: 0.452, M: 0.361, L: 0.165, XL: 0.022 };

/** The share of promoted listings. */
export const PROMOTED_SHARE = 0.006;

/** The median of favourites, among listings with at least one. */
export const MEDIAN_FAVOURITES = 2;

const FEE_FIXED_CENTS = 70;
const FEE_LOWER_RATE_FROM_CENTS = 50_000;

/**
 * The buyer's protection fee in cents: 0.70 EUR + 5 % of the price, 2 % from 500 EUR on, rounded to cents half up.
 * What the buyer pays before shipping is the price plus this fee (press, June 2024; agrees with listings seen).
 * @param priceCents the item price, a whole number of cents from 0
 */
export function protectionFeeCents(priceCents: number): number {
  const ratePercent = priceCents < FEE_LOWER_RATE_FROM_CENTS ? 5 : 2;
  return FEE_FIXED_CENTS + Math.floor((priceCents * ratePercent + 50) / 100);
}
