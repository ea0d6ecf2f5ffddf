import { expect, test } from "vitest";
import type { Populaire } from "#contract/filtres/rejeu.ts";
import { typeNameAmong } from "./prix-page.tsx";

const WOMEN = 221;
const GIRLS = 1_535;
const BOYS = 1_662;

function someTShirts(id: number): Populaire {
  return {
    type: { id, nom: "T-shirts" },
    marque: { id: 12, nom: "Zara" },
    annonces: 9,
    median: { amount: "7.00", currency_code: "EUR" },
  };
}

test("a frequent type is named with its department, and closer where two would be named alike", () => {
  const [women, girls, boys] = [someTShirts(WOMEN), someTShirts(GIRLS), someTShirts(BOYS)];
  expect(typeNameAmong([women, girls], women)).toBe("T-shirts, Femmes");
  expect(typeNameAmong([women, girls], girls)).toBe("T-shirts, Enfants");
  expect([girls, boys].map((pair) => typeNameAmong([women, girls, boys], pair))).toEqual([
    "T-shirts, Filles",
    "T-shirts, Garçons",
  ]);
});
