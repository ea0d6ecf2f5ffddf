/** What is typed, chosen and pressed in the panel's forms and lists is neither lost nor saved unasked. */
import type { Page, Route } from "@playwright/test";
import { z } from "zod";
import { REFRESH_INTERVAL_MS } from "#contract/bounds.ts";
import { addFilter, discard, expect, focusTaken, openNewFilter, press, signIn, test } from "./journey.ts";

test.use({ marketName: "forms" });

/** Whether the keyboard would start again at the top of the page. */
const isFocusLost = (page: Page) => page.evaluate<boolean>("document.activeElement === document.body");

test("Enter in a picker does not save the form around it", async ({ page }) => {
  await signIn(page, "acquire-cherche");
  const form = await openNewFilter(page);
  await form.getByLabel("Tag *").fill("Baskets");
  const brands = form.getByRole("group", { name: "Marques" });
  await brands.getByRole("button", { name: /^Marques/ }).click();
  // The first, however long the steps take that must not send one.
  const added = page.waitForRequest(/\/filtres\/add$/, { timeout: 0 });
  await brands.getByLabel("Chercher une marque").fill("nike");
  await page.keyboard.press("Enter");
  const nike = brands.getByRole("checkbox", { name: "Nike", exact: true });
  await nike.press("Space");
  await nike.press("Enter");
  await form.getByLabel("Info supp").fill("relu");
  await form.getByRole("button", { name: "Créer le filtre" }).click();
  expect((await added).postDataJSON()).toMatchObject({ brands: { ids: [53] }, info: "relu" });
});

test("saving a group keeps what another page has changed since its form was opened", async ({
  page,
  context,
}) => {
  await signIn(page, "thunder-deuxpages");
  for (const tag of ["Laine", "Caban", "Parka"]) await addFilter(page, { tag, mots: ["jamais"] });
  await page.goto("/synapse/filtres");
  for (const tag of ["Laine", "Caban"])
    await page.getByRole("checkbox", { name: `Sélectionner ${tag}` }).check();
  await page.getByRole("button", { name: "Grouper" }).click();
  const form = page.getByRole("dialog");
  await focusTaken(form);
  await form.getByLabel("Nom").fill("Manteau");
  await form.getByLabel("Budget").fill("60");
  await page.keyboard.press("Enter");
  await expect(form).toHaveCount(0);
  const rowIn = (tab: Page) => tab.getByRole("list", { name: "Groupes de filtres" }).getByRole("listitem");
  const edit = async (tab: Page) => {
    await rowIn(tab).getByRole("button", { name: "Actions du groupe" }).click();
    await rowIn(tab).getByRole("button", { name: "Modifier", exact: true }).click();
  };
  await edit(page);
  await form.getByLabel("Nom").fill("Veste");
  await form.getByRole("checkbox", { name: "Laine" }).uncheck();

  const other = await context.newPage();
  await other.goto("/synapse/filtres");
  await edit(other);
  const otherForm = other.getByRole("dialog");
  // What is filled in before that is typed into the first field.
  await focusTaken(otherForm);
  await otherForm.getByLabel("Budget").fill("20");
  await otherForm.getByRole("checkbox", { name: "Parka" }).check();
  await otherForm.getByRole("button", { name: "Enregistrer" }).click();
  await expect(rowIn(other)).toContainText("sur 20 €");
  await other.close();

  await form.getByRole("button", { name: "Enregistrer" }).click();
  await expect(form).toHaveCount(0);
  await expect(rowIn(page)).toContainText("Veste · 0 sur 1 · 0,00 € sur 20 €");
  for (const tag of ["Caban", "Parka"])
    await expect(page.getByRole("article", { name: tag })).toContainText("Groupe : Veste");
  await expect(page.getByRole("article", { name: "Laine" })).not.toContainText("Groupe");
});

test("the hours of alerts are saved without the limit that another page has changed", async ({
  page,
  context,
}) => {
  await signIn(page, "thunder-deuxreglages");
  const saved = page.getByRole("alert").filter({ hasText: "Alertes enregistrées." });
  await page.goto("/synapse/alertes");
  await expect(page.getByLabel("Heures calmes, de")).toBeVisible();
  const other = await context.newPage();
  await other.goto("/synapse/alertes");
  await other.getByLabel("Au plus … articles par heure").fill("3");
  await other.keyboard.press("Enter");
  await expect(other.getByRole("alert").filter({ hasText: "Alertes enregistrées." })).toBeVisible();
  await other.close();

  await page.getByLabel("Heures calmes, de").fill("21:30");
  await page.keyboard.press("Enter");
  await expect(saved).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Heures calmes, de")).toHaveValue("21:30");
  await expect(page.getByLabel("Au plus … articles par heure")).toHaveValue("3");
});

test("a sentence that was typed but not read holds the filter back, and its field says so", async ({
  page,
}) => {
  await signIn(page, "acquire-nonlue");
  const form = await openNewFilter(page);
  const sentence = form.getByLabel("Décrivez ce que vous cherchez");
  // The first, however long the steps take that must not send one.
  const added = page.waitForRequest(/\/filtres\/add$/, { timeout: 0 });
  await sentence.fill("robe Zara moins de 20 €");
  await form.getByLabel("Tag *").fill("Robes");
  await page.keyboard.press("Enter");
  const said = form.getByText("Appuyez sur Remplir, ou effacez cette phrase.");
  await expect(said).toBeVisible();
  await expect(sentence).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(form.getByRole("list", { name: "Compris", exact: true })).toBeVisible();
  await expect(said).toHaveCount(0);
  // Once read it is in the form; what is typed after that is not.
  await sentence.fill("robe Zara moins de 10 €");
  await form.getByLabel("Tag *").press("Enter");
  await expect(said).toBeVisible();
  await sentence.fill("");
  await form.getByLabel("Tag *").press("Enter");
  expect((await added).postDataJSON()).toMatchObject({ tag: "Robes", limit: 20 });
});

test("an address is read as a whole when it is pasted, however long, and does not hold the filter back", async ({
  page,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "acquire-adresse");
  const form = await openNewFilter(page);
  // As copied from a letter that wrapped it.
  const address = `https://market.example/catalog?search_id=\n${"7".repeat(4_000)}&brand_ids[]=53&price_to=20`;
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(address)})`);
  await form.getByLabel("Décrivez ce que vous cherchez").focus();
  await page.keyboard.press("ControlOrMeta+V");
  await expect(form.getByText("Le formulaire est rempli.")).toBeVisible();
  const added = page.waitForRequest(/\/filtres\/add$/);
  await form.getByLabel("Tag *").fill("Collé");
  await page.keyboard.press("Enter");
  expect((await added).postDataJSON()).toMatchObject({ tag: "Collé", brands: { ids: [53] }, limit: 20 });
});

test("the window of the service's state shows a stop at once", async ({ page }) => {
  // Without its timer, the window reads itself again only because of the stop.
  await page.addInitScript("window.setInterval = () => 0");
  await signIn(page, "thunder-etat");
  await addFilter(page, { tag: "Frein", limit: 50, autobuy: true, mots: ["jamais"] });
  await page.goto("/synapse/articles");
  await page.getByRole("button", { name: "État du service et arrêt des achats" }).click();
  const rows = page.getByRole("dialog").getByRole("definition");
  await expect(rows.filter({ hasText: "1 filtre" })).toBeVisible();
  const read = page.waitForResponse(/\/etat$/);
  await page.getByRole("dialog").getByRole("button", { name: "Tout arrêter" }).click();
  await read;
  await expect(rows.filter({ hasText: "1 filtre" })).toHaveCount(0);
});

test("a group of sizes stays open when its last size is given up, and keeps the focus", async ({ page }) => {
  await signIn(page, "acquire-tailles");
  await page.goto("/synapse/filtres?nouveau=true");
  const sizes = page.getByRole("dialog").getByRole("group", { name: "Tailles" });
  await sizes.getByRole("button", { name: /^Tailles/ }).click();
  await sizes.locator("summary").first().click();
  const size = sizes.locator(".size-group").first().getByRole("button").nth(1);
  await size.press("Enter");
  await expect(size).toHaveAttribute("aria-pressed", "true");
  await size.press("Enter");
  await expect(size).toHaveAttribute("aria-pressed", "false");
  await expect(size).toBeVisible();
  await expect(size).toBeFocused();
});

test("a press by keyboard keeps its place: a filter set going, one widened, an offer put off", async ({
  page,
}) => {
  await signIn(page, "seeker-place");
  await addFilter(page, { tag: "Gilets", mots: ["jamais"], active: false });
  await page.goto("/synapse/articles");
  const why = page.getByRole("region", { name: "Pourquoi rien ?" });
  const resume = why.getByRole("button", { name: "Réactiver" });
  await resume.press("Enter");
  await expect(resume).toHaveCount(0);
  await expect.poll(() => isFocusLost(page)).toBe(false);

  const later = page.getByRole("button", { name: "Plus tard" });
  await later.press("Enter");
  await expect(later).toHaveCount(0);
  await expect.poll(() => isFocusLost(page)).toBe(false);

  await page.goto("/synapse/filtres");
  const card = page.getByRole("article", { name: "Gilets" });
  await card.getByRole("switch", { name: "Actif" }).press("Space");
  const resumeCard = card.getByRole("button", { name: "Réactiver Gilets" });
  await resumeCard.press("Enter");
  await expect(resumeCard).toHaveCount(0);
  await expect.poll(() => isFocusLost(page)).toBe(false);
});

test("a public filter that is copied by keyboard keeps the focus on its button", async ({
  page,
  browser,
  product,
}) => {
  const owner = await browser.newPage({ baseURL: product.url });
  await signIn(owner, "seeker-offre");
  await addFilter(owner, { tag: "À copier", mots: ["jamais"] });
  await owner.close();
  await signIn(page, "seeker-copieur");
  await page.goto("/synapse/filtres?vue=publics");
  const copy = page
    .getByRole("article")
    .filter({ hasText: "À copier" })
    .getByRole("button", { name: "Copier" });
  await copy.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(copy).toBeFocused();
});

test("filters sorted by what they found keep their places when that is counted again", async ({
  page,
  market,
}) => {
  await signIn(page, "acquire-ordre");
  await addFilter(page, { tag: "Trouveur", limit: 50, mots: ["ordrefige"] });
  for (let n = 1; n <= 11; n += 1) await addFilter(page, { tag: `Numéro ${n}`, mots: ["jamais"] });
  await page.goto("/synapse/filtres");
  const sort = page.getByLabel("Trier les filtres");
  await sort.selectOption("Trouvailles du jour");
  const cards = page.getByRole("article");
  await expect(cards.last()).toContainText(/0 trouvé aujourd.hui/u);
  await market.publish({ title: "Robe ordrefige", price: 10 });
  await expect
    .poll(() => page.evaluate(async () => await (await fetch("/articles/recent")).text()))
    .toContain("Robe ordrefige");
  // A change of any filter reads everything again.
  await cards.first().getByRole("switch", { name: "Privé" }).press("Space");
  await expect(cards.filter({ hasText: "Trouveur" })).toContainText(/1 trouvé aujourd.hui/u);
  await expect(cards.last()).toContainText("Trouveur");
  await sort.selectOption("Plus récents");
  await sort.selectOption("Trouvailles du jour");
  await expect(cards.first()).toContainText("Trouveur");
});

test("Escape in a window above the open menu closes only the window", async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 800 });
  await signIn(page, "acquire-menuouvert");
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await menu.getByRole("button", { name: "Raccourcis clavier" }).press("Enter");
  const help = page.getByRole("dialog", { name: "Raccourcis clavier" });
  await focusTaken(help);
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Fermer le menu" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Ouvrir le menu" })).toBeFocused();
});

test("after several filters are deleted none is selected, not even one that a search had hidden", async ({
  page,
}) => {
  await signIn(page, "acquire-cachees");
  for (let n = 1; n <= 12; n += 1) await addFilter(page, { tag: `Numéro ${n}`, mots: ["jamais"] });
  for (const tag of ["Robe une", "Robe deux"]) await addFilter(page, { tag, mots: ["jamais"] });
  await page.goto("/synapse/filtres");
  for (const tag of ["Numéro 1", "Robe une", "Robe deux"])
    await page.getByRole("checkbox", { name: `Sélectionner ${tag}`, exact: true }).check();
  const search = page.getByLabel("Chercher dans mes filtres");
  await search.fill("robe");
  await page.getByRole("button", { name: /Supprimer .*2/ }).click();
  await press(page.getByRole("dialog").getByRole("button", { name: /^Supprimer/ }));
  await expect(page.getByText("Aucun de vos filtres ne correspond à la recherche.")).toBeVisible();
  await search.fill("");
  await expect(page.getByRole("checkbox", { name: "Sélectionner Numéro 1", exact: true })).not.toBeChecked();
});

test("automatic buying is stopped from the menu while the settings cannot be read", async ({ page }) => {
  await signIn(page, "thunder-illisible");
  await page.route("**/vinted/get", (route) => route.fulfill({ status: 500, json: {} }));
  await page.reload();
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  const sent = page.waitForRequest(/\/vinted\/edit$/);
  await menu.getByRole("button", { name: "Tout arrêter" }).click();
  expect((await sent).postDataJSON()).toEqual({ limites: { arret: true } });
  await expect(page.getByRole("alert")).toContainText("Achats automatiques arrêtés.");
});

test("a stop stands although an older read of the settings is answered after it", async ({ page }) => {
  await signIn(page, "thunder-ancienne");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  let answer = (): void => undefined;
  const isAwaited = new Promise<void>((resolve) => (answer = resolve));
  await page.route(
    "**/vinted/get",
    async (route) => {
      const response = await route.fetch();
      await isAwaited;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.reload();
  await menu.getByRole("button", { name: "Tout arrêter" }).click();
  await expect(page.getByRole("alert")).toContainText("Achats automatiques arrêtés.");
  answer();
  await expect(menu.getByRole("button", { name: "Reprendre" })).toBeVisible();
});

test("a question whose file cannot be loaded is not answered, and the form keeps what was typed", async ({
  page,
}) => {
  await signIn(page, "thunder-sansquestion");
  await page.getByRole("button", { name: "Paramètres" }).click();
  const form = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await focusTaken(form);
  await form.getByLabel("Rue").fill("3 rue des Lilas");
  await page.route("**/assets/ask-dialog-*", (route) => route.abort());
  await form.getByRole("button", { name: "Déconnecter le compte" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(form.getByLabel("Rue")).toHaveValue("3 rue des Lilas");
  await page.unroute("**/assets/ask-dialog-*");
  await form.getByRole("button", { name: "Déconnecter le compte" }).click();
  await expect(page.getByRole("dialog", { name: "Déconnecter le compte Vinted ?" })).toBeVisible();
});

test("settings that a refresh could not read leave the form and what was typed", async ({ page }) => {
  await page.clock.install();
  await signIn(page, "thunder-partiel");
  await page.getByRole("button", { name: "Paramètres" }).click();
  const form = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await focusTaken(form);
  await form.getByLabel("Rue").fill("3 rue des Lilas");
  await page.route("**/vinted/get", (route) => route.fulfill({ json: { vinted: { paiement: "?" } } }));
  const read = page.waitForResponse("**/vinted/get");
  await page.clock.runFor(REFRESH_INTERVAL_MS + 1_000);
  await (await read).finished();
  await page.clock.runFor(1_000);
  await page.unroute("**/vinted/get");
  await expect(form.getByLabel("Rue")).toHaveValue("3 rue des Lilas");
  await form.getByRole("button", { name: "Sauvegarder" }).click();
  await expect(form).toBeHidden();
  await page.getByRole("button", { name: "Paramètres" }).click();
  await expect(form.getByLabel("Rue")).toHaveValue("3 rue des Lilas");
});

test("an import whose answer was lost is compared again, so that nothing is added twice", async ({
  page,
}) => {
  await signIn(page, "acquire-reponseperdue");
  await page.goto("/synapse/filtres");
  await page.getByRole("button", { name: "Importer ou exporter" }).click();
  await page.getByRole("button", { name: "Importer", exact: true }).click();
  const form = page.getByRole("dialog");
  const file = { format: "synapse-filtres", version: 1, filtres: [{ tag: "Cape perdue", limit: 40 }] };
  const buffer = Buffer.from(JSON.stringify(file));
  const chosen = { name: "filtres.json", mimeType: "application/json", buffer };
  await form.getByLabel("Fichier de filtres").setInputFiles(chosen);
  const save = form.getByRole("button", { name: "Importer (1)" });
  await save.waitFor();
  await loseAnswer(page, "**/filtres/import");
  await save.click();
  await expect(form.getByText("Identique au vôtre")).toBeVisible();
  await expect(form.getByRole("checkbox", { name: "Cape perdue" })).not.toBeChecked();
  await expect(form.getByRole("button", { name: "Importer", exact: true })).toBeDisabled();
  await expect(page.getByText("Cape perdue").first()).toBeAttached();
  await form.getByRole("button", { name: "Annuler" }).click();
  await expect(page.getByRole("article", { name: "Cape perdue" })).toHaveCount(1);
});

/** The next call takes effect, but its answer does not arrive. */
async function loseAnswer(page: Page, address: string): Promise<void> {
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  await page.route(address, lose, { times: 1 });
}

test("limits raised by an amount whose answer was lost are not raised twice by pressing again", async ({
  page,
}) => {
  await signIn(page, "acquire-hausseperdue");
  for (const tag of ["Cape", "Gilet"]) await addFilter(page, { tag, limit: 40, mots: ["jamais"] });
  await page.goto("/synapse/filtres");
  for (const tag of ["Cape", "Gilet"])
    await page.getByRole("checkbox", { name: `Sélectionner ${tag}` }).check();
  await page.getByRole("button", { name: "Modifier (2)" }).click();
  const form = page.getByRole("dialog");
  await focusTaken(form);
  await form.getByLabel("Limite de prix").selectOption("Augmenter de");
  await form.getByLabel("Montant").fill("10");
  await loseAnswer(page, "**/filtres/lot");
  await form.getByRole("button", { name: "Appliquer" }).click();
  await expect(form.getByRole("alert")).toHaveText(
    "La limite a peut-être déjà changé : vérifiez avant de recommencer.",
  );
  await expect(form.getByLabel("Limite de prix")).toHaveValue("keep");
  await expect(form.getByRole("button", { name: "Appliquer" })).toBeDisabled();
  expect(await savedFilters(page)).toMatchObject([{ limit: 50 }, { limit: 50 }]);
});

test("a filter whose creation was not answered is saved as it is by then, and not created twice", async ({
  page,
}) => {
  await signIn(page, "acquire-filtreperdu");
  await addFilter(page, { tag: "Cape perdue", limit: 30, mots: ["jamais"] });
  const form = await openNewFilter(page);
  // Behind the form.
  await expect(page.getByText("Cape perdue").first()).toBeAttached();
  await form.getByLabel("Tag *").fill("Cape perdue");
  await form.getByLabel("Limite de prix").fill("40");
  // Saved folded.
  await form.getByText("Options avancées").click();
  await form.getByLabel("Mots à contenir").fill("«\u00A0L'Été\u00A0» | ete, Cœur");
  await loseAnswer(page, "**/filtres/add");
  const save = form.getByRole("button", { name: "Créer le filtre" });
  await save.click();
  await expect(form.getByRole("alert")).toContainText("Le serveur ne répond pas.");
  // The answer to the change is lost too.
  await form.getByLabel("Tag *").fill("Cape renommée");
  await loseAnswer(page, "**/filtres/edit");
  await save.click();
  await expect(save).not.toHaveAttribute("data-loading", "true");
  await form.getByLabel("Limite de prix").fill("45");
  await save.click();
  await expect(form).toHaveCount(0);
  const saved = (await savedFilters(page)).map(({ limit, active }) => `${limit} ${active}`);
  expect(saved.toSorted()).toEqual(["30 true", "45 true"]);
});

test("a filter that never arrived changes none of the same tag that another page created meanwhile", async ({
  page,
  context,
}) => {
  await signIn(page, "acquire-memetag");
  await addFilter(page, { tag: "Gilet", limit: 20, mots: ["jamais"] });
  const form = await openNewFilter(page);
  // Behind the form.
  await expect(page.getByText("Gilet").first()).toBeAttached();
  const other = await context.newPage();
  await other.goto("/synapse/filtres");
  await form.getByLabel("Tag *").fill("Cape");
  await form.getByLabel("Limite de prix").fill("40");
  const neverArrive = async (route: Route) => {
    await addFilter(other, { tag: "Cape", limit: 30, mots: ["jamais"] });
    await route.abort();
  };
  await page.route("**/filtres/add", neverArrive, { times: 1 });
  const save = form.getByRole("button", { name: "Créer le filtre" });
  await save.click();
  await expect(form.getByRole("alert")).toContainText("Le serveur ne répond pas.");
  await save.click();
  await expect(form).toHaveCount(0);
  const saved = (await savedFilters(page)).map(({ limit }) => String(limit));
  expect(saved.toSorted()).toEqual(["20", "30", "40"]);
});

test("a group whose creation was not answered is not refused when pressed again", async ({ page }) => {
  await signIn(page, "thunder-groupeperdu");
  for (const tag of ["Laine", "Caban"]) await addFilter(page, { tag, mots: ["jamais"] });
  await page.goto("/synapse/filtres");
  for (const tag of ["Laine", "Caban"])
    await page.getByRole("checkbox", { name: `Sélectionner ${tag}` }).check();
  await page.getByRole("button", { name: "Grouper" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Nom").fill("Manteau");
  await loseAnswer(page, "**/groupes/add");
  const save = form.getByRole("button", { name: "Grouper" });
  await save.click();
  await expect(form.getByRole("alert")).toContainText("Le serveur ne répond pas.");
  await form.getByLabel("Acheter").fill("2");
  await save.click();
  await expect(form).toHaveCount(0);
  const rows = page.getByRole("list", { name: "Groupes de filtres" }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Manteau · 0 sur 2");
});

async function savedFilters(page: Page) {
  const text = await page.evaluate(async () => await (await fetch("/filtres/get")).text());
  const filter = z.object({ limit: z.number(), active: z.boolean() });
  return z.object({ filtres: z.array(filter) }).parse(JSON.parse(text)).filtres;
}

test("a refusal at a price stays when its field is left as it is, and goes when it is changed", async ({
  page,
}) => {
  // Timers come after the next frame, as on a busy machine: the answer is rendered late.
  await page.addInitScript(() => {
    const inTime = globalThis.setTimeout;
    const late = (run: () => void, ms = 0) => inTime(run, ms + 50);
    Object.assign(globalThis, { setTimeout: late });
  });
  await signIn(page, "acquire-prixrefuse");
  const form = await openNewFilter(page);
  await form.getByLabel("Tag *").fill("Robes");
  const refused = { status: 400, json: { error: "Prix refusé.", champ: "limit" } };
  await page.route("**/filtres/add", (route) => route.fulfill(refused), { times: 1 });
  await page.keyboard.press("Enter");
  await expect(form.getByText("Prix refusé.")).toBeVisible();
  await expect(form.getByLabel("Limite de prix")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(form.getByLabel("Limite de prix")).not.toBeFocused();
  await expect(form.getByText("Prix refusé.")).toBeVisible();
  await form.getByLabel("Limite de prix").fill("20");
  await expect(form.getByText("Prix refusé.")).toHaveCount(0);
});

test("the last size of another type keeps its group and the focus when it is given up", async ({ page }) => {
  await signIn(page, "acquire-autretaille");
  await addFilter(page, { tag: "Hauts", mots: ["jamais"], types: { ids: [221] }, sizes: { ids: [1364] } });
  await page.goto("/synapse/filtres");
  await page
    .getByRole("article", { name: "Hauts" })
    .getByRole("button", { name: /Modifier/ })
    .click();
  const sizes = page.getByRole("dialog").getByRole("group", { name: "Tailles" });
  await sizes.getByRole("button", { name: /^Tailles/ }).click();
  const title = await sizes.locator('[aria-pressed="true"]').innerText();
  const shoes = sizes.locator(".size-group").filter({ hasText: "Chaussures" });
  const size = shoes.getByRole("button", { name: title, exact: true });
  await size.press("Enter");
  await expect(size).toHaveAttribute("aria-pressed", "false");
  await expect(size).toBeFocused();
});

test("an invalid buying rule of a filter that buys nothing by itself can be typed over", async ({ page }) => {
  await signIn(page, "acquire-regles");
  const form = await openNewFilter(page);
  const buys = form.getByRole("switch", { name: "Acquire" });
  await buys.press("Space");
  await form.getByText(/^Règles d'achat/).click();
  const budget = form.getByLabel("Budget par jour");
  await budget.fill("x");
  await buys.press("Space");
  await expect(buys).not.toBeChecked();
  await budget.press("ControlOrMeta+a");
  await budget.pressSequentially("60");
  await expect(budget).toHaveValue("60");
});

test("a refused import says so until a file is chosen or ticked anew, and a new file has its own ticks", async ({
  page,
}) => {
  await signIn(page, "acquire-fichiers");
  await page.goto("/synapse/filtres");
  await page.getByRole("button", { name: "Importer ou exporter" }).click();
  await page.getByRole("button", { name: "Importer", exact: true }).click();
  const form = page.getByRole("dialog");
  const choose = async (tags: readonly string[]) => {
    const file = { format: "synapse-filtres", version: 1, filtres: tags.map((tag) => ({ tag, limit: 40 })) };
    const buffer = Buffer.from(JSON.stringify(file));
    const chosen = { name: "filtres.json", mimeType: "application/json", buffer };
    await form.getByLabel("Fichier de filtres").setInputFiles(chosen);
  };
  const error = "Rien n'a été importé.";
  const save = form.getByRole("button", { name: "Importer (2)" });
  const refuse = async () => {
    // The file is read by the same call.
    await save.waitFor();
    await page.route("**/filtres/import", (route) => route.fulfill({ status: 409, json: { error } }), {
      times: 1,
    });
    await save.click();
    await expect(form.getByText(error)).toBeVisible();
  };
  await choose(["Robe", "Jupe"]);
  await refuse();
  await form.getByRole("checkbox", { name: "Jupe" }).uncheck();
  await expect(form.getByText(error)).toHaveCount(0);
  await form.getByRole("checkbox", { name: "Jupe" }).check();
  await refuse();

  let answer = (): void => undefined;
  const isAwaited = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/filtres/import", async (route) => {
    await isAwaited;
    await route.continue();
  });
  await choose(["Gilet"]);
  await expect(form.getByText(error)).toHaveCount(0);
  await expect(form.getByRole("button", { name: "Importer", exact: true })).toBeDisabled();
  answer();
  await expect(form.getByRole("button", { name: "Importer (1)" })).toBeEnabled();
});

test("a form asks before Escape or its cross discards what was typed, and keeps it if told to", async ({
  page,
}) => {
  await signIn(page, "acquire-garde");
  await openNewFilter(page);
  const form = page.getByRole("dialog", { name: "Créer un nouveau filtre" });
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  const tag = form.getByLabel("Tag *");
  await tag.fill("Presque fini");
  for (const leave of [
    async () => await page.keyboard.press("Escape"),
    async () => await form.getByRole("button", { name: "Fermer" }).click(),
  ]) {
    await leave();
    await expect(question.getByRole("button", { name: "Rester" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(question).toHaveCount(0);
    await expect(tag).toHaveValue("Presque fini");
  }
  await form.getByRole("button", { name: "Annuler" }).click();
  await expect(form).toHaveCount(0);

  // Nothing is left of what was typed since it was opened again.
  await openNewFilter(page);
  await expect(tag).toHaveValue("");
  await tag.fill("Retiré");
  await tag.fill("");
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await expect(question).toHaveCount(0);
});

test("the browser's back closes the innermost dialog, asks before it discards, and stays on the page", async ({
  page,
}) => {
  await signIn(page, "acquire-recul");
  await page.getByRole("link", { name: "Achats" }).first().click();
  await expect(page).toHaveURL(/\/synapse\/achats/);
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  const open = page.getByRole("button", { name: "Paramètres utilisateur" });
  await open.click();
  const street = settings.getByLabel("Rue");
  await expect(street).toBeVisible();
  await page.goBack();
  await expect(settings).toHaveCount(0);
  await expect(page).toHaveURL(/\/synapse\/achats/);

  // A question above the settings goes first.
  await open.click();
  await settings.getByRole("button", { name: "Déconnecter le compte" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(2);
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expect(settings).toBeVisible();
  await page.goBack();
  await expect(settings).toHaveCount(0);
  for (const name of [/^Raccourcis clavier/, /^État du service/]) {
    await page.getByRole("button", { name }).click();
    await expect(page.getByRole("dialog", { name })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page).toHaveURL(/\/synapse\/achats/);
  }

  await open.click();
  await street.fill("1 rue du Recul");
  await page.goBack();
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  await question.getByRole("button", { name: "Rester" }).click();
  await expect(question).toHaveCount(0);
  await expect(street).toHaveValue("1 rue du Recul");
  await page.goBack();
  await question.getByRole("button", { name: "Quitter", exact: true }).click();
  await expect(settings).toHaveCount(0);
  await expect(page).toHaveURL(/\/synapse\/achats/);
});

test("a page with a form in which something was typed asks before it is left", async ({ page }) => {
  await signIn(page, "acquire-part");
  const tag = (await openNewFilter(page)).getByLabel("Tag *");
  await tag.pressSequentially("Presque fini");
  const asked = page.waitForEvent("dialog");
  const leaving = page.goto("/synapse/achats").catch(() => undefined);
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await leaving;
  await expect(tag).toHaveValue("Presque fini");
  await discard(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const questions: string[] = [];
  page.on("dialog", async (dialog) => {
    questions.push(dialog.type());
    await dialog.accept();
  });
  await page.goto("/synapse/achats");
  // What is saved at once leaves nothing to ask about.
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  await page.getByRole("dialog").getByRole("switch", { name: "Tout arrêter" }).click({ force: true });
  await expect(page.getByText("Achats automatiques arrêtés.")).toBeVisible();
  await page.goto("/synapse/achats");
  await expect(page.getByRole("heading", { name: "Mes achats" })).toBeVisible();
  expect(questions).toEqual([]);
});
