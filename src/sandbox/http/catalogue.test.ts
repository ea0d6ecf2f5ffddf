import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireItem } from "#marketplace/read-listing.ts";
import { wireCatalogPage } from "#marketplace/wire.ts";
import { openShop, refusalOf, search, type Shop } from "../shop.suite.ts";
import type { MarketListing } from "../market/listing.ts";
import { drawListing } from "../world/draw-listing.ts";
import { cataloguePage } from "./endpoints.ts";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

describe("a page of the catalogue", () => {
  test("matches the wire schema and exposes no internal fields", async () => {
    const item = await shop.publish({
      title: "Robe longue",
      catalog_id: 1055,
      color: "Bred",
      brand_title: "Zara",
    });
    const received = await shop.send({ path: "/api/v2/catalog/items?catalog_ids=1055" });
    const page = wireCatalogPage.parse(received.json);
    expect(page.items).toHaveLength(1);
    const [first] = page.items;
    expect(wireItem.parse(first)).toMatchObject({
      id: item.id,
      title: "Robe longue",
      brand_title: "Zara",
      size_title: "M",
      status: "Très bon état",
      price: { amount: "12.0", currency_code: "EUR" },
      service_fee: { amount: "1.3", currency_code: "EUR" },
      total_item_price: { amount: "13.3", currency_code: "EUR" },
      promoted: false,
      path: `/items/${item.id}-robe-longue`,
    });
    expect(received.text).not.toMatch(/catalog_id|colou?r_id|fate|secure/);
    expect(page.pagination).toMatchObject({
      current_page: 1,
      total_pages: 1,
      total_entries: 1,
      per_page: 96,
    });
  });

  test("has the publication time in its photo", async () => {
    await shop.clock.advance(1_500);
    await shop.publish({ catalog_id: 1056 });
    const { page } = await search(shop, "catalog_ids=1056");
    expect(page.items[0]?.photo?.high_resolution?.timestamp).toBe(Math.floor(shop.clock.nowMs() / 1_000));
  });

  test("needs no token and ignores an invalid one", async () => {
    const received = await shop.send({ path: "/api/v2/catalog/items", access: "nonsense" });
    expect(received.status).toBe(200);
  });
});

describe("a search", () => {
  test("filters by leaves, branches, brands, sizes, conditions, colours, prices and words", async () => {
    const wanted = await shop.publish({
      title: "Chemise à carreaux",
      catalog_id: 1801,
      brand_title: "Levi's",
      size_title: "L",
      status: "Bon état",
      color: "Navy",
      price: 21,
    });
    await shop.publish({
      title: "Chemise unie",
      catalog_id: 1801,
      brand_title: "Zara",
      color: "Red",
      price: 40,
    });
    const queries = [
      "catalog_ids=1801&brand_ids=10",
      "catalog_ids=536&status_ids=3,4",
      "catalog_ids=5&color_ids=27",
      "catalog_ids=1801&price_to=25",
      "catalog_ids=1801&price_from=20.5&price_to=21",
      "catalog_ids=1801&search_text=CARREAUX chemise",
    ];
    for (const query of queries) {
      const { ids } = await search(shop, query);
      expect(ids, query).toEqual([wanted.id]);
    }
  });

  test("returns consecutive pages, newest first", async () => {
    const newListings = Array.from({ length: 50 }, (_unused, index) => ({
      title: `Veste ${index}`,
      price: 5,
      catalog_id: 1224,
    }));
    await shop.control("POST", "/listings", newListings);
    const first = await search(shop, "catalog_ids=1224&per_page=20");
    const second = await search(shop, "catalog_ids=1224&per_page=20&page=2");
    const third = await search(shop, "catalog_ids=1224&per_page=20&page=3");
    const fourth = await search(shop, "catalog_ids=1224&per_page=20&page=4");
    const ids = [...first.ids, ...second.ids, ...third.ids];
    expect(ids).toHaveLength(50);
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    expect(fourth.ids).toEqual([]);
    expect(first.page.pagination).toMatchObject({ total_pages: 3, total_entries: 50 });
  });

  test("returns at most ten pages of at most 96", async () => {
    const newListings = Array.from({ length: 1_000 }, () => ({ title: "Polo", price: 5, catalog_id: 1809 }));
    await shop.control("POST", "/listings", newListings);
    const { ids, page } = await search(shop, "catalog_ids=1809&per_page=500");
    expect(ids).toHaveLength(96);
    expect(page.pagination).toMatchObject({ total_pages: 10, total_entries: 960 });
    expect((await search(shop, "catalog_ids=1809&page=11")).ids).toEqual([]);
    expect((await search(shop, "catalog_ids=1809&per_page=1")).ids).toHaveLength(20);
  });

  test("with malformed parameters is refused", async () => {
    for (const query of ["page=one", "catalog_ids=1,x", "price_to=12,50", "brand_ids=1e3"]) {
      const received = await shop.send({ path: `/api/v2/catalog/items?${query}` });
      expect(refusalOf(received), query).toBe("400 invalid_request");
    }
  });
});

test("an item by id has its state", async () => {
  const item = await shop.publish({});
  const asked = async () => await shop.send({ path: `/api/v2/items/${item.id}` });
  expect((await asked()).json).toMatchObject({ item: { id: item.id, is_closed: false } });
  await shop.control("DELETE", `/listings/${item.id}`);
  expect((await asked()).json).toMatchObject({ item: { is_closed: true } });
  expect(refusalOf(await shop.send({ path: "/api/v2/items/1" }))).toBe("404 not_found");
});

test("unknown paths and methods are not found", async () => {
  expect((await shop.send({ path: "/api/v2/users/1" })).status).toBe(404);
  expect((await shop.send({ method: "DELETE", path: "/api/v2/catalog/items" })).status).toBe(404);
});

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
