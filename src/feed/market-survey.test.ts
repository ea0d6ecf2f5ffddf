import { expect, test } from "vitest";
import { brandIdForTitle } from "#catalogue/brand-titles.ts";
import { compileFilter } from "#matching/compile-filter.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { entryTestFor, leafSetOf, marketEntryOf, MIN_FREQUENT, Surveyor } from "./market-survey.ts";

const DRESSES = 10;
const MINI_DRESSES = 178;
const PARTY_DRESSES = 1775;
const T_SHIRTS = 221;
const ZARA = brandIdForTitle("Zara") ?? 0;
const NIKE = brandIdForTitle("Nike") ?? 0;

interface Wares {
  readonly brandTitle: string;
  readonly eurEach: readonly number[];
  readonly leafIds: readonly number[];
}

function survey(wares: readonly Wares[], { maxFrequent = 3, filters = [aFilter()] } = {}) {
  const surveyor = new Surveyor(
    filters.map((filter) => {
      const spec = compileFilter(filter);
      return spec === null ? null : entryTestFor(spec);
    }),
  );
  for (const { brandTitle, eurEach, leafIds } of wares) {
    const leaves = leafSetOf(leafIds);
    for (const eur of eurEach) {
      const listing = aListing({ brandTitle, totalPriceCents: eur * 100 });
      surveyor.add(marketEntryOf(aSeenListing({ listing }), leaves));
    }
  }
  return surveyor.result(maxFrequent);
}

test("a brand in a category that many listings have is a search, capped at what most of them cost", () => {
  const { frequent } = survey([
    { brandTitle: "Zara", eurEach: [8, 12, 22, 300], leafIds: [MINI_DRESSES, PARTY_DRESSES] },
  ]);
  expect(frequent).toEqual([{ brandId: ZARA, categoryId: DRESSES, priceCapEur: 25, found: 3 }]);
});

test("a brand in a category precedes a brand alone, and each brand appears once", () => {
  const { frequent } = survey([
    { brandTitle: "Nike", eurEach: Array.from({ length: 9 }, () => 20), leafIds: [] },
    { brandTitle: "Zara", eurEach: [10, 10, 10], leafIds: [MINI_DRESSES] },
    { brandTitle: "Zara", eurEach: [10, 10, 10, 10], leafIds: [T_SHIRTS] },
  ]);
  expect(frequent.map(({ brandId, categoryId }) => [brandId, categoryId])).toEqual([
    [ZARA, T_SHIRTS],
    [NIKE, null],
  ]);
});

test("too few listings, an unknown brand and an empty market suggest nothing", () => {
  const few = Array.from({ length: MIN_FREQUENT - 1 }, () => 10);
  expect(survey([{ brandTitle: "Zara", eurEach: few, leafIds: [T_SHIRTS] }]).frequent).toEqual([]);
  expect(survey([{ brandTitle: "??", eurEach: [1, 2, 3, 4], leafIds: [T_SHIRTS] }]).frequent).toEqual([]);
  expect(survey([]).frequent).toEqual([]);
});

test("each given filter is counted by what it holds, one that can match nothing by 0", () => {
  const filters = [
    aFilter({ categoryIds: [DRESSES], priceCapEur: 15 }),
    aFilter({ priceCapEur: 0 }),
    aFilter({ brandIds: [NIKE] }),
  ];
  const wares = [{ brandTitle: "Zara", eurEach: [8, 12, 22], leafIds: [MINI_DRESSES] }];
  expect(survey(wares, { filters }).found).toEqual([2, 0, 0]);
});
