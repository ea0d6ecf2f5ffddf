import { expect, test } from "vitest";
import { aListing } from "#verify/testing/a-listing.ts";
import { candidateIn, readListing, UNKNOWN_ID, type Candidate } from "./candidate.ts";

const T_SHIRTS = 221;
const WOMENS_CLOTHES = 4;
const WOMEN = 1904;
const M_WOMEN = 4;

function candidate(traits: Parameters<typeof aListing>[0], leafId: number | null = T_SHIRTS): Candidate {
  return candidateIn(readListing(aListing(traits)), leafId, []);
}

test("brand and condition are read from their texts, case and accents ignored", () => {
  const same = [candidate({}), candidate({ brandTitle: "ZARA", conditionLabel: "tres bon etat" })];
  expect(same[0]?.brandId).toBeGreaterThan(0);
  expect(same[1]).toEqual(same[0]);
  expect(same[0]?.conditionId).toBe(2);
});

test("values unknown to the catalogue are unknown, never omitted", () => {
  expect(
    candidate({ brandTitle: "Atelier de ma tante", sizeTitle: "", conditionLabel: "Comme neuf" }),
  ).toMatchObject({ brandId: UNKNOWN_ID, sizeId: UNKNOWN_ID, conditionId: UNKNOWN_ID });
});

test("a leaf brings the branches above it", () => {
  const { categoryIds } = candidate({});
  expect(categoryIds[0]).toBe(T_SHIRTS);
  expect(categoryIds).toContain(WOMENS_CLOTHES);
  expect(categoryIds.at(-1)).toBe(WOMEN);
});

test("without a proven category neither category nor size is known", () => {
  expect(candidate({}, null)).toMatchObject({ categoryIds: [], sizeId: UNKNOWN_ID });
});

test("a branch or an unknown id is not a leaf", () => {
  expect(candidate({}, WOMEN).categoryIds).toEqual([]);
  expect(candidate({}, 999_999)).toMatchObject({ categoryIds: [], sizeId: UNKNOWN_ID });
});

test("a size title is read in the size group of the leaf", () => {
  expect(candidate({ sizeTitle: "M" }).sizeId).toBe(M_WOMEN);
  expect(candidate({ sizeTitle: "M / 38 / 10" }).sizeId).toBe(M_WOMEN);
  expect(candidate({ sizeTitle: "38" }).sizeId).toBe(UNKNOWN_ID);
});

test("the title consists of its folded words between spaces, each word listed once", () => {
  expect(candidate({ title: "Robe d'été, robe  À FLEURS" })).toMatchObject({
    paddedTitle: " robe d ete robe a fleurs ",
    titleWords: ["robe", "d", "ete", "a", "fleurs"],
  });
  expect(candidate({ title: "!?" })).toMatchObject({ paddedTitle: "  ", titleWords: [] });
});
