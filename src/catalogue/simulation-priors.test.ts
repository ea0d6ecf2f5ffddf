import { expect, test } from "vitest";
import { brandById } from "./brand-titles.ts";
import { allCategories, categoryById, isLeaf, leafIds, leafIdsUnder, rootCategories } from "./categories.ts";
import { marketplaceColours } from "./colours.ts";
import priceRows from "./data/price-priors.json" with { type: "json" };
import {
  categoryWeight,
  conditionShares,
  firstColourShares,
  hourSharesUtc,
  midRangeBrandIds,
  pricePriorFor,
  protectionFeeCents,
  womenSizeShares,
} from "./simulation-priors.ts";

const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0);

test.each([
  [600, 700],
  [5500, 5845],
  [7500, 7945],
  [0, 70],
  [49_999, 52_569],
  [50_000, 51_070],
])("a price of %i cents comes to %i with the protection fee", (priceCents, totalCents) => {
  expect(priceCents + protectionFeeCents(priceCents)).toBe(totalCents);
});

test("half a cent of fee is rounded up, less is dropped", () => {
  expect(protectionFeeCents(10)).toBe(71);
  expect(protectionFeeCents(9)).toBe(70);
});

test("every leaf has prices, its own or an ancestor's, and no unknown id has", () => {
  for (const id of leafIds) expect(pricePriorFor(id)).toBeDefined();
  for (const { id } of rootCategories) expect(pricePriorFor(id)).toBeDefined();
  expect(pricePriorFor(-1)).toBeUndefined();
});

test("the nearest prices win", () => {
  expect(pricePriorFor(221)).toMatchObject({ medianCents: 600, isObserved: true });
  expect(pricePriorFor(2525)).toMatchObject({ medianCents: 2500, isObserved: false });
});

test("prices belong to known categories and rise from quartile to quartile", () => {
  for (const [id, low, median, high] of priceRows) {
    expect(categoryById(Number(id))).toBeDefined();
    expect([low, median, high]).toEqual(
      [low, median, high].toSorted((one, other) => Number(one) - Number(other)),
    );
  }
});

test("shares sum to one", () => {
  expect(sum(Object.values(conditionShares))).toBeCloseTo(1, 10);
  expect(sum(Object.values(womenSizeShares))).toBeCloseTo(1, 10);
  expect(hourSharesUtc).toHaveLength(24);
  expect(sum(hourSharesUtc)).toBeCloseTo(1, 3);
  expect(sum(firstColourShares.map(({ share }) => share))).toBeCloseTo(1, 2);
});

test("colours and brands named by the figures are known", () => {
  const colourIds = new Set(marketplaceColours.map(({ id }) => id));
  for (const { marketplaceColourId } of firstColourShares) expect(colourIds).toContain(marketplaceColourId);
  expect(new Set(firstColourShares.map(({ marketplaceColourId }) => marketplaceColourId)).size).toBe(27);
  expect(Array.from(midRangeBrandIds, (id) => brandById(id)?.title)).toEqual([
    "Maje",
    "Sandro",
    "The Kooples",
    "ba&sh",
    "Zadig & Voltaire",
  ]);
});

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
  const weights = rootCategories.map(({ id }) => sum(leafIdsUnder(id).map(categoryWeight)));
  expect(weights.map((weight) => Math.round((weight / sum(weights)) * 100))).toEqual([54, 9, 30, 1, 6, 0]);
});
