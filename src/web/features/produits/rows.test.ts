import { expect, test } from "vitest";
import type { ProduitDuFlux } from "#contract/produit.ts";
import { columnsFor, found, rowsOf, withoutSellers } from "./rows.ts";

function aListing(title: string, brand = "Zara"): ProduitDuFlux {
  return {
    id: 1,
    title,
    photo: null,
    brand_title: brand,
    total_item_price: { amount: "10.00", currency_code: "EUR" },
    size_title: "M",
    status: "",
    path: "/items/1",
    url: "https://market.example/items/1",
    user: { login: "lea", photo: null },
    filtres: [],
    vu_a: 0,
  };
}

test("even the narrowest phone shows two columns, a wide screen as many as fit", () => {
  expect(columnsFor(288)).toBe(2);
  expect(columnsFor(2 * 190 + 12)).toBe(2);
  expect(columnsFor(3 * 190 + 2 * 12)).toBe(3);
  expect(columnsFor(1_400)).toBe(6);
});

const withIds = (...ids: readonly number[]) => ids.map((id) => ({ id }));
const idsInRows = (rows: ReturnType<typeof rowsOf>) => rows.map(({ items }) => items.map(({ id }) => id));

test("rowsOf() loses no card and keeps their order", () => {
  expect(idsInRows(rowsOf(withIds(5, 4, 3, 2, 1), 2, 0))).toEqual([[5, 4], [3, 2], [1]]);
  expect(rowsOf([], 3, 0)).toEqual([]);
});

test("arrivals fill the first row only: the rows below keep their cards and their keys", () => {
  const before = rowsOf(withIds(4, 3, 2, 1), 2, 0);
  const afterOne = rowsOf(withIds(5, 4, 3, 2, 1), 2, 1);
  const afterThree = rowsOf(withIds(7, 6, 5, 4, 3, 2, 1), 2, 3);
  expect(idsInRows(afterOne)).toEqual([[5], [4, 3], [2, 1]]);
  expect(idsInRows(afterThree)).toEqual([[7], [6, 5], [4, 3], [2, 1]]);
  expect(afterOne.slice(1)).toEqual(before);
  expect(afterThree.slice(2)).toEqual(before);
});

test("a first row keeps its key while it fills", () => {
  expect(rowsOf(withIds(5, 4, 3), 3, 1)[0]?.key).toBe(5);
  expect(rowsOf(withIds(6, 5, 4, 3), 3, 2)[0]?.key).toBe(5);
});

test("a search ignores case and accents and wants every word", () => {
  const listings = [aListing("Manteau d'été beige"), aListing("Robe d'été", "Mango")];
  expect(found(listings, "ETE manteau").map(({ title }) => title)).toEqual(["Manteau d'été beige"]);
  expect(found(listings, "mango")).toHaveLength(1);
  expect(found(listings, "introuvable")).toEqual([]);
});

test("an empty search answers the very same list", () => {
  const listings = [aListing("Robe")];
  expect(found(listings, "  ")).toBe(listings);
});

test("a hidden seller's listings are left out, and nobody else's", () => {
  const listings = [aListing("Robe"), { ...aListing("Sac"), user: { login: "tom", photo: null } }];
  expect(withoutSellers(listings, new Set(["lea"])).map(({ title }) => title)).toEqual(["Sac"]);
  expect(withoutSellers(listings, new Set())).toBe(listings);
});
