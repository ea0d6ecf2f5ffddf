import { expect, test } from "vitest";
import { parseAchatsSearch, parseFiltresSearch, parsePrixSearch, parseRejeuSearch } from "./page-search.ts";

test("the filters page takes its three views and the wish for a new filter from the address", () => {
  expect(parseFiltresSearch({ vue: "autobuy" })).toEqual({ vue: "autobuy" });
  expect(parseFiltresSearch({ vue: "publics", nouveau: true })).toEqual({ vue: "publics", nouveau: true });
});

test("values of a new filter are read only where one is opened", () => {
  const values = { tag: "T-shirts Zara", type: 221, marque: 12, limite: 25 };
  expect(parseFiltresSearch({ nouveau: true, ...values })).toEqual({ nouveau: true, ...values });
  expect(parseFiltresSearch({ nouveau: true, tag: 1, type: "221", limite: 0.5 })).toEqual({ nouveau: true });
  expect(parseFiltresSearch(values)).toEqual({});
});

test("anything unknown in the address of the filters page is ignored", () => {
  expect(parseFiltresSearch({ vue: "toutes", nouveau: "oui", autre: 1 })).toEqual({});
});

test("the purchases page opens the missed ones from its address", () => {
  expect(parseAchatsSearch({ manques: true, autre: 1 })).toEqual({ manques: true });
  expect(parseAchatsSearch({ manques: "oui" })).toEqual({});
});

test("the page of prices takes a type and a brand from its address", () => {
  expect(parsePrixSearch({ type: 221, marque: 12, autre: 1 })).toEqual({ type: 221, marque: 12 });
  expect(parsePrixSearch({ type: "221", marque: -1 })).toEqual({});
  expect(parsePrixSearch({ type: 1.5, marque: 53 })).toEqual({ marque: 53 });
});

test("the month of a filter is that of the address, or of none", () => {
  expect(parseRejeuSearch({ f: "018f-a", autre: 1 })).toEqual({ f: "018f-a" });
  expect(parseRejeuSearch({ f: 7 })).toEqual({ f: "" });
});
