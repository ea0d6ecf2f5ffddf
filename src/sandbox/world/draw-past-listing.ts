import { categoryWeight } from "#catalogue/category-weights.ts";
import { leafIds } from "#catalogue/categories.ts";
import type { ListingFacts } from "../market/listing.ts";
import { drawListing } from "./draw-listing.ts";
import { drawsFor, weightedChoice } from "./draws.ts";

/** Most past listings are in a few categories, so that enough prices are known for those. */
const COMMON_SHARE = 0.7;
const COMMON_TYPES = 24;
/** The first serial of past listings, above any serial that a market publishes. */
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
