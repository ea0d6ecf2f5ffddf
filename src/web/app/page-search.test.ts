import { expect, test } from "vitest";
import { parseAchatsSearch, parseFiltresSearch } from "./page-search.ts";

test("the filters page takes its three views and the wish for a new filter from the address", () => {
  expect(parseFiltresSearch({ vue: "autobuy" })).toEqual({ vue: "autobuy" });
  expect(parseFiltresSearch({ vue: "publics", nouveau: true })).toEqual({ vue: "publics", nouveau: true });
});

test("anything unknown in the address of the filters page is ignored", () => {
  expect(parseFiltresSearch({ vue: "toutes", nouveau: "oui", autre: 1 })).toEqual({});
});

test("the purchases page opens the missed ones from its address", () => {
  expect(parseAchatsSearch({ manques: true, autre: 1 })).toEqual({ manques: true });
  expect(parseAchatsSearch({ manques: "oui" })).toEqual({});
});
