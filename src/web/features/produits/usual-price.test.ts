import { expect, test } from "vitest";
import type { PrixHabituel } from "#contract/produit.ts";
import { usualPriceStrip, usualPriceText, usualPriceWords } from "./usual-price.tsx";
import { eur } from "#verify/testing/on-the-wire.ts";

const usual = (traits: Partial<PrixHabituel> = {}): PrixHabituel => ({
  bas: eur("45.20"),
  median: eur("52.00"),
  haut: eur("60.40"),
  rang: 88,
  n: 312,
  jours: 20,
  base: "type_marque_etat",
  suspect: false,
  ...traits,
});

test("the usual price is a range, and how many are dearer", () => {
  const textOf = (price: string, prix: PrixHabituel) => {
    const words = usualPriceWords(eur(price), prix);
    return words === null ? null : usualPriceText(words).replaceAll("\u00A0", " ").replaceAll("\u2060", "");
  };
  expect(textOf("32.00", usual())).toBe("habituellement 45–60 € · moins cher que 88 % de 312");
  expect(textOf("80.00", usual({ rang: 3 }))).toBe("habituellement 45–60 € · au-dessus du prix habituel");
  expect(textOf("32.00", usual({ n: 12 }))).toBe("habituellement 45–60 € · peu d'annonces (12)");
  expect(textOf("80.00", usual({ n: 12 }))).toBe("habituellement 45–60 € · au-dessus · peu d'annonces (12)");
  expect(textOf("32.00", usual({ rang: null, base: "type_marque" }))).toBe(
    "habituellement 45–60 € (estimation)",
  );
  expect(textOf("3.00", usual({ bas: eur("4.50"), haut: eur("6.00") }))).toBe(
    "habituellement 4,50–6 € · moins cher que 88 % de 312",
  );
  expect(textOf("x", usual())).toBeNull();
});

test("the strip begins at nothing and holds range and price, whichever is dearer", () => {
  const { from, to, price } = usualPriceStrip(eur("80.00"), usual(), 40);
  expect(from).toBeLessThan(to);
  expect(to).toBeLessThan(price);
  expect(price).toBeLessThan(40);
});
