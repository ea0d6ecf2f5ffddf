import { expect, test } from "vitest";
import { ordinalEnding, waitlistSentence } from "./waitlist-place.ts";

test("the first of the list is 1er, everybody else has an e", () => {
  expect(ordinalEnding(1)).toBe("er");
  expect([2, 11, 21, 101].map(ordinalEnding)).toEqual(["e", "e", "e", "e"]);
});

test("the place is said as a sentence", () => {
  expect(waitlistSentence({ rank: 12, total: 80 })).toBe("Vous êtes 12ᵉ sur 80 dans la liste d'attente");
  expect(waitlistSentence({ rank: 1, total: 1 })).toBe("Vous êtes 1ᵉʳ sur 1 dans la liste d'attente");
});

test("a long list keeps its thousands apart", () => {
  expect(waitlistSentence({ rank: 1234, total: 5678 }).replaceAll(/[\u00A0\u202F]/gu, " ")).toBe(
    "Vous êtes 1 234ᵉ sur 5 678 dans la liste d'attente",
  );
});
