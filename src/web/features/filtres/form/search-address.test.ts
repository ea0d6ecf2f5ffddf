import { expect, test } from "vitest";
import { readSearchAddress } from "./search-address.ts";

const isKnownBrand = (id: number): boolean => id === 53 || id === 14;
const read = (address: string) => readSearchAddress(address, isKnownBrand);

test("a search address fills what a filter has a place for", () => {
  const address =
    "https://www.vinted.fr/catalog?catalog[]=221&catalog[]=1844&brand_ids[]=53&brand_ids[]=14&size_ids[]=4" +
    "&status_ids[]=6&color_ids[]=1&price_to=45.5&currency=EUR&search_text=veste%20vintage&order=newest_first&page=2";
  expect(read(address)).toEqual({
    changes: {
      typeIds: [221, 1844],
      brandIds: [53, 14],
      sizeIds: [4],
      conditionIds: [6],
      color: "Black",
      limitText: "45",
      wordsText: "veste, vintage",
    },
    leftOut: [],
  });
});

test("lists between commas and ids in the path are read too", () => {
  expect(read("https://www.vinted.fr/catalog/221-t-shirts?brand_ids=53,14&catalog_ids=221")?.changes).toEqual(
    {
      typeIds: [221],
      brandIds: [53, 14],
    },
  );
  expect(read("https://www.vinted.fr/brand/53-nike")?.changes).toEqual({ brandIds: [53] });
});

test("what a filter cannot take is said, one by one", () => {
  const address =
    "https://www.vinted.fr/catalog?catalog[]=999999999&brand_ids[]=7&color_ids[]=7&color_ids[]=9&price_from=10" +
    "&material_ids[]=3&price_to=20&currency=GBP";
  expect(read(address)).toEqual({
    changes: { color: "Red" },
    leftOut: [
      "types que Synapse ne connaît pas : n° 999999999",
      "marques que Synapse ne connaît pas : n° 7",
      "couleurs (un filtre en prend une) : Bleu",
      "prix minimum : 10 GBP",
      "prix maximum : 20 GBP",
      "critères sans équivalent : material_ids[]",
    ],
  });
});

test("a search by image is said to be left out, and its empty parameter is ignored", () => {
  const leftOut = (image: string) =>
    read(`https://www.vinted.fr/catalog?brand_ids[]=53&search_by_image_uuid=${image}`)?.leftOut;
  expect(leftOut("b7c1")).toEqual(["la recherche par image"]);
  expect(leftOut("")).toEqual([]);
});

test("both bounds of a price are read, their cents rounded down", () => {
  const bounds = (query: string) => read(`https://www.vinted.fr/catalog?${query}`)?.changes;
  expect(bounds("price_from=12.90&price_to=40,50")).toEqual({ floorText: "12", limitText: "40" });
  expect(bounds("price_from=0&price_to=40")).toEqual({ limitText: "40" });
});

test("what is no search address is no address", () => {
  for (const text of [
    "",
    "nike rouge",
    "javascript:alert(1)",
    "https://www.vinted.fr/",
    "mailto:a@b.c",
    "ftp://x.example/catalog?price_to=9",
  ])
    expect(read(text), text).toBeNull();
});

test("ids that cannot be read are said, because without them the filter would find more", () => {
  const address =
    "https://x.example/catalog/vestes?brand_ids[]=abc&catalog[]=-1&catalog[]=221,1e3&size_ids[]=4%20" +
    "&status_ids[]=1234567890&color_ids[]=noir&color_ids[]=&price_to=20";
  expect(read(address)).toEqual({
    changes: { typeIds: [221], sizeIds: [4], limitText: "20" },
    leftOut: [
      "types illisibles : «\u00A0-1\u00A0», «\u00A01e3\u00A0», «\u00A0vestes\u00A0»",
      "marques illisibles : «\u00A0abc\u00A0»",
      "états illisibles : «\u00A01234567890\u00A0»",
      "couleurs illisibles : «\u00A0noir\u00A0»",
    ],
  });
  expect(read("https://x.example/brand/zara?price_to=20")?.leftOut).toEqual([
    "marques illisibles : «\u00A0zara\u00A0»",
  ]);
});

test("an empty list asks for nothing, and a price of nothing is no limit of 0", () => {
  expect(read("https://x.example/catalog?brand_ids[]=&size_ids=4,&price_to=")).toEqual({
    changes: { sizeIds: [4] },
    leftOut: [],
  });
  expect(read("https://x.example/catalog?price_to=0")).toEqual({
    changes: {},
    leftOut: ["prix maximum : 0 EUR"],
  });
});
