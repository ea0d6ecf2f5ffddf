import { expect, test } from "vitest";
import type { Filtre } from "#contract/filtre.ts";
import { columnNames } from "./filtre-columns.ts";
import { factText } from "./filtre-facts.ts";

const nothing = { ids: [], names: [] };

function aFiltre(changes: Partial<Filtre> = {}): Filtre {
  return {
    _id: "f1",
    tag: "Vestes",
    active: true,
    autobuy: false,
    private: false,
    types: nothing,
    brands: nothing,
    sizes: nothing,
    status: nothing,
    color: "",
    limit: 100,
    paiement: 1,
    info: "",
    mots: [],
    exclure: [],
    max_achats: null,
    simulation: false,
    ...changes,
  };
}

test("an empty selection is told by the word for all, in the right gender", () => {
  const texts = columnNames.map((column) => factText(aFiltre(), column).replaceAll("\u00A0", " "));
  expect(texts).toEqual(["Tous", "Toutes", "Toutes", "Tous", "Toutes", "100 €", "Carte Bancaire", "Aucune"]);
});

test("what is chosen is told by name, a colour in French", () => {
  const filtre = aFiltre({
    brands: { ids: [53, 14], names: ["Nike", "adidas"] },
    color: "Gray",
    paiement: 11,
    info: "pour Noël",
  });
  expect(factText(filtre, "Marques")).toBe("Nike, adidas");
  expect(factText(filtre, "Couleurs")).toBe("Gris");
  expect(factText(filtre, "Moyen de paiement")).toBe("Vinted Wallet");
  expect(factText(filtre, "Info supp")).toBe("pour Noël");
});

test("a name that two categories or sizes share is told once", () => {
  const filtre = aFiltre({ types: { ids: [183, 257, 221], names: ["Jeans", "Jeans", "T-shirts"] } });
  expect(factText(filtre, "Types")).toBe("Jeans, T-shirts");
});
