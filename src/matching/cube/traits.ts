/**
 * The trait that an entry requires of a listing beside its condition, as a number that fits into the entry's word:
 *
 *   0        none
 *   1–31     this colour of the marketplace is proven
 *   32–34    at least 75, 90 or 95 percent of similar listings are dearer
 *   35–255   the total price is at least 1–221 EUR
 *
 * A candidate's traits are a table with an element per trait, 1 for those that it has: a scan reads one element per
 * entry. A filter that requires several traits has one of them in its word and is tested itself for the others, as is
 * one with a higher floor.
 */
import { BARGAIN_PERCENTS } from "#domain/market/filter.ts";
import { type Candidate, NO_RANK } from "../candidate.ts";
import type { FilterSpec } from "../compile-filter.ts";

export const TRAIT_COUNT = 256;
const LAST_COLOUR = 31;
const RANKS = BARGAIN_PERCENTS.map((percent) => 100 - percent);
/** The first of the floors; they are the last traits. */
export const FIRST_FLOOR = LAST_COLOUR + RANKS.length + 1;
const MOST_FLOOR_EUR = TRAIT_COUNT - FIRST_FLOOR;

/** The most selective of the traits that the filter requires: usually a colour, and a good price before a floor. */
export function traitOf({ marketplaceColourIds, minPriceRank, priceFloorEur }: FilterSpec): number {
  const colour = marketplaceColourIds[0] ?? 0;
  if (colour > 0 && colour <= LAST_COLOUR) return colour;
  const place = RANKS.indexOf(minPriceRank);
  if (place >= 0) return LAST_COLOUR + 1 + place;
  return priceFloorEur > 0 ? FIRST_FLOOR - 1 + Math.min(priceFloorEur, MOST_FLOOR_EUR) : 0;
}

/** Whether the trait is all that the filter requires of colour, good price and floor. */
export function fitsTrait(spec: FilterSpec): boolean {
  const { marketplaceColourIds, minPriceRank, priceFloorEur } = spec;
  const required = marketplaceColourIds.length + Number(minPriceRank > NO_RANK) + Number(priceFloorEur > 0);
  return required === 0 || (required === 1 && traitOf(spec) > 0 && priceFloorEur <= MOST_FLOOR_EUR);
}

/** Writes a candidate's table of traits. */
export function writeTraits(
  { marketplaceColourIds, priceRank, totalPriceCents }: Candidate,
  has: Uint8Array,
): void {
  has.fill(0);
  has[0] = 1;
  for (let index = 0; index < marketplaceColourIds.length; index += 1) {
    const id = marketplaceColourIds[index] ?? 0;
    if (id <= LAST_COLOUR) has[id] = 1;
  }
  for (let place = 0; place < RANKS.length; place += 1)
    if (priceRank >= (RANKS[place] ?? 0)) has[LAST_COLOUR + 1 + place] = 1;
  has.fill(1, FIRST_FLOOR, FIRST_FLOOR + Math.floor(Math.min(totalPriceCents / 100, MOST_FLOOR_EUR)));
}
