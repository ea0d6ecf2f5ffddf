import { leafIds, leafIdsWithSizeGroup } from "#catalogue/categories.ts";
import { sizeById, sizeGroups } from "#catalogue/sizes.ts";
import { leafIdsOf, type FilterSpec } from "#matching/compile-filter.ts";
import type { SliceRank } from "./slice.ts";

/** What must be read so that one filter's listings can be recognised. */
export interface FilterDemand {
  /** Sets of leaves that must be told apart from all others; null: the filter asks for no category. */
  readonly leafSets: readonly (readonly number[])[] | null;
  /** Each must be asked for; empty: no colour is. */
  readonly marketplaceColourIds: readonly number[];
  readonly rank: SliceRank;
}

const leafIdsBySizeGroup: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  sizeGroups.map(({ id }) => [id, new Set(leafIdsWithSizeGroup(id))]),
);

/**
 * A size title means something only within a size group, and the leaf decides which: so a filter with sizes needs
 * the leaves of each of its size groups by themselves, within its categories or, without any, in the whole tree.
 */
export function demandOf(spec: FilterSpec, rank: SliceRank): FilterDemand {
  const { marketplaceColourIds } = spec;
  const chosen = spec.categoryIds.length === 0 ? null : leafIdsOf(spec);
  if (spec.sizeIds.length === 0) {
    return { leafSets: chosen === null ? null : [chosen], marketplaceColourIds, rank };
  }
  const leafSets = sizeGroupIdsOf(spec)
    .map((groupId) => leafIdsBySizeGroup.get(groupId) ?? new Set<number>())
    .map((ofGroup) => (chosen ?? leafIds).filter((leafId) => ofGroup.has(leafId)))
    .filter((set) => set.length > 0);
  return { leafSets, marketplaceColourIds, rank };
}

function sizeGroupIdsOf({ sizeIds }: FilterSpec): readonly number[] {
  const groupIds = sizeIds.map((id) => sizeById(id)?.sizeGroupId).filter((id) => id !== undefined);
  return [...new Set(groupIds)];
}
