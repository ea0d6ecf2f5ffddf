import * as fc from "fast-check";
import { expect, test } from "vitest";
import { confirmationLink, marketLink, pictureLink, safePath } from "./market-links.ts";

const MARKET = "http://localhost:3001";

/** Attempts to inject another host. */
const hostilePaths = [
  "//evil.example/items/1",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "\n//evil.example",
  "https://evil.example/items/1",
  "javascript:alert(1)",
  ".evil.example/items/1",
  "@evil.example/items/1",
  ":80@evil.example",
  "/../../items/1",
  "",
];

test.each(hostilePaths)("marketLink() leads to the marketplace for the path %j", (path) => {
  expect(new URL(marketLink(MARKET, path)).origin).toBe(MARKET);
  expect(new URL(safePath(path), "http://own.example").origin).toBe("http://own.example");
});

test("marketLink() leads to the marketplace whatever the path", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (path) => {
      expect(new URL(marketLink(MARKET, path)).origin).toBe(MARKET);
      expect(new URL(marketLink(`${MARKET}/`, path)).origin).toBe(MARKET);
    }),
  );
});

test("marketLink() keeps an ordinary path as it is", () => {
  expect(marketLink(MARKET, "/items/5000000001-robe")).toBe("http://localhost:3001/items/5000000001-robe");
});

test("pictureLink() lets http and https through and nothing else", () => {
  expect(pictureLink("https://images.example/1.webp?s=2")).toBe("https://images.example/1.webp?s=2");
  expect(pictureLink("http://localhost:3001/p/1.svg")).toBe("http://localhost:3001/p/1.svg");
  for (const url of [
    null,
    "",
    "//images.example/1",
    "data:image/png;base64,AA",
    "javascript:x",
    "https://a b",
  ])
    expect(pictureLink(url)).toBeNull();
});

test("confirmationLink() accepts the marketplace itself", () => {
  expect(confirmationLink(`${MARKET}/3ds/9`, MARKET)).toBe(`${MARKET}/3ds/9`);
});

test.each([
  null,
  "",
  "http://localhost:3001",
  "http://localhost:30012/3ds",
  "http://localhost:3001.evil.example/3ds",
  "http://localhost:3001@evil.example/3ds",
  "https://bank.example/3ds",
  "https://evil.example/?u=http://localhost:3001/",
  "javascript:alert(1)//http://localhost:3001/",
  "http://localhost:3001/\t",
  "HTTP://LOCALHOST:3001/3ds",
])("confirmationLink() refuses %j", (url) => {
  expect(confirmationLink(url, MARKET)).toBeNull();
});
