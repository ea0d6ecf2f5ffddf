/** Suggestions for a person without filters, from the listings first seen in the last hour. Pure. */
import { categoryPath, categoryById } from "#catalogue/categories.ts";
import {
  UNKNOWN_ID,
  candidateIn,
  readListing,
  type Candidate,
  type ListingReading,
} from "#matching/candidate.ts";
import type { SeenListing } from "#domain/listing.ts";
import { leafIdsOf, type FilterSpec, filterHolds } from "#matching/compile-filter.ts";

/** A brand that many of the listings have, within one category where the readings prove one. */
export interface FrequentSearch {
  readonly brandId: number;
  /** Null if only the brand is known. */
  readonly categoryId: number | null;
  /** Three quarters of them cost at most this, rounded up to a multiple of 5 EUR. */
  readonly priceCapEur: number;
  /** How many of them cost at most the cap. */
  readonly found: number;
}

export interface MarketSurvey {
  /** Number of listings per given filter, in the same order. */
  readonly found: readonly number[];
  /** The most frequent first, each brand once. */
  readonly frequent: readonly FrequentSearch[];
}

/** With fewer listings nothing is considered frequent. */
export const MIN_FREQUENT = 3;
const CAP_STEP_EUR = 5;
const CAP_SHARE = 0.75;
const CENTS = 100;

interface Pair {
  readonly brandId: number;
  readonly categoryId: number | null;
  readonly pricesCents: number[];
}

/** Collects a survey in one pass over the entries. */
export class Surveyor {
  readonly #tests: readonly (EntryTest | null)[];
  readonly #found: number[];
  readonly #pairs = new Map<string, Pair>();
  readonly #categories = new WeakMap<MarketEntry["leaves"], { readonly id: number | null }>();

  /** @param tests one per filter; null for a filter that can match nothing */
  constructor(tests: readonly (EntryTest | null)[]) {
    this.#tests = tests;
    this.#found = tests.map(() => 0);
  }

  add(entry: MarketEntry): void {
    for (const [index, test] of this.#tests.entries()) {
      if (test?.holds(entry) === true) this.#found[index] = (this.#found[index] ?? 0) + 1;
    }
    const { brandId, totalPriceCents } = entry.reading;
    if (brandId === UNKNOWN_ID) return;
    const categoryId = this.#categoryOf(entry.leaves);
    const key = `${brandId} ${categoryId}`;
    const pair = this.#pairs.get(key);
    if (pair === undefined) this.#pairs.set(key, { brandId, categoryId, pricesCents: [totalPriceCents] });
    else pair.pricesCents.push(totalPriceCents);
  }

  result(maxFrequent: number): MarketSurvey {
    const pairs = [...this.#pairs.values()]
      .filter(({ pricesCents }) => pricesCents.length >= MIN_FREQUENT)
      // A pair is more specific than a brand alone.
      .toSorted(
        (one, other) =>
          Number(other.categoryId !== null) - Number(one.categoryId !== null) ||
          other.pricesCents.length - one.pricesCents.length ||
          one.brandId - other.brandId,
      );
    const byBrand = new Map<number, Pair>();
    for (const pair of pairs) if (!byBrand.has(pair.brandId)) byBrand.set(pair.brandId, pair);
    return { found: this.#found, frequent: [...byBrand.values()].slice(0, maxFrequent).map(searchOf) };
  }

  #categoryOf(leaves: MarketEntry["leaves"]): number | null {
    let category = this.#categories.get(leaves);
    if (category === undefined) {
      category = { id: commonCategory(leaves.leafIds) };
      this.#categories.set(leaves, category);
    }
    return category.id;
  }
}

function searchOf({ brandId, categoryId, pricesCents }: Pair): FrequentSearch {
  const sorted = pricesCents.toSorted((one, other) => one - other);
  const upper = sorted[Math.ceil(sorted.length * CAP_SHARE) - 1] ?? 0;
  const priceCapEur = Math.ceil(upper / (CAP_STEP_EUR * CENTS)) * CAP_STEP_EUR;
  const found = sorted.filter((cents) => cents <= priceCapEur * CENTS).length;
  return { brandId, categoryId, priceCapEur, found };
}

/** The narrowest category that contains all of the leaves; null without leaves, or if they have no common root. */
function commonCategory(leafIds: readonly number[]): number | null {
  const [first, ...others] = leafIds.map((id) => categoryPath(id).map((category) => category.id));
  if (first === undefined) return null;
  return first.findLast((id) => others.every((path) => path.includes(id))) ?? null;
}

export interface MarketEntry {
  readonly reading: ListingReading;
  /** The candidate without a category, for everything that a filter requires except types and sizes. */
  readonly anywhere: Candidate;
  readonly leaves: LeafSet;
  readonly firstSeenAtMs: number;
  readonly seenAtMs: number;
}

/** The leaves that a listing may be in; shared by all listings of one slice. */
export interface LeafSet {
  readonly leafIds: readonly number[];
  /** One leaf per size group: a size title means the same in the others. */
  readonly representativeIds: readonly number[];
}

export function leafSetOf(leafIds: readonly number[]): LeafSet {
  const bySizeGroup = new Map(leafIds.map((id) => [categoryById(id)?.size_id ?? null, id]));
  return { leafIds, representativeIds: [...bySizeGroup.values()] };
}

export function marketEntryOf(seen: SeenListing, leaves: LeafSet): MarketEntry {
  const reading = readListing(seen.listing);
  return {
    reading,
    anywhere: candidateIn(reading, null, seen.facts.marketplaceColourIds),
    leaves,
    firstSeenAtMs: seen.firstSeenAtMs,
    seenAtMs: seen.seenAtMs,
  };
}

/** Tests many entries against one filter, with exactly the result of the naive match (contract §3). */
export interface EntryTest {
  readonly holds: (entry: MarketEntry) => boolean;
  /** Whether it is certainly in one of the filter's types; always true if none is chosen. */
  readonly isInTypes: (entry: MarketEntry) => boolean;
}

/**
 * A filter certainly holds a listing if it holds it in each leaf that it may be in; without a proven leaf only a filter
 * without types and sizes can.
 */
export function entryTestFor(spec: FilterSpec): EntryTest {
  const wantedLeafIds = new Set(leafIdsOf(spec));
  const anywhereSpec: FilterSpec = { ...spec, categoryIds: [], sizeIds: [] };
  const isTypeOpen = spec.categoryIds.length === 0;
  const isPlaceOpen = isTypeOpen && spec.sizeIds.length === 0;
  const insideBySet = new Map<LeafSet, boolean>();

  const isInside = (leaves: LeafSet): boolean => {
    if (isTypeOpen) return true;
    const known = insideBySet.get(leaves);
    if (known !== undefined) return known;
    const isWithin = leaves.leafIds.length > 0 && leaves.leafIds.every((id) => wantedLeafIds.has(id));
    insideBySet.set(leaves, isWithin);
    return isWithin;
  };

  return {
    isInTypes: ({ leaves }) => isInside(leaves),
    holds({ reading, anywhere, leaves }) {
      // Most listings are rejected here; the rest reads a size title in each size group.
      if (!filterHolds(anywhereSpec, anywhere)) return false;
      if (isPlaceOpen) return true;
      return (
        isInside(leaves) &&
        leaves.representativeIds.length > 0 &&
        leaves.representativeIds.every((leafId) =>
          filterHolds(spec, candidateIn(reading, leafId, anywhere.marketplaceColourIds)),
        )
      );
    },
  };
}
