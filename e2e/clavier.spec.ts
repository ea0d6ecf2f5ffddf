import type { Locator, Page } from "@playwright/test";
import { z } from "zod";
import { addFilter, drawn, expect, focusTaken, openWithFilter, settled, signIn, test } from "./journey.ts";

const MAX_TABS = 150;

/** Runs in the page: gives each element that the Tab key should reach a number, and answers how many there are. */
const MARK_REACHABLE = `(() => {
  const candidates = "a[href], button, input, select, textarea, summary, [tabindex]";
  let count = 0;
  for (const element of document.querySelectorAll(candidates)) {
    delete element.dataset.walk;
    const isOff = element.disabled || element.tabIndex < 0 || element.closest("[inert], [aria-hidden=true]") !== null;
    const isOtherRadio = element.type === "radio" && !element.checked;
    if (isOff || isOtherRadio || !element.checkVisibility({ visibilityProperty: true })) continue;
    element.dataset.walk = String(count);
    count += 1;
  }
  return count;
})()`;

const WALKED = `(() => {
  const { activeElement: at } = document;
  if (at === null || at === document.body) return null;
  return at.dataset.walk ?? at.className ?? at.tagName;
})()`;

const walked = z.string().nullable();

/** Presses Tab from the top of the page until it has gone around; answers what it did not reach. */
async function unreachedBy(page: Page): Promise<readonly string[]> {
  await page.evaluate("scrollTo(0, 0)");
  const count = z.number().parse(await page.evaluate(MARK_REACHABLE));
  const reached = new Set<string>();
  for (let press = 0; press < MAX_TABS && reached.size < count; press += 1) {
    await page.keyboard.press("Tab");
    const at = walked.parse(await page.evaluate(WALKED));
    if (at !== null) reached.add(at);
  }
  return Array.from({ length: count }, (_, index) => String(index)).filter((mark) => !reached.has(mark));
}

test("Tab reaches everything on every screen, and is caught nowhere", async ({ page, market }) => {
  await page.goto("/");
  await settled(page);
  expect(await unreachedBy(page)).toEqual([]);
  await signIn(page, "acquire-clavier");
  await addFilter(page, { tag: "Clavier", types: { ids: [221] }, limit: 50, mots: ["clavier"] });
  await market.publish({ title: "Robe clavier", price: 10 });
  await expect(page.getByRole("link", { name: "Robe clavier" })).toBeVisible();
  for (const path of ["/synapse/articles", "/synapse/filtres", "/synapse/achats", "/synapse/prix?type=221"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // What is still being read would come between.
    await settled(page);
    expect([path, await unreachedBy(page)]).toEqual([path, []]);
  }
});

test("a window keeps the focus, gives it back, and everything in it is reached", async ({ page }) => {
  await signIn(page, "acquire-fenetres");
  const opener = page.getByRole("button", { name: "Paramètres utilisateur" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await settings.getByRole("button", { name: "Enregistrer le webhook" }).waitFor();
  const holdsFocus = page.locator('[role="dialog"]:focus-within');
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press("Tab");
    await expect(holdsFocus).toHaveCount(1);
  }
  await page.keyboard.press("Shift+Tab");
  await expect(holdsFocus).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(settings).toHaveCount(0);
  await expect(opener).toBeFocused();

  await page.setViewportSize({ width: 390, height: 800 });
  const burger = page.getByRole("button", { name: "Ouvrir le menu" });
  await burger.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await expect(menu.getByRole("button", { name: "Vinted" })).toBeFocused();
  for (let press = 0; press < 20; press += 1) {
    await page.keyboard.press("Tab");
    await expect(page.locator("nav:focus-within")).toHaveCount(1);
  }
  await page.keyboard.press("Escape");
  await expect(burger).toBeFocused();
});

/** Nothing while no element has the focus: the page itself, which has it then, reads like all of them. */
const FOCUSED = `(({ activeElement: at }) =>
  at === document.body ? "" : at.innerText || at.labels?.[0]?.textContent || "")(document)`;

test("Escape leaves the innermost only, and what a key takes away leaves the focus where one was", async ({
  page,
}) => {
  await signIn(page, "acquire-echap");
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await page.getByRole("button", { name: "Paramètres utilisateur" }).press("Enter");
  await focusTaken(settings);
  const add = settings.getByRole("group", { name: "Points relais" }).getByRole("button", { name: "Ajouter" });
  await add.press("Enter");
  const name = settings.getByLabel("Nom du point relais");
  await expect(name).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(name).toHaveCount(0);
  await expect(add).toBeFocused();
  await add.press("Enter");
  await name.fill("Relais du clavier");
  await page.keyboard.press("Enter");
  await expect(add).toBeFocused();
  await settings.getByRole("button", { name: "Retirer Relais du clavier" }).press("Enter");
  await expect(add).toBeFocused();
  await settings.getByRole("button", { name: "Supprimer mon compte" }).press("Enter");
  await expect(settings.getByLabel(/pour confirmer/)).toBeFocused();
  await settings.getByRole("button", { name: "Garder mon compte" }).press("Enter");
  await expect(settings.getByRole("button", { name: "Supprimer mon compte" })).toBeFocused();
  const disconnect = settings.getByRole("button", { name: "Déconnecter le compte" });
  await disconnect.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(2);
  await focusTaken(page.getByRole("dialog").last());
  // A key that comes before the focus has moved into the question reaches the window below it.
  await disconnect.dispatchEvent("keydown", { key: "Escape", bubbles: true });
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expect(disconnect).toBeFocused();
  // What was added was removed again: nothing is asked.
  await page.keyboard.press("Escape");
  await expect(settings).toHaveCount(0);

  await page.goto("/synapse/filtres");
  await page.getByRole("button", { name: "Créer un nouveau filtre" }).press("Enter");
  const form = page.getByRole("dialog", { name: "Créer un nouveau filtre" });
  await focusTaken(form);
  const types = form.getByRole("group", { name: "Types", exact: true });
  const field = types.getByRole("button").first();
  await field.press("Enter");
  await types.getByRole("button", { name: "Femmes" }).press("Enter");
  await expect.poll(() => page.evaluate(FOCUSED)).toContain("Retour aux arrière");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(FOCUSED)).toContain("Femmes");
  await page.keyboard.press("Escape");
  await expect(field).toHaveAttribute("aria-expanded", "false");
  await expect(field).toBeFocused();
  const states = form.getByRole("group", { name: "États", exact: true });
  await states.getByRole("button").first().press("Enter");
  await states.getByLabel("Bon état", { exact: true }).press("Space");
  await states.getByRole("button", { name: "Tout effacer" }).press("Enter");
  await expect(states.getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(form).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
});

test("a card's menu closes when the focus leaves it, and when the page moves below it; on a phone it is a sheet", async ({
  page,
}) => {
  await signIn(page, "acquire-menu");
  for (const tag of ["Menu un", "Menu deux", "Menu trois", "Menu quatre"])
    await addFilter(page, { tag, limit: 50, mots: ["menu"] });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/synapse/filtres");
  const card = page.getByRole("article").first();
  const button = card.getByRole("button", { name: "Autres actions" });
  const menu = card.getByRole("group", { name: "Autres actions" });
  await button.click();
  await expect(menu).toBeVisible();
  const sheet = await menu.boundingBox();
  expect(sheet).toMatchObject({ x: 0, width: 320 });
  expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBeCloseTo(640);
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();

  await page.setViewportSize({ width: 700, height: 500 });
  await button.press("Enter");
  for (const action of ["Dupliquer", "Partager"]) {
    await page.keyboard.press("Tab");
    await expect(menu.getByRole("button", { name: action })).toBeFocused();
  }
  await page.keyboard.press("Tab");
  await expect(menu).toBeHidden();
  await expect(card.getByRole("link", { name: /^Sur 30 jours/ })).toBeFocused();
  await button.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await expect(menu).toBeHidden();
  await expect(card.getByRole("button", { name: "Supprimer" })).toBeFocused();

  await button.click();
  await expect(menu).toBeVisible();
  await button.click();
  await expect(menu).toBeHidden();
  await button.click();
  await menu.getByRole("button", { name: "Dupliquer" }).focus();
  await page.mouse.wheel(0, 60);
  await expect(menu).toBeHidden();
  await expect(button).toBeFocused();
});

test("after a retried read, or a closed window whose opener was removed, the focus stays in the open content", async ({
  page,
}) => {
  await signIn(page, "acquire-perdu");
  await addFilter(page, { tag: "Perdu", limit: 50, mots: ["perdu"] });
  await page.route("**/vinted/etat", (route) => route.fulfill({ status: 500, json: { error: "Panne" } }));
  await page.getByRole("button", { name: "État du service" }).press("Enter");
  const health = page.getByRole("dialog", { name: "État du service" });
  await focusTaken(health);
  await health.getByRole("button", { name: "Réessayer" }).press("Enter");
  await expect(health).toBeFocused();
  await page.route("**/vinted/get", async (route) => {
    const response = await route.fetch();
    const { vinted } = z.object({ vinted: z.looseObject({}) }).parse(await response.json());
    await route.fulfill({ response, json: { vinted: { ...vinted, limites: "?" } } });
  });
  await page.reload();
  await page.getByRole("button", { name: "Paramètres utilisateur" }).press("Enter");
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await settings.getByRole("button", { name: "Tout arrêter" }).waitFor();
  await page.unroute("**/vinted/get");
  await settings.getByRole("button", { name: "Tout arrêter" }).press("Enter");
  await settings.getByRole("switch", { name: "Tout arrêter" }).waitFor();
  await expect(settings).toBeFocused();
  await page.route("**/filtres/get", (route) => route.fulfill({ status: 500, json: { error: "Panne" } }));
  await page.goto("/synapse/filtres");
  const retry = page.getByRole("button", { name: "Réessayer" });
  await retry.press("Enter");
  const main = page.getByRole("main");
  await expect(main).toBeFocused();
  // Also when the page reads again by itself.
  await retry.focus();
  await page.unroute("**/filtres/get");
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  await expect(page.getByRole("article", { name: "Perdu" })).toBeVisible();
  await expect(main).toBeFocused();
  await page.reload();

  await page.goto("/synapse/achats");
  await page.getByRole("button", { name: "Voir tous les achats" }).press("Enter");
  await expect.poll(() => page.evaluate(FOCUSED)).not.toBe("");
  await page.goto("/synapse/alertes");
  await page.getByRole("button", { name: "Pause 1 h" }).press("Enter");
  await expect(page.getByText("En pause jusqu'à")).toBeVisible();
  await expect(main).toBeFocused();
  await page.goto("/synapse/filtres");

  const card = page.getByRole("article", { name: "Perdu" });
  await card.getByRole("button", { name: "Modifier" }).press("Enter");
  const form = page.getByRole("dialog", { name: "Modifier le filtre" });
  await form.getByLabel("Tag *").waitFor();
  const elsewhere = await page.context().newPage();
  await elsewhere.goto("/synapse/filtres");
  await elsewhere.getByRole("button", { name: "Supprimer", exact: true }).click();
  await elsewhere.getByRole("dialog").getByRole("button", { name: "Supprimer" }).click();
  await expect(elsewhere.getByRole("article")).toHaveCount(0);
  await page.bringToFront();
  await form.getByRole("button", { name: "Enregistrer" }).press("Enter");
  await expect(form.getByRole("alert")).toBeVisible();
  await expect(card).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await expect(main).toBeFocused();
});

/** Presses Tab until this is reached. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  // A window that has just opened would take the focus away from the target.
  if ((await target.locator("xpath=ancestor::*[@role='dialog']").count()) > 0) {
    await expect(page.locator('[role="dialog"]:focus-within')).not.toHaveCount(0);
    await drawn(page);
  }
  for (let press = 0; press < MAX_TABS; press += 1) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${MAX_TABS} Tabs do not reach ${String(target)}`);
}

async function tabToAndPress(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

test("keys alone set what few filters need, down to the seller", async ({ page }) => {
  await signIn(page, "acquire-vendeur");
  await page.goto("/synapse/filtres?nouveau=true");
  const form = page.getByRole("dialog", { name: "Créer un nouveau filtre" });
  await tabTo(page, form.getByLabel("Tag *"));
  await page.keyboard.type("Vendeurs sûrs");
  await tabTo(page, form.getByLabel("Sous le prix habituel"));
  await page.keyboard.press("ArrowDown");
  await tabToAndPress(page, form.locator("summary", { hasText: "Options avancées" }));
  await tabTo(page, form.getByLabel("Prix minimum"));
  await page.keyboard.type("5");
  await tabToAndPress(page, form.locator("summary", { hasText: "Vendeur" }));
  await tabTo(page, form.getByLabel("Note minimum"));
  await page.keyboard.type("4,5");
  await tabTo(page, form.getByLabel("Avis minimum"));
  await page.keyboard.type("10");
  const countries = form.getByRole("group", { name: "Pays", exact: true });
  await tabToAndPress(page, countries.getByRole("button").first());
  await tabToAndPress(page, countries.getByRole("checkbox", { name: "Belgique" }), "Space");
  await page.keyboard.press("Escape");
  await expect(countries.getByRole("button").first()).toBeFocused();
  await tabTo(page, form.getByRole("combobox", { name: "Si inconnu" }));
  await page.keyboard.press("ArrowDown");
  await tabTo(page, form.getByRole("button", { name: "Créer le filtre" }));
  // Waited for only now: the way there may take long.
  const added = page.waitForRequest(/\/filtres\/add$/);
  await page.keyboard.press("Enter");
  expect((await added).postDataJSON()).toMatchObject({
    tag: "Vendeurs sûrs",
    bon_prix: 25,
    limit_min: 5,
    vendeur: { note_min: 4.5, avis_min: 10, pays: ["BE"], inconnu: "laisser_passer" },
  });
  await expect(form).toHaveCount(0);
});

test("keys alone change several filters at once, group them, and import others from a file", async ({
  page,
}) => {
  await signIn(page, "thunder-lot-au-clavier");
  for (const tag of ["Lot un", "Lot deux"])
    await addFilter(page, { tag, limit: 30, autobuy: true, mots: ["lotauclavier"] });
  await page.goto("/synapse/filtres");
  for (const tag of ["Lot deux", "Lot un"])
    await tabToAndPress(page, page.getByRole("checkbox", { name: `Sélectionner ${tag}` }), "Space");
  await tabToAndPress(page, page.getByRole("button", { name: "Modifier (2)" }));
  const changing = page.getByRole("dialog", { name: "Modifier 2 filtres" });
  await tabTo(page, changing.getByLabel("Limite de prix"));
  // A single key: the type-ahead of a select restarts when the next key comes late.
  await page.keyboard.press("b");
  await tabTo(page, changing.getByLabel("Montant"));
  await page.keyboard.type("10");
  await tabToAndPress(page, changing.getByRole("button", { name: "Appliquer" }));
  await expect(page.getByText("2 filtres modifiés.")).toBeVisible();
  await expect(changing).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Modifier (2)" })).toBeFocused();

  await tabToAndPress(page, page.getByRole("button", { name: "Grouper" }));
  const grouping = page.getByRole("dialog", { name: "Grouper 2 filtres" });
  await tabTo(page, grouping.getByLabel("Nom"));
  await page.keyboard.type("Au clavier");
  await tabToAndPress(page, grouping.getByLabel("Budget"));
  const row = page.getByRole("list", { name: "Groupes de filtres" }).getByRole("listitem");
  await expect(row).toContainText("Au clavier · 0 sur 1");
  await expect(grouping).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Grouper" })).toBeFocused();

  for (const tag of ["Lot deux", "Lot un"])
    await tabToAndPress(page, page.getByRole("checkbox", { name: `Sélectionner ${tag}` }), "Space");
  await tabToAndPress(page, page.getByRole("button", { name: "Importer ou exporter" }));
  await tabToAndPress(page, page.getByRole("button", { name: "Importer", exact: true }));
  const importing = page.getByRole("dialog", { name: "Importer des filtres" });
  // Begun well before the press: the browser must know by then that the choice is made here.
  const choosing = page.waitForEvent("filechooser", { timeout: 0 });
  await tabToAndPress(page, importing.getByRole("button", { name: "Choisir un fichier" }));
  const filtres = ["Du fichier", "Resté au fichier"].map((tag) => ({ tag, limit: 20 }));
  await (
    await choosing
  ).setFiles({
    name: "filtres.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ format: "synapse-filtres", version: 1, filtres })),
  });
  await tabToAndPress(page, importing.getByLabel("Resté au fichier"), "Space");
  await tabToAndPress(page, importing.getByRole("button", { name: "Importer (1)" }));
  await expect(page.getByText("1 filtre ajouté : en pause, sans achat automatique.")).toBeVisible();
  await expect(importing).toHaveCount(0);
  await expect(page.getByRole("article")).toHaveCount(3);
  await expect(page.getByRole("button", { name: "Importer ou exporter" })).toBeFocused();
});

test("keys alone switch a filter off and on, and sign the other devices out", async ({
  browser,
  page,
  product,
}) => {
  await signIn(page, "acquire-ailleurs");
  for (let device = 0; device < 2; device += 1) {
    const elsewhere = await (await browser.newContext({ baseURL: product.url })).newPage();
    await signIn(elsewhere, "acquire-ailleurs");
    await elsewhere.context().close();
  }
  await openWithFilter(page, { tag: "Au doigt", limit: 50, mots: ["doigt"] });
  const chip = page.getByRole("group", { name: "Filtres actifs" }).getByRole("button", { name: "Au doigt" });
  await tabTo(page, chip);
  for (const isOn of ["false", "true"]) {
    await page.keyboard.press("Space");
    await expect(chip).toHaveAttribute("aria-pressed", isOn);
    await expect(chip).toHaveAttribute("aria-busy", "false");
    await expect(chip).toBeFocused();
  }
  await page.getByRole("button", { name: "Paramètres utilisateur" }).press("Enter");
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  const others = settings.getByRole("button", { name: "Déconnecter tous les autres" });
  await tabToAndPress(page, others);
  const question = page.getByRole("dialog", { name: "Déconnecter 2 appareils ?" });
  await tabToAndPress(page, question.getByRole("button", { name: "Déconnecter", exact: true }));
  await expect(others).toHaveCount(0);
  await expect(settings.locator(".device-list")).toBeFocused();
});

test("keys alone sign in, make a filter, buy, cancel and save the settings", async ({ page, market }) => {
  await page.goto("/");
  await tabToAndPress(page, page.getByRole("link", { name: "Rejoindre Dès Maintenant" }));
  await tabToAndPress(
    page,
    page.getByRole("link", { name: /acquire-paul/ }).or(page.getByRole("button", { name: /acquire-paul/ })),
  );
  await expect(page).toHaveURL(/\/synapse\/articles/);

  await page.getByRole("heading", { name: "Produits" }).waitFor();
  await drawn(page);
  await page.keyboard.press("f");
  await tabToAndPress(page, page.getByRole("button", { name: "Créer un nouveau filtre" }).first());
  const form = page.getByRole("dialog", { name: "Créer un nouveau filtre" });
  await tabTo(page, form.getByLabel("Tag *"));
  await page.keyboard.type("Au clavier");
  await tabToAndPress(
    page,
    form.getByRole("group", { name: "Types", exact: true }).getByRole("button").first(),
  );
  await tabTo(page, form.getByLabel("Chercher un type"));
  await page.keyboard.type("t-shirts");
  await tabToAndPress(page, form.getByRole("checkbox", { name: /T-shirts/ }).first(), "Space");
  await page.keyboard.press("Escape");
  await tabToAndPress(page, form.getByRole("button", { name: "Créer le filtre" }));
  await expect(form).toHaveCount(0);
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await expect(page.getByRole("main")).toBeFocused();

  await market.publish({ title: "Haut au clavier", price: 12, catalog_id: 221 });
  const card = page.getByRole("article").filter({ hasText: "Haut au clavier" });
  await card.waitFor();
  await drawn(page);
  await page.keyboard.press("j");
  await expect(card).toBeFocused();
  // A card that has just come takes no press.
  await expect(async () => {
    await page.keyboard.press("a");
    await expect(card.getByRole("button", { name: "Acheter" })).toHaveCount(0, { timeout: 300 });
  }).toPass();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();

  await tabToAndPress(page, page.getByRole("link", { name: "Achats", exact: true }));
  const purchase = page.getByRole("article").filter({ hasText: "Haut au clavier" });
  await tabToAndPress(page, purchase.getByRole("button", { name: "Annuler" }));
  await tabToAndPress(page, page.getByRole("dialog").getByRole("button", { name: "Annuler l'achat" }));
  await expect(purchase).toContainText("Annulé");
  const csv = page.getByRole("button", { name: "Exporter (CSV)" });
  await tabTo(page, csv);
  const file = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await file).suggestedFilename()).toBe("synapse-achats.csv");
  await expect(csv).toBeFocused();

  await tabToAndPress(page, page.getByRole("button", { name: "Paramètres utilisateur" }));
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await tabTo(page, settings.getByLabel("Rue"));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("1 rue du Clavier");
  await tabToAndPress(page, settings.getByRole("button", { name: "Sauvegarder" }));
  await expect(settings).toHaveCount(0);
  await tabToAndPress(page, page.getByRole("button", { name: "Paramètres utilisateur" }));
  await expect(settings.getByLabel("Rue")).toHaveValue("1 rue du Clavier");
});
