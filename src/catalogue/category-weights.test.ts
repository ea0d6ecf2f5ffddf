import { expect, test } from "vitest";
import { allCategories, isLeaf, leafIds, rootCategories } from "./categories.ts";
import { categoryWeight, rootShare } from "./category-weights.ts";

test("every leaf has a weight, and forty are empty", () => {
  expect(leafIds.every((id) => Number.isSafeInteger(categoryWeight(id)) && categoryWeight(id) >= 0)).toBe(
    true,
  );
  expect(leafIds.filter((id) => categoryWeight(id) === 0)).toHaveLength(40);
});

test("a branch and an unknown id weigh nothing", () => {
  for (const category of allCategories) if (!isLeaf(category)) expect(categoryWeight(category.id)).toBe(0);
  expect(categoryWeight(-1)).toBe(0);
});

test("root shares sum to one, women's first and pets' last", () => {
  const shares = rootCategories.map(({ id }) => rootShare(id));
  expect(shares.reduce((total, share) => total + share, 0)).toBeCloseTo(1, 10);
  expect(shares.map((share) => Math.round(share * 100))).toEqual([54, 9, 30, 1, 6, 0]);
  expect(rootShare(221)).toBe(shares[0]);
  expect(rootShare(-1)).toBe(0);
});
