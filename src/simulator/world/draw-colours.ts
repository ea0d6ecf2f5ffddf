import { firstColourShares, TWO_COLOURS_SHARE } from "#catalogue/simulation-priors.ts";
import { weightedChoice, type Draws } from "./draws.ts";

/** The observed shares are of women's coats: everything else is brighter, by this much. */
const LIFT_EXPONENT = 0.55;

const coatColour = weightedChoice(
  firstColourShares.map(({ marketplaceColourId, share }) => [marketplaceColourId, share]),
);
const anyColour = weightedChoice(
  firstColourShares.map(({ marketplaceColourId, share }) => [marketplaceColourId, share ** LIFT_EXPONENT]),
);

/** One or two of the marketplace's colours. */
export function drawColours(isCoat: boolean, draws: Draws): readonly number[] {
  const choice = isCoat ? coatColour : anyColour;
  const first = choice(draws);
  if (!draws.chance(TWO_COLOURS_SHARE)) return [first];
  const second = anyColour(draws);
  return second === first ? [first] : [first, second];
}
