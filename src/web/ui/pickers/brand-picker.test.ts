import { expect, test } from "vitest";
import { knownBrands } from "#catalogue/brand-titles.ts";
import { brands } from "#catalogue/brands.ts";
import { brandsToShow, MAX_FOUND_BRANDS } from "./brand-picker.tsx";

const titlesFor = (search: string) => brandsToShow(search, brands, knownBrands).map(({ title }) => title);

test("without a search the fifty of the catalogue are shown", () => {
  expect(brandsToShow(" ", brands, knownBrands)).toBe(brands);
});

test("a search finds every known brand, those that begin with it first, signs and accents ignored", () => {
  expect(titlesFor("levis")[0]).toBe("Levi's");
  expect(titlesFor("tape a l oeil")).toEqual(["Tape à l'Oeil"]);
  const [first, ...rest] = titlesFor("ni");
  expect(first).toBe("Nike");
  expect(rest.length).toBeGreaterThan(5);
  expect(titlesFor("e")).toHaveLength(MAX_FOUND_BRANDS);
  expect(titlesFor("jamaisvue")).toEqual([]);
});

test("until the long list is there the fifty are searched", () => {
  expect(brandsToShow("nik", brands, []).map(({ title }) => title)).toEqual(["Nike"]);
});
