/** The simplest index: the test oracle of the fast one. */
import { filterHolds, type FilterSpec } from "./compile-filter.ts";
import { MATCH_CLASSES, type FilterIndex, type MatchClass } from "./filter-index.ts";

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
