/** The definition of matching in its simplest form: the oracle of the index, and fast enough for a single filter. */
import type { Candidate } from "./candidate.ts";
import type { FilterSpec } from "./compile-filter.ts";
import { MATCH_CLASSES, type FilterIndex, type MatchClass } from "./filter-index.ts";

/** Whether a filter holds a listing (contract §3, "Matching"). Pure and total. */
export function filterHolds(spec: FilterSpec, candidate: Candidate): boolean {
  return (
    candidate.totalPriceCents <= spec.priceCapEur * 100 &&
    allows(spec.conditionIds, candidate.conditionId) &&
    allows(spec.brandIds, candidate.brandId) &&
    allows(spec.sizeIds, candidate.sizeId) &&
    (spec.categoryIds.length === 0 || spec.categoryIds.some((id) => candidate.categoryIds.includes(id))) &&
    spec.marketplaceColourIds.every((id) => candidate.marketplaceColourIds.includes(id)) &&
    spec.includeWords.every((word) => candidate.paddedTitle.includes(` ${word} `)) &&
    !spec.excludeWords.some((word) => candidate.paddedTitle.includes(` ${word} `))
  );
}

/** Tests every filter for every listing: exact, and linear in the number of filters. */
export function createNaiveIndex(): FilterIndex {
  const filters = new Map<number, { readonly spec: FilterSpec; readonly matchClass: MatchClass }>();
  return {
    get size() {
      return filters.size;
    },
    insert(filterNumber, spec, matchClass) {
      if (filters.has(filterNumber)) throw new RangeError(`filter number ${filterNumber} is taken`);
      filters.set(filterNumber, { spec, matchClass });
    },
    remove: (filterNumber) => filters.delete(filterNumber),
    match(candidate) {
      const held = [...filters].filter(([, { spec }]) => filterHolds(spec, candidate));
      const inOrder = MATCH_CLASSES.flatMap((wanted) =>
        held.filter(([, { matchClass }]) => matchClass === wanted).map(([filterNumber]) => filterNumber),
      );
      return { numbers: Int32Array.from(inOrder), start: 0, length: inOrder.length };
    },
  };
}

function allows(ids: readonly number[], id: number): boolean {
  return ids.length === 0 || ids.includes(id);
}
