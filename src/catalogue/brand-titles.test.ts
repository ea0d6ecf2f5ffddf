import { expect, test } from "vitest";
import { brandById, brandIdForTitle, knownBrands } from "./brand-titles.ts";
import { brands } from "./brands.ts";

test("1,125 brands are known, the fifty on offer first", () => {
  expect(knownBrands).toHaveLength(1125);
  expect(knownBrands.slice(0, 50).map(({ id }) => id)).toEqual(brands.map(({ id }) => id));
  expect(new Set(knownBrands.map(({ id }) => id)).size).toBe(1125);
});

test("every known brand is found by its own title", () => {
  for (const { id, title } of knownBrands) expect([title, brandIdForTitle(title)]).toEqual([title, id]);
});

test.each([
  ["Nike", 53],
  ["NIKE", 53],
  ["  nike ", 53],
  ["L'Oréal", 687],
  ["l’oreal", 687],
  ["LOREAL", 687],
  ["H&M", 7],
  ["h & m", 7],
  ["Dr Martens", 309],
  ["dr.martens", 309],
  ["Levis", 10],
  ["Sezane", 38437],
  ["Pull&Bear", 4690593],
])("the title %j is understood whatever its case, accents, dots and spaces", (title, id) => {
  expect(brandIdForTitle(title)).toBe(id);
});

test.each(["", "   ", "&", "sans marque connue", "Nike ou Puma"])("the title %j names no brand", (title) => {
  expect(brandIdForTitle(title)).toBeNull();
});

test("a brand is found by its id, with no count where none was ever seen", () => {
  expect(brandById(53)).toMatchObject({ title: "Nike", isLuxury: true });
  expect(brandById(319730)).toMatchObject({ title: "Arc'teryx", itemCount: null, isLuxury: false });
  expect(brandById(-1)).toBeUndefined();
});
