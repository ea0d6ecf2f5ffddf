import { expect, test } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { Block, encodeBlock } from "../archive/block.ts";
import type { Version } from "../archive/version.ts";
import { PopularRun, PricesRun } from "./market-views.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 9);
const SINCE_MS = Date.UTC(2026, 10, 17, 23);
/** Their lowest common type is clothes. */
const [T_SHIRTS, DRESSES] = [221, 1_065];
const [ZARA, NIKE] = [12, 53];

let lastId = 0;

function counted(changes: Partial<Version> = {}): Version {
  lastId += 1;
  return {
    listingId: lastId,
    kind: "new",
    seenAtMs: NOW_MS,
    firstSeenAtMs: NOW_MS,
    newSinceMs: NOW_MS,
    leafIds: [T_SHIRTS],
    marketplaceColourIds: [],
    brandId: ZARA,
    conditionId: 2,
    sizeIds: [4],
    totalPriceCents: 1_000,
    foldedTitle: "haut",
    sellerHash: 1,
    standing: null,
    isCounted: true,
    isRelist: false,
    ...changes,
  };
}

const many = (count: number, changes: Partial<Version> = {}) =>
  Array.from({ length: count }, () => counted(changes));
const priced = (prices: readonly number[], changes: Partial<Version> = {}) =>
  prices.map((totalPriceCents) => counted({ totalPriceCents, ...changes }));

function pricesOf(versions: readonly Version[], brandId: number | null = null) {
  const run = new PricesRun({ typeId: T_SHIRTS, brandId, sinceMs: SINCE_MS, untilMs: NOW_MS });
  for (const one of versions) run.take(new Block(encodeBlock([one])));
  return run.finish();
}

function popularOf(versions: readonly Version[]) {
  const run = new PopularRun({ sinceMs: SINCE_MS });
  run.take(new Block(encodeBlock(versions)));
  return run.finish();
}

test("prices are quartiles of what counts in the type and the period, from five listings on", () => {
  const five = priced([500, 1_000, 1_500, 2_500, 4_000]);
  const others = [
    counted({ isCounted: false }),
    counted({ seenAtMs: SINCE_MS - 1 }),
    counted({ leafIds: [DRESSES] }),
    counted({ leafIds: [T_SHIRTS, DRESSES] }),
  ];
  const { all } = pricesOf([...five, ...others]);
  expect(all).toEqual({ count: 5, quartilesCents: [1_000, 1_500, 2_500] });
  expect(pricesOf([...five.slice(1), ...others]).all).toEqual({ count: 4, quartilesCents: null });
  expect(pricesOf(priced([1_000, 2_000, 3_000, 4_000, 5_000, 6_001])).all.quartilesCents).toEqual([
    2_250, 3_500, 4_750,
  ]);
});

test("prices are told by condition, size and brand, most listings first, and not for what is unknown", () => {
  const versions = [
    ...many(5, { conditionId: 3, sizeIds: [5], brandId: NIKE, totalPriceCents: 2_000 }),
    ...many(6),
    ...many(4, { conditionId: 6, sizeIds: [3], brandId: 14 }),
    ...many(9, { conditionId: 0, sizeIds: [], brandId: 0 }),
  ];
  const { all, conditions, sizes, brands } = pricesOf(versions);
  expect(all.count).toBe(24);
  const usual = { count: 6, quartilesCents: [1_000, 1_000, 1_000] };
  const dear = { count: 5, quartilesCents: [2_000, 2_000, 2_000] };
  const few = { count: 4, quartilesCents: null };
  const inOrder = (...ids: readonly [number, number, number]) =>
    [usual, dear, few].map((range, place) => ({ id: ids[place], ...range }));
  expect(conditions).toEqual(inOrder(2, 3, 6));
  expect(sizes).toEqual(inOrder(4, 5, 3));
  expect(brands).toEqual(inOrder(ZARA, NIKE, 14));
  const ofNike = pricesOf(versions, NIKE);
  expect(ofNike).toMatchObject({ all: dear, conditions: [{ id: 3, ...dear }], brands: [] });
});

test("of equally frequent values the first twenty by id are told", () => {
  const versions = Array.from({ length: 25 }, (_, index) => counted({ brandId: 25 - index }));
  expect(pricesOf(versions).brands.map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test("each day of the period in Paris has its arrivals and their median", () => {
  const versions = [
    ...priced([1_000, 3_000], { seenAtMs: NOW_MS - 2 * DAY_MS }),
    // Half past midnight in Paris.
    counted({ seenAtMs: Date.UTC(2026, 10, 19, 23, 30), totalPriceCents: 700 }),
  ];
  expect(pricesOf(versions).days).toEqual([
    { day: "2026-11-18", count: 2, medianCents: 2_000 },
    { day: "2026-11-19", count: 0, medianCents: null },
    { day: "2026-11-20", count: 1, medianCents: 700 },
  ]);
});

test("a listing counts once, however often its version was written", () => {
  const five = many(5);
  expect(pricesOf([...five, ...five]).all.count).toBe(5);
  expect(popularOf([...five, ...five])).toMatchObject([{ count: 5 }]);
});

test("pairs of type and brand are popular from five listings on, most first, with their median", () => {
  const versions = [
    ...priced([500, 1_000, 2_000, 4_000, 5_000], { brandId: NIKE }),
    ...many(6, { leafIds: [DRESSES] }),
    ...many(5),
    ...many(4, { brandId: 14 }),
    // Neither a brand nor a type, not counted, and before the period.
    ...many(9, { brandId: 0 }),
    ...many(9, { leafIds: [] }),
    ...many(9, { leafIds: [DRESSES], brandId: NIKE, isCounted: false }),
    ...many(9, { leafIds: [DRESSES], brandId: NIKE, seenAtMs: SINCE_MS - 1 }),
  ];
  expect(popularOf(versions)).toEqual([
    { typeId: DRESSES, brandId: ZARA, count: 6, medianCents: 1_000 },
    { typeId: T_SHIRTS, brandId: ZARA, count: 5, medianCents: 1_000 },
    { typeId: T_SHIRTS, brandId: NIKE, count: 5, medianCents: 2_000 },
  ]);
});

test("at most twenty-four pairs are popular", () => {
  const versions = Array.from({ length: 30 }, (_, index) => many(5 + index, { brandId: index + 1 })).flat();
  const pairs = popularOf(versions);
  expect(pairs.map(({ count }) => count)).toEqual(Array.from({ length: 24 }, (_, index) => 34 - index));
});
