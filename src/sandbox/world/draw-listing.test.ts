import { describe, expect, test } from "vitest";
import { brandIdForTitle } from "#catalogue/brand-titles.ts";
import { categoryById, categoryPath, leafIds, leafIdsUnder } from "#catalogue/categories.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { categoryWeight } from "#catalogue/simulation-priors.ts";
import { sizeIdsForTitle } from "#catalogue/sizes.ts";
import { drawListing, drawPastListing } from "./draw-listing.ts";

const PUBLISHED_AT_MS = 1_790_000_000_000;
const sample = Array.from({ length: 6_000 }, (_unused, index) =>
  drawListing({ seed: 1, serial: index + 1, publishedAtMs: PUBLISHED_AT_MS }),
);
const shareOf = (count: number): number => count / sample.length;

test("a listing is determined by seed and number", () => {
  const again = sample.map((_listing, index) =>
    drawListing({ seed: 1, serial: index + 1, publishedAtMs: PUBLISHED_AT_MS }),
  );
  expect(again).toEqual(sample);
  const elsewhere = drawListing({ seed: 2, serial: 1, publishedAtMs: PUBLISHED_AT_MS });
  expect(elsewhere).not.toEqual(sample[0]);
});

test("a past listing is determined by seed and number, and is no listing of the market's own", () => {
  const past = (seed: number) =>
    Array.from({ length: 500 }, (_unused, index) =>
      drawPastListing({ seed, number: index + 1, atMs: PUBLISHED_AT_MS }),
    );
  const listings = past(1);
  expect(past(1)).toEqual(listings);
  const titlesOf = (facts: readonly { readonly title: string; readonly priceCents: number }[]) =>
    new Set(facts.map(({ title, priceCents }) => `${title} ${priceCents}`));
  expect(titlesOf(past(2)).intersection(titlesOf(listings)).size).toBeLessThan(25);
  expect(titlesOf(sample).intersection(titlesOf(listings)).size).toBeLessThan(100);
});

test("seven in ten past listings are of the 24 commonest types, and the rest as the market is", () => {
  const common = new Set(
    leafIds.toSorted((one, other) => categoryWeight(other) - categoryWeight(one)).slice(0, 24),
  );
  const shareIn = (leaves: readonly number[]): number =>
    leaves.filter((leafId) => common.has(leafId)).length / leaves.length;
  const past = Array.from({ length: sample.length }, (_unused, index) =>
    drawPastListing({ seed: 1, number: index + 1, atMs: PUBLISHED_AT_MS }),
  );
  const expected = 0.7 + 0.3 * shareIn(sample.map(({ leafId }) => leafId));
  expect(Math.abs(shareIn(past.map(({ leafId }) => leafId)) - expected)).toBeLessThan(0.02);
});

test("a listing can be drawn for every leaf", () => {
  for (const leafId of leafIds) {
    const listing = drawListing({ seed: 5, serial: leafId, publishedAtMs: PUBLISHED_AT_MS, leafId });
    expect(listing.leafId).toBe(leafId);
    expect(listing.title.length, categoryById(leafId)?.label).toBeGreaterThan(2);
  }
});

function weightOf(ids: readonly number[]): number {
  return ids.reduce((total, id) => total + categoryWeight(id), 0);
}

describe("the generated market", () => {
  test("has the observed shares of categories", () => {
    for (const root of [1904, 5, 1193]) {
      const count = sample.filter(({ leafId }) => categoryPath(leafId)[0]?.id === root).length;
      expect(shareOf(count)).toBeCloseTo(weightOf(leafIdsUnder(root)) / weightOf(leafIds), 1);
    }
  });

  test("has mostly, but not only, known brands, sizes and conditions", () => {
    const branded = sample.filter(({ brandTitle }) => brandTitle !== "");
    const unknown = branded.filter(({ brandTitle }) => brandIdForTitle(brandTitle) === null);
    expect(shareOf(branded.length)).toBeGreaterThan(0.7);
    expect(shareOf(sample.length - branded.length)).toBeGreaterThan(0.02);
    expect(unknown.length).toBeGreaterThan(0);
    expect(shareOf(unknown.length)).toBeLessThan(0.05);
    for (const { sizeTitle, leafId } of sample) {
      const groups = categoryById(leafId)?.sizeGroupIds ?? [];
      if (sizeTitle !== "") expect(sizeIdsForTitle(sizeTitle, groups), sizeTitle).not.toEqual([]);
    }
    expect(sample.every(({ conditionLabel }) => conditionIdForLabel(conditionLabel) !== null)).toBe(true);
  });

  test("has realistic prices", () => {
    const prices = sample.map(({ priceCents }) => priceCents).toSorted((one, other) => one - other);
    expect(prices[0]).toBeGreaterThanOrEqual(100);
    expect(prices[Math.floor(prices.length / 2)]).toBeGreaterThan(400);
    expect(prices[Math.floor(prices.length / 2)]).toBeLessThan(1_500);
    expect(shareOf(prices.filter((cents) => cents % 100 === 0).length)).toBeGreaterThan(0.98);
  });

  test("has short and varied titles without placeholders", () => {
    const titles = sample.map(({ title }) => title);
    const lengths = titles.map(({ length }) => length).toSorted((one, other) => one - other);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeGreaterThan(12);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(32);
    expect(lengths.at(-1)).toBeLessThanOrEqual(75);
    expect(new Set(titles).size / titles.length).toBeGreaterThan(0.6);
    expect(titles.filter((title) => /undefined|null|NaN|\s{2}|^\s|\s$|\|/.test(title))).toEqual([]);
  });

  test("has rare special cases", () => {
    expect(shareOf(sample.filter(({ isPromoted }) => isPromoted).length)).toBeCloseTo(0.006, 2);
    expect(sample.some(({ hasBarePrices }) => hasBarePrices)).toBe(true);
    expect(sample.some(({ seller }) => !seller.hasPhoto)).toBe(true);
    expect(sample.some(({ brandTitle }) => brandTitle === "")).toBe(true);
    expect(sample.some(({ needsConfirmation }) => needsConfirmation)).toBe(true);
  });

  test("has fates in the future only", () => {
    const fates = sample.map(({ fate }) => fate).filter((fate) => fate !== null);
    expect(new Set(fates.map(({ kind }) => kind))).toEqual(
      new Set(["rival", "withdrawal", "price", "relist"]),
    );
    expect(fates.every(({ atMs }) => atMs > PUBLISHED_AT_MS)).toBe(true);
  });

  test("relists 6 % of unsold listings", () => {
    const unsold = sample.filter(({ fate }) => fate?.kind !== "rival");
    const relisted = unsold.filter(({ fate }) => fate?.kind === "relist");
    expect(relisted.length / unsold.length).toBeCloseTo(0.06, 2);
    expect(relisted.every(({ fate, priceCents }) => (fate?.priceCents ?? 0) <= priceCents)).toBe(true);
  });
});
