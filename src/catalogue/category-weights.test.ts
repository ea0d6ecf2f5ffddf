import { expect, test } from "vitest";
import { allCategories, isLeaf, leafIds, leafIdsUnder, rootCategories } from "./categories.ts";
import { categoryWeight } from "./category-weights.ts";

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

test("most listings are women's, the fewest pets'", () => {
  const sum = (weights: readonly number[]) => weights.reduce((total, weight) => total + weight, 0);
  const weights = rootCategories.map(({ id }) => sum(leafIdsUnder(id).map(categoryWeight)));
  expect(weights.map((weight) => Math.round((weight / sum(weights)) * 100))).toEqual([54, 9, 30, 1, 6, 0]);
});
