import type { KnownBrand } from "#catalogue/brand-titles.ts";
import type { ConditionId } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import {
  conditionPriceFactors,
  midRangeBrandPrices,
  pricePriorFor,
  WHOLE_EURO_SHARE,
} from "#catalogue/simulation-priors.ts";
import type { Draws } from "./draws.ts";

/** The quartiles of a normal variable are this many standard deviations apart. */
const QUARTILE_SPAN = 1.349;
const LEAST_CENTS = 100;
const MOST_CENTS = 250_000;
/** A prior is of all conditions together: this brings it to 'Très bon état'. */
const PRIOR_TO_GOOD = 0.95;

/** The item price: the category's, moved by brand and condition, log-normal around it, in whole euros mostly. */
export function drawPriceCents(
  ware: { readonly leafId: number; readonly brand: KnownBrand | null; readonly conditionId: ConditionId },
  draws: Draws,
): number {
  const prior = pricePriorFor(ware.leafId);
  const medianCents = (prior?.medianCents ?? 1_000) * PRIOR_TO_GOOD;
  const spread = prior === undefined ? 1 : Math.log(prior.upperQuartileCents / prior.lowerQuartileCents);
  const sigma = Math.min(0.75, Math.max(0.4, (spread / QUARTILE_SPAN) * 0.8));
  const factor = brandFactor(ware.brand) * conditionPriceFactors[ware.conditionId];
  const drawnCents = medianCents * factor * Math.exp(sigma * draws.normal());
  return asked(Math.min(MOST_CENTS, drawnCents), draws);
}

/** What people type: whole euros, round ones when it is more. */
function asked(cents: number, draws: Draws): number {
  const euros = Math.max(LEAST_CENTS / 100, Math.round(cents / 100));
  if (!draws.chance(WHOLE_EURO_SHARE)) return euros * 100 + draws.pick([-50, -1, 50]) + 50;
  if (euros > 100) return Math.round(euros / 10) * 1_000;
  if (euros > 22 && draws.chance(0.7)) return Math.round(euros / 5) * 500;
  return euros * 100;
}

const midRangeIds = new Set(midRangeBrandPrices.map(({ brandId }) => brandId));
const titles = (list: string): ReadonlySet<string> => new Set(list.split(", ").map(foldText));

const GREAT_HOUSES = titles(
  "Louis Vuitton, Gucci, Chanel, Hermès, Dior, Prada, Balenciaga, Saint Laurent, Yves Saint Laurent, Burberry, Moncler, Cartier, Fendi, Céline, Christian Louboutin, Off-White, Rick Owens, Canada Goose, Hublot, Yeezy",
);
const CHEAP = titles(
  "Shein, Primark, Kiabi, H&M, Atmosphere, Jennyfer, Pimkie, boohoo, La Halle, Gémo, C&A, Esmara, F&F, Tissaia, Lefties, Auchan, Carrefour, ZANZEA, Romwe, bonprix",
);

function brandFactor(brand: KnownBrand | null): number {
  if (brand === null) return 0.75;
  const title = foldText(brand.title);
  if (GREAT_HOUSES.has(title)) return 7;
  if (midRangeIds.has(brand.id)) return 2.6;
  if (CHEAP.has(title)) return 0.75;
  return brand.isLuxury ? 1.5 : 1;
}
