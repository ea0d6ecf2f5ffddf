import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { foldText, tokensOf } from "./fold-text.ts";

const LETTERS = [
  "a",
  "é",
  "è",
  "ê",
  "ç",
  "ï",
  "ô",
  "ù",
  "œ",
  "æ",
  "ß",
  "z",
  "É",
  "Ç",
  " ",
  "'",
  "’",
  "-",
  "1",
];

test.each([
  ["L'Oréal", "l oreal"],
  ["  Très   BON état ", "tres bon etat"],
  ["Bœuf & Œuvre", "boeuf oeuvre"],
  ["Straße, STRASSE", "strasse strasse"],
  ["Pull&Bear – 38,5", "pull bear 38 5"],
  ["e\u0301te\u0301", "ete"],
  ["!?", ""],
  ["", ""],
])("%j folds to %j", (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test("folding twice changes nothing more", () => {
  assert(
    property(string({ unit: "binary" }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
  );
});

test("case and composed or split accents never matter", () => {
  assert(
    property(string({ unit: constantFrom(...LETTERS) }), (text) => {
      expect(foldText(text.toUpperCase())).toBe(foldText(text));
      expect(foldText(text.normalize("NFD"))).toBe(foldText(text));
    }),
  );
});

test("tokensOf() answers whole words in order, and none for signs alone", () => {
  expect(tokensOf("Robe d'été, robe")).toEqual(["robe", "d", "ete", "robe"]);
  expect(tokensOf(" - ")).toEqual([]);
});
