import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leafIds } from "#catalogue/categories.ts";
import { drawListing } from "../world/draw-listing.ts";
import { type CatalogueQuery, createSearchIndex, MAX_RESULTS } from "./search-index.ts";
import type { MarketListing } from "./listing.ts";

const EVERYTHING: CatalogueQuery = {
  leafIds: null,
  brandIds: null,
  sizeIds: null,
  conditionIds: null,
  colourIds: null,
  priceFromCents: 0,
  priceToCents: Infinity,
  words: [],
  page: 1,
  perPage: 96,
};

const LEAVES = leafIds.slice(0, 6);

function listing(id: number, changes: Partial<MarketListing> = {}): MarketListing {
  const leafId = LEAVES[id % LEAVES.length] ?? 0;
  return {
    ...drawListing({ seed: 9, serial: id, publishedAtMs: id, leafId }),
    id,
    serial: id,
    publishedAtMs: id,
    state: "available",
    reservedUntilMs: null,
    ...changes,
  };
}

const idsOf = (listings: readonly MarketListing[]): readonly number[] => listings.map(({ id }) => id);

describe("a search", () => {
  test("finds the same as a full scan, while listings come and go", () => {
    const steps = fc.array(fc.record({ id: fc.integer({ min: 1, max: 120 }), leaves: fc.boolean() }), {
      maxLength: 300,
    });
    const query = fc.record({
      leafIds: fc.option(fc.uniqueArray(fc.constantFrom(...LEAVES)).map((ids) => new Set(ids))),
      colourIds: fc.option(fc.constantFrom(new Set([1]), new Set([9, 12]))),
      conditionIds: fc.option(fc.constantFrom(new Set([2]), new Set([1, 6]))),
      priceToCents: fc.constantFrom(500, 2_000, Infinity),
    });
    fc.assert(
      fc.property(steps, query, (events, asked) => {
        const searchIndex = createSearchIndex();
        const kept = new Map<number, MarketListing>();
        for (const { id, leaves } of events) {
          if (leaves) {
            searchIndex.remove(id);
            kept.delete(id);
          } else {
            // New, or back after its purchase was cancelled.
            searchIndex.put(listing(id));
            kept.set(id, listing(id));
          }
        }
        const wanted = { ...EVERYTHING, ...asked };
        const expected = [...kept.values()].filter(
          ({ leafId, colourIds, priceCents }) =>
            (wanted.leafIds === null || wanted.leafIds.has(leafId)) &&
            (wanted.colourIds === null || colourIds.some((id) => wanted.colourIds?.has(id))) &&
            priceCents <= wanted.priceToCents,
        );
        const CONDITIONS = new Map([
          ["Neuf avec étiquette", 6],
          ["Neuf sans étiquette", 1],
          ["Très bon état", 2],
          ["Bon état", 3],
          ["Satisfaisant", 4],
        ]);
        const fitting = expected.filter(
          ({ conditionLabel }) =>
            wanted.conditionIds === null || wanted.conditionIds.has(CONDITIONS.get(conditionLabel) ?? 0),
        );
        expect(idsOf(searchIndex.newest(wanted))).toEqual(
          idsOf(fitting).toSorted((one, other) => other - one),
        );
        expect(searchIndex.size).toBe(kept.size);
      }),
    );
  });

  test("does not find reserved listings until they are released", () => {
    const searchIndex = createSearchIndex();
    searchIndex.put(listing(1, { state: "reserved" }));
    expect(searchIndex.newest(EVERYTHING)).toEqual([]);
    searchIndex.put(listing(1));
    expect(idsOf(searchIndex.newest(EVERYTHING))).toEqual([1]);
  });

  test("finds a listing that comes back at its old place", () => {
    const searchIndex = createSearchIndex();
    for (const id of [1, 7, 13]) searchIndex.put(listing(id));
    searchIndex.remove(7);
    searchIndex.put(listing(7));
    expect(idsOf(searchIndex.newest(EVERYTHING))).toEqual([13, 7, 1]);
  });

  test("returns at most the maximum number of results", () => {
    const searchIndex = createSearchIndex();
    for (let id = 1; id <= MAX_RESULTS + 40; id += 1) searchIndex.put(listing(id));
    const found = searchIndex.newest(EVERYTHING);
    expect(found).toHaveLength(MAX_RESULTS);
    expect(found[0]?.id).toBe(MAX_RESULTS + 40);
  });

  test("by words matches all whole words in title or brand, ignoring case and accents", () => {
    const searchIndex = createSearchIndex();
    searchIndex.put(listing(1, { title: "Été à la plage", brandTitle: "Zara" }));
    searchIndex.put(listing(2, { title: "etoile filante", brandTitle: "Zara" }));
    expect(idsOf(searchIndex.newest({ ...EVERYTHING, words: ["ete", "zara"] }))).toEqual([1]);
    expect(searchIndex.newest({ ...EVERYTHING, words: ["plag"] })).toEqual([]);
  });
});
