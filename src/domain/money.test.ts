import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatCents, parseCents, parseEurCents } from "./money.ts";

test("parseCents() undoes formatCents()", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (cents) => {
      expect(parseCents(formatCents(cents))).toBe(cents);
    }),
  );
});

test("parseCents() takes plain decimals only", () => {
  expect(["3", "3.0", "3.85", "0.01", "9999999.99"].map(parseCents)).toEqual([300, 300, 385, 1, 999_999_999]);
  for (const text of [
    "",
    "-1",
    "+1",
    "1e3",
    "12,50",
    "NaN",
    "Infinity",
    " 1",
    "1 ",
    "1.",
    ".5",
    "1.234",
    "12345678",
    "0x10",
  ])
    expect(parseCents(text)).toBeNull();
});

test("parseEurCents() refuses every other currency", () => {
  expect(parseEurCents({ amount: "1.00", currency_code: "EUR" })).toBe(100);
  expect(parseEurCents({ amount: "1.00", currency_code: "USD" })).toBeNull();
});
