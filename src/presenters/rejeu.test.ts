import { expect, test } from "vitest";
import type { Replay, ReplayLoss } from "#domain/market/replay.ts";
import { presentPrixDuMarche, presentRejeu } from "./rejeu.ts";

const EMPTY: Replay = {
  examinedCount: 0,
  articleCount: 0,
  relistCount: 0,
  uncertainCount: 0,
  purchases: null,
  losses: [],
  days: [],
  cheapest: [],
  dearest: [],
  without: [],
  cheapestCents: null,
  higherLimits: [],
  ids: [],
  boughtIds: [],
  isTruncated: false,
};

function presented(replay: Partial<Replay>, attempts = { won: 0, lost: 0 }) {
  return presentRejeu({
    replay: { ...EMPTY, ...replay },
    coverage: { sinceMs: null, dayCount: 0, exampleUntil: null },
    attempts,
    durationMs: 0,
    marketUrl: "https://market.example",
  });
}

function purchasesOf(count: number, attempts: { readonly won: number; readonly lost: number }) {
  const purchases = { count, totalCents: 0, savedCents: 0, comparedCount: 0 };
  return presented({ purchases }, attempts).achats;
}

/** The bounds are those of Wilson's score interval at 90 %, computed by hand from won ÷ (won + lost). */
test.each([
  { count: 14, won: 20, lost: 14, fourchette: { min: 6, max: 11 } }, // 44.8 to 71.5 % of 14
  { count: 100, won: 20, lost: 14, fourchette: { min: 44, max: 72 } },
  { count: 100, won: 10, lost: 10, fourchette: { min: 32, max: 68 } }, // 32.7 to 67.3 %
  { count: 100, won: 1_000, lost: 1_000, fourchette: { min: 48, max: 52 } },
  { count: 10, won: 20, lost: 0, fourchette: { min: 8, max: 10 } },
  { count: 10, won: 0, lost: 20, fourchette: { min: 0, max: 2 } },
  { count: 0, won: 20, lost: 14, fourchette: { min: 0, max: 0 } },
  { count: 14, won: 19, lost: 0, fourchette: null },
  { count: 14, won: 0, lost: 19, fourchette: null },
  { count: 14, won: 0, lost: 0, fourchette: null },
])(
  "of $count purchases, after $won successful attempts and $lost late ones, $fourchette are expected",
  ({ count, won, lost, fourchette }) => {
    expect(purchasesOf(count, { won, lost })).toMatchObject({ fourchette, tentatives: won + lost });
  },
);

const euros = (amount: string) => ({ amount, currency_code: "EUR" });

test.each([
  { savedCents: 12_850, comparedCount: 10, economie: euros("128.50") },
  { savedCents: -505, comparedCount: 1, economie: euros("-5.05") },
  { savedCents: 0, comparedCount: 3, economie: euros("0.00") },
  { savedCents: 0, comparedCount: 0, economie: null },
])(
  "$savedCents cents over $comparedCount compared purchases are said with their sign, or not at all",
  ({ economie, comparedCount, ...sum }) => {
    const purchases = { count: 14, totalCents: 31_240, comparedCount, ...sum };
    expect(presented({ purchases }).achats).toMatchObject({
      nombre: 14,
      montant: euros("312.40"),
      economie,
      compares: comparedCount,
    });
  },
);

test("a filter that cannot buy has no purchases", () => {
  expect(presented({ purchases: null }).achats).toBeNull();
});

test.each<[ReplayLoss, code: string, cause: string]>([
  ["limit_day", "limite_jour", "Limite de dépenses du jour"],
  ["limit_month", "limite_mois", "Limite de dépenses du mois"],
  ["limit_count", "limite_achats", "Nombre d'achats du jour"],
  ["filter_full", "max_achats", "Nombre d'achats du filtre"],
  ["rule", "regle", "Règle du filtre"],
  ["price_unsure", "prix_incertain", "Prix habituel encore mal connu"],
  ["too_good", "trop_beau", "Trop beau pour être vrai"],
  ["relist", "republication", "Article déjà acheté, republié"],
])("what a run does not buy for %s is a loss %s: %s", (cause, code, text) => {
  expect(presented({ losses: [{ cause, count: 3 }] }).pertes).toEqual([{ code, cause: text, nombre: 3 }]);
});

test("an example has the catalogue's titles, its price, when it was seen, and its link", () => {
  const example = {
    listingId: 7,
    foldedTitle: "robe d ete",
    brandId: 12,
    sizeId: 4,
    conditionId: 2,
    totalPriceCents: 1_120,
    standing: null,
    seenAtMs: 1_700_000_000_000,
    isBought: true,
  };
  const { moins_chers, plus_chers } = presented({
    cheapest: [example],
    dearest: [{ ...example, listingId: 8, brandId: 0, sizeId: 0, conditionId: 0, isBought: false }],
  }).exemples;
  const shown = {
    id: 7,
    titre: "robe d ete",
    marque: "Zara",
    taille: "M / 38 / 10",
    etat: "Très bon état",
    total_item_price: euros("11.20"),
    prix: null,
    vu_a: 1_700_000_000_000,
    achat: true,
    url: "https://market.example/items/7",
  };
  expect(moins_chers).toEqual([shown]);
  const unknown = { marque: "", taille: "", etat: "", achat: false };
  expect(plus_chers).toEqual([{ ...shown, ...unknown, id: 8, url: "https://market.example/items/8" }]);
});

test("each day has its articles and purchases, and the period is from the first to the last", () => {
  const days = [
    { day: "2026-11-03", articleCount: 5, purchaseCount: 2 },
    { day: "2026-11-04", articleCount: 0, purchaseCount: 0 },
  ];
  expect(presented({ days })).toMatchObject({
    periode: { du: "2026-11-03", au: "2026-11-04", jours: 2 },
    jours: [
      { jour: "2026-11-03", articles: 5, achats: 2 },
      { jour: "2026-11-04", articles: 0, achats: 0 },
    ],
  });
});

test("prices of a type name its conditions, sizes and brands; those of a brand in it no brands", () => {
  const some = { count: 5, quartilesCents: [1_000, 1_250, 2_000] } as const;
  const few = { count: 4, quartilesCents: null };
  const shown = (brandId: number | null) =>
    presentPrixDuMarche(
      { typeId: 221, brandId },
      {
        prices: {
          all: some,
          conditions: [{ id: 2, ...some }],
          sizes: [{ id: 4, ...few }],
          brands: brandId === null ? [{ id: 12, ...some }] : [],
          days: [{ day: "2026-11-03", count: 0, medianCents: null }],
        },
        coverage: { sinceMs: 5, dayCount: 1, exampleUntil: "2026-11-24" },
      },
    );
  const prices = { annonces: 5, bas: euros("10.00"), median: euros("12.50"), haut: euros("20.00") };
  const ofType = {
    type: { id: 221, nom: "T-shirts" },
    ...prices,
    etats: [{ id: 2, nom: "Très bon état", ...prices }],
    tailles: [{ id: 4, nom: "M / 38 / 10", annonces: 4, bas: null, median: null, haut: null }],
    jours: [{ jour: "2026-11-03", annonces: 0, median: null }],
    couverture: { depuis: 5, jours: 1, exemple: true, exemple_jusqu_au: "2026-11-24" },
  };
  expect(shown(null)).toEqual({ ...ofType, marque: null, marques: [{ id: 12, nom: "Zara", ...prices }] });
  expect(shown(12)).toEqual({ ...ofType, marque: { id: 12, nom: "Zara" } });
});
