import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import { DAY_MS, HOUR_MS } from "#domain/clock.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { isWellKnown, MIN_SAMPLE_TO_BUY } from "#domain/market/standing.ts";
import { Appraiser } from "./appraiser.ts";

/** 23:00 in Paris, 22:00 UTC. */
const EVENING_MS = Date.UTC(2026, 10, 20, 22);
const T_SHIRTS = 221;

let lastId = 0;

function seen(
  traits: Partial<Omit<Listing, "id">> = {},
  atMs = EVENING_MS,
  leafIds = [T_SHIRTS],
): SeenListing {
  lastId += 1;
  const seller = { id: lastId, login: `v${lastId}`, photoUrl: null };
  const listing = aListing({ title: `Haut ${lastId}`, seller, ...traits, id: asListingId(lastId) });
  return { listing, facts: { leafIds, marketplaceColourIds: [] }, firstSeenAtMs: atMs, seenAtMs: atMs };
}

function newAppraiser() {
  const appraiser = new Appraiser(30, (sellerId) => sellerId);
  const first = (one: SeenListing) =>
    appraiser.appraise({ seen: one, before: null, kind: "new", newSinceMs: null });
  return { appraiser, first };
}

test("a listing's standing excludes the listing itself", () => {
  const { first } = newAppraiser();
  for (let count = 0; count < 5; count += 1) expect(first(seen()).standing).toBeNull();
  expect(first(seen()).standing).toMatchObject({ sampleSize: 5 });
});

test("each listing counts once, at its first version with a type", () => {
  const { appraiser, first } = newAppraiser();
  const listing = seen();
  expect(first(listing).version.isCounted).toBe(true);
  const cheaper = { ...listing, listing: { ...listing.listing, totalPriceCents: 500 } };
  const again = appraiser.appraise({ seen: cheaper, before: listing, kind: "cheaper", newSinceMs: null });
  expect(again.version).toMatchObject({ kind: "cheaper", isCounted: false });
  const unknown = seen({}, EVENING_MS, []);
  expect(first(unknown).version.isCounted).toBe(false);
  const proven = { ...unknown, facts: { leafIds: [T_SHIRTS], marketplaceColourIds: [] } };
  const known = appraiser.appraise({ seen: proven, before: unknown, kind: "changed", newSinceMs: null });
  expect(known.version.isCounted).toBe(true);
});

test("relists, lots and token prices do not count", () => {
  const { first } = newAppraiser();
  const seller = { id: 77, login: "v", photoUrl: null };
  expect(first(seen({ title: "Haut bleu", seller })).version).toMatchObject({
    isRelist: false,
    isCounted: true,
  });
  expect(first(seen({ title: "HAUT bleu", seller })).version).toMatchObject({
    isRelist: true,
    isCounted: false,
  });
  for (let count = 0; count < 6; count += 1) first(seen());
  expect(first(seen({ title: "Lot de hauts" }))).toMatchObject({
    standing: null,
    version: { isCounted: false },
  });
  expect(first(seen({ totalPriceCents: 49 })).version.isCounted).toBe(false);
  expect(first(seen({ totalPriceCents: 1_000_001 })).version.isCounted).toBe(false);
});

test("three prices a day of one seller count in one cell, by the days of Paris", () => {
  const { first } = newAppraiser();
  const seller = { id: 78, login: "v", photoUrl: null };
  const counted = (atMs: number, traits: Partial<Omit<Listing, "id">> = {}) =>
    first(seen({ seller, ...traits }, atMs)).version.isCounted;
  expect([0, 1, 2, 3].map((minute) => counted(EVENING_MS + minute))).toEqual([true, true, true, false]);
  expect(counted(EVENING_MS, { brandTitle: "H&M" })).toBe(true);
  // Midnight in Paris, an hour before midnight UTC.
  expect(counted(EVENING_MS + HOUR_MS - 1)).toBe(false);
  expect(counted(EVENING_MS + HOUR_MS)).toBe(true);
});

/** What an article of 12 € is worth beside 6 honest prices of 10 to 15 € and the given prices of one seller. */
function beside(prices: number) {
  const { first } = newAppraiser();
  for (let count = 0; count < 6; count += 1)
    first(seen({ totalPriceCents: 1_000 + 100 * count }, EVENING_MS + count * DAY_MS));
  const seller = { id: 79, login: "v", photoUrl: null };
  const counted = Array.from({ length: prices }, (_, index) => {
    const atMs = EVENING_MS + Math.floor(index / 5) * DAY_MS;
    return first(seen({ seller, totalPriceCents: 9_000 + index }, atMs)).version.isCounted;
  });
  const { standing } = first(seen({ totalPriceCents: 1_200 }, EVENING_MS + 28 * DAY_MS));
  return { standing, countedPrices: counted.filter(Boolean).length };
}

test("one seller alone never makes a price well known, whatever they list in a month", () => {
  const { standing, countedPrices } = beside(28 * 5);
  expect(countedPrices).toBe(9);
  expect(countedPrices).toBeLessThan(MIN_SAMPLE_TO_BUY / 2);
  expect(standing).toMatchObject({ sampleSize: 15, basis: "type_brand_condition" });
  expect(isWellKnown(standing, 0)).toBe(false);
  // As after their first nine prices, of which three a day count.
  expect(standing).toEqual(beside(13).standing);
});

test("the prices of many sellers count without end", () => {
  const { first } = newAppraiser();
  for (let count = 0; count < 28 * 5; count += 1)
    expect(first(seen({}, EVENING_MS + Math.floor(count / 5) * DAY_MS)).version.isCounted).toBe(true);
  const { standing } = first(seen({}, EVENING_MS + 28 * DAY_MS));
  expect(standing).toMatchObject({ sampleSize: 140, dayCount: 28 });
  expect(isWellKnown(standing, 7)).toBe(true);
});
