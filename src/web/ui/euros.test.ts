import { expect, test } from "vitest";
import { wholeEurosIn } from "./euros.ts";

test("an amount is read as French people write it, with any space between thousands", () => {
  const written = [
    "1 000",
    "1\u00A0000",
    "1\u202F000 €",
    "1.000 €",
    "12 345 678",
    "50€",
    "€50",
    "EUR 20",
    "20 euros",
  ];
  expect(written.map(wholeEurosIn)).toEqual([1000, 1000, 1000, 1000, 12_345_678, 50, 50, 20, 20]);
});

test("cents are dropped, never read as more euros", () => {
  expect(["12,50 €", "12.5", "12€50", "1 000,99", "0,99", "12,"].map(wholeEurosIn)).toEqual([
    12, 12, 12, 1000, 0, 12,
  ]);
});

test("a text that is not an amount is rejected", () => {
  for (const text of ["", "dix", "12abc", "-5", "1e5", "NaN", "Infinity", "50 60", "1 2", "0.500 000"])
    expect(wholeEurosIn(text), text).toBeNull();
});
