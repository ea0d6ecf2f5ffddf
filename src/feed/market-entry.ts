/** A listing prepared for counting: its texts parsed once, with the facts that its slice proved. Pure. */
import { categoryById } from "#catalogue/categories.ts";
import type { SeenListing } from "#domain/listing.ts";
import { candidateIn, readListing, type Candidate, type ListingReading } from "#matching/candidate.ts";
import { leafIdsOf, type FilterSpec, filterHolds } from "#matching/compile-filter.ts";

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
