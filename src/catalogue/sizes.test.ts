import { expect, test } from "vitest";
import { allSizeGroups, sizeById, sizeGroups, sizeIdForTitle, sizeIdsForTitle } from "./sizes.ts";

const FEMMES = 4;
const HOMMES = 14;
const CHAUSSURES_FEMMES = 7;
const CHAUSSURES_HOMMES = 38;
const SOUTIENS_GORGE = 53;
const GANTS = 61;
const ENFANTS = 32;
const PANTALONS_HOMMES = 77;
const CHAUSSETTES_FEMMES = 72;

const M_FEMMES = 4;
const M_HOMMES = 208;

test("there are 64 groups, 34 with sizes, sorted by order, and 624 sizes", () => {
  expect(allSizeGroups).toHaveLength(64);
  expect(sizeGroups).toHaveLength(34);
  expect(sizeGroups.flatMap(({ sizes }) => sizes)).toHaveLength(624);
  const orders = allSizeGroups.map(({ order }) => order);
  expect(orders).toEqual(orders.toSorted((one, other) => one - other));
  expect(new Set(orders).size).toBe(64);
  expect(new Set(allSizeGroups.map(({ id }) => id)).size).toBe(64);
});

test("caption 10 is Taille and 20 is Age", () => {
  for (const { caption_code, caption } of allSizeGroups) {
    expect([caption_code, caption]).toEqual(caption_code === 20 ? [20, "Age"] : [10, "Taille"]);
  }
  expect(allSizeGroups.filter(({ caption }) => caption === "Age").map(({ id }) => id)).toEqual([29, 37]);
});

test("sizes have unique ids, unique titles in a group, and orders from 1 without gaps", () => {
  expect(new Set(sizeGroups.flatMap(({ size_ids }) => size_ids)).size).toBe(624);
  for (const { sizes, size_ids } of sizeGroups) {
    expect(new Set(sizes.map(({ title }) => title)).size).toBe(sizes.length);
    expect(sizes.map(({ order }) => order)).toEqual(sizes.map((_, index) => index + 1));
    expect(sizes.map(({ id }) => id)).toEqual(size_ids);
  }
});

test("a size and its group carry the specification's fields and no others", () => {
  expect(sizeGroups[0]).toMatchObject({
    id: 4,
    caption_code: 10,
    caption: "Taille",
    description: "Tailles",
    faq_entry_id: 506,
    order: 10,
  });
  expect(sizeGroups[0]?.sizes[4]).toEqual({
    id: 4,
    title: "M / 38 / 10",
    description: "",
    is_default: true,
    is_other: false,
    order: 5,
  });
});

test("sizeById() returns the size group too", () => {
  expect(sizeById(M_HOMMES)).toMatchObject({ title: "M", sizeGroupId: HOMMES });
  expect(sizeById(-1)).toBeUndefined();
});

test("every size is found by its whole title in its group, and by nothing else there", () => {
  for (const { id, sizes } of sizeGroups) {
    for (const size of sizes)
      expect([size.title, sizeIdsForTitle(size.title, [id])]).toEqual([size.title, [size.id]]);
  }
});

test.each(["M / 38 / 10", "m/38/10", "M", " m ", "M/38/10", "M / 38"])(
  "the title %j means the size 'M / 38 / 10' in women's clothes",
  (title) => {
    expect(sizeIdForTitle(title, FEMMES)).toBe(M_FEMMES);
  },
);

test("a long title means its first part in a group of letters", () => {
  expect(sizeIdForTitle("M / 38 / 10", HOMMES)).toBe(M_HOMMES);
});

test("only the first part counts, never the others", () => {
  expect(sizeIdForTitle("38", FEMMES)).toBeNull();
  expect(sizeIdForTitle("10", FEMMES)).toBeNull();
  expect(sizeIdForTitle("98 cm", ENFANTS)).toBeNull();
});

test.each([
  ["3 ans", ENFANTS, "3 ans / 98 cm"],
  ["naissance", ENFANTS, "Naissance / 44 cm"],
  ["premature, jusqu’à 44 cm", ENFANTS, "Prématuré, jusqu'à 44cm"],
  ["W32", PANTALONS_HOMMES, "W32 | FR 42"],
  ["w32|fr42", PANTALONS_HOMMES, "W32 | FR 42"],
  ["M", PANTALONS_HOMMES, "M"],
  ["S | 35-38", CHAUSSETTES_FEMMES, "S | 35–38"],
  ["38.5", CHAUSSURES_HOMMES, "38,5"],
  ["38,5", CHAUSSURES_FEMMES, "38.5"],
  ["taille unique", FEMMES, "Taille unique"],
])("the title %j in group %i means %j", (title, groupId, expected) => {
  const id = sizeIdForTitle(title, groupId);
  expect(id === null ? null : sizeById(id)?.title).toBe(expected);
});

test("no short title means two sizes of one group", () => {
  for (const { id, sizes } of sizeGroups) {
    for (const { title } of sizes) {
      const shortTitle = title.split(/[/|]/u, 1)[0] ?? "";
      expect([shortTitle, sizeIdForTitle(shortTitle, id)]).not.toContain(null);
    }
  }
});

test("a half size is not ten times as large, and a span is not a number", () => {
  expect(sizeIdForTitle("55", GANTS)).toBeNull();
  expect(sizeIdForTitle("13 mois / 56 cm", ENFANTS)).toBeNull();
});

test("a title is looked up only in the groups given, in their order", () => {
  expect(sizeIdsForTitle("M", [HOMMES, FEMMES])).toEqual([M_HOMMES, M_FEMMES]);
  expect(sizeIdsForTitle("M", [CHAUSSURES_FEMMES])).toEqual([]);
  expect(sizeIdsForTitle("M", [])).toEqual([]);
  expect(sizeIdsForTitle("M", [-1])).toEqual([]);
});

test.each(["", "  ", "/", " / 38", "|", "XXXXXXL", "75"])("the title %j means no size", (title) => {
  expect(sizeIdsForTitle(title, [FEMMES, SOUTIENS_GORGE])).toEqual([]);
});
