import { expect, test } from "vitest";
import type { ProduitDuFlux } from "#contract/produit.ts";
import { arrangementOf, found, rowsInSight, withoutSellers } from "./rows.ts";

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
    user: { id: 7, login: "lea", photo: null },
    filtres: [],
    vu_a: 0,
    prix: null,
  };
}

test("even the narrowest phone shows two columns, a wide screen as many as fit", () => {
  const columnsAt = (widthPx: number) => arrangementOf("grid", widthPx).columns;
  expect(columnsAt(288)).toBe(2);
  expect(columnsAt(3 * 166 + 2 * 12)).toBe(3);
  expect(columnsAt(3 * 166 + 2 * 12 - 1)).toBe(2);
  expect(columnsAt(1_136)).toBe(6);
  expect(arrangementOf("list", 1_136).columns).toBe(1);
});

test("no card is higher than 400 px, no line lower than 64 or higher than 72", () => {
  for (let widthPx = 280; widthPx < 3_000; widthPx += 7) {
    expect(arrangementOf("grid", widthPx).cardHeightPx).toBeLessThanOrEqual(400);
    expect(arrangementOf("list", widthPx).cardHeightPx).toBeGreaterThanOrEqual(64);
    expect(arrangementOf("list", widthPx).cardHeightPx).toBeLessThanOrEqual(72);
  }
});

test("a larger font makes the cards wider and higher: fewer stand beside each other", () => {
  const [usual, large] = [1, 1.5].map((scale) => arrangementOf("grid", 1_136, scale));
  expect([usual?.columns, large?.columns]).toEqual([6, 4]);
  expect(large?.cardHeightPx).toBeGreaterThan(usual?.cardHeightPx ?? Infinity);
  expect(arrangementOf("grid", 288, 1.5).columns).toBe(1);
  expect(arrangementOf("list", 1_136, 1.5).cardHeightPx).toBe(
    1.5 * arrangementOf("list", 1_136).cardHeightPx,
  );
});

test("rowsInSight() covers the window and a margin on both sides, within the list", () => {
  const rows = (listTopPx: number) => rowsInSight(100, 50, { listTopPx, heightPx: 800 });
  expect(rows(200)).toEqual({ first: 0, end: 10 });
  expect(rows(-2_000)).toEqual({ first: 16, end: 32 });
  expect(rows(-4_800)).toEqual({ first: 44, end: 50 });
  expect(rows(-9_000)).toEqual({ first: 50, end: 50 });
  expect(rows(2_000)).toEqual({ first: 0, end: 0 });
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

test("a blocked seller's listings are left out, and nobody else's", () => {
  const listings = [aListing("Robe"), { ...aListing("Sac"), user: { id: 8, login: "tom", photo: null } }];
  expect(withoutSellers(listings, ({ login }) => login === "lea").map(({ title }) => title)).toEqual(["Sac"]);
  expect(withoutSellers(listings, () => false)).toBe(listings);
});
