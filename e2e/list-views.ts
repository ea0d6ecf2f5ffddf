/** The stream and the filters with few and with many entries, and filters in groups with all their badges. */
import type { Page } from "@playwright/test";
import { z } from "zod";
import { alter } from "./view-actions.ts";
import type { View } from "./views.ts";

type Entry = Readonly<Record<string, unknown>>;

const answerOf = z.record(z.string(), z.json());
const entries = z.array(z.record(z.string(), z.json()));

/** Answers the call with other entries in the list of its real answer. */
const withEntries = (path: string, list: string, change: (given: readonly Entry[]) => readonly Entry[]) =>
  alter(path, (text) => {
    const answer = answerOf.parse(JSON.parse(text));
    return JSON.stringify({ ...answer, [list]: change(entries.parse(answer[list])) });
  });

/** This many copies of the given entries, in turn. */
function copies(given: readonly Entry[], count: number, traits: (index: number) => Entry): readonly Entry[] {
  return Array.from({ length: count }, (_, index) => ({ ...given[index % given.length], ...traits(index) }));
}

/** Keeps the connection, but none of its listings. */
async function silenceStream(page: Page): Promise<void> {
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const isNews = String(message).startsWith('42["flux_handler"');
      socket.send(isNews ? '42["flux_handler",{"items":[],"curseur":"1"}]' : message);
    });
  });
}

const FIRST_ID = 1_000_000;

const articleView = (count: number): View => ({
  path: "/synapse/articles",
  visitor: "subscriber",
  name: `produits-${count}`,
  before: async (page) => {
    await silenceStream(page);
    const nowMs = Date.now();
    await withEntries("/articles/recent", "items", (given) =>
      copies(given, count, (index) => ({
        id: FIRST_ID - index,
        vu_a: nowMs - index * 7_000,
        user: { login: `armoire.${index}`, photo: null },
      })),
    )(page);
  },
  prepare: async (page) => {
    if (count > 0) await page.getByRole("article").first().waitFor();
  },
});

const WORDS = [
  "Robe",
  "Veste en jean",
  "Pull",
  "Manteau long",
  "Sac",
  "Baskets montantes",
  "Jupe",
  "Bottines",
];

const filterView = (count: number, path: string, name: string): View => ({
  path,
  visitor: "subscriber",
  name: `${name}-${count}`,
  before: async (page) => {
    const idAt = (index: number) => ({ _id: `filtre-${index}` });
    await withEntries("/filtres/get", "filtres", (given) =>
      copies(given, count, (index) => ({
        // The first ones have found the articles of the stream.
        ...(index < given.length ? {} : idAt(index)),
        active: index % 5 !== 4,
        tag: `${WORDS[index % WORDS.length] ?? ""} ${index + 1}`,
      })),
    )(page);
    await withEntries("/filtres/activite", "activites", (given) => [...given, ...copies(given, count, idAt)])(
      page,
    );
  },
});

const GROUPS = [
  { _id: "groupe-1", nom: "Manteau d'hiver", achats: 1, budget: 60, spent: "54.90", etat: "complet" },
  {
    _id: "groupe-2",
    nom: "Robes pour le mariage de Camille en juin",
    achats: 3,
    budget: null,
    spent: "21.40",
  },
].map(({ spent, ...group }) => ({
  etat: "ouvert",
  filtres: [],
  pris: { achats: 1, montant: { amount: spent, currency_code: "EUR" } },
  ...group,
}));

const RULES = {
  budget_jour: 60,
  budget_total: null,
  heures: { de: "08:00", a: "23:00" },
  jours: [1, 2, 3, 4, 5, 6],
  pause: 30,
  vendeur_jour: 2,
  echecs: null,
};

/** Filters with every badge. */
async function groupFilters(page: Page): Promise<void> {
  await alter("/groupes/get", () => JSON.stringify({ success: true, groupes: GROUPS }))(page);
  const stopped = { raison: "groupe", a: Date.now() };
  const badges = [
    { groupe: "groupe-1", arret: stopped },
    { groupe: "groupe-2", autobuy: true, regles: RULES, bon_prix: 25, max_achats: 5 },
    { autobuy: true, simulation: true, alerte: "rien", private: true },
    { autobuy: true, arret: { ...stopped, raison: "budget_total" }, regles: RULES },
  ];
  await withEntries("/filtres/get", "filtres", (given) =>
    given.map((filter, index) => ({ ...filter, active: true, ...badges[index] })),
  )(page);
}

const filters = { path: "/synapse/filtres", visitor: "subscriber" } as const;

export const listViews: readonly View[] = [
  ...[0, 1, 100, 5_000].map(articleView),
  ...[1, 12, 60].flatMap((count) => [
    filterView(count, "/synapse/filtres", "filtres"),
    filterView(count, "/synapse/articles", "produits-filtres"),
  ]),
  { ...filters, name: "filtres-groupes", before: groupFilters },
];
