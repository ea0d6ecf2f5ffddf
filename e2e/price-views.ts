/** The page of prices in its states, with answers of a market with history. */
import type { Page } from "@playwright/test";
import { fail, hold } from "./view-actions.ts";
import type { View } from "./views.ts";
import { eur } from "#verify/testing/on-the-wire.ts";

const T_SHIRTS = 221;
const ZARA = 12;
const DAY_MS = 24 * 3_600_000;
const DAYS = 30;

const prices = { path: `/synapse/prix?type=${T_SHIRTS}`, visitor: "subscriber" } as const;

function range(id: number, nom: string, annonces: number, median: number) {
  const isKnown = annonces >= 5;
  const quartile = (share: number) => (isKnown ? eur(median * share) : null);
  return { id, nom, annonces, bas: quartile(0.7), median: quartile(1), haut: quartile(1.45) };
}

const conditions = [
  range(2, "Très bon état", 612, 6.9),
  range(3, "Bon état", 211, 4.9),
  range(1, "Neuf sans étiquette", 187, 9.1),
  range(6, "Neuf avec étiquette", 96, 12.2),
  range(4, "Satisfaisant", 3, 2),
];
const sizes = [
  range(4, "M / 38 / 10", 402, 7),
  range(3, "S / 36 / 8", 377, 6.9),
  range(5, "L / 40 / 12", 2, 7),
];
const brands = [
  range(ZARA, "Zara", 310, 7),
  range(7, "H&M", 288, 4.9),
  range(53, "Nike", 41, 11.5),
  range(364, "Abercrombie & Fitch", 2, 9),
];

/** @param traits replaces fields of the answer */
function pricesAnswer(traits: Readonly<Record<string, unknown>> = {}): string {
  const nowMs = Date.now();
  const days = Array.from({ length: DAYS }, (_, index) => ({
    jour: new Date(nowMs - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
    annonces: 20 + ((index * 17) % 41),
    median: eur(6 + (index % 3)),
  }));
  return JSON.stringify({
    prix: {
      ...range(0, "", 1_109, 6.9),
      type: { id: T_SHIRTS, nom: "T-shirts" },
      marque: null,
      etats: conditions,
      tailles: sizes,
      marques: brands,
      jours: days,
      couverture: {
        depuis: nowMs - (DAYS - 1) * DAY_MS,
        jours: DAYS,
        exemple: true,
        exemple_jusqu_au: days.at(-2)?.jour,
      },
      ...traits,
    },
  });
}

const NOTHING = { annonces: 0, bas: null, median: null, haut: null, etats: [], tailles: [], marques: [] };
const NEVER_READ = { depuis: null, jours: 0, exemple: false, exemple_jusqu_au: null };

const answer = (path: string, body: string) => async (page: Page) => {
  await page.route(`**${path}*`, (route) => route.fulfill({ contentType: "application/json", body }));
};

const TOO_GOOD = "Trop beau pour être vrai : 12 € au lieu de 80–140 €. Rien n'a été acheté.";

function aManque({ id, isAsked, raison }: { id: number; isAsked: boolean; raison: string }) {
  const seenAtMs = Date.now() - id * 60_000;
  return {
    etapes: [
      { nom: "Vu par Synapse", a: seenAtMs },
      { nom: "Laissé de côté", a: seenAtMs + 40 },
    ],
    raison,
    conseil: null,
    date: seenAtMs + 40,
    product: {
      id,
      title: "Escarpins vernis à bout pointu, portés une fois",
      photo: null,
      brand_title: "Sézane",
      total_item_price: eur(12),
      size_title: "38",
      status: "Très bon état",
      path: `/items/${id}`,
      url: `https://market.example/items/${id}`,
      user: { login: "lea", photo: null },
    },
    filtre: null,
    code: isAsked ? "trop_beau" : null,
    a_confirmer: isAsked,
  };
}

const popular = JSON.stringify({
  populaires: [
    ...brands.slice(0, 3).map(({ id, nom, annonces }) => ({
      type: { id: T_SHIRTS, nom: "T-shirts" },
      marque: { id, nom },
      annonces,
      median: eur(7),
    })),
    ...[1_535, 1_662].map((id) => ({
      type: { id, nom: "T-shirts" },
      marque: { id: 364, nom: "Abercrombie & Fitch" },
      annonces: 41,
      median: eur(128.4),
    })),
  ],
});

const manques = JSON.stringify({
  manques: [
    aManque({ id: 1, isAsked: true, raison: TOO_GOOD }),
    aManque({ id: 2, isAsked: false, raison: "Votre limite de dépenses du jour était atteinte." }),
  ],
});

/** The dialog of missed purchases, independent of the market. */
const missed = {
  path: "/synapse/achats?manques=true",
  visitor: "subscriber",
  before: answer("/purchase/manques", manques),
} as const;

export const priceViews: readonly View[] = [
  {
    ...missed,
    name: "achats-manques-a-confirmer",
    prepare: async (page) => {
      await page.getByRole("dialog").getByRole("button", { name: "Acheter" }).waitFor();
    },
  },
  {
    ...missed,
    name: "achats-manques-pourquoi",
    prepare: async (page) => {
      await page.getByRole("dialog").getByText("Pourquoi ?").first().click();
    },
  },
  { ...prices, name: "prix", path: "/synapse/prix", before: answer("/marche/populaires", popular) },
  {
    ...prices,
    name: "prix-sans-annonces",
    path: "/synapse/prix",
    before: answer("/marche/populaires", '{"populaires":[]}'),
  },
  { ...prices, name: "prix-frequents-chargement", path: "/synapse/prix", before: hold("/marche/populaires") },
  { ...prices, name: "prix-frequents-erreur", path: "/synapse/prix", before: fail("/marche/populaires") },
  { ...prices, name: "prix-d-un-type", before: answer("/marche/prix", pricesAnswer()) },
  { ...prices, name: "prix-chargement", before: hold("/marche/prix") },
  { ...prices, name: "prix-erreur", before: fail("/marche/prix") },
  { ...prices, name: "prix-aucun-article", before: answer("/marche/prix", pricesAnswer(NOTHING)) },
  {
    ...prices,
    name: "prix-jamais-lu",
    before: answer("/marche/prix", pricesAnswer({ ...NOTHING, couverture: NEVER_READ })),
  },
  {
    ...prices,
    name: "prix-types",
    before: answer("/marche/prix", pricesAnswer()),
    prepare: openChoice("Type"),
  },
  {
    ...prices,
    name: "prix-marques",
    before: answer("/marche/prix", pricesAnswer()),
    prepare: openChoice("Marque"),
  },
];

function openChoice(label: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole("group", { name: label, exact: true }).getByRole("button").first().click();
    await page.getByRole("searchbox").waitFor();
  };
}
