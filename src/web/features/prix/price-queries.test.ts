import { expect, test, vi } from "vitest";
import type { PrixDuMarche } from "#contract/filtres/rejeu.ts";
import { leftOut } from "../../api/answers.ts";
import { readPrices } from "./price-queries.ts";

const price = (amount: string) => ({ amount, currency_code: "EUR" });
const quartiles = { annonces: 60, bas: price("20.00"), median: price("25.00"), haut: price("30.00") };
const prices: PrixDuMarche = {
  ...quartiles,
  type: { id: 221, nom: "T-shirts" },
  marque: null,
  etats: [{ ...quartiles, id: 2, nom: "Très bon état" }],
  tailles: [{ ...quartiles, id: 3, nom: "M" }],
  marques: [{ ...quartiles, id: 12, nom: "Zara" }],
  jours: [{ jour: "2026-11-03", annonces: 3, median: null }],
  couverture: { depuis: 1, jours: 1, exemple: false, exemple_jusqu_au: null },
};

const LISTS = [
  ["etats", "conditionPrices"],
  ["tailles", "sizePrices"],
  ["marques", "brandPrices"],
  ["jours", "priceDays"],
] as const;

test.each(LISTS)("an item of %s that cannot be read is left out alone, and counted", (name, list) => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const wrong = { ...prices[name]?.[0], annonces: "soixante" };
  expect(readPrices({ prix: { ...prices, [name]: [wrong, ...(prices[name] ?? [])] } })).toEqual(prices);
  expect(leftOut.of(list)).toBe(1);
  expect(readPrices({ prix: { ...prices, [name]: "rien" } })).toEqual({ ...prices, [name]: [] });
  expect(readPrices({ prix: prices })).toEqual(prices);
  expect(leftOut.of(list)).toBe(0);
});
