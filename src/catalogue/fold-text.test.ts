import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { foldText, tokensOf, withoutControls } from "./fold-text.ts";

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
  "ø",
  "ł",
  "đ",
  "ｎ",
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
  ["Łódź", "lodz"],
  ["Ørsted, SØREN", "orsted soren"],
  ["Đà Nẵng, ISIK ve ışık", "da nang isik ve isik"],
  ["con\ufb01rmé", "confirme"],
  ["ＮＩＫＥ ４２", "nike 42"],
  ["𝐍𝐢𝐤𝐞 𝟒𝟐", "nike 42"],
  ["pan\u00adtalon", "pantalon"],
  ["re\u200bplique", "replique"],
  ["\ufeffrobe\u200d", "robe"],
  ["Dr. Martens™ 38½", "dr martens 38½"],
  ["robe\u00a0noire\u2009✨été", "robe noire ete"],
  ["robe\n\tnoire", "robe noire"],
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

test("a text that is shown cannot turn around what follows it, and keeps composed emoji", () => {
  expect(withoutControls("\u{202E}Robe\u{2066} noire\n\u{0}")).toBe("Robe  noire");
  expect(withoutControls("Robe 👩‍👧 שמלה")).toBe("Robe 👩‍👧 שמלה");
});
