import * as fc from "fast-check";
import { expect, test } from "vitest";
import { leafIds, leafIdsUnder, rootCategories } from "#catalogue/categories.ts";
import { type FilterCriteria, openCriteria } from "#domain/market/filter.ts";
import { leafSetOf } from "#market/archive/leaf-sets.ts";
import { compileFilter } from "#matching/compile-filter.ts";
import { demandOf, SliceDemand } from "./slice-demand.ts";
import { sliceOf, type SliceRank } from "./slice.ts";

const WOMENS_CLOTHES = 4;
const WOMENS_SHOES = 16;
const WOMENS_JEANS = 183;
const MENS_JEANS = 257;
/** Leaves of one size group. */
const WOMENS_GLOVES = 90;
const MENS_GLOVES = 91;
const GLOVES_6 = 1_410;
const M_WOMEN = 4;
const M_MEN = 208;

const anything: FilterCriteria = { ...openCriteria, priceCapEur: 100 };

function demandFor(criteria: Partial<FilterCriteria>, rank: SliceRank = "rest"): ReturnType<typeof demandOf> {
  const spec = compileFilter({ ...anything, ...criteria });
  if (spec === null) throw new Error("these criteria hold nothing");
  return demandOf(spec, rank);
}

function shapesOf(demand: SliceDemand): readonly string[] {
  return demand
    .slices()
    .map(
      (slice) =>
        `${slice.leafIds.join(" ") || "all"} ${slice.marketplaceColourIds.join() || "any"} ${slice.rank}`,
    )
    .toSorted();
}

test("a filter without categories or sizes asks for the whole market", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ brandIds: [12] }));
  expect(shapesOf(demand)).toEqual(["all any rest"]);
  demand.drop(1);
  expect(demand.slices()).toEqual([]);
});

test("the market is previewed only while no filter is active", () => {
  const demand = new SliceDemand();
  demand.setPreviewed(true);
  expect(demand.slices()).toMatchObject([{ leafIds: [], provenLeafIds: [], isPreview: true }]);
  expect(demand.isNeeded).toBe(false);
  demand.put(1, demandFor({ categoryIds: [221] }));
  expect([demand.isNeeded, shapesOf(demand)]).toEqual([true, ["221 any rest"]]);
  demand.drop(1);
  expect(shapesOf(demand)).toEqual(["all any rest"]);
  demand.setPreviewed(false);
  expect(demand.slices()).toEqual([]);
});

test("filters with the same leaves share a slice with the most urgent rank", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ categoryIds: [221] }));
  demand.put(2, demandFor({ categoryIds: [221] }, "thunder"));
  demand.put(3, demandFor({ categoryIds: [221] }, "watched"));
  expect(shapesOf(demand)).toEqual(["221 any thunder"]);
  demand.drop(2);
  expect(shapesOf(demand)).toEqual(["221 any watched"]);
});

test("each wanted colour has a query of its own", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ categoryIds: [221], colourName: "Bred" }));
  expect(shapesOf(demand)).toEqual(["221 1 rest", "221 7 rest"]);
  demand.put(2, demandFor({ categoryIds: [221] }, "acquire"));
  expect(shapesOf(demand)).toEqual(["221 1 rest", "221 7 rest", "221 any acquire"]);
});

test("colours do not multiply atoms: one query per colour, and the atoms prove the category", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ categoryIds: [221], colourName: "Black" }));
  demand.put(2, demandFor({ categoryIds: [178], colourName: "Black" }, "thunder"));
  demand.put(3, demandFor({ categoryIds: [222] }));
  expect(shapesOf(demand)).toEqual(["178 221 1 thunder", "178 any thunder", "221 any rest", "222 any rest"]);
  expect(demand.slices().find(({ leafIds }) => leafIds.length === 2)?.provenLeafIds).toEqual([]);
  demand.drop(2);
  expect(shapesOf(demand)).toEqual(["221 1 rest", "222 any rest"]);
  expect(demand.slices().find(({ leafIds }) => leafIds[0] === 221)?.provenLeafIds).toEqual([221]);
});

test("the scout slice exists if there are many slices and the whole market is not read anyway", () => {
  const demand = new SliceDemand();
  const leaves = leafIdsUnder(WOMENS_CLOTHES).slice(0, 20);
  for (const [place, leafId] of leaves.entries()) demand.put(place, demandFor({ categoryIds: [leafId] }));
  expect(demand.slices().filter(({ isScout }) => isScout)).toHaveLength(1);
  demand.put(100, demandFor({ brandIds: [12] }));
  expect(demand.slices().filter(({ isScout }) => isScout)).toEqual([]);
});

test("a filter with sizes and no categories needs the leaves of each of its size groups", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ sizeIds: [M_WOMEN, M_MEN] }));
  const slices = demand.slices();
  expect(slices).toHaveLength(2);
  expect(new Set(slices.map((slice) => slice.leafIds.length))).toEqual(new Set([181, 84]));
});

test("sizes keep only the leaves of their group of the chosen branch", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ categoryIds: [WOMENS_CLOTHES, WOMENS_SHOES], sizeIds: [M_WOMEN] }));
  const [slice, ...others] = demand.slices();
  expect(others).toEqual([]);
  expect(slice?.leafIds.every((id) => leafIdsUnder(WOMENS_CLOTHES).includes(id))).toBe(true);
  expect(slice?.leafIds.length).toBeGreaterThan(100);
});

test("types of two roots are read separately, so that each listing has a type to compare its price by", () => {
  const typesRead = (criteria: Partial<FilterCriteria>) => {
    const demand = new SliceDemand();
    demand.put(1, demandFor(criteria));
    return demand
      .slices()
      .filter(({ marketplaceColourIds }) => marketplaceColourIds.length === 0)
      .map(({ leafIds: read }) => leafSetOf(read).typeId);
  };
  expect(typesRead({ categoryIds: [WOMENS_JEANS, MENS_JEANS] })).toEqual([WOMENS_JEANS, MENS_JEANS]);
  expect(typesRead({ categoryIds: [WOMENS_JEANS, MENS_JEANS], colourName: "Black" })).toEqual([
    WOMENS_JEANS,
    MENS_JEANS,
  ]);
  expect(typesRead({ categoryIds: [WOMENS_GLOVES, MENS_GLOVES], sizeIds: [GLOVES_6] })).toEqual([
    WOMENS_GLOVES,
    MENS_GLOVES,
  ]);
});

test("whole roots are read with one query each", () => {
  const demand = new SliceDemand();
  const roots = rootCategories
    .slice(0, 2)
    .map(({ id }) => id)
    .toSorted((one, other) => one - other);
  demand.put(1, demandFor({ categoryIds: roots }));
  expect(demand.slices().map((slice) => slice.leafIds.length)).toEqual(
    roots.map((id) => leafIdsUnder(id).length),
  );
});

test("sizes of another group than the chosen categories ask for nothing", () => {
  const demand = new SliceDemand();
  demand.put(1, demandFor({ categoryIds: [WOMENS_SHOES], sizeIds: [M_MEN] }));
  expect(demand.slices()).toEqual([]);
});

test("a slice's key depends on its leaves and colour alone", () => {
  expect(sliceOf([3, 1, 2], 7, "rest").key).toBe(sliceOf([1, 2, 3], 7, "thunder").key);
  expect(sliceOf([1, 2], 7, "rest").key).not.toBe(sliceOf([1, 2], null, "rest").key);
  expect(sliceOf([], null, "rest").key).not.toBe(sliceOf([1], null, "rest").key);
  expect(sliceOf(leafIds, 30, "rest").key.length).toBeLessThan(60);
});

test("one leaf represents those that no filter distinguishes, until an edit does", () => {
  const demand = new SliceDemand();
  const under = leafIdsUnder(WOMENS_SHOES);
  demand.put(1, demandFor({ categoryIds: [WOMENS_SHOES] }));
  expect(demand.representatives(under)).toHaveLength(1);
  demand.put(2, demandFor({ categoryIds: under.slice(0, 1) }));
  expect(demand.representatives(under)).toHaveLength(2);
  demand.drop(2);
  expect(demand.representatives(under)).toHaveLength(1);
});

test("after any edits the slices equal those computed from scratch", () => {
  const criteria = fc.record({
    categoryIds: fc.subarray([221, 222, 178, 1904, 4, 16, 5, 1193], { maxLength: 3 }),
    sizeIds: fc.subarray([4, 5, 208, 209, 60], { maxLength: 2 }),
    colourName: fc.constantFrom(null, null, "Black" as const, "Bred" as const),
  });
  const edit = fc.record({
    filterNumber: fc.integer({ min: 0, max: 7 }),
    criteria: fc.option(criteria),
    rank: fc.constantFrom<SliceRank>("thunder", "acquire", "watched", "rest"),
  });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 40 }), (edits) => {
      const edited = new SliceDemand();
      const left = new Map<number, ReturnType<typeof demandOf>>();
      for (const { filterNumber, criteria: chosen, rank } of edits) {
        if (chosen === null) {
          edited.drop(filterNumber);
          left.delete(filterNumber);
        } else {
          edited.put(filterNumber, demandFor(chosen, rank));
          left.set(filterNumber, demandFor(chosen, rank));
        }
      }
      const afresh = new SliceDemand();
      for (const [filterNumber, demand] of left) afresh.put(filterNumber, demand);
      expect(shapesOf(edited)).toEqual(shapesOf(afresh));
    }),
    { numRuns: 60 },
  );
});
