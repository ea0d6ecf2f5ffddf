import { categoryWeight } from "#catalogue/category-weights.ts";
import { leafIds } from "#catalogue/categories.ts";
import type { ListingFacts } from "../market/listing.ts";
import { drawListing } from "./draw-listing.ts";
import { drawsFor, weightedChoice } from "./draws.ts";

/** Most of the past is in a few types, so that their usual prices are well known. */
const COMMON_SHARE = 0.7;
const COMMON_TYPES = 24;
/** Where the numbers of past listings begin: above any number that a market publishes. */
const FIRST_SERIAL = 1_000_000_000;

const common = leafIds
  .toSorted((one, other) => categoryWeight(other) - categoryWeight(one))
  .slice(0, COMMON_TYPES);
const commonChoice = weightedChoice(common.map((id) => [id, categoryWeight(id)] as const));

/** Generates the past listing with this number from the seed. Pure. */
export function drawPastListing(of: {
  readonly seed: number;
  readonly number: number;
  readonly atMs: number;
}): ListingFacts {
  const { seed, number, atMs } = of;
  const draws = drawsFor(seed, "past", number);
  const serial = FIRST_SERIAL + number;
  const leafId = draws.chance(COMMON_SHARE) ? { leafId: commonChoice(draws) } : {};
  return { ...drawListing({ seed, serial, publishedAtMs: atMs, ...leafId }), fate: null };
}
