import { expect, test } from "vitest";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { RaisonArret } from "#contract/filtres/regles.ts";
import { aFiltre } from "#verify/testing/on-the-wire.ts";
import {
  columnNames,
  factText,
  DEFAULT_COLUMNS,
  parseColumns,
  stopText,
  withColumnToggled,
} from "./filtre-facts.ts";

test("a price floor is shown with the limit", () => {
  const limits = { limit: 40, limit_min: 20 };
  expect(factText(aFiltre(limits), "Limite de prix")).toMatch(/^de 20\s€ à 40\s€$/u);
  expect(factText(aFiltre({ ...limits, limit_min: 0 }), "Limite de prix")).toMatch(/^40\s€$/u);
});

test("an empty selection is shown as 'all', in the right gender", () => {
  const texts = columnNames.map((column) => factText(aFiltre(), column).replaceAll("\u00A0", " "));
  expect(texts).toEqual(["Tous", "Toutes", "Toutes", "Tous", "Toutes", "100 €", "Carte Bancaire", "Aucune"]);
});

test("chosen values are shown by name, a colour in French", () => {
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

test("a name that two categories or sizes share is shown once", () => {
  const filtre = aFiltre({ types: { ids: [183, 257, 221], names: ["Jeans", "Jeans", "T-shirts"] } });
  expect(factText(filtre, "Types")).toBe("Jeans, T-shirts");
});

test("the cards begin with brands, sizes and conditions", () => {
  expect(DEFAULT_COLUMNS).toEqual(["Marques", "Tailles", "États"]);
});

test("a column is shown and hidden again, and the order of the cards stays", () => {
  const shown = withColumnToggled(DEFAULT_COLUMNS, "Types");
  expect(shown).toEqual(["Types", "Marques", "Tailles", "États"]);
  expect(withColumnToggled(shown, "Types")).toEqual(DEFAULT_COLUMNS);
});

test("the last column can be hidden too", () => {
  expect(withColumnToggled(["Types"], "Types")).toEqual([]);
});

test("what was kept is read in the order of the cards, without unknown names", () => {
  expect(parseColumns(["États", "Âge", "Types", 3])).toEqual(["Types", "États"]);
  expect(parseColumns([])).toEqual([]);
  expect(parseColumns([...columnNames])).toEqual(columnNames);
});

test("damaged storage counts as nothing kept", () => {
  expect(parseColumns(undefined)).toBeUndefined();
  expect(parseColumns("Types")).toBeUndefined();
  expect(parseColumns({ Types: true })).toBeUndefined();
});

const stoppedBy = (raison: RaisonArret, limits: Partial<Filtre> = {}) =>
  aFiltre({ arret: { raison, a: 1 }, ...limits });

test("a group that is open again is no longer called complete", () => {
  const filtre = stoppedBy("groupe");
  expect(stopText(filtre, { group: { etat: "complet" }, bought: 0 })).toBe("groupe complet");
  expect(stopText(filtre, { group: { etat: "ouvert" }, bought: 0 })).toBe("le groupe était complet");
  // The filter has left the group, or the group was deleted.
  expect(stopText(filtre, { group: undefined, bought: 0 })).toBe("le groupe était complet");
});

test("a number of purchases that was raised, lifted or given back since is no longer called reached", () => {
  const group = undefined;
  const reached = stoppedBy("max_achats", { max_achats: 2 });
  expect(stopText(reached, { group, bought: 2 })).toBe("nombre d'achats atteint");
  // The maximum was raised, or a purchase was cancelled.
  expect(stopText(reached, { group, bought: 1 })).toBe("le nombre d'achats était atteint");
  const lifted = stoppedBy("max_achats", { max_achats: null });
  expect(stopText(lifted, { group, bought: 2 })).toBe("le nombre d'achats était atteint");
  expect(stopText(reached, { group, bought: undefined })).toBe("le nombre d'achats était atteint");
});

test("a budget that ended the purchases is shown as spent, without the amount left", () => {
  const filtre = stoppedBy("budget_total");
  expect(stopText(filtre, { group: undefined, bought: 3 })).toBe("le budget était dépensé");
  expect(stopText(stoppedBy("echecs"), { group: undefined, bought: 3 })).toBe("trop d'échecs");
  expect(stopText(aFiltre(), { group: undefined, bought: 3 })).toBeNull();
});
