/**
 * Listings per leaf on the marketplace in March 2024: weights for drawing categories, not live counts. Only
 * for the server and the sandbox.
 */
import { categoryPath, leafIdsUnder, rootCategories } from "./categories.ts";
import weightRows from "./data/category-weights.json" with { type: "json" };
import { numberIn } from "./row-cells.ts";

const weights = new Map(weightRows.map((row) => [numberIn(row, 0), numberIn(row, 1)]));

/** Listings of a leaf; 0 for an empty leaf, a branch or an unknown id. Constant time. */
export function categoryWeight(leafId: number): number {
  return weights.get(leafId) ?? 0;
}

const rootWeights = new Map(
  rootCategories.map(({ id }) => [
    id,
    leafIdsUnder(id).reduce((total, leafId) => total + categoryWeight(leafId), 0),
  ]),
);
const totalWeight = [...rootWeights.values()].reduce((total, weight) => total + weight, 0);

/** The share (0 to 1) of all listings under the root of a category; 0 for an unknown id. */
export function rootShare(categoryId: number): number {
  const root = categoryPath(categoryId)[0];
  return root === undefined ? 0 : (rootWeights.get(root.id) ?? 0) / totalWeight;
}
