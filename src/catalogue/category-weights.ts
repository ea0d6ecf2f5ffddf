/**
 * Listings per leaf on the marketplace in March 2024: weights for drawing categories, not live counts. Only
 * for the server and the sandbox.
 */
import weightRows from "./data/category-weights.json" with { type: "json" };
import { numberIn } from "./row-cells.ts";

const weights = new Map(weightRows.map((row) => [numberIn(row, 0), numberIn(row, 1)]));

/** Listings of a leaf; 0 for an empty leaf, a branch or an unknown id. Constant time. */
export function categoryWeight(leafId: number): number {
  return weights.get(leafId) ?? 0;
}
