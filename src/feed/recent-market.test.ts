import { afterAll, beforeAll, expect, test } from "vitest";
import { conditions } from "#catalogue/conditions.ts";
import { leafIds } from "#catalogue/categories.ts";
import type { FilterCriteria } from "#domain/filter.ts";
import type { SeenListing } from "#domain/listing.ts";
import { candidateIn, readListing } from "#matching/candidate.ts";
import { compileFilter, filterHolds } from "#matching/compile-filter.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createRecentMarket, MIN_SAMPLE } from "./recent-market.ts";

const HOUR_MS = 3_600_000;
const T_SHIRTS = 221;
const JEANS_SKINNY = 1844;
const SHOES = 2955;
const SIZE_M = 4;

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened[Symbol.asyncDispose]());

/** A market of its own beside what other tests recorded: only what is seen from this moment on. */
async function marketOf(seen: readonly SeenListing[]) {
  await opened.store.listings.prune(Number.MAX_SAFE_INTEGER);
  await opened.store.listings.record({ listings: seen, matches: [], marks: [] });
  const clock = new FakeClock(A_MOMENT_MS + 2 * HOUR_MS);
  return { clock, market: createRecentMarket({ listings: opened.store.listings, clock }) };
}

let lastId = 6_000_000_000;

function seenAt(
  ageMs: number,
  traits: Parameters<typeof aListing>[0] = {},
  leaves = [T_SHIRTS],
): SeenListing {
  lastId += 1;
  const atMs = A_MOMENT_MS + 2 * HOUR_MS - ageMs;
  return aSeenListing({
    listing: aListing({ id: lastId, ...traits }),
    facts: { leafIds: leaves, marketplaceColourIds: [] },
    firstSeenAtMs: atMs,
    seenAtMs: atMs,
  });
}

test("count() tells how many listings a filter would have found, and what they cost", async () => {
  const { market } = await marketOf([
    seenAt(HOUR_MS, { totalPriceCents: 1_200 }),
    seenAt(1_000, { totalPriceCents: 4_500 }),
    seenAt(1_000, { totalPriceCents: 9_000 }),
    seenAt(1_000, { totalPriceCents: 2_000 }, [JEANS_SKINNY]),
  ]);
  expect(await market.count(aFilter({ categoryIds: [T_SHIRTS], priceCapEur: 50 }))).toEqual({
    found: 2,
    seenInTypes: 3,
    sinceMs: A_MOMENT_MS + HOUR_MS,
    pricesCents: { lowest: 1_200, highest: 4_500 },
  });
});

test("what can match nothing finds nothing, and what was seen more than a day ago no longer counts", async () => {
  const { market, clock } = await marketOf([seenAt(0), seenAt(23 * HOUR_MS)]);
  expect((await market.count(aFilter())).found).toBe(2);
  expect((await market.count(aFilter({ priceCapEur: 0 }))).found).toBe(0);
  await clock.advance(2 * HOUR_MS);
  expect((await market.count(aFilter())).found).toBe(1);
});

test("what the store learns later is counted too, a price that fell only once", async () => {
  const first = seenAt(1_000, { totalPriceCents: 8_000 });
  const { market, clock } = await marketOf([first]);
  expect((await market.count(aFilter({ priceCapEur: 50 }))).found).toBe(0);
  await clock.advance(5_000);
  const fallen = { ...first, listing: { ...first.listing, totalPriceCents: 4_000 }, seenAtMs: clock.nowMs() };
  await opened.store.listings.record({ listings: [fallen, seenAt(0)], matches: [], marks: [] });
  expect(await market.count(aFilter({ priceCapEur: 50 }))).toMatchObject({ found: 2, seenInTypes: 2 });
});

test("a listing that may lie in several types is counted only where each of them is wanted", async () => {
  const { market } = await marketOf([
    seenAt(0, {}, [T_SHIRTS, JEANS_SKINNY]),
    seenAt(0, { sizeTitle: "M" }, [T_SHIRTS, SHOES]),
  ]);
  const foundBy = async (criteria: Partial<FilterCriteria>) => (await market.count(aFilter(criteria))).found;
  expect(await foundBy({ categoryIds: [T_SHIRTS] })).toBe(0);
  expect(await foundBy({ categoryIds: [JEANS_SKINNY] })).toBe(0);
  expect(await foundBy({ categoryIds: [T_SHIRTS, JEANS_SKINNY] })).toBe(1);
  // An M is no size of shoes, so the second one may be none.
  expect(await foundBy({ sizeIds: [SIZE_M] })).toBe(1);
});

test("count() is the naive match, filter by filter", async () => {
  const random = createFakeRandom(7);
  const pick = <Value>(values: readonly Value[]): readonly Value[] => {
    const one = values[Math.floor(random.next() * values.length)];
    return random.next() < 0.5 || one === undefined ? [] : [one];
  };
  const leaves = leafIds.slice(0, 12);
  const seen = Array.from({ length: 300 }, () => {
    const [brandTitle = "Zara"] = pick(["Nike", "Inconnue", "adidas"]);
    const [sizeTitle = "M"] = pick(["S", "M / 38 / 10", "XL", "?"]);
    const [leaf = T_SHIRTS] = pick(leaves);
    const [title = "Robe d'été"] = pick(["Robe noire vintage", "Jean"]);
    const totalPriceCents = 100 * Math.floor(1 + random.next() * 90);
    const conditionLabel = pick(conditions)[0]?.label ?? "";
    return seenAt(
      0,
      { brandTitle, sizeTitle, title, totalPriceCents, conditionLabel },
      random.next() < 0.1 ? [] : [leaf],
    );
  });
  const { market } = await marketOf(seen);
  let foundInAll = 0;
  for (let round = 0; round < 200; round += 1) {
    const criteria: FilterCriteria = aFilter({
      categoryIds: pick([...leaves, T_SHIRTS, 4]),
      brandIds: pick([53, 14, 12]),
      sizeIds: pick([2, 3, 4, 207, 208, 209]),
      conditionIds: pick(conditions.map(({ id }) => id)),
      includeWords: pick([["robe"], ["vintage", "jean"]]),
      excludeWords: pick([["noire"], ["jean"]]),
      priceFloorEur: Math.floor(random.next() * 12),
      priceCapEur: Math.floor(random.next() * 95),
    });
    const spec = compileFilter(criteria);
    const expected = seen.filter(({ listing, facts }) => {
      const candidate = candidateIn(readListing(listing), facts.leafIds[0] ?? null, []);
      return spec !== null && filterHolds(spec, candidate);
    });
    expect((await market.count(criteria)).found, JSON.stringify(criteria)).toBe(expected.length);
    if (criteria.sizeIds.length > 0) foundInAll += expected.length;
  }
  // Sizes, the hardest of it, did find something.
  expect(foundInAll).toBeGreaterThan(20);
});

test("the usual price is the median of the same brand, condition and type, and says of how many", async () => {
  const same = [1_000, 1_400, 2_000, 2_600, 9_000].map((totalPriceCents) => seenAt(0, { totalPriceCents }));
  const bought = seenAt(0, { totalPriceCents: 500 });
  const { market } = await marketOf([
    ...same,
    bought,
    seenAt(0, { brandTitle: "Nike", totalPriceCents: 1 }),
    seenAt(0, { conditionLabel: "Satisfaisant", totalPriceCents: 1 }),
    seenAt(0, { totalPriceCents: 1 }, [JEANS_SKINNY]),
  ]);
  const like = (leafIds: readonly number[], traits = {}) => ({
    listing: { ...bought.listing, ...traits },
    leafIds,
  });
  expect(
    await market.usualPrices([
      like([T_SHIRTS]),
      like([]),
      like([T_SHIRTS], { brandTitle: "Jamais vue" }),
      like([JEANS_SKINNY]),
    ]),
  ).toEqual([{ medianCents: 2_000, sampleSize: 5 }, null, null, null]);
  expect(MIN_SAMPLE).toBe(5);
});
