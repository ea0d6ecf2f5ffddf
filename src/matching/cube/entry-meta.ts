/**
 * What an entry encodes of its filter in one word, so that most candidates are decided without a look-up:
 *
 *   bits 29–30  class       2 Thunder's, 1 Acquire's, 0 those that are only shown
 *   bits 15–28  cap         the highest price in whole EUR, at most 16,383
 *   bit  14     verify      the word does not encode everything: the filter itself must be tested
 *   bits 6–13   trait       a colour, good price or price floor that it requires (traits.ts); 0: none
 *   bits 0–5    conditions  a bit for each condition that it takes, bit 5 for an unknown one
 *
 * Class and cap together are the entry's rank: the top bits, with the sign bit 0, so comparing metas compares ranks.
 * Entries are sorted by rank, descending, so those of one class are adjacent and end at a price.
 */
import { conditions } from "#catalogue/conditions.ts";
import type { Candidate } from "../candidate.ts";
import { hasFurtherConditions, type FilterSpec } from "../compile-filter.ts";
import type { MatchClass } from "../filter-index.ts";
import { fitsTrait, TRAIT_COUNT, traitOf } from "./traits.ts";

export const CLASS_SHIFT = 29;
const CAP_SHIFT = 15;
const MAX_CAP = 0x3fff;
export const VERIFY = 1 << 14;
export const TRAIT_SHIFT = 6;
export const TRAIT_MASK = TRAIT_COUNT - 1;
export const CONDITION_MASK = 63;

const UNKNOWN_CONDITION_BIT = 5;
const conditionBits: ReadonlyMap<number, number> = new Map(conditions.map(({ id }, bit) => [id, bit]));

/** A class as encoded in entries: the highest is found first. */
export type ClassNumber = 0 | 1 | 2;
export const classNumbers: Readonly<Record<MatchClass, ClassNumber>> = { thunder: 2, acquire: 1, shown: 0 };

/** @param isKeyedWhole whether the key covers everything that the filter requires of category, brand and size */
export function metaOf(spec: FilterSpec, matchClass: MatchClass, isKeyedWhole: boolean): number {
  // A cap that does not fit into the bits is tested on the filter itself.
  const isEncodedWhole = isKeyedWhole && fitsMeta(spec) && spec.priceCapEur < MAX_CAP;
  return (
    (classNumbers[matchClass] << CLASS_SHIFT) |
    (Math.min(spec.priceCapEur, MAX_CAP) << CAP_SHIFT) |
    (isEncodedWhole ? 0 : VERIFY) |
    (traitOf(spec) << TRAIT_SHIFT) |
    conditionMaskOf(spec)
  );
}

/** Whether a meta encodes everything that the filter requires, apart from category, brand, size and cap. */
export function fitsMeta(spec: FilterSpec): boolean {
  return (
    !hasFurtherConditions(spec) && fitsTrait(spec) && spec.conditionIds.every((id) => conditionBits.has(id))
  );
}

/** All bits if the filter names no condition, or one without a bit. */
function conditionMaskOf({ conditionIds }: FilterSpec): number {
  let mask = 0;
  for (const id of conditionIds) {
    const bit = conditionBits.get(id);
    if (bit === undefined) return CONDITION_MASK;
    mask |= 1 << bit;
  }
  return mask === 0 ? CONDITION_MASK : mask;
}

/** Class and cap. */
export function rankOf(meta: number): number {
  return meta >>> CAP_SHIFT;
}

export function classOf(meta: number): number {
  return meta >>> CLASS_SHIFT;
}

export function capOf(meta: number): number {
  return (meta >>> CAP_SHIFT) & MAX_CAP;
}

/** Lower bound of the metas of the class's entries whose cap is at least the price. */
export function leastMetaOf(classNumber: number, price: number): number {
  return (classNumber << CLASS_SHIFT) | (price << CAP_SHIFT);
}

/** The bit that an entry's conditions must hold. */
export function conditionBitOf({ conditionId }: Candidate): number {
  return conditionBits.get(conditionId) ?? UNKNOWN_CONDITION_BIT;
}

/** The price in whole EUR, rounded up: the total is within a cap in whole EUR exactly when this is. */
export function priceFieldOf({ totalPriceCents }: Candidate): number {
  return Math.min(Math.ceil(totalPriceCents / 100), MAX_CAP);
}
