import { expect, test } from "vitest";
import { formatAge, formatCount, formatEuros, formatMoney } from "./format.ts";
import {
  formatCounted,
  formatPurchaseDate,
  formatSpan,
  plural,
  wholeEurosIn,
  withNoBreaks,
} from "./format-panel.ts";

/** Narrow and no-break spaces differ between versions of the locale data; people see the same. */
const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/gu, " ");

test("a price is written with a comma and its sign behind", () => {
  expect(plain(formatMoney({ amount: "12.5", currency_code: "EUR" }))).toBe("12,50 €");
  expect(plain(formatMoney({ amount: "1234.00", currency_code: "EUR" }))).toBe("1 234,00 €");
});

test("an amount or a currency that cannot be read is shown as it came", () => {
  expect(formatMoney({ amount: "douze", currency_code: "EUR" })).toBe("douze EUR");
  expect(formatMoney({ amount: "3.00", currency_code: "??" })).toBe("3.00 ??");
});

test("a price, a date or an age that nobody knows says so instead of 0", () => {
  expect(formatMoney({ amount: "", currency_code: "EUR" })).toBe("Prix inconnu");
  expect(formatPurchaseDate(0)).toBe("Date inconnue");
  expect(formatAge(0, Date.now())).toBe("date inconnue");
});

test("whole euros carry a space between thousands", () => {
  expect(plain(formatEuros(2_000))).toBe("2 000 €");
});

test("zero and one are singular, two is plural", () => {
  expect([0, 1, 2].map((count) => plural(count, "article", "articles"))).toEqual([
    "article",
    "article",
    "articles",
  ]);
  expect(plain(formatCounted(1_234, "article", "articles"))).toBe("1 234 articles");
  expect(plain(formatCount(1_234))).toBe("1 234");
});

test("a purchase's date is day, month, year, hour and minute, each with its zeros", () => {
  const localNoonS = new Date(2026, 0, 2, 9, 5).getTime() / 1_000;
  expect(formatPurchaseDate(localNoonS)).toBe("02/01/2026 09:05");
});

test("midnight is 00, never 24", () => {
  expect(formatPurchaseDate(new Date(2026, 10, 20, 0, 0).getTime() / 1_000)).toBe("20/11/2026 00:00");
});

test("an age is shown in the largest whole unit", () => {
  const now = 1_000_000_000;
  const agesMs = [0, 2_999, 12_000, 59_999, 60_000, 3_599_999, 2 * 3_600_000, 4 * 86_400_000];
  expect(agesMs.map((ageMs) => formatAge(now - ageMs, now))).toEqual([
    "à l'instant",
    "à l'instant",
    "il y a 12\u00A0s",
    "il y a 59\u00A0s",
    "il y a 1\u00A0min",
    "il y a 59\u00A0min",
    "il y a 2\u00A0h",
    "il y a 4\u00A0j",
  ]);
});

test("a listing seen by a clock ahead of ours is of this instant", () => {
  expect(formatAge(2_000_000, 1_000_000)).toBe("à l'instant");
});

test("a span is said in its largest whole unit, a day at most", () => {
  const HOUR_MS = 3_600_000;
  expect([23.6, 23.4, 1.9, 0.5, 0].map((hours) => plain(formatSpan(hours * HOUR_MS)))).toEqual([
    "24 h",
    "23 h",
    "1 h",
    "30 min",
    "1 min",
  ]);
});

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

test("a text of the server is not broken before its marks", () => {
  expect(withNoBreaks("Achat confirmé : « Robe d'été », 5,19 € livraison comprise.")).toBe(
    "Achat confirmé\u00A0: «\u00A0Robe d'été\u00A0», 5,19\u00A0€ livraison comprise.",
  );
});
