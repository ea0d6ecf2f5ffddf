import { expect, test } from "vitest";
import { columnNames, DEFAULT_COLUMNS, parseColumns, withColumnToggled } from "./filtre-columns.ts";

test("the cards begin with brands, sizes and conditions", () => {
  expect(DEFAULT_COLUMNS).toEqual(["Marques", "Tailles", "États"]);
});

test("a column is shown and hidden again, and the order of the cards stays", () => {
  const shown = withColumnToggled(DEFAULT_COLUMNS, "Types");
  expect(shown).toEqual(["Types", "Marques", "Tailles", "États"]);
  expect(withColumnToggled(shown, "Types")).toEqual(DEFAULT_COLUMNS);
});

test("the last column can be hidden too", () => {
  expect(withColumnToggled(["Types"], "Types")).toEqual([]);
});

test("what was kept is read in the order of the cards, without unknown names", () => {
  expect(parseColumns(["États", "Âge", "Types", 3])).toEqual(["Types", "États"]);
  expect(parseColumns([])).toEqual([]);
  expect(parseColumns([...columnNames])).toEqual(columnNames);
});

test("damaged storage counts as nothing kept", () => {
  expect(parseColumns(undefined)).toBeUndefined();
  expect(parseColumns("Types")).toBeUndefined();
  expect(parseColumns({ Types: true })).toBeUndefined();
});
