import * as fc from "fast-check";
import { expect, test } from "vitest";
import { brandById, brandIdForTitle, knownBrands } from "#catalogue/brand-titles.ts";
import { type Category, categoryPath, leafIds } from "#catalogue/categories.ts";
import type { ConditionId } from "#catalogue/conditions.ts";
import { protectionFeeCents } from "#catalogue/simulation-priors.ts";
import { drawPastListing } from "#sandbox/world/draw-listing.ts";
import { type PriceDistribution, priceDistributionOf } from "#sandbox/world/price-distribution.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { isTooGood, isWellKnown, MIN_SAMPLE_TO_BUY } from "#domain/market/standing.ts";
import { PriceBook, type Thing } from "./price-book.ts";

const T_SHIRTS = 221;
const TYPES = [T_SHIRTS, 1844, 222];

const price = fc.record({
  typeId: fc.constantFrom(...TYPES),
  brandId: fc.constantFrom(0, 12, 53, 88),
  conditionId: fc.constantFrom(0, 1, 2, 3),
  cents: fc.integer({ min: 50, max: 1_000_000 }),
  day: fc.integer({ min: 20_000, max: 20_030 }),
});

test("discounting prices leaves a book as if they had never been counted", () => {
  fc.assert(
    fc.property(fc.array(price, { maxLength: 80 }), fc.array(price, { maxLength: 80 }), (kept, gone) => {
      const [book, reference] = [new PriceBook(), new PriceBook()];
      for (const { cents, day, ...thing } of kept) reference.count(thing, cents, day);
      for (const { cents, day, ...thing } of [...kept, ...gone]) book.count(thing, cents, day);
      for (const { cents, ...thing } of gone) book.discount(thing, cents);
      for (const typeId of TYPES) {
        const thing = { typeId, brandId: 12, conditionId: 2 };
        const { dayCount: _, ...own } = book.standingOf(thing, 5_000) ?? { dayCount: 0 };
        const { dayCount: __, ...expected } = reference.standingOf(thing, 5_000) ?? { dayCount: 0 };
        expect(own).toEqual(expected);
      }
    }),
    { numRuns: 100 },
  );
});

test("a price is unknown below five similar ones, and one of wider cells below twenty", () => {
  const book = new PriceBook();
  const thing: Thing = { typeId: 221, brandId: 12, conditionId: 2 };
  for (let count = 0; count < 4; count += 1) book.count(thing, 1_000 + count * 100, 20_000);
  expect(book.standingOf(thing, 1_000)).toBeNull();
  book.count(thing, 1_400, 20_001);
  expect(book.standingOf(thing, 900)).toMatchObject({
    sampleSize: 5,
    dayCount: 2,
    basis: "type_brand_condition",
  });
  const other = { ...thing, conditionId: 3 };
  expect(book.standingOf(other, 1_000)).toBeNull();
  for (let count = 0; count < 15; count += 1) book.count(thing, 1_500, 20_001);
  expect(book.standingOf(other, 1_000)).toMatchObject({ rank: null, sampleSize: 20, basis: "type_brand" });
});

test("a price far below the usual one stays too good to be true while the narrow cell fills", () => {
  const book = new PriceBook();
  const thing: Thing = { typeId: 221, brandId: 12, conditionId: 2 };
  for (let count = 0; count < 400; count += 1)
    book.count({ ...thing, conditionId: 3 }, 80_000 + count * 100, 20_000);
  for (let count = 0; count <= 25; count += 1) {
    const standing = book.standingOf(thing, 9_000);
    expect(isTooGood({ totalPriceCents: 9_000, brandTitle: "" }, standing), `${count} prices`).toBe(true);
    book.count(thing, 80_000 + count * 1_000, 20_001);
  }
});

test("a type that is newly distinguished has the quartiles of the type above it until its own cells fill", () => {
  const book = new PriceBook();
  const [part, whole, above] = categoryPath(T_SHIRTS).toReversed();
  const thingOf = (type: Category | undefined) => ({ typeId: type?.id ?? 0, brandId: 12, conditionId: 2 });
  for (let count = 0; count < 19; count += 1) book.count(thingOf(whole), 2_000 + count * 10, 20_000);
  expect(book.standingOf(thingOf(part), 1_000)).toBeNull();
  book.count(thingOf(whole), 2_000, 20_001);
  for (let count = 0; count < 40; count += 1) book.count(thingOf(above), 9_000, 20_000);
  const standing = book.standingOf(thingOf(part), 1_000);
  expect(standing).toMatchObject({ rank: null, sampleSize: 20, dayCount: 2, basis: "type_brand" });
  expect(isWellKnown(standing, 0)).toBe(false);
  expect(standing?.medianCents).toBeGreaterThan(1_900);
  expect(standing?.medianCents).toBeLessThan(2_300);
  // As soon as its own narrow cell has five prices, only its own count.
  for (let count = 0; count < 5; count += 1) book.count(thingOf(part), 500, 20_002);
  expect(book.standingOf(thingOf(part), 1_000)).toMatchObject({ rank: 0, sampleSize: 5 });
  // Once the type is known, what is rare in it is not compared with the type above.
  const rare = { ...thingOf(part), conditionId: 3 };
  expect(book.standingOf(rare, 1_000)).not.toBeNull();
  for (let count = 0; count < 15; count += 1)
    book.count({ ...thingOf(part), brandId: 53, conditionId: 4 }, 500, 20_002);
  expect(book.standingOf(rare, 1_000)).toBeNull();
});

test("a root's prices say nothing about its types", () => {
  const book = new PriceBook();
  const root = categoryPath(T_SHIRTS)[0]?.id ?? 0;
  for (let count = 0; count < 40; count += 1)
    book.count({ typeId: root, brandId: 12, conditionId: 2 }, 2_000, 20_000);
  expect(book.standingOf({ typeId: T_SHIRTS, brandId: 12, conditionId: 2 }, 1_000)).toBeNull();
});

test("beyond half a million cells no narrow one is added, and everything else still counts", () => {
  const book = new PriceBook();
  const [unused, ...brands] = knownBrands.map(({ id }) => id);
  fill: for (const brandId of brands)
    for (const typeId of leafIds)
      for (const conditionId of [2, 3, 4, 6]) {
        book.count({ typeId, brandId, conditionId }, 2_000, 20_000);
        if (book.cellCount >= 500_000) break fill;
      }
  const full = book.cellCount;
  const known: Thing = { typeId: leafIds[0] ?? 0, brandId: brands[0] ?? 0, conditionId: 2 };
  const fresh: Thing = { ...known, brandId: unused ?? 0 };
  for (let count = 0; count < MIN_SAMPLE_TO_BUY; count += 1)
    for (const thing of [known, fresh]) book.count(thing, 3_000, 20_001);
  // Its own narrow cell would give it a rank.
  expect(book.standingOf(fresh, 1_000)).toMatchObject({ rank: null, sampleSize: 20, basis: "type_brand" });
  expect(book.standingOf(known, 1_000)).toMatchObject({
    rank: 100,
    sampleSize: 21,
    basis: "type_brand_condition",
  });
  // The cell of the fresh thing's type and brand.
  expect([full, book.cellCount]).toEqual([500_000, 500_001]);
});

test("a wider cell is moved to what is expected of this brand in this condition", () => {
  const book = new PriceBook();
  const [good, worn] = [2, 3];
  const count = (brandId: number, conditionId: number, cents: number): void => {
    for (let times = 0; times < 40; times += 1)
      book.count({ typeId: 221, brandId, conditionId }, cents, 20_000);
  };
  count(12, good, 1_000);
  count(53, good, 4_000);
  count(53, worn, 500);
  const expectedIn = (conditionId: number) =>
    book.standingOf({ typeId: 221, brandId: 12, conditionId }, 1_000);
  expect(expectedIn(worn)).toMatchObject({ basis: "type_brand", rank: null });
  // The other condition has no prices: only the brand counts.
  expect(expectedIn(worn)?.medianCents).toBeLessThan(0.8 * (expectedIn(1)?.medianCents ?? 0));
});

interface Estimate {
  /** Null: from a wider cell. */
  readonly rank: number | null;
  readonly trueRank: number;
  readonly sampleSize: number;
  /** Logarithms of quartiles and median over the true ones: 0.1 is about 10 % too high. */
  readonly errors: readonly number[];
}

const totalOf = (priceCents: number) => priceCents + protectionFeeCents(priceCents);

/** The sandbox's default history: every second listing is estimated by the book and by the true price law. */
function estimatedHistory(seed: number, listings: number): readonly Estimate[] {
  const book = new PriceBook();
  const distributions = new Map<string, PriceDistribution>();
  const estimates: Estimate[] = [];
  for (let number = 1; number <= listings; number += 1) {
    const facts = drawPastListing({ seed, number, atMs: 0 });
    const brandId = brandIdForTitle(facts.brandTitle) ?? 0;
    const conditionId: ConditionId = conditionIdForLabel(facts.conditionLabel) ?? 2;
    const thing = { typeId: facts.leafId, brandId, conditionId };
    const cents = totalOf(facts.priceCents);
    const standing = number % 2 === 0 ? book.standingOf(thing, cents) : null;
    // Most have no rank, and each true law takes time.
    const isTaken = standing !== null && (standing.rank !== null || number % 40 === 0);
    if (isTaken && standing.sampleSize >= MIN_SAMPLE_TO_BUY) {
      const key = Object.values(thing).join();
      const brand = brandById(brandId) ?? null;
      const distribution =
        distributions.get(key) ?? priceDistributionOf({ leafId: facts.leafId, brand, conditionId });
      distributions.set(key, distribution);
      const { rank, sampleSize, lowCents, medianCents, highCents } = standing;
      const errors = [lowCents, medianCents, highCents].map((own, place) =>
        Math.log(own / totalOf(distribution.quantile((place + 1) / 4))),
      );
      const trueRank = 100 * distribution.shareAbove(facts.priceCents);
      estimates.push({ rank, trueRank, sampleSize, errors });
    }
    book.count(thing, cents, 20_000 + Math.floor(number / 700));
  }
  return estimates;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

test("ranks, medians and quartiles agree with the law that the prices are drawn from", () => {
  const estimates = estimatedHistory(1, 20_000);
  const ranked = estimates.flatMap(({ rank, ...others }) => (rank === null ? [] : [{ rank, ...others }]));
  const wellKnown = ranked.filter(({ sampleSize }) => sampleSize >= 50);
  const known = ranked.filter(({ sampleSize }) => sampleSize < 50);
  const wider = estimates.filter(({ rank }) => rank === null);
  const bargains = ranked.filter(({ rank }) => rank >= 90);
  const counts = [wellKnown, known, wider, bargains].map(({ length }) => length);
  expect(Math.min(...counts)).toBeGreaterThan(50);
  const rankError = (some: typeof ranked) =>
    mean(some.map(({ rank, trueRank }) => Math.abs(rank - trueRank)));
  expect(rankError(wellKnown)).toBeLessThanOrEqual(5);
  expect(rankError(known)).toBeLessThanOrEqual(7);
  const isTrue = bargains.filter(({ trueRank }) => trueRank >= 80);
  expect(isTrue.length / bargains.length).toBeGreaterThanOrEqual(0.95);
  for (const [some, mostBias, mostError] of [
    [wellKnown, 0.05, 0.13],
    [known, 0.05, 0.13],
    [wider, 0.12, 0.25],
  ] as const)
    for (const place of [0, 1, 2]) {
      const errors = some.map((one) => one.errors[place] ?? Infinity);
      expect(Math.abs(mean(errors))).toBeLessThanOrEqual(mostBias);
      expect(mean(errors.map(Math.abs))).toBeLessThanOrEqual(mostError);
    }
});
