import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import {
  addFilter,
  discard,
  expect,
  focusTaken,
  openNewFilter,
  press,
  settled,
  signIn,
  test,
} from "./journey.ts";

test.use({ marketName: "filters" });

test("a filter is created, edited, toggled and deleted", async ({ page }) => {
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  await signIn(page, "acquire-filtre");
  await page.getByRole("link", { name: "Filtres", exact: true }).click();
  await expect(page.getByText("Aucuns filtres trouvés")).toBeVisible();
  await expect(page.getByText("Vous n'avez pas de filtres.")).toBeVisible();

  await page.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
  const form = page.getByRole("dialog");
  const save = form.getByRole("button", { name: /^(Créer|Enregistrer|Sauvegarder)/ });
  await expect(save).toBeDisabled();
  await focusTaken(form);
  await form.getByLabel("Tag *").fill("Jeans Levi's");
  // The tree is walked level by level; going back keeps the selection.
  const types = form.getByRole("group", { name: "Types" });
  await types.getByRole("button", { name: /^Types/ }).click();
  for (const branch of ["Femmes", "Vêtements", "Jeans"])
    await types.getByRole("button", { name: branch, exact: true }).click();
  await types.getByRole("checkbox", { name: "Jeans skinny" }).check();
  await types.getByRole("button", { name: "Retour aux arrière" }).click();
  // Opening another group closes it: only one is open at a time.
  const brands = form.getByRole("group", { name: "Marques" });
  await brands.getByRole("button", { name: /^Marques/ }).click();
  await expect(types.getByRole("button", { name: /^Types/ })).toHaveAttribute("aria-expanded", "false");
  await expect(types.getByRole("button", { name: /^Types/ })).toContainText("Jeans skinny");
  // The switch keeps its name: off, it says what that means.
  await expect(form.getByText("Privé", { exact: true })).toBeVisible();
  await expect(form.getByRole("switch", { name: "Privé" })).not.toBeChecked();
  await expect(form.getByText("Ce filtre est public", { exact: false })).toBeVisible();
  // Amounts are accepted as people write them.
  await form.getByLabel(/Limite de prix/).fill("1 035,50 €");
  await form.getByLabel("Tag *").focus();
  await expect(form.getByLabel(/Limite de prix/)).toHaveValue("1035");
  // A double click creates one filter: there is one card below.
  await save.dblclick();
  await expect(form).toHaveCount(0);
  // A new filter leads to its articles.
  await expect(page).toHaveURL(/\/synapse\/articles$/);
  await page.getByRole("link", { name: "Filtres", exact: true }).click();

  const card = page.getByRole("article").filter({ hasText: "Jeans Levi's" });
  await expect(card).toBeVisible();
  await card.getByRole("button", { name: /Modifier/ }).click();
  await focusTaken(page.getByRole("dialog"));
  await page.getByRole("dialog").getByLabel("Tag *").fill("Jeans 501");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Créer|Enregistrer|Sauvegarder)/ })
    .click();
  await expect(page.getByText("Filtre en pause : réactivez-le")).toBeVisible();
  await expect.poll(() => logged.some((line) => line.startsWith("synapse: filter edited"))).toBe(true);
  const edited = page.getByRole("article").filter({ hasText: "Jeans 501" });
  await expect(edited.getByRole("switch", { name: "Actif" })).not.toBeChecked();
  // The message moves while the form closes.
  await press(page.getByRole("alert").getByRole("button", { name: "Réactiver" }));
  await expect(edited.getByRole("switch", { name: "Actif" })).toBeChecked();
});

test("several filters are changed together, or none of them", async ({ page }) => {
  await signIn(page, "acquire-lot");
  await addFilter(page, { tag: "Lot un", limit: 30, mots: ["gris"] });
  await addFilter(page, { tag: "Lot deux", limit: 50 });
  await addFilter(page, { tag: "Lot trois", limit: 50 });
  await page.goto("/synapse/filtres");
  const manage = page.getByRole("button", { name: "Gérer" });
  await page.getByRole("link", { name: "Filtres publics" }).click();
  await expect(page).toHaveURL(/vue=publics/);
  await expect(manage).toHaveCount(0);
  await page.getByRole("link", { name: "Tous", exact: true }).click();
  await manage.click();
  await page.getByRole("button", { name: "Limite de prix" }).click();
  await settled(page);
  const next = page.getByLabel("Sélectionner Lot deux");
  const before = await next.boundingBox();
  await page.getByLabel("Sélectionner Lot un").check();
  await expect(page.getByRole("button", { name: "Modifier (1)" })).toBeVisible();
  // No card moves under the hand that selects the next one.
  expect(await next.boundingBox()).toEqual(before);
  await next.check();
  await page.getByRole("button", { name: "Modifier (2)" }).click();
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("Actif")).toBeFocused();
  const apply = form.getByRole("button", { name: "Appliquer" });
  await expect(apply).toBeDisabled();
  await form.getByLabel("Limite de prix").selectOption("Baisser de");
  await form.getByLabel("Montant").fill("40");
  await form.getByRole("group", { name: "Mots à contenir" }).getByLabel("Ajouter").fill("bleu|bleue");
  await apply.click();
  await expect(form.getByText("Rien n'a été changé (filtre « Lot un »)")).toBeVisible();
  await form.getByLabel("Montant").fill("10");
  await form.getByLabel("Actif").selectOption("Mettre en pause");
  await apply.click();
  await expect(page.getByText("2 filtres modifiés.")).toBeVisible();
  await expect(form).toHaveCount(0);
  const card = (tag: string) => page.getByRole("article").filter({ hasText: tag });
  await expect(card("Lot un")).toContainText("20 €");
  await expect(card("Lot deux")).toContainText("40 €");
  await expect(card("Lot trois")).toContainText("50 €");
  await expect(card("Lot un").getByRole("switch", { name: "Actif" })).not.toBeChecked();
  await expect(card("Lot trois").getByRole("switch", { name: "Actif" })).toBeChecked();
  await card("Lot un")
    .getByRole("button", { name: /^Modifier/ })
    .click();
  await expect(page.getByRole("dialog").getByLabel("Mots à contenir")).toHaveValue("gris, bleu | bleue");
});

test("a filter is duplicated, and its criteria travel as a link, through a sign-in too", async ({
  page,
  browser,
  product,
}) => {
  await signIn(page, "acquire-partage");
  await addFilter(page, {
    tag: "Vestes",
    types: { ids: [1037] },
    brands: { ids: [53] },
    limit: 60,
    limit_min: 20,
    mots: ["gris | grise"],
    info: "un secret",
    autobuy: true,
  });
  await page.goto("/synapse/filtres");
  const card = page.getByRole("article").filter({ hasText: "Vestes" });
  await card.getByRole("button", { name: "Autres actions" }).click();
  await card.getByRole("button", { name: "Dupliquer" }).click();
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("Tag *")).toHaveValue("Vestes (copie)");
  await expect(form.getByLabel("Info supp")).toHaveValue("un secret");
  await expect(form.getByRole("switch", { name: /Acquire/ })).not.toBeChecked();
  await focusTaken(form);
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await card.getByRole("button", { name: "Autres actions" }).click();
  await card.getByRole("button", { name: "Partager" }).click();
  await expect(
    page.getByText("Lien copié : il ne contient ni achat automatique, ni paiement, ni info."),
  ).toBeVisible();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(link).toContain("/synapse/filtres#f=");

  // Another person, not signed in yet.
  const context = await browser.newContext({ baseURL: product.url });
  const theirs = await context.newPage();
  await theirs.goto(link);
  await expect(theirs).toHaveURL(/\/synapse\/filtres$/);
  // The code that reads a link cannot be loaded: the link is still there after a reload.
  await theirs.route("**/assets/filter-link-*.js", (route) => route.abort());
  await signIn(theirs, "seeker-partage");
  await expect(theirs.getByRole("alert")).toBeVisible();
  await theirs.unroute("**/assets/filter-link-*.js");
  await theirs.reload();
  await expect(theirs).toHaveURL(/\/synapse\/filtres$/);
  const filled = theirs.getByRole("dialog");
  await expect(filled.getByLabel("Tag *")).toHaveValue("Nike Manteaux et vestes");
  await expect(filled.getByLabel(/Limite de prix/)).toHaveValue("60");
  await filled.getByText("Options avancées").click();
  await expect(filled.getByLabel("Mots à contenir")).toHaveValue("gris | grise");
  await expect(filled.getByLabel("Prix minimum")).toHaveValue("20");
  await expect(filled.getByLabel("Info supp")).toHaveValue("");
  const added = theirs.waitForRequest(/\/filtres\/add$/);
  await filled.getByRole("button", { name: /^Créer/ }).click();
  expect((await added).postDataJSON()).toMatchObject({
    autobuy: false,
    private: true,
    types: { ids: [1037] },
    brands: { ids: [53] },
  });
  // The link works once: a reload does not repeat it.
  await theirs.goto("/synapse/filtres");
  await expect(theirs.getByRole("article")).toHaveCount(1);
  await expect(theirs.getByRole("dialog")).toHaveCount(0);
  // Pasted into the open page, which loads no new document.
  await theirs.goto(link);
  await expect(filled.getByLabel("Tag *")).toHaveValue("Nike Manteaux et vestes");
  await expect(theirs).toHaveURL(/\/synapse\/filtres$/);
  await context.close();
});

test("words may be said in several ways, and a price has a floor", async ({ page, market }) => {
  await signIn(page, "acquire-mots");
  const form = await openNewFilter(page);
  await form.getByLabel("Tag *").fill("Tech fleece");
  await form.getByLabel(/Limite de prix/).fill("60");
  await form.getByText("Options avancées").click();
  await form.getByLabel("Mots à contenir").fill("tech fleece|techfleece, gris | grise");
  await expect(form.getByText("sans les centimes. Vide : aucun.")).toBeVisible();
  await form.getByLabel("Prix minimum").fill("80");
  await form.getByRole("button", { name: /^Créer/ }).click();
  await expect(form.getByText("Le prix minimum dépasse la limite de prix.", { exact: true })).toBeVisible();
  await form.getByLabel("Prix minimum").fill("20,50 €");
  await form.getByLabel("Tag *").focus();
  await expect(form.getByLabel("Prix minimum")).toHaveValue("20");
  const added = page.waitForRequest(/\/filtres\/add$/);
  await form.getByRole("button", { name: /^Créer/ }).click();
  expect((await added).postDataJSON()).toMatchObject({
    mots: ["tech fleece | techfleece", "gris | grise"],
    limit: 60,
    limit_min: 20,
  });
  await expect(page).toHaveURL(/\/synapse\/articles$/);
  await market.publish({ title: "Veste Nike Tech Fleece grise", price: 30 });
  await market.publish({ title: "Veste techfleece noire", price: 30 });
  await market.publish({ title: "Veste techfleece gris", price: 10 });
  await market.publish({ title: "Veste TechFleece gris", price: 40 });
  await expect(page.getByRole("article").filter({ hasText: "TechFleece gris" })).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(2);

  await page.getByRole("link", { name: "Filtres", exact: true }).click();
  const card = page.getByRole("article").filter({ hasText: "Tech fleece" });
  await card.getByRole("button", { name: /Modifier/ }).click();
  await expect(form.getByLabel("Mots à contenir")).toHaveValue("tech fleece | techfleece, gris | grise");
  await expect(form.getByLabel("Prix minimum")).toHaveValue("20");
});

test("a sentence fills the form; the filter goes out as a file, and comes back beside itself", async ({
  page,
}) => {
  await signIn(page, "acquire-phrase");
  await page.goto("/synapse/filtres?nouveau=true");
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("Décrivez ce que vous cherchez")).toBeFocused();
  await page.keyboard.type("robe Zara fleurie taille M, moins de 20 €");
  await page.keyboard.press("Enter");
  await expect(form.getByRole("list", { name: "Compris", exact: true }).getByRole("listitem")).toHaveText([
    "robe",
    "Zara",
    "taille M",
    "moins de 20 €",
  ]);
  await form.getByRole("button", { name: "fleurie chercher dans le titre" }).click();
  await expect(form.getByLabel("Tag *")).toHaveValue("robe Zara fleurie taille M, moins de 20 €");
  await form.getByLabel("Tag *").fill("Robes");
  await form.getByRole("button", { name: "Créer le filtre" }).click();
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  // "Back" leads to the list, not to an empty form.
  await page.goBack();
  await expect(page).toHaveURL(/\/synapse\/filtres$/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.goForward();
  await expect(page).toHaveURL(/\/synapse\/articles$/);
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("article")).toContainText("Zara");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Importer ou exporter" }).click();
  await page.getByRole("button", { name: "Exporter", exact: true }).click();
  const file = await (await saving).path();
  const saved: unknown = JSON.parse(await readFile(file, "utf8"));
  const wanted = { tag: "Robes", limit: 20, mots: ["fleurie"], types: { ids: [10] } };
  expect(saved).toMatchObject({ format: "synapse-filtres", filtres: [wanted] });
  await page.getByRole("button", { name: "Importer ou exporter" }).click();
  await page.getByRole("button", { name: "Importer", exact: true }).click();
  await form.getByLabel("Fichier de filtres").setInputFiles({
    name: "filtres.json",
    mimeType: "application/json",
    buffer: await readFile(file),
  });
  await expect(form.getByText("Identique au vôtre")).toBeVisible();
  await expect(form.getByRole("button", { name: "Importer", exact: true })).toBeDisabled();
  await form.getByLabel("Robes").check();
  await form.getByRole("button", { name: "Importer (1)" }).click();
  await expect(page.getByText("1 filtre ajouté : en pause, sans achat automatique.")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(2);
});

test("an import says what it cannot read in the form's words, and asks before it replaces", async ({
  page,
}) => {
  await signIn(page, "seeker-remplace");
  await page.goto("/synapse/filtres");
  const menu = page.getByRole("button", { name: "Importer ou exporter" });
  await menu.click();
  await expect(page.getByRole("button", { name: "Importer", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Exporter", exact: true })).toHaveCount(0);
  await addFilter(page, { tag: "Robe", limit: 30 });
  await page.goto("/synapse/filtres");
  // Groups buy automatically, which this plan does not include.
  await page.getByLabel("Sélectionner Robe").check();
  await expect(page.getByRole("button", { name: "Modifier (1)" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Grouper" })).toHaveCount(0);
  await menu.click();
  // The selection's own.
  await expect(page.getByRole("button", { name: "Exporter", exact: true })).toHaveCount(1);
  await page.getByRole("button", { name: "Importer", exact: true }).click();
  const form = page.getByRole("dialog", { name: "Importer des filtres" });
  const filtres = [
    { tag: "Robe", limit: 40 },
    { tag: "Jupe", limit: -1 },
  ];
  await form.getByLabel("Fichier de filtres").setInputFiles({
    name: "filtres.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ format: "synapse-filtres", version: 1, filtres })),
  });
  await expect(form.getByText("Différent du vôtre : limite de prix")).toBeVisible();
  await expect(form.getByText("Le champ « Limite de prix » doit être au moins 0.")).toBeVisible();
  await form.getByLabel("Remplacer mes filtres du même tag").check();
  await form.getByRole("button", { name: "Importer (1)" }).click();
  const question = page.getByRole("dialog", { name: "Remplacer vos filtres du même tag ?" });
  await expect(question.getByRole("button", { name: "Garder mes filtres" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(question).toHaveCount(0);
  await form.getByRole("button", { name: "Importer (1)" }).press("Enter");
  await question.getByRole("button", { name: "Remplacer", exact: true }).click();
  await expect(page.getByText("1 filtre remplacé : en pause, sans achat automatique.")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(1);
});

test("the form opens calm on a small screen: the fields that all filters have, no warning, the count in sight", async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await signIn(page, "acquire-calme");
  await page.goto("/synapse/filtres?nouveau=true");
  const form = page.getByRole("dialog").locator("form");
  await expect(form.getByLabel("Décrivez ce que vous cherchez")).toBeFocused();
  const controls = form.locator(".modal-form__fields").locator("input, textarea, button, summary, select");
  await expect(controls.filter({ visible: true })).toHaveCount(16);
  const footer = await form.locator(".modal-form__footer").boundingBox();
  const boxes = await Promise.all(
    (await controls.filter({ visible: true }).all()).map((control) => control.boundingBox()),
  );
  const inSight = boxes.filter((box) => box !== null && footer !== null && box.y < footer.y);
  expect(inSight.length).toBeGreaterThan(0);
  expect(inSight.length).toBeLessThanOrEqual(6);
  const preview = form.getByRole("status", { name: "Aperçu du filtre" });
  await expect(preview).toBeInViewport({ ratio: 1 });
  await expect(preview.locator("svg")).toHaveCount(0);
  // Conditions without any match cause a warning; the count stays.
  await form.getByLabel(/Limite de prix/).fill("dix");
  await form.getByLabel("Tag *").focus();
  await expect(form.getByLabel(/Limite de prix/)).toHaveValue("0");
  await expect(preview).toContainText("ce filtre ne trouvera aucun article");
  await form.getByText("Options avancées").click();
  await form.getByLabel("Simulation").scrollIntoViewIfNeeded();
  await expect(preview).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(320);
});

test("after a refused save the focus stays in the form, what was typed is kept, and Escape asks before it closes", async ({
  page,
}) => {
  await signIn(page, "acquire-refus");
  const form = await openNewFilter(page);
  await form.getByLabel("Tag *").fill("Manteaux");
  await page.route("**/filtres/add", (route) =>
    route.fulfill({
      status: 400,
      contentType: "application/json",
      body: JSON.stringify({ success: false, error: "Ce mot ne va pas.", champ: "mots" }),
    }),
  );
  await form.getByRole("button", { name: "Créer le filtre" }).click();
  // The field is in a collapsed section.
  await expect(form.getByLabel("Mots à contenir")).toBeFocused();
  await expect(form.getByLabel("Mots à contenir")).toHaveAccessibleDescription(/Ce mot ne va pas/);
  await expect(form.getByLabel("Tag *")).toHaveValue("Manteaux");

  await page.unroute("**/filtres/add");
  await page.route("**/filtres/add", (route) =>
    route.fulfill({
      // The contract signals this failure in the body.
      status: 200,
      contentType: "application/json",
      body: JSON.stringify({ success: false, error: "Vous avez trop de filtres." }),
    }),
  );
  await form.getByRole("button", { name: "Créer le filtre" }).click();
  await expect(form.getByText("Vous avez trop de filtres.")).toBeVisible();
  await expect(form.getByRole("button", { name: "Créer le filtre" })).toBeFocused();
  await discard(page);
  await expect(form).toHaveCount(0);
});

test("before filters are deleted the focus is on what keeps them", async ({ page }) => {
  await signIn(page, "acquire-prudent");
  await addFilter(page, { tag: "Écharpes" });
  await page.goto("/synapse/filtres");
  await page.getByRole("article").getByRole("button", { name: "Supprimer" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Garder le filtre" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("article")).toContainText("Écharpes");
});

/** A computed colour of the interface that is red, filled or as text. */
const RED = /^rgb\((1[5-9]|2\d)\d, \d{1,2}, \d{1,2}\)$/u;

test("several filters go at once, and the selection is cleared", async ({ page }) => {
  await signIn(page, "acquire-tri");
  for (const tag of ["Un", "Deux", "Trois"]) await addFilter(page, { tag });
  await page.goto("/synapse/filtres");
  const bin = page.getByRole("button", { name: /^Supprimer .* sélectionnés$/ });
  const binOfCard = page.getByRole("article").first().getByRole("button", { name: "Supprimer" });
  for (const quiet of [bin, binOfCard])
    for (const property of ["color", "background-color"]) await expect(quiet).not.toHaveCSS(property, RED);
  await binOfCard.hover();
  await expect(binOfCard).toHaveCSS("color", RED);
  for (const tag of ["Un", "Deux"])
    await page
      .getByRole("article")
      .filter({ hasText: tag })
      .getByRole("checkbox", { name: /Sélectionner/ })
      .check();
  await expect(bin).toHaveCSS("background-color", RED);
  // A selection in one view cannot be deleted from another view that does not show it.
  const views = page.getByRole("navigation", { name: "Vues des filtres" });
  await views.getByRole("link", { name: "Privés" }).click();
  await expect(page.getByRole("button", { name: /Supprimer .*2/ })).toHaveCount(0);
  await views.getByRole("link", { name: "Tous" }).click();
  await page.getByRole("button", { name: /Supprimer .*2/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Supprimer/ })
    .click();
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(page.getByRole("article")).toContainText("Trois");
});

test("the browser's back closes the form, and what another tab has deleted goes when it is saved", async ({
  page,
  context,
}) => {
  await signIn(page, "acquire-retour");
  await addFilter(page, { tag: "Éphémère", limit: 50, mots: ["gris"] });
  await page.goto("/synapse/filtres");
  await page.getByRole("link", { name: "Privés" }).click();
  await page.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(/vue=prives/);

  // Once something was typed it asks first.
  await page.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
  const tag = page.getByRole("dialog").getByLabel("Tag *");
  await tag.fill("À garder");
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  await page.goBack();
  await question.getByRole("button", { name: "Rester" }).click();
  await expect(question).toHaveCount(0);
  await expect(tag).toHaveValue("À garder");
  await page.goBack();
  await question.getByRole("button", { name: "Quitter", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(/vue=prives/);
  await page.goBack();
  await expect(page).not.toHaveURL(/vue=/);

  const card = page.getByRole("article").filter({ hasText: "Éphémère" });
  await card.getByRole("button", { name: "Modifier" }).click();
  const other = await context.newPage();
  await other.goto("/synapse/filtres");
  await other.getByRole("article").getByRole("button", { name: "Supprimer" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Supprimer" }).click();
  await expect(other.getByText("Aucuns filtres trouvés")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Enregistrer" }).click();
  await expect(page.getByRole("alert")).toContainText("Ce filtre n'existe pas.");
  await page.keyboard.press("Escape");
  await expect(page.getByText("Aucuns filtres trouvés")).toBeVisible();
  await expect(page.getByRole("button", { name: "Gérer" })).toHaveCount(0);
});

test("a filter paused in one tab stays paused, whatever a tab with older data changes", async ({
  page,
  context,
}) => {
  await signIn(page, "acquire-onglets");
  await addFilter(page, { tag: "Trench" });
  await page.goto("/synapse/filtres");
  const switchIn = (tab: Page, label: string) =>
    tab.getByRole("article").filter({ hasText: "Trench" }).getByRole("switch", { name: label });
  await expect(switchIn(page, "Actif")).toBeChecked();

  const other = await context.newPage();
  await other.goto("/synapse/filtres");
  await switchIn(other, "Actif").click({ force: true });
  await expect(switchIn(other, "Actif")).not.toBeChecked();
  await expect(switchIn(other, "Actif")).toHaveAttribute("aria-busy", "false");
  await other.close();

  await switchIn(page, "Privé").click({ force: true });
  await expect(switchIn(page, "Privé")).toBeChecked();
  await expect(switchIn(page, "Privé")).toHaveAttribute("aria-busy", "false");
  await page.reload();
  await expect(switchIn(page, "Privé")).toBeChecked();
  await expect(switchIn(page, "Actif")).not.toBeChecked();
});

test("a form that was opened before another tab's change keeps that change", async ({ page, context }) => {
  await signIn(page, "acquire-formulaire");
  await addFilter(page, { tag: "Imper", limit: 50, autobuy: true, mots: ["impervieux"] });
  await page.goto("/synapse/filtres");
  const card = page.getByRole("article").filter({ hasText: "Imper" });
  await card.getByRole("button", { name: "Modifier" }).click();
  const form = page.getByRole("dialog");
  await expect(form.getByRole("switch", { name: "Acquire" })).toBeChecked();

  const other = await context.newPage();
  await other.goto("/synapse/filtres");
  const autobuy = other.getByRole("article").getByRole("switch", { name: "Acquire" });
  await autobuy.click({ force: true });
  await expect(autobuy).not.toBeChecked();
  await expect(autobuy).toHaveAttribute("aria-busy", "false");
  await other.close();

  await form.getByLabel("Info supp").fill("pour Lou");
  await form.getByRole("button", { name: "Enregistrer" }).click();
  await expect(form).toHaveCount(0);
  await press(page.getByRole("button", { name: "Réactiver", exact: true }));
  await expect(page.getByText("Filtre en pause : réactivez-le")).toHaveCount(0);
  await page.reload();
  await expect(card.getByRole("switch", { name: "Actif" })).toBeChecked();
  await expect(card.getByRole("switch", { name: "Acquire" })).not.toBeChecked();
});

test("a second Enter after saving opens the form with the filter in it", async ({ page }) => {
  await signIn(page, "seeker-deuxfois");
  await addFilter(page, { tag: "Gilets", limit: 35 });
  await page.goto("/synapse/filtres");
  await page.getByRole("article").getByRole("button", { name: "Modifier" }).press("Enter");
  const form = page.getByRole("dialog");
  await focusTaken(form);
  await form.getByLabel("Info supp").fill("laine");
  await form.getByRole("button", { name: "Enregistrer" }).press("Enter");
  const edit = page.getByRole("article").getByRole("button", { name: "Modifier" });
  await expect(edit).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(form.getByLabel("Tag *")).toHaveValue("Gilets");
  await expect(form.getByLabel("Info supp")).toHaveValue("laine");
});

test("a window stays open while its form is sent, and says why it was refused", async ({ page }) => {
  await signIn(page, "acquire-lente");
  await addFilter(page, { tag: "Cape", autobuy: true, mots: ["capelente"] });
  await page.goto("/synapse/filtres");
  await page.getByRole("button", { name: "Gérer" }).click();
  await page.getByRole("checkbox", { name: /Cape/ }).check();
  await page.getByRole("button", { name: "Modifier (1)" }).click();
  const window = page.getByRole("dialog");
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await page.route("**/filtres/lot", async (route) => {
    arrived.resolve();
    await gate.promise;
    await route.fulfill({ status: 500, json: { error: "Le serveur est en panne." } });
  });
  await window.getByLabel("Couper l'achat automatique").check();
  await window.getByRole("button", { name: "Appliquer" }).press("Enter");
  await arrived.promise;
  await page.keyboard.press("Escape");
  gate.resolve();
  await expect(window.getByText("Le serveur est en panne.")).toBeVisible();
});
