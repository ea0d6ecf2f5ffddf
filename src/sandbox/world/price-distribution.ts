import type { ConditionId } from "#catalogue/conditions.ts";
import type { KnownBrand } from "#catalogue/brand-titles.ts";
import { askedPrices, priceTerms } from "./draw-attributes.ts";

/** The distribution of item prices in the generated world. */
export interface PriceDistribution {
  /** The item price in cents below which this share of prices lies. */
  quantile(share: number): number;
  /** The share of prices strictly above this one. */
  shareAbove(cents: number): number;
}

/** The number of points at which the distribution is evaluated. */
const POINTS = 4_000;

export function priceDistributionOf(item: {
  readonly leafId: number;
  readonly brand: KnownBrand | null;
  readonly conditionId: ConditionId;
}): PriceDistribution {
  const { medianCents, sigma } = priceTerms(item);
  const prices = Array.from({ length: POINTS }, (_, point) => {
    const deviation = normalQuantile((point + 0.5) / POINTS);
    return askedPrices(medianCents * Math.exp(sigma * deviation));
  })
    .flat()
    .toSorted((one, other) => one.cents - other.cents);
  const total = prices.reduce((sum, { share }) => sum + share, 0);
  return {
    quantile(share) {
      let below = 0;
      const found = prices.find((price) => (below += price.share) >= share * total);
      return found?.cents ?? prices.at(-1)?.cents ?? 0;
    },
    shareAbove: (cents) =>
      prices.reduce((sum, price) => sum + (price.cents > cents ? price.share : 0), 0) / total,
  };
}

/** The quantile of the standard normal distribution, by bisection of its distribution function. */
function normalQuantile(share: number): number {
  let [low, high] = [-6, 6];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (normalShareBelow(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Abramowitz and Stegun 7.1.26: within 1.5e-7. */
function normalShareBelow(deviation: number): number {
  const x = Math.abs(deviation) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const below = 1 - 0.5 * series * Math.exp(-x * x);
  return deviation < 0 ? 1 - below : below;
}
