/** A listing as it is kept for counting: read once, with what its slice proved of it. Pure. */
import { categoryById } from "#catalogue/categories.ts";
import type { SeenListing } from "#domain/listing.ts";
import { candidateIn, readListing, type Candidate, type ListingReading } from "#matching/candidate.ts";
import { leafIdsOf, type FilterSpec } from "#matching/compile-filter.ts";
import { filterHolds } from "#matching/naive-match.ts";

export interface MarketEntry {
  readonly reading: ListingReading;
  /** In no category: what a filter can say of it without its types and sizes. */
  readonly anywhere: Candidate;
  readonly leaves: LeafSet;
  readonly firstSeenAtMs: number;
  readonly seenAtMs: number;
}

/** The leaves in one of which a listing lies; shared by all listings that one slice found. */
export interface LeafSet {
  readonly leafIds: readonly number[];
  /** One leaf for each size group among them: a size title means the same in the others. */
  readonly representativeIds: readonly number[];
}

export function leafSetOf(leafIds: readonly number[]): LeafSet {
  const bySizeGroup = new Map(leafIds.map((id) => [categoryById(id)?.sizeGroupId ?? null, id]));
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

/** Answers for many entries whether one filter holds them, exactly as the naive match would (contract §3). */
export interface EntryTest {
  readonly holds: (entry: MarketEntry) => boolean;
  /** Whether it certainly lies in the filter's types; true for all where none is chosen. */
  readonly isInTypes: (entry: MarketEntry) => boolean;
}

/**
 * What holds a listing in each leaf that it may lie in holds it for certain; where no leaf is proven only a filter
 * that leaves types and sizes open can.
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
      // Nearly every listing ends here: what follows reads a size title in each size group.
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
