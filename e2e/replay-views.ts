/** The page 'Sur 30 jours' and the same result in the form, with answers of a market with history. */
import type { Page } from "@playwright/test";
import type { ExempleRejeu, Rejeu } from "#contract/filtres/rejeu.ts";
import { aRejeu, eur } from "../verify/testing/on-the-wire.ts";
import { fail, hold } from "./view-actions.ts";
import type { View } from "./views.ts";

const PATH = "/filtres/rejeu";
const filters = { path: "/synapse/filtres", visitor: "subscriber" } as const;

function anExample(index: number): ExempleRejeu {
  return {
    id: index + 1,
    titre: index === 0 ? "robe longue a fleurs en viscose avec ceinture et poches" : `robe ${index}`,
    marque: "Zara",
    taille: "M / 38 / 10",
    etat: "Neuf sans étiquette",
    total_item_price: eur(4 + index),
    prix:
      index % 4 === 3
        ? null
        : {
            bas: eur(9),
            median: eur(13.5),
            haut: eur(20 + index),
            rang: 90,
            n: 312,
            jours: 20,
            base: "type_marque_etat",
            suspect: false,
          },
    vu_a: Date.parse("2026-11-20T10:00:00Z"),
    achat: index % 3 === 0,
    url: "https://market.example/items/1",
  };
}

const examples = Array.from({ length: 15 }, (_, index) => anExample(index));

const rich = aRejeu({
  articles: 1_204,
  republications: 12,
  incertains: 3,
  tronque: true,
  couverture: {
    depuis: Date.parse("2026-11-09T08:00:00Z"),
    jours: 22,
    exemple: true,
    exemple_jusqu_au: "2026-11-12",
  },
  achats: {
    nombre: 14,
    montant: eur(312),
    economie: eur(128),
    compares: 12,
    fourchette: { min: 6, max: 11 },
    tentatives: 34,
  },
  jours: Array.from({ length: 30 }, (_, index) => ({
    jour: `2026-11-${String(index + 1).padStart(2, "0")}`,
    articles: index < 8 ? 0 : (index * 17) % 61,
    achats: index < 8 ? 0 : index % 3,
  })),
  exemples: { moins_chers: examples, plus_chers: examples.toReversed() },
  conditions: [
    { champ: "brands", articles: 10_000 },
    { champ: "exclure", articles: 0 },
  ],
  limite: {
    moins_chere: eur(4.2),
    paliers: [65, 70, 80, 90].map((limit, index) => ({ limit, articles: 6 * index })),
  },
  pertes: [
    { code: "limite_jour", cause: "Limite de dépenses du jour", nombre: 9 },
    { code: "prix_incertain", cause: "Prix habituel encore mal connu", nombre: 1_181 },
  ],
});

const answer = (rejeu: Rejeu) => async (page: Page) => {
  const body = JSON.stringify({ success: true, rejeu });
  await page.route(`**${PATH}`, (route) => route.fulfill({ contentType: "application/json", body }));
};

/** The card of the filter whose conditions are in the answer. */
const card = (page: Page) => page.getByRole("article").filter({ hasText: "Baskets Nike" });

const openMonth = async (page: Page): Promise<void> => {
  await card(page)
    .getByRole("link", { name: /^Sur 30 jours/ })
    .click();
  await page.getByRole("heading", { name: "Sur 30 jours" }).waitFor();
};

const editFilter = async (page: Page): Promise<void> => {
  await card(page).getByRole("button", { name: "Modifier" }).click();
  await page.getByRole("dialog").getByLabel("Tag *").waitFor();
};

const NEVER_READ = { depuis: null, jours: 0, exemple: false, exemple_jusqu_au: null };

export const replayViews: readonly View[] = [
  { ...filters, name: "rejeu", before: answer(rich), prepare: openMonth },
  {
    ...filters,
    name: "rejeu-aucun-article",
    before: answer({ ...rich, articles: 0, exemples: { moins_chers: [], plus_chers: [] }, pertes: [] }),
    prepare: openMonth,
  },
  {
    ...filters,
    name: "rejeu-jamais-lu",
    before: answer(aRejeu({ couverture: NEVER_READ })),
    prepare: openMonth,
  },
  { ...filters, name: "rejeu-chargement", before: hold(PATH), prepare: openMonth },
  { ...filters, name: "rejeu-erreur", before: fail(PATH), prepare: openMonth },
  { ...filters, name: "rejeu-introuvable", path: "/synapse/filtres/rejeu?f=aucun" },
  { ...filters, name: "filtre-mois", before: answer(rich), prepare: editFilter },
  { ...filters, name: "filtre-mois-chargement", before: hold(PATH), prepare: editFilter },
  { ...filters, name: "filtre-mois-erreur", before: fail(PATH), prepare: editFilter },
];
