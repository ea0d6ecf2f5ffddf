import { expect, test } from "vitest";
import { aFiltre } from "#verify/testing/on-the-wire.ts";
import { shownFilters } from "./shown-filters.ts";

const filters = [
  aFiltre({ _id: "Vestes 10", tag: "Vestes 10", autobuy: true }),
  aFiltre({ _id: "Vestes 9", tag: "Vestes 9", brands: { ids: [1], names: ["Sézane"] } }),
  aFiltre({ _id: "Écharpes", tag: "Écharpes", private: true, autobuy: true, active: false }),
];

const activities = new Map(
  [
    { _id: "Vestes 9", trouves_aujourdhui: 4, dernier: { id: 1, title: "Robe", vu_a: 10 }, achetes: 0 },
    { _id: "Écharpes", trouves_aujourdhui: 1, dernier: { id: 2, title: "Gant", vu_a: 20 }, achetes: 2 },
  ].map((activity) => [activity._id, activity]),
);

const idsOf = (changes: Partial<Parameters<typeof shownFilters>[1]>) =>
  shownFilters(filters, { view: undefined, search: "", sort: "recents", activities, ...changes }).map(
    ({ _id }) => _id,
  );

test("a view holds its own filters: those that buy now, those nobody else sees", () => {
  expect(idsOf({})).toEqual(["Vestes 10", "Vestes 9", "Écharpes"]);
  expect(idsOf({ view: "autobuy" })).toEqual(["Vestes 10"]);
  expect(idsOf({ view: "prives" })).toEqual(["Écharpes"]);
});

test("a search looks at tag, note and criteria, without case and accents", () => {
  expect(idsOf({ search: "SEZANE" })).toEqual(["Vestes 9"]);
  expect(idsOf({ search: "echarpe" })).toEqual(["Écharpes"]);
  expect(idsOf({ search: "  " })).toHaveLength(3);
});

test("filters are sorted by name as people count, by finds and by the last find", () => {
  expect(idsOf({ sort: "nom" })).toEqual(["Écharpes", "Vestes 9", "Vestes 10"]);
  expect(idsOf({ sort: "trouvailles" })).toEqual(["Vestes 9", "Écharpes", "Vestes 10"]);
  expect(idsOf({ sort: "derniere" })).toEqual(["Écharpes", "Vestes 9", "Vestes 10"]);
  expect(idsOf({ sort: "derniere", activities: undefined })).toEqual(["Vestes 10", "Vestes 9", "Écharpes"]);
});
