import { expect, test } from "vitest";
import { countText, euroText } from "./french-texts.ts";

test("euroText() writes amounts as French people do", () => {
  expect([0, 5, 1_250, 123_400, 100_000_000].map(euroText)).toEqual([
    "0,00\u00A0€",
    "0,05\u00A0€",
    "12,50\u00A0€",
    "1\u202F234,00\u00A0€",
    "1\u202F000\u202F000,00\u00A0€",
  ]);
});

test("countText() counts none and one in the singular", () => {
  expect([0, 1, 2].map((count) => countText(count, "filtre", "filtres"))).toEqual([
    "0 filtre",
    "1 filtre",
    "2 filtres",
  ]);
});
