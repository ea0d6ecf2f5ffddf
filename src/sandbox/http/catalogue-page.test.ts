import { expect, test } from "vitest";
import type { MarketListing } from "../market/listing.ts";
import { drawListing } from "../world/draw-listing.ts";
import { cataloguePage } from "./catalogue-endpoints.ts";

const facts = drawListing({ seed: 1, serial: 1, publishedAtMs: 0 });

/** Newest first, as a search finds them. */
function found(count: number, promotedIds: readonly number[]): readonly MarketListing[] {
  return Array.from({ length: count }, (_unused, index) => ({
    ...facts,
    id: count - index,
    serial: 1,
    publishedAtMs: 0,
    state: "available",
    reservedUntilMs: null,
    isPromoted: promotedIds.includes(count - index),
  }));
}

const pageIds = (listings: readonly MarketListing[], page: number): readonly number[] =>
  cataloguePage(listings, { page, perPage: 96 }, 0).listings.map(({ id }) => id);

test("a promoted listing is repeated near the top", () => {
  const ids = pageIds(found(90, [10]), 1);
  expect(ids[3]).toBe(10);
  expect(ids.filter((id) => id === 10)).toHaveLength(2);
  expect(ids).toHaveLength(91);
});

test("all pages together contain every listing", () => {
  const listings = found(300, [4, 20, 33]);
  const seen = new Set([1, 2, 3, 4].flatMap((page) => pageIds(listings, page)));
  expect(seen.size).toBe(300);
});

test("promoted listings add no page beyond the limit", () => {
  const page = cataloguePage(found(960, [4, 20]), { page: 1, perPage: 96 }, 0);
  expect(page.pagination).toMatchObject({ total_entries: 960, total_pages: 10 });
});

test("a short list has no promoted listings", () => {
  expect(pageIds(found(20, [3]), 1)).toEqual(found(20, [3]).map(({ id }) => id));
});
