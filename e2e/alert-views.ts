/** The page of alerts and the page behind an alert's link, in every state. */
import type { Page } from "@playwright/test";
import { press } from "./view-actions.ts";

const MINUTE_MS = 60_000;

/** Answers the call, but not the document of the same path. */
const answer = (path: string, body: () => unknown) => async (page: Page) => {
  await page.route(
    ({ pathname }) => pathname === path,
    async (route) => {
      if (route.request().resourceType() === "document") await route.continue();
      else await route.fulfill({ json: body() });
    },
  );
};

const ALL = { articles: true, achats: true, compte: true, resume: true };
const SOME = { articles: false, achats: true, compte: true, resume: false };
const PHONE = {
  id: "a",
  canal: "push",
  nom: "Chrome sur Android",
  etat: "actif",
  evenements: ALL,
  ici: true,
};
const CHANNELS = [
  PHONE,
  { id: "b", canal: "push", nom: "Firefox sur Windows", etat: "perdu", evenements: ALL, ici: false },
  { id: "c", canal: "telegram", nom: "Léa", etat: "actif", evenements: ALL, ici: false },
  { id: "d", canal: "discord", nom: "Discord", etat: "actif", evenements: SOME, ici: false },
  { id: "e", canal: "courriel", nom: "E-mail", etat: "actif", evenements: SOME, ici: false },
];
const OFFERS = {
  push: { cle: "BEl62iUYgUivxIkv69yViEuiBIa" },
  telegram: { bot: "SynapseBot" },
  courriel: true,
};
const SETTINGS = {
  max_heure: 20,
  calme: { actif: true, de: "23:00", a: "07:00" },
  achat_telegram: false,
  pause_jusqua: null as number | null,
};

const centre = (canaux: readonly unknown[], reglages: Partial<typeof SETTINGS> = {}) =>
  answer("/alertes", () => ({
    alertes: { canaux, offerts: OFFERS, reglages: { ...SETTINGS, ...reglages }, boite: null },
  }));

const SENT = [
  ["article", "32,10 € · Blazer en laine à double boutonnage Sézane", "envoye", null, true],
  ["groupe", "Et 12 autres articles", "envoye", null, false],
  ["achat", "Achat confirmé", "attend", "Le service demande d'attendre.", true],
  ["article", "14,90 € · Robe d'été", "inutile", "Vous bloquez ce vendeur.", true],
  [
    "banque",
    "Votre banque attend votre confirmation",
    "incertain",
    "Le service n'a pas confirmé la réception.",
    true,
  ],
  ["compte", "Nouvelle connexion", "refuse", "Cette adresse n'existe plus.", false],
  ["article", "8,20 € · Foulard", "abandonne", "Trop tard pour cet article.", true],
] as const;
const journal = answer("/alertes/journal", () => ({
  envois: SENT.map(([type, titre, resultat, raison, sonore], n) => ({
    id: 100 - n,
    canal_id: "a",
    canal: n % 3 === 2 ? "telegram" : "push",
    nom: n % 3 === 2 ? "Léa" : "Chrome sur Android",
    type,
    titre,
    sonore,
    resultat,
    raison,
    tentatives: 1,
    prevu_a: Date.now() - n * 7 * MINUTE_MS,
    envoye_a: resultat === "envoye" ? Date.now() - n * 7 * MINUTE_MS : null,
  })),
}));

/** Sets the browser's notification permission, which a headless browser cannot grant. */
const permission = (state: "default" | "granted" | "denied") => async (page: Page) => {
  await page.addInitScript(
    `Object.defineProperty(Notification, "permission", { get: () => ${JSON.stringify(state)} });
     ServiceWorkerContainer.prototype.getRegistration = async () => ({
       pushManager: { getSubscription: async () => ${state === "granted" ? "({ toJSON: () => ({}) })" : "null"} },
     });`,
  );
};

const both =
  (...steps: readonly ((page: Page) => Promise<void>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page);
  };

const shown = (text: string) => async (page: Page) => {
  await page.getByText(text).first().waitFor();
};

const alertes = { path: "/synapse/alertes", visitor: "subscriber" } as const;
const rien = answer("/alertes/journal", () => ({ envois: [] }));

const centreViews = [
  {
    ...alertes,
    name: "alertes",
    before: both(permission("granted"), centre(CHANNELS), journal),
    prepare: shown("Blazer en laine"),
  },
  {
    ...alertes,
    name: "alertes-journal",
    before: both(permission("granted"), centre([PHONE]), journal),
    prepare: async (page: Page) => {
      await page.getByRole("region", { name: "Alertes envoyées" }).scrollIntoViewIfNeeded();
    },
  },
  {
    ...alertes,
    name: "alertes-vide",
    visitor: "newcomer",
    before: both(permission("default"), centre([], { calme: { ...SETTINGS.calme, actif: false } }), rien),
    prepare: shown("Activer sur cet appareil"),
  },
  {
    ...alertes,
    name: "alertes-pause",
    before: both(
      permission("granted"),
      centre([{ ...PHONE, etat: "perdu" }], { pause_jusqua: Date.now() + 1_440 * MINUTE_MS }),
      rien,
    ),
    prepare: shown("En pause jusqu'à"),
  },
  {
    ...alertes,
    name: "alertes-bloquees",
    before: both(permission("denied"), centre([]), rien),
    prepare: shown("Votre navigateur bloque"),
  },
  {
    ...alertes,
    name: "alertes-iphone",
    before: both(
      async (page) => {
        await page.addInitScript(
          `Object.defineProperty(navigator, "userAgent", { get: () => "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)" });
           delete globalThis.PushManager;`,
        );
      },
      centre([]),
      rien,
    ),
    prepare: shown("Touchez Partager"),
  },
  {
    ...alertes,
    name: "alertes-telegram",
    before: both(
      permission("default"),
      centre([]),
      rien,
      answer("/alertes/telegram", () => ({
        code: "K7WM2PQX",
        lien: "https://t.me/SynapseBot?start=K7WM2PQX",
        expire_a: Date.now() + 10 * MINUTE_MS,
      })),
    ),
    prepare: both(press("Relier Telegram"), shown("K7WM2PQX")),
  },
  {
    ...alertes,
    name: "alertes-retirer",
    before: both(permission("granted"), centre(CHANNELS), rien),
    prepare: both(press("Retirer : Telegram · Léa"), shown("Retirer ce canal ?")),
  },
  {
    ...alertes,
    name: "alertes-chargement",
    before: async (page: Page) => {
      await page.route(
        ({ pathname }) => pathname === "/alertes" || pathname === "/alertes/journal",
        () => undefined,
      );
    },
  },
  {
    ...alertes,
    name: "alertes-erreur",
    before: async (page: Page) => {
      await page.route(
        ({ pathname }) => pathname === "/alertes" || pathname === "/alertes/journal",
        (route) => route.fulfill({ status: 500, json: { error: "Panne" } }),
      );
    },
  },
] as const;

const PRODUCT = {
  id: 1,
  title: "Blazer en laine à double boutonnage",
  photo: null,
  brand_title: "Sézane",
  total_item_price: { amount: "32.10", currency_code: "EUR" },
  size_title: "M / 38 / 10",
  status: "Très bon état",
  path: "/items/1",
  url: "https://market.example/items/1",
  user: { login: "vestiaire_de_zoe", photo: null },
};
const lien = (etat: string, leftMs: number, produit: unknown = PRODUCT) =>
  answer("/alertes/lien", () => ({
    lien: {
      etat,
      expire_a: Date.now() + leftMs,
      prix: { amount: "32.10", currency_code: "EUR" },
      produit,
      achat: null,
    },
  }));
const alerte = { path: `/alerte#${"a".repeat(43)}`, visitor: "subscriber" } as const;

const linkViews = [
  { ...alerte, name: "alerte", before: lien("valide", 8 * MINUTE_MS), prepare: shown("Acheter 32,10") },
  {
    ...alerte,
    name: "alerte-refus",
    before: both(lien("valide", 8 * MINUTE_MS), async (page) => {
      const refusal = { error: "Cet article vient d'être vendu.", code: "vendu" };
      await page.route("**/alertes/acheter", (route) => route.fulfill({ status: 409, json: refusal }));
    }),
    prepare: both(press(/^Acheter/), shown("vient d'être vendu")),
  },
  { ...alerte, name: "alerte-servie", before: lien("utilise", 8 * MINUTE_MS), prepare: shown("déjà servi") },
  { ...alerte, name: "alerte-expiree", before: lien("expire", -1), prepare: shown("a expiré") },
  {
    ...alerte,
    name: "alerte-disparue",
    before: lien("expire", -1, null),
    prepare: shown("n'est plus connu"),
  },
  { ...alerte, name: "alerte-inconnue", prepare: shown("Ce lien est inconnu") },
  { ...alerte, name: "alerte-anonyme", visitor: "stranger", prepare: shown("Connectez-vous pour acheter") },
  { ...alerte, name: "alerte-attente", visitor: "waiting", prepare: shown("abonnement") },
] as const;

export const alertViews = [...centreViews, ...linkViews];
