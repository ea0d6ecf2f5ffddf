import { expect, test } from "vitest";
import { toListing } from "./read-listing.ts";

const item = {
  id: 5_000_000_001,
  title: "Robe fleurie Zara",
  price: { amount: "3.0", currency_code: "EUR" },
  total_item_price: { amount: "3.85", currency_code: "EUR" },
  brand_title: "Zara",
  size_title: "M",
  status: "Très bon état",
  path: "/items/5000000001-robe",
  user: { id: 7, login: "lea", photo: { url: "https://photos.example/7.png" } },
  photo: {
    url: "https://photos.example/1.png",
    dominant_color: "#9A896A",
    high_resolution: { id: "a", timestamp: 1_696_452_426 },
  },
};

test("an item of the agreed shape becomes a listing in cents", () => {
  expect(toListing(item)).toEqual({
    id: 5_000_000_001,
    title: "Robe fleurie Zara",
    brandTitle: "Zara",
    sizeTitle: "M",
    conditionLabel: "Très bon état",
    itemPriceCents: 300,
    totalPriceCents: 385,
    path: "/items/5000000001-robe",
    photoUrl: "https://photos.example/1.png",
    photoDominantColour: "#9A896A",
    photoTakenAtUnixS: 1_696_452_426,
    seller: { id: 7, login: "lea", photoUrl: "https://photos.example/7.png" },
    isPromoted: false,
  });
});

test("brand, size, condition and pictures may be missing, and a price may be a bare text", () => {
  const bare = {
    ...item,
    brand_title: "",
    size_title: null,
    status: undefined,
    photo: null,
    price: "3.0",
    total_item_price: "3.85",
    user: { id: 7, login: "lea", photo: null },
  };
  expect(toListing(bare)).toMatchObject({
    brandTitle: "",
    sizeTitle: "",
    conditionLabel: "",
    totalPriceCents: 385,
    photoUrl: null,
    photoTakenAtUnixS: null,
    seller: { photoUrl: null },
  });
});

test("a title cannot turn around the texts of the product", () => {
  const title = "\u{202E}Robe\u{2069}";
  expect(toListing({ ...item, title, brand_title: title })).toMatchObject({
    title: "Robe",
    brandTitle: "Robe",
  });
});

test.each([
  ["another currency", { total_item_price: { amount: "3.85", currency_code: "PLN" } }],
  ["a negative amount", { total_item_price: { amount: "-3.85", currency_code: "EUR" } }],
  ["an exponent", { total_item_price: { amount: "1e3", currency_code: "EUR" } }],
  ["a comma", { total_item_price: { amount: "12,50", currency_code: "EUR" } }],
  ["no number", { total_item_price: { amount: "NaN", currency_code: "EUR" } }],
  ["a total below the price", { total_item_price: { amount: "2.99", currency_code: "EUR" } }],
  ["a path to another host", { path: "//evil.example/1" }],
  ["a path with a backslash", { path: "/\\evil.example" }],
  ["a script for a path", { path: "javascript:alert(1)" }],
  ["an id beyond exact numbers", { id: 2 ** 53 }],
  ["an id of another type", { id: "5" }],
  ["no seller", { user: undefined }],
])("an item with %s is dropped", (_, change) => {
  expect(toListing({ ...item, ...change })).toBeNull();
});

test("a picture address that a browser should not load counts as none", () => {
  for (const url of [
    "javascript:alert(1)",
    "data:text/html,x",
    "https://user:pw@photos.example/1.png",
    "nowhere",
  ])
    expect(toListing({ ...item, photo: { ...item.photo, url } })?.photoUrl).toBeNull();
  expect(
    toListing({ ...item, photo: { ...item.photo, dominant_color: "red;}" } })?.photoDominantColour,
  ).toBeNull();
});
