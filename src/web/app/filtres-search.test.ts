import { expect, test } from "vitest";
import { parseFiltresSearch } from "./filtres-search.ts";

test("the filters page takes its three views and the wish for a new filter from the address", () => {
  expect(parseFiltresSearch({ vue: "autobuy" })).toEqual({ vue: "autobuy" });
  expect(parseFiltresSearch({ vue: "publics", nouveau: true })).toEqual({ vue: "publics", nouveau: true });
});

test("anything unknown in the address of the filters page is ignored", () => {
  expect(parseFiltresSearch({ vue: "toutes", nouveau: "oui", autre: 1 })).toEqual({});
});
