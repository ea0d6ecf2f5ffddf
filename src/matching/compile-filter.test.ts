import { expect, test } from "vitest";
import { allCategories, leafIds, leafIdsUnder, rootCategories } from "#catalogue/categories.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { compileFilter, leafIdsOf, type FilterSpec } from "./compile-filter.ts";

const WOMENS_CLOTHES = 4;
const T_SHIRTS = 221;

function specOf(traits: Parameters<typeof aFilter>[0]): FilterSpec {
  const spec = compileFilter(aFilter(traits));
  if (spec === null) throw new Error("this filter holds nothing");
  return spec;
}

test("a limit of 0 matches nothing", () => {
  expect(compileFilter(aFilter({ priceCapEur: 0 }))).toBeNull();
  expect(compileFilter(aFilter({ priceCapEur: 1 }))).not.toBeNull();
});

test("a selection of unknown values never becomes an open one", () => {
  expect(compileFilter(aFilter({ categoryIds: [999_999] }))).toBeNull();
  expect(compileFilter(aFilter({ brandIds: [0] }))).toBeNull();
  expect(compileFilter(aFilter({ brandIds: [999_999_999] }))).toBeNull();
  expect(compileFilter(aFilter({ sizeIds: [999_999] }))).toBeNull();
  expect(compileFilter(aFilter({ conditionIds: [5] }))).toBeNull();
});

test("unknown values beside known ones are omitted", () => {
  expect(specOf({ sizeIds: [4, 999_999] }).sizeIds).toEqual([4]);
  expect(specOf({ categoryIds: [999_999, T_SHIRTS] }).categoryIds).toEqual([T_SHIRTS]);
});

test("a branch stands for its leaves, and all leaves of a branch for the branch", () => {
  expect(specOf({ categoryIds: [WOMENS_CLOTHES] }).categoryIds).toEqual([WOMENS_CLOTHES]);
  expect(specOf({ categoryIds: [...leafIdsUnder(WOMENS_CLOTHES)] }).categoryIds).toEqual([WOMENS_CLOTHES]);
  expect(specOf({ categoryIds: [T_SHIRTS, WOMENS_CLOTHES] }).categoryIds).toEqual([WOMENS_CLOTHES]);
});

test("the cover contains exactly the chosen leaves, and no ancestor of another node", () => {
  const choices = [
    [T_SHIRTS],
    leafIds.slice(5, 60),
    [...leafIdsUnder(WOMENS_CLOTHES).slice(1), 16],
    rootCategories.map(({ id }) => id),
    allCategories.map(({ id }) => id).filter((id) => id % 3 === 0),
  ];
  for (const categoryIds of choices) {
    const spec = specOf({ categoryIds });
    const wanted = new Set(categoryIds.flatMap(leafIdsUnder));
    expect(leafIdsOf(spec)).toHaveLength(wanted.size);
    expect(new Set(leafIdsOf(spec))).toEqual(wanted);
    expect(spec.categoryIds.length).toBeLessThanOrEqual(wanted.size);
  }
});

test("the whole tree differs from no category: a listing in none of it does not match", () => {
  expect(specOf({ categoryIds: rootCategories.map(({ id }) => id) }).categoryIds).toHaveLength(6);
  expect(specOf({ categoryIds: [] }).categoryIds).toEqual([]);
});

test("a colour is the marketplace's colours that its name means; Bred is black and red", () => {
  expect(specOf({ colourName: "Navy" }).marketplaceColourIds).toEqual([27]);
  expect(specOf({ colourName: "Bred" }).marketplaceColourIds).toEqual([1, 7]);
});

test("words are folded and unique; those without letters require nothing", () => {
  const words = { includeWords: [["Été"], ["ete"], ["L'Oréal"], ["!!"]], excludeWords: [["Troué"]] };
  expect(specOf(words)).toMatchObject({
    includeWords: [[" ete "], [" l oreal "]],
    excludeWords: [" troue "],
  });
});

test("alternatives are one group, each once; a group that a title always holds requires nothing", () => {
  const words = {
    includeWords: [["Tech Fleece", "techfleece", "TECHFLEECE"], ["bleu", "?"], []],
    excludeWords: [["lot", "lots"], ["lot"]],
  };
  expect(specOf(words)).toMatchObject({
    includeWords: [[" tech fleece ", " techfleece "]],
    excludeWords: [" lot ", " lots "],
  });
});

test("a filter with a floor above its cap matches nothing", () => {
  expect(compileFilter(aFilter({ priceFloorEur: 20, priceCapEur: 20 }))).toMatchObject({ priceFloorEur: 20 });
  expect(compileFilter(aFilter({ priceFloorEur: 21, priceCapEur: 20 }))).toBeNull();
});
