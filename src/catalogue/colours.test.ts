import { expect, test } from "vitest";
import { colourByName, colours, marketplaceColours } from "./colours.ts";

test("the colours are the specification's twenty, in its order", () => {
  expect(colours.map(({ name }) => name).join(", ")).toBe(
    "Black, White, Red, Blue, Green, Yellow, Pink, Purple, Orange, Brown, Gray, Navy, Khaki, Beige, Maroon, Olive, Cyan, Magenta, Bred, Royal",
  );
});

test("every colour means at least one of the marketplace's 29", () => {
  const ids = new Set(marketplaceColours.map(({ id }) => id));
  expect(ids.size).toBe(29);
  for (const { marketplaceColourIds } of colours) {
    expect(marketplaceColourIds.length).toBeGreaterThan(0);
    for (const id of marketplaceColourIds) expect(ids).toContain(id);
  }
});

test("every hex is valid, and only Bred has a second one", () => {
  for (const { hex } of colours) expect(hex).toMatch(/^#[0-9A-F]{6}$/);
  for (const { hex } of marketplaceColours) if (hex !== null) expect(hex).toMatch(/^#[0-9A-F]{6}$/);
  expect(colours.filter(({ hexSecondary }) => hexSecondary !== null).map(({ name }) => name)).toEqual([
    "Bred",
  ]);
});

test("colourByName() knows the exact names only", () => {
  expect(colourByName("Bred")?.marketplaceColourIds).toEqual([1, 7]);
  expect(colourByName("black")).toBeUndefined();
  expect(colourByName("")).toBeUndefined();
});
