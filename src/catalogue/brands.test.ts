import { expect, test } from "vitest";
import { brands, prettyCount } from "./brands.ts";

test("the fifty brands fill one page (specification §9), the most listed first", () => {
  expect(brands).toHaveLength(50);
  const counts = brands.map(({ item_count }) => item_count);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
});

test("ids, slugs and titles of brands are unique", () => {
  expect(new Set(brands.map(({ id }) => id)).size).toBe(50);
  expect(new Set(brands.map(({ slug }) => slug)).size).toBe(50);
  expect(new Set(brands.map(({ title }) => title)).size).toBe(50);
});

test("a brand carries every field of the specification", () => {
  expect(brands[0]).toEqual({
    id: 12,
    title: "Zara",
    slug: "zara",
    favourite_count: 2783712,
    pretty_favourite_count: "2.8M",
    item_count: 28238714,
    pretty_item_count: "28.2M",
    is_visible_in_listings: true,
    requires_authenticity_check: false,
    is_luxury: false,
    is_hvf: false,
    path: "/brand/12-zara",
    url: "/brand/12-zara",
    is_favourite: false,
  });
});

test("prettyCount() keeps at most one decimal and never says 1000K", () => {
  expect([0, 999, 1_000, 375_977, 999_949, 999_950, 1_970_212, 28_238_714].map(prettyCount)).toEqual([
    "0",
    "999",
    "1K",
    "376K",
    "999.9K",
    "1M",
    "2M",
    "28.2M",
  ]);
});
