import { firstColourShares, TWO_COLOURS_SHARE } from "#catalogue/simulation-priors.ts";
import type { Shape } from "./kinds.ts";
import { weightedChoice, type Draws } from "./draws.ts";

/** The observed shares are of women's coats: everything else is brighter, by this much. */
const LIFT_EXPONENT = 0.55;
/** Gold and silver name a coat's shine, not its colour; elsewhere they are rarer than the lift would have them. */
const METALLIC = new Set([13, 14]);
const METALLIC_SHARE = 0.25;

const DARK_SHAPES: ReadonlySet<Shape> = new Set(["coat", "blazer", "boots", "puffer"]);

const coatColour = weightedChoice(
  firstColourShares.map(({ marketplaceColourId, share }) => [marketplaceColourId, share]),
);
const anyColour = weightedChoice(
  firstColourShares.map(({ marketplaceColourId, share }) => [
    marketplaceColourId,
    share ** LIFT_EXPONENT * (METALLIC.has(marketplaceColourId) ? METALLIC_SHARE : 1),
  ]),
);

/** Blue, navy, black, light blue, grey, and now and then something else. */
const denimColour = weightedChoice<number>([
  [9, 40],
  [27, 16],
  [1, 18],
  [26, 12],
  [3, 6],
  [12, 4],
  [4, 2],
  [2, 1],
]);

/** One or two of the marketplace's colours. */
export function drawColours(shape: Shape, draws: Draws): readonly number[] {
  if (shape === "jeans") return [denimColour(draws)];
  const first = DARK_SHAPES.has(shape) ? coatColour(draws) : anyColour(draws);
  if (!draws.chance(TWO_COLOURS_SHARE)) return [first];
  const second = anyColour(draws);
  return second === first ? [first] : [first, second];
}
