/** Every screen in every state, for screenshots, accessibility and narrow phones. */
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { signInAt, type Person } from "../verify/testing/person.ts";
import { FRENCH, takeSession } from "./browser.ts";
import { alertViews } from "./alert-views.ts";
import { press as pressButton } from "./journey.ts";
import { listViews } from "./list-views.ts";
import { priceViews } from "./price-views.ts";
import { replayViews } from "./replay-views.ts";
import type { Product } from "./product.ts";
import {
  alter,
  confirmClicks,
  fail,
  goOffline,
  hold,
  openForm,
  openImport,
  openPicker,
  openSettings,
  press,
  resumeAutobuy,
  scrollTo,
  selectFilters,
} from "./view-actions.ts";

/** An anonymous visitor, a person on the waiting list, a new subscriber, a subscriber with a full account. */
type Visitor = "stranger" | "waiting" | "newcomer" | "subscriber";

export type Visitors = Readonly<Record<Exclude<Visitor, "stranger">, Person>>;

export interface View {
  /** Usable as a file name. */
  readonly name: string;
  readonly path: string;
  readonly visitor: Visitor;
  /** The black page, which renders nothing. */
  readonly isEmpty?: true;
  /** Only exists with the burger button. */
  readonly isNarrowOnly?: true;
  /** Only exists on a full account after the market has run for a while. */
  readonly needsMarket?: true;
  /** Runs before the page is loaded, to make calls fail. */
  readonly before?: (page: Page) => Promise<void>;
  /** Brings the loaded page into its state. */
  readonly prepare?: (page: Page, product: Product) => Promise<void>;
}

/** The category of the filter with automatic purchases. */
const CHEAP_LEAF = 1_515;
const DRESS_LEAF = 1_065;

const publicViews: readonly View[] = [
  { name: "accueil", path: "/", visitor: "stranger" },
  {
    name: "accueil-menu",
    path: "/",
    visitor: "stranger",
    isNarrowOnly: true,
    prepare: press("Ouvrir le menu"),
  },
  { name: "accueil-features", path: "/", visitor: "stranger", prepare: scrollTo("#features") },
  { name: "accueil-thunder", path: "/", visitor: "stranger", prepare: scrollTo("#features > :last-child") },
  { name: "accueil-prix", path: "/", visitor: "stranger", prepare: scrollTo("#prix") },
  { name: "accueil-connexion", path: "/", visitor: "stranger", prepare: scrollTo("#login") },
  { name: "accueil-pied", path: "/", visitor: "stranger", prepare: scrollTo("footer") },
  { name: "accueil-attente", path: "/#login", visitor: "waiting" },
  { name: "accueil-abonne", path: "/", visitor: "subscriber" },
  ...["a-propos", "blog", "carrieres", "contact", "conditions", "confidentialite", "cookies", "rgpd"].map(
    (page): View => ({ name: page, path: `/${page}`, visitor: "stranger" }),
  ),
  { name: "introuvable", path: "/nulle-part", visitor: "stranger" },
];

const articles = { path: "/synapse/articles", visitor: "subscriber" } as const;

const streamViews: readonly View[] = [
  { ...articles, name: "produits", needsMarket: true },
  {
    ...articles,
    name: "produits-alertes",
    needsMarket: true,
    prepare: (page) =>
      page.getByRole("region", { name: "Soyez prévenu quand Synapse est fermé" }).scrollIntoViewIfNeeded(),
  },
  { ...articles, name: "produits-liste", needsMarket: true, prepare: press("Liste") },
  {
    ...articles,
    name: "produits-recherche-vide",
    prepare: (page) => page.getByLabel("Chercher dans les articles").fill("introuvable"),
  },
  { ...articles, name: "produits-chargement", before: hold("/articles/recent") },
  {
    ...articles,
    name: "produits-erreur",
    before: async (page) => {
      await fail("/articles/recent")(page);
      await page.routeWebSocket(/socket\.io/, () => undefined);
    },
  },
  { ...articles, name: "produits-hors-ligne", prepare: goOffline },
  { ...articles, name: "produits-debutant", visitor: "newcomer" },
  {
    ...articles,
    name: "produits-achat-en-cours",
    needsMarket: true,
    before: hold("/purchase/click"),
    prepare: press("Acheter"),
  },
  {
    ...articles,
    name: "produits-vendu",
    needsMarket: true,
    before: async (page) => {
      const body = JSON.stringify({ error: "Cet article vient d'être vendu.", code: "vendu" });
      await page.route("**/purchase/click", (route) =>
        route.fulfill({ status: 409, contentType: "application/json", body }),
      );
    },
    prepare: press("Acheter"),
  },
  {
    ...articles,
    name: "produits-nouveaux",
    needsMarket: true,
    prepare: async (page, { sandbox }) => {
      await page.getByText("En direct", { exact: true }).waitFor();
      // The page is long enough only after the older listings have loaded.
      for (let tries = 0; tries < 100; tries += 1) {
        if (Number(await page.evaluate("scrollTo(0, 1500); scrollY")) >= 1000) break;
        await page.waitForTimeout(100);
      }
      // A seller that no other view has blocked.
      const seller = `lina_${Date.now() % 100_000}`;
      await sandbox.publish({ title: "Robe d'été à fleurs", price: 12, catalog_id: DRESS_LEAF, seller });
      await page.getByRole("button", { name: /nouve(l|aux) articles?/ }).waitFor();
    },
  },
  {
    ...articles,
    name: "produits-reconnecter",
    needsMarket: true,
    before: alter("/vinted/get", (text) => text.replace('"etat":"connecte"', '"etat":"a_reconnecter"')),
    prepare: async (page) => {
      await page.getByRole("button", { name: "Reconnecter" }).waitFor();
    },
  },
  {
    ...articles,
    name: "produits-achat-message",
    needsMarket: true,
    before: confirmClicks,
    prepare: async (page) => {
      // A card that has just moved ignores presses.
      await page.waitForTimeout(1_500);
      await press("Acheter")(page);
      await page.getByRole("alert").first().waitFor();
    },
  },
  {
    ...articles,
    name: "produits-message",
    needsMarket: true,
    prepare: async (page) => {
      // A card that has just moved ignores presses.
      await page.waitForTimeout(1_500);
      await press(/^Bloquer /)(page);
      await page.getByText(/est bloqué/).waitFor();
    },
  },
  { ...articles, name: "menu", isNarrowOnly: true, prepare: press("Ouvrir le menu") },
  {
    ...articles,
    name: "menu-message",
    isNarrowOnly: true,
    prepare: async (page) => {
      await press("Ouvrir le menu")(page);
      await press("Tout arrêter")(page);
      await page.getByRole("alert").first().waitFor();
      await page.getByRole("button", { name: "Reprendre" }).waitFor();
      await resumeAutobuy(page);
    },
  },
  {
    ...articles,
    name: "menu-groupes",
    prepare: async (page) => {
      const burger = page.getByRole("button", { name: "Ouvrir le menu" });
      if (await burger.isVisible()) await burger.click();
      await press("Bot")(page);
      await press("Abonnements")(page);
    },
  },
  {
    ...articles,
    name: "aide",
    prepare: async (page) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
    },
  },
  { ...articles, name: "parametres", prepare: openSettings },
  {
    ...articles,
    name: "parametres-relais",
    prepare: async (page) => {
      await openSettings(page);
      await page.getByRole("dialog").getByRole("button", { name: "Ajouter" }).first().click();
    },
  },
  {
    ...articles,
    name: "parametres-bloques",
    prepare: async (page) => {
      await openSettings(page);
      const section = page.getByRole("region", { name: "Vendeurs bloqués" });
      await section.getByRole("button").first().waitFor();
      await section.scrollIntoViewIfNeeded();
    },
  },
  {
    ...articles,
    name: "parametres-appareils",
    prepare: async (page) => {
      await openSettings(page);
      const devices = page.getByRole("dialog").getByText("Cet appareil", { exact: true });
      await devices.waitFor();
      await devices.scrollIntoViewIfNeeded();
    },
  },
  {
    ...articles,
    name: "parametres-supprimer",
    prepare: async (page) => {
      await openSettings(page);
      await page.getByRole("dialog").getByRole("button", { name: "Supprimer mon compte" }).click();
      await page
        .getByRole("dialog")
        .getByLabel(/pour confirmer/)
        .scrollIntoViewIfNeeded();
    },
  },
  {
    ...articles,
    name: "parametres-chargement",
    before: hold("/vinted/get"),
    prepare: press("Paramètres utilisateur"),
  },
  {
    ...articles,
    name: "etat-du-service",
    prepare: async (page) => {
      await press("État du service")(page);
      await page.getByRole("dialog").getByRole("term").first().waitFor();
    },
  },
  {
    ...articles,
    name: "etat-du-service-erreur",
    before: fail("/vinted/etat"),
    prepare: press("État du service"),
  },
];

const filters = { path: "/synapse/filtres", visitor: "subscriber" } as const;

const filterViews: readonly View[] = [
  { ...filters, name: "filtres" },
  { ...filters, name: "filtres-gerer", prepare: press("Gérer") },
  { ...filters, name: "filtres-vide", visitor: "newcomer" },
  { ...filters, name: "filtres-publics", path: "/synapse/filtres?vue=publics" },
  { ...filters, name: "filtres-publics-d-autres", path: "/synapse/filtres?vue=publics", visitor: "newcomer" },
  { ...filters, name: "filtres-prives-vide", path: "/synapse/filtres?vue=prives", visitor: "newcomer" },
  { ...filters, name: "filtres-chargement", before: hold("/filtres/get") },
  { ...filters, name: "filtres-erreur", before: fail("/filtres/get") },
  {
    ...filters,
    name: "filtres-selection",
    prepare: async (page) => {
      await page
        .getByRole("checkbox", { name: /^Sélectionner/ })
        .nth(1)
        .waitFor();
      for (const box of (await page.getByRole("checkbox", { name: /^Sélectionner/ }).all()).slice(0, 2))
        await box.check();
    },
  },
  {
    ...filters,
    name: "filtres-grouper",
    prepare: async (page) => {
      await selectFilters(page);
      await press("Grouper")(page);
      await page.getByRole("dialog").getByLabel("Nom").fill("Manteau d'hiver");
    },
  },
  {
    ...filters,
    name: "filtres-partager",
    prepare: async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await press("Autres actions")(page);
      await press("Partager")(page);
      await page.getByText("Lien copié", { exact: false }).waitFor();
    },
  },
  {
    ...filters,
    name: "filtres-actions",
    prepare: async (page) => {
      await page.getByRole("article").first().getByRole("button", { name: "Autres actions" }).click();
    },
  },
  {
    ...filters,
    name: "filtres-lot",
    prepare: async (page) => {
      await selectFilters(page);
      await page.getByRole("button", { name: /^Modifier \(/ }).click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Limite de prix").selectOption("Augmenter de");
      await form.getByLabel("Montant").fill("10");
    },
  },
  { ...filters, name: "filtres-importer", prepare: openImport },
  {
    ...filters,
    name: "filtres-supprimer",
    prepare: async (page) => {
      await page.getByRole("article").first().getByRole("button", { name: "Supprimer" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { ...filters, name: "filtre-formulaire", prepare: openForm },
  {
    ...filters,
    name: "filtre-modifier",
    prepare: async (page) => {
      await page.getByRole("article").first().getByRole("button", { name: "Modifier" }).click();
      await page.getByRole("dialog").getByLabel("Tag *").waitFor();
    },
  },
  {
    ...filters,
    name: "filtre-quitter",
    prepare: async (page) => {
      await openForm(page);
      await page.getByRole("dialog").getByLabel("Tag *").fill("Vestes de mi-saison");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" }).waitFor();
    },
  },
  { ...filters, name: "filtre-types", prepare: openPicker("Types") },
  { ...filters, name: "filtre-marques", prepare: openPicker("Marques") },
  { ...filters, name: "filtre-tailles", prepare: openPicker("Tailles") },
  { ...filters, name: "filtre-etats", prepare: openPicker("États") },
  { ...filters, name: "filtre-couleur", prepare: openPicker("Couleur") },
  {
    ...filters,
    name: "filtre-options",
    prepare: async (page) => {
      await openForm(page);
      await page.getByRole("dialog").getByText("Options avancées").click();
      await page.getByRole("dialog").getByLabel("Mots à exclure").fill("lot, taché");
    },
  },
  {
    ...filters,
    name: "filtre-regles",
    prepare: async (page) => {
      await openForm(page);
      const form = page.getByRole("dialog");
      await form.getByRole("switch", { name: "Thunder" }).check({ force: true });
      await form.locator("summary", { hasText: "Règles d'achat" }).click();
      await form.getByLabel("Budget par jour").fill("60");
      await form.getByLabel("Acheter de").fill("08:00");
      await form.getByLabel("à", { exact: true }).fill("23:00");
      await form.getByRole("button", { name: "dim." }).click();
      await form.locator("summary", { hasText: "Règles d'achat" }).scrollIntoViewIfNeeded();
    },
  },
  {
    ...filters,
    name: "filtre-vendeur",
    prepare: async (page) => {
      await openForm(page);
      const form = page.getByRole("dialog");
      await form.getByText("Options avancées").click();
      await form.getByText("Vendeur", { exact: true }).click();
      await form.getByLabel("Note minimum").fill("4,5");
      await form.getByLabel("Si inconnu").scrollIntoViewIfNeeded();
    },
  },
  {
    ...filters,
    name: "filtre-phrase",
    prepare: async (page) => {
      await openForm(page);
      const form = page.getByRole("dialog");
      await form
        .getByLabel("Décrivez ce que vous cherchez")
        .fill("robe Zara fleurie taille M, moins de 20 €");
      await form.getByRole("button", { name: "Remplir" }).click();
      await form.getByText("Non compris", { exact: true }).waitFor();
    },
  },
  {
    ...filters,
    name: "filtre-adresse",
    prepare: async (page) => {
      await openForm(page);
      const form = page.getByRole("dialog");
      await form
        .getByLabel("Décrivez ce que vous cherchez")
        .fill(
          "https://www.vinted.fr/catalog?catalog[]=221&price_to=20&size_ids[]=4&order=newest_first&disposal[]=1",
        );
      await form.getByRole("button", { name: "Remplir" }).click();
      await form.getByText("Le formulaire est rempli.").waitFor();
    },
  },
];

const purchases = { path: "/synapse/achats", visitor: "subscriber" } as const;

const purchaseViews: readonly View[] = [
  { ...purchases, name: "achats", needsMarket: true },
  { ...purchases, name: "achats-vide", visitor: "newcomer" },
  { ...purchases, name: "achats-chargement", before: hold("/vinted/purchases") },
  { ...purchases, name: "achats-erreur", before: fail("/vinted/purchases") },
  {
    ...purchases,
    name: "achats-annuler",
    needsMarket: true,
    prepare: async (page) => {
      const cancel = page.getByRole("article").getByRole("button", { name: "Annuler" });
      await pressButton(cancel.first());
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    ...purchases,
    name: "achats-pourquoi",
    needsMarket: true,
    prepare: async (page) => {
      const row = page.getByRole("article").first();
      await pressButton(row.getByRole("button", { name: "Pourquoi ?" }));
      await row.getByRole("list").first().waitFor();
    },
  },
  {
    ...purchases,
    name: "achats-bilan",
    needsMarket: true,
    prepare: async (page) => {
      const fold = page.locator("summary", { hasText: "Dépensé ce mois-ci" });
      const losses = page.locator("summary", { hasText: "pourquoi" });
      await fold.or(losses).first().waitFor();
      if (await fold.isVisible()) await fold.click();
      await losses.click();
      await page.getByRole("list", { name: "Pertes par cause" }).waitFor();
    },
  },
  { ...purchases, name: "achats-manques", needsMarket: true, prepare: press("Achats manqués") },
  { ...purchases, name: "achats-manques-vide", visitor: "newcomer", prepare: press("Achats manqués") },
  {
    ...purchases,
    name: "achats-manques-erreur",
    before: fail("/purchase/manques"),
    prepare: press("Achats manqués"),
  },
  { ...purchases, name: "etat-noir", visitor: "waiting", isEmpty: true },
];

export const views: readonly View[] = [
  ...publicViews,
  ...streamViews,
  ...filterViews,
  ...purchaseViews,
  ...listViews,
  ...replayViews,
  ...priceViews,
  ...alertViews,
];

/** Signs in all visitors; one filter of the subscriber buys automatically and has just missed an article. */
export async function signInVisitors({ url, sandbox }: Product): Promise<Visitors> {
  const subscriber = await signInAt(url, "thunder-lea");
  const drafts = [
    { tag: "Robes d'été", types: { ids: [10] }, limit: 25 },
    {
      tag: "Baskets Nike",
      types: { ids: [16, 1242] },
      brands: { ids: [53] },
      exclure: ["enfant"],
      limit: 60,
      private: true,
    },
    { tag: "Vestes vintage", types: { ids: [1037, 1206] }, limit: 40, info: "Pour la boutique" },
    { tag: "Petits prix", types: { ids: [1195] }, limit: 4, autobuy: true, paiement: 11 as const },
    { tag: "Jeans Levi's", types: { ids: [183, 257] }, limit: 35, active: false },
  ];
  for (const draft of drafts) await subscriber.call("addFilter", draft);
  // The latest article of a filter, with a title wider than a phone.
  await sandbox.publish({
    title: "Baskets montantes en toile recyclée à semelles épaisses",
    price: 30,
    brand_title: "Nike",
    catalog_id: 1_242,
  });
  const vendeurs = [{ login: "armoire.du.48" }, { login: "vestiaire_de_zoe", id: 990_000_001 }];
  await subscriber.call("blockSellers", { vendeurs });
  await sandbox.arm({ kind: "sold_first", rate: 1, count: 1 });
  await sandbox.publish({ title: "Body à pois bleus", price: 2, catalog_id: CHEAP_LEAF });
  return {
    subscriber,
    newcomer: await signInAt(url, "acquire-vide"),
    waiting: await signInAt(url, "nouveau-max"),
  };
}

interface OpenViewOptions {
  readonly browser: Browser;
  readonly product: Product;
  readonly visitors: Visitors;
  readonly view: View;
  readonly options: BrowserContextOptions;
}

/** Opens a view in a new browser context, calls `use` once it is idle, and closes it. */
export async function withOpenView(
  { browser, product, visitors, view, options }: OpenViewOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ...FRENCH, ...options });
  try {
    if (view.visitor !== "stranger") await takeSession(context, visitors[view.visitor]);
    const page = await context.newPage();
    // A generous timeout: the speed of a busy machine is not under test.
    page.setDefaultTimeout(60_000);
    // Dismisses the question whether to open the panel: the person stays on the landing page.
    page.on("dialog", (dialog) => void dialog.dismiss());
    await view.before?.(page);
    await page.goto(`${product.url}${view.path}`);
    if (view.isEmpty !== true) await page.getByRole("heading").first().waitFor();
    if (view.needsMarket === true) await page.getByRole("article").first().waitFor();
    await view.prepare?.(page, product);
    // Waits for pictures, fonts and transitions: axe must not measure a colour in the middle of one.
    await page.waitForTimeout(900);
    await use(page);
  } finally {
    // Calls may be on their way through a route.
    for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}
