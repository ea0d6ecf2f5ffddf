/**
 * What an entry of a cell knows of its filter, in one word, so that most candidates are decided without looking
 * anything up:
 *
 *   bits 16–30  cap         the highest price in whole EUR, at most 32,767; the top bits, so that metas sort by cap
 *   bit  15     verify      the word does not tell all: the filter itself must be asked
 *   bit  13     acquire     the filter's person is in the Acquire lane, otherwise in Thunder's
 *   bits 8–12   colour      the one marketplace colour that must be proven; 0: any
 *   bits 0–5    conditions  a bit for each condition that it takes, bit 5 for an unknown one
 *
 * The sign bit stays 0, so that comparing metas compares caps.
 */
import { conditions } from "#catalogue/conditions.ts";
import type { Candidate } from "../candidate.ts";
import type { FilterSpec } from "../compile-filter.ts";

export const CAP_SHIFT = 16;
export const MAX_CAP = 0x7fff;
export const VERIFY = 1 << 15;
export const ACQUIRE_BIT = 13;
export const COLOUR_SHIFT = 8;
export const COLOUR_MASK = 31;
export const CONDITION_MASK = 63;

const UNKNOWN_CONDITION_BIT = 5;
const conditionBits: ReadonlyMap<number, number> = new Map(conditions.map(({ id }, bit) => [id, bit]));

/** @param isKeyedWhole whether the entry's key holds all that the filter asks of category, brand and size */
export function metaOf(spec: FilterSpec, isAcquire: boolean, isKeyedWhole: boolean): number {
  const bits = spec.conditionIds.map((id) => conditionBits.get(id));
  const hasOddConditions = bits.includes(undefined);
  const isOpen = bits.length === 0 || hasOddConditions;
  const mask = isOpen ? CONDITION_MASK : bits.reduce<number>((all, bit) => all | (1 << (bit ?? 0)), 0);
  const [colourId = 0, ...otherColourIds] = spec.marketplaceColourIds;
  const hasOddColours = otherColourIds.length > 0 || colourId > COLOUR_MASK;
  const isToldWhole =
    isKeyedWhole &&
    !hasOddConditions &&
    !hasOddColours &&
    // A cap beyond what the bits hold is asked for exactly.
    spec.priceCapEur < MAX_CAP &&
    spec.includeWords.length === 0 &&
    spec.excludeWords.length === 0;
  return (
    (Math.min(spec.priceCapEur, MAX_CAP) << CAP_SHIFT) |
    (isToldWhole ? 0 : VERIFY) |
    (isAcquire ? 1 << ACQUIRE_BIT : 0) |
    ((hasOddColours ? 0 : colourId) << COLOUR_SHIFT) |
    mask
  );
}

export function capOf(meta: number): number {
  return meta >>> CAP_SHIFT;
}

/** The bit that an entry's conditions must hold. */
export function conditionBitOf({ conditionId }: Candidate): number {
  return conditionBits.get(conditionId) ?? UNKNOWN_CONDITION_BIT;
}

/** A bit for each proven colour; bit 0 for entries that ask for none. */
export function colourBitsOf({ marketplaceColourIds }: Candidate): number {
  let bits = 1;
  for (let index = 0; index < marketplaceColourIds.length; index += 1) {
    const id = marketplaceColourIds[index] ?? 0;
    if (id <= COLOUR_MASK) bits |= 1 << id;
  }
  return bits;
}

/** The price in whole EUR, rounded up: the total is within a cap in whole EUR exactly when this is. */
export function priceFieldOf({ totalPriceCents }: Candidate): number {
  return Math.min(Math.ceil(totalPriceCents / 100), MAX_CAP);
}
