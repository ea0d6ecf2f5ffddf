import { categoryById } from "#catalogue/categories.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import { candidateIn, type ListingReading, NO_RANK, readListing } from "#matching/candidate.ts";
import { filterHolds, type FilterSpec, leafIdsOf } from "#matching/compile-filter.ts";

/**
 * Tests criteria that the demand may no longer contain: its atoms do not tell their leaves from others, so that one
 * leaf per atom (`SliceDemand.representatives`) is not enough.
 */
export class FormerCriteria {
  /** Listings of one slice share their array of leaves. */
  readonly #leaves = new WeakMap<FilterSpec, WeakMap<readonly number[], readonly number[]>>();

  /** Whether they hold the listing in whichever of its proven leaves it is. */
  hold(spec: FilterSpec | null, seen: SeenListing, reading = readingOf(seen)): boolean {
    if (spec === null) return false;
    const { leafIds, marketplaceColourIds } = seen.facts;
    const [first = null, ...others] = this.#leavesApart(spec, leafIds);
    return [first, ...others].every((leafId) =>
      filterHolds(spec, candidateIn(reading, leafId, marketplaceColourIds)),
    );
  }

  #leavesApart(spec: FilterSpec, leafIds: readonly number[]): readonly number[] {
    if (leafIds.length < 2) return leafIds;
    let ofSpec = this.#leaves.get(spec);
    if (ofSpec === undefined) this.#leaves.set(spec, (ofSpec = new WeakMap()));
    let apart = ofSpec.get(leafIds);
    if (apart === undefined) ofSpec.set(leafIds, (apart = leavesApart(spec, leafIds)));
    return apart;
  }
}

export function readingOf({ listing, standing }: SeenListing): ListingReading {
  return readListing(listing, standing?.rank ?? NO_RANK);
}

/** Leaves that decide for all of them: one outside the criteria's categories, otherwise one of each size group. */
function leavesApart(spec: FilterSpec, leafIds: readonly number[]): readonly number[] {
  if (spec.categoryIds.length > 0) {
    const own = new Set(leafIdsOf(spec));
    const outside = leafIds.find((leafId) => !own.has(leafId));
    if (outside !== undefined) return [outside];
  }
  if (spec.sizeIds.length === 0) return leafIds.slice(0, 1);
  return [...new Map(leafIds.map((leafId) => [categoryById(leafId)?.size_id ?? null, leafId])).values()];
}
