import { expect, test } from "vitest";
import type { Filter } from "#domain/market/filter.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { candidateIn, readListing } from "./candidate.ts";
import { compileFilter, filterHolds } from "./compile-filter.ts";
import { createNaiveIndex } from "./naive-match.ts";

const T_SHIRTS = 221;
const WOMENS_CLOTHES = 4;
const WOMENS_SHOES = 16;
const ZARA = 12;

interface Found {
  readonly listing?: Parameters<typeof aListing>[0];
  readonly leafId?: number | null;
  readonly colourIds?: readonly number[];
}

/** Contract §3, tested from a person's filter and the marketplace's texts. */
function holds(
  filter: Partial<Filter>,
  { listing = {}, leafId = T_SHIRTS, colourIds = [] }: Found = {},
): boolean {
  const spec = compileFilter(aFilter(filter));
  return spec !== null && filterHolds(spec, candidateIn(readListing(aListing(listing)), leafId, colourIds));
}

test("a filter with only a price cap matches every listing up to it", () => {
  expect(holds({ priceCapEur: 12 }, { listing: { totalPriceCents: 1_200 } })).toBe(true);
  expect(holds({ priceCapEur: 12 }, { listing: { totalPriceCents: 1_201 } })).toBe(false);
  expect(holds({ priceCapEur: 0 }, { listing: { totalPriceCents: 0 } })).toBe(false);
  expect(holds({ priceCapEur: 100_000 }, { listing: { totalPriceCents: 10_000_000 } })).toBe(true);
  expect(holds({ priceCapEur: 100_000 }, { listing: { totalPriceCents: 10_000_001 } })).toBe(false);
});

test("a category matches listings proven to be under it", () => {
  expect(holds({ categoryIds: [T_SHIRTS] })).toBe(true);
  expect(holds({ categoryIds: [WOMENS_CLOTHES] })).toBe(true);
  expect(holds({ categoryIds: [WOMENS_SHOES] })).toBe(false);
  expect(holds({ categoryIds: [T_SHIRTS] }, { leafId: null })).toBe(false);
  expect(holds({ categoryIds: [] }, { leafId: null })).toBe(true);
});

test("an unknown value satisfies only an open selection", () => {
  const nameless = { listing: { brandTitle: "Sans marque", sizeTitle: "", conditionLabel: "" } };
  expect(holds({}, nameless)).toBe(true);
  expect(holds({ brandIds: [ZARA] }, nameless)).toBe(false);
  expect(holds({ sizeIds: [4] }, nameless)).toBe(false);
  expect(holds({ conditionIds: [6, 1, 2, 3, 4] }, nameless)).toBe(false);
});

test("brand, size and condition are any of the chosen ones", () => {
  expect(holds({ brandIds: [53, ZARA] })).toBe(true);
  expect(holds({ brandIds: [53] })).toBe(false);
  expect(holds({ sizeIds: [3, 4] })).toBe(true);
  expect(holds({ sizeIds: [3] })).toBe(false);
  expect(holds({ conditionIds: [2] })).toBe(true);
  expect(holds({ conditionIds: [6, 1] })).toBe(false);
});

test("a size of another size group is another size, though its title is the same", () => {
  expect(holds({ sizeIds: [208] })).toBe(false);
});

test("a colour must be proven, and both of a garment in two colours", () => {
  expect(holds({ colourName: "Red" })).toBe(false);
  expect(holds({ colourName: "Red" }, { colourIds: [7] })).toBe(true);
  expect(holds({ colourName: "Bred" }, { colourIds: [7] })).toBe(false);
  expect(holds({ colourName: "Bred" }, { colourIds: [7, 1] })).toBe(true);
});

test("words are whole words of the title: all of the wanted, none of the unwanted", () => {
  const dress = { listing: { title: "Robe d'été longue L'Oréal" } };
  expect(holds({ includeWords: [["ÉTÉ"], ["robe"]] }, dress)).toBe(true);
  expect(holds({ includeWords: [["rob"]] }, dress)).toBe(false);
  expect(holds({ includeWords: [["l'oreal"]] }, dress)).toBe(true);
  expect(holds({ includeWords: [["longue robe"]] }, dress)).toBe(false);
  expect(holds({ excludeWords: [["courte"]] }, dress)).toBe(true);
  expect(holds({ excludeWords: [["courte"], ["longue"]] }, dress)).toBe(false);
});

test("one wanted alternative is enough, and one unwanted is too many", () => {
  const fleece = { listing: { title: "Veste Nike Tech-Fleece grise" } };
  const names = ["tech fleece", "techfleece"];
  expect(holds({ includeWords: [names] }, fleece)).toBe(true);
  expect(holds({ includeWords: [names, ["grise", "gris"]] }, fleece)).toBe(true);
  expect(holds({ includeWords: [names, ["noir", "noire"]] }, fleece)).toBe(false);
  expect(holds({ includeWords: [["fleece tech", "techfleece"]] }, fleece)).toBe(false);
  expect(holds({ excludeWords: [["noire", "grise"]] }, fleece)).toBe(false);
  expect(holds({ excludeWords: [["noire", "bleue"]] }, fleece)).toBe(true);
});

test("the total price is at least the floor, to the cent", () => {
  const at = (totalPriceCents: number) => ({ listing: { totalPriceCents } });
  expect(holds({ priceFloorEur: 11 }, at(1_100))).toBe(true);
  expect(holds({ priceFloorEur: 11 }, at(1_099))).toBe(false);
  expect(holds({ priceFloorEur: 0 }, at(0))).toBe(true);
  expect(holds({ priceFloorEur: 11, priceCapEur: 11 }, at(1_101))).toBe(false);
});

test("the naive index answers Thunder's, Acquire's and the shown filters in this order", () => {
  const spec = compileFilter(aFilter());
  if (spec === null) throw new Error("an open filter holds everything");
  const index = createNaiveIndex();
  index.insert(1, spec, "shown");
  index.insert(2, spec, "acquire");
  index.insert(3, spec, "thunder");
  const { numbers, start, length } = index.match(candidateIn(readListing(aListing()), null, []));
  expect([...numbers.subarray(start, start + length)]).toEqual([3, 2, 1]);
  expect(() => index.insert(2, spec, "shown")).toThrow(RangeError);
});
