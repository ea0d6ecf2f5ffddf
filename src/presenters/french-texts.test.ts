import { expect, test } from "vitest";
import { countText, euroText, failureCode, failureText } from "./french-texts.ts";

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

test("a purchase that a rule forbids at its quote says that nothing was paid", () => {
  expect(failureText("rule_reached")).toBe(
    "Une règle du filtre ou de son groupe ne le permettait plus : rien n'a été payé.",
  );
  expect(failureCode("rule_reached")).toBe("limite");
});
