import { describe, expect, test } from "vitest";
import { categoryById, isLeaf, leafIdsUnder, rootCategories } from "#catalogue/categories.ts";
import {
  chosenLeavesUnder,
  isChosen,
  levelUnder,
  MAX_FOUND_TYPES,
  searchTypes,
  withTypeToggled,
} from "./type-picker.tsx";

const DRESSES = 10;
const MINI = 178;
const PARTY_DRESSES = 1775;
const OCCASION_DRESSES = 1774;
const OUTERWEAR = 1037;

describe("the walk through the tree", () => {
  test("begins with the six roots", () => {
    expect(levelUnder(null).map(({ label }) => label)).toEqual([
      "Femmes",
      "Hommes",
      "Enfants",
      "Maison",
      "Divertissement",
      "Animaux",
    ]);
  });

  test("reaches every leaf and ends there", () => {
    const leavesBelow = (id: number): readonly number[] => {
      const children = levelUnder(id);
      return children.length === 0 ? [id] : children.flatMap((child) => leavesBelow(child.id));
    };
    for (const root of rootCategories) expect(leavesBelow(root.id)).toEqual(leafIdsUnder(root.id));
  });

  test("an unknown node has nothing under it", () => {
    expect(levelUnder(-1)).toEqual([]);
  });
});

describe("a choice", () => {
  test("is taken back by the same touch", () => {
    expect(withTypeToggled([], MINI)).toEqual([MINI]);
    expect(withTypeToggled([MINI], MINI)).toEqual([]);
  });

  test("of a branch takes the place of what was chosen below it, and of nothing else", () => {
    expect(withTypeToggled([MINI, PARTY_DRESSES, OUTERWEAR], DRESSES)).toEqual([OUTERWEAR, DRESSES]);
  });

  test("of a branch counts for all its leaves", () => {
    expect(isChosen([DRESSES], PARTY_DRESSES)).toBe(true);
    expect(chosenLeavesUnder([DRESSES], DRESSES)).toBe(leafIdsUnder(DRESSES).length);
    expect(chosenLeavesUnder([MINI], DRESSES)).toBe(1);
  });

  test("a leaf taken out of a chosen branch leaves all the others", () => {
    const left = withTypeToggled([DRESSES, OUTERWEAR], MINI);
    expect(left).not.toContain(DRESSES);
    expect(left).toContain(OUTERWEAR);
    expect(chosenLeavesUnder(left, DRESSES)).toBe(leafIdsUnder(DRESSES).length - 1);
    expect(isChosen(left, MINI)).toBe(false);
  });

  test("a branch taken out of a chosen branch leaves what is beside it", () => {
    const left = withTypeToggled([DRESSES], OCCASION_DRESSES);
    expect(chosenLeavesUnder(left, OCCASION_DRESSES)).toBe(0);
    expect(isChosen(left, MINI)).toBe(true);
  });
});

describe("the search across levels", () => {
  test("finds by label first, accents and case ignored", () => {
    const [first] = searchTypes("DOUDOUNES");
    expect(first?.category.label).toBe("Doudounes");
    expect(first?.pathLabel.startsWith("Femmes › Vêtements")).toBe(true);
  });

  test("finds by path too, and then only leaves", () => {
    const labels = searchTypes("hommes vestes");
    expect(labels.length).toBeGreaterThan(0);
    expect(labels.every(({ pathLabel }) => pathLabel.startsWith("Hommes"))).toBe(true);
  });

  test("finds branches by their label, so that a whole branch can be chosen", () => {
    const branch = searchTypes("robes").find(({ category }) => category.id === DRESSES);
    expect(branch && isLeaf(branch.category)).toBe(false);
  });

  test("answers nothing for nothing and never more than its bound", () => {
    expect(searchTypes("  ")).toEqual([]);
    expect(searchTypes("e")).toHaveLength(MAX_FOUND_TYPES);
    expect(categoryById(DRESSES)?.label).toBe("Robes");
  });
});
