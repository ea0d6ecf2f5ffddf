/** The parts of each screen beyond daily use, each visited once. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { addFilter, drawn, expect, press, settled, signIn, test } from "./journey.ts";

test.use({ marketName: "screens" });

test("from twelve filters on they can be searched and sorted, and each says what it found", async ({
  page,
  market,
}) => {
  await signIn(page, "acquire-douzaine");
  await addFilter(page, { tag: "Aaa trouveur", limit: 50, mots: ["douzaine"], autobuy: true, max_achats: 2 });
  for (let n = 1; n <= 10; n += 1) await addFilter(page, { tag: `Numéro ${n}`, limit: 50, mots: ["jamais"] });
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("article")).toHaveCount(11);
  await expect(page.getByRole("search", { name: "Mes filtres" })).toHaveCount(0);
  await addFilter(page, { tag: "Zèbre", info: "le douzième", mots: ["jamais"] });
  await market.publish({ title: "Robe à la douzaine", price: 10 });
  for (const path of ["/articles/recent", "/vinted/purchases"])
    await expect
      .poll(() => page.evaluate(async (read) => await (await fetch(read)).text(), path))
      .toContain("Robe à la douzaine");
  await page.reload();

  const tools = page.getByRole("search", { name: "Mes filtres" });
  const cards = page.getByRole("article");
  await expect(tools.getByRole("status")).toHaveText("12 filtres");
  await expect(cards.first()).toContainText("Zèbre");
  await expect(cards.last()).toContainText(/1 trouvé aujourd.hui\s·\s1 acheté sur 2/u);
  await expect(cards.last()).toContainText("Robe à la douzaine");
  // A pause does not make it forget what it found.
  await cards.last().getByRole("switch", { name: "Actif" }).click({ force: true });
  await expect(cards.last()).toContainText("Il ne cherche plus");
  await expect(cards.last()).toContainText(/1 trouvé aujourd.hui\s·\s1 acheté sur 2/u);
  await expect(cards.last()).toContainText("Robe à la douzaine");
  await tools.getByLabel("Trier les filtres").selectOption("Trouvailles du jour");
  await expect(cards.first()).toContainText("Aaa trouveur");
  await tools.getByLabel("Trier les filtres").selectOption("Par nom");
  await expect(cards.nth(2)).toContainText("Numéro 2");
  await tools.getByLabel("Chercher dans mes filtres").fill("douzieme");
  await expect(cards).toHaveCount(1);
  await expect(cards).toContainText("Zèbre");
  await tools.getByLabel("Chercher dans mes filtres").fill("rien de tel");
  await expect(page.getByText("Aucun de vos filtres ne correspond à la recherche.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Gérer" })).toHaveCount(0);
});

test("on a phone the three screens are under the thumb, and the summary of purchases is one row", async ({
  page,
  market,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await signIn(page, "seeker-pouce");
  await addFilter(page, { tag: "Pouce", limit: 50, mots: ["pouce"] });
  await market.publish({ title: "Robe du pouce", price: 10 });
  const card = page.getByRole("article").filter({ hasText: "Robe du pouce" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();

  const bar = page.getByRole("navigation", { name: "Écrans" });
  for (const [name, path] of [
    ["Filtres", "filtres"],
    ["Produits", "articles"],
    ["Achats", "achats"],
  ] as const) {
    await bar.getByRole("link", { name }).click();
    await expect(page).toHaveURL(new RegExp(`/synapse/${path}`));
    await expect(bar.getByRole("link", { name })).toHaveAttribute("aria-current", "page");
    await expect(bar).toBeInViewport({ ratio: 1 });
  }
  // The message about the purchase stays until it is closed.
  await page.getByRole("alert").getByRole("button", { name: "Fermer le message" }).click();
  const summary = page.getByRole("region", { name: "Bilan" });
  await expect(summary.getByText("Réussite")).toBeHidden();
  expect((await summary.boundingBox())?.height).toBeLessThan(60);
  await expect(card).toBeInViewport();
  await summary.locator("summary").first().click();
  await expect(summary.getByText("Réussite")).toBeVisible();
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  await expect(bar).toHaveCount(0);
});

test("the rail of the settings leads to each of their sections", async ({ page }) => {
  await signIn(page, "seeker-rail");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  const rail = settings.getByRole("navigation", { name: "Sections des paramètres" });
  await expect(rail.getByRole("button").first()).toHaveText("Données Vinted");
  const hints = settings.getByText(/^Enregistré (avec|aussitôt)/);
  const [byButton, atOnce] = ["Enregistré avec « Sauvegarder »", "Enregistré aussitôt"];
  // The account and how it is disconnected, the address and the limits; then what is not part of the form.
  const others = Array.from({ length: 5 }, () => atOnce);
  await expect(hints).toHaveText([byButton, atOnce, byButton, byButton, ...others]);
  await settings.getByText("Cet appareil", { exact: true }).waitFor();
  expect(await settings.innerText()).not.toMatch(/jeton|(?<!\p{L})clés?(?!\p{L})|refresh/iu);
  for (const title of ["Compte", "Garde-fous", "Données Vinted"]) {
    await rail.getByRole("button", { name: title, exact: true }).click();
    await expect(settings.getByRole("region", { name: title, exact: true })).toBeFocused();
    await expect(settings.getByRole("heading", { name: title, exact: true })).toBeInViewport();
  }
  // On narrow screens a select replaces the list of sections.
  await page.setViewportSize({ width: 320, height: 640 });
  await settings.getByLabel("Sections des paramètres").selectOption("Garde-fous");
  await expect(settings.getByRole("region", { name: "Garde-fous", exact: true })).toBeFocused();
});

test("more than a thousand purchases are read page by page, also with unreadable ones, and exported as one file", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-mille");
  await addFilter(page, { tag: "Mille", limit: 50, mots: ["mille"] });
  await market.publish({ title: "Robe mille", price: 10 });
  const card = page.getByRole("article").filter({ hasText: "Robe mille" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await page.route("**/vinted/purchases*", async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(/\?.*/u, "") });
    const text = await response.text();
    const lastId = new URL(route.request().url()).searchParams.get("avant");
    const [from, count] = lastId === null ? [0, 1_000] : [1_000, 5];
    const [one = ""] = /\{"_id".*\}(?=\]\})/u.exec(text) ?? [];
    // The first purchase of each page is invalid.
    const purchases = Array.from({ length: count }, (_, index) =>
      one.replace(/"_id":"[^"]*"/u, index === 0 ? '"_id":null' : `"_id":"achat-${from + index}"`),
    );
    await route.fulfill({ response, body: `{"purch":[${purchases.join(",")}]}` });
  });
  await page.goto("/synapse/achats");
  await expect(page.getByRole("tab", { name: /^Tous les achats \(1\s003\)$/u })).toBeVisible();
  await expect(page.getByText("2 achats n'ont pas pu être lus")).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Exporter (CSV)" }).click();
  const file = await readFile(await (await download).path(), "utf8");
  expect(file.trimEnd().split("\r\n")).toHaveLength(1_004);
  await expect(page.getByRole("alert")).toContainText("achats enregistrés dans synapse-achats.csv");
});

test("the stop ends automatic purchases only, and going on is asked for", async ({ page, market }) => {
  await signIn(page, "thunder-frein");
  await expect(page.getByRole("navigation", { name: "Menu principal" })).toContainText(
    "Aucun achat automatique",
  );
  await addFilter(page, { tag: "Frein", limit: 50, autobuy: true, mots: ["frein"] });
  await page.reload();
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await expect(menu.getByText("1 filtre achète pour vous")).toBeVisible();
  await menu.getByRole("button", { name: "Tout arrêter" }).click();
  await expect(menu.getByText("Achats automatiques arrêtés")).toBeVisible();
  const stopped = await market.publish({ title: "Robe au frein", price: 10 });
  const card = page.getByRole("article").filter({ hasText: "Robe au frein" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  expect(await market.ordersOf(stopped)).toMatchObject([{ payments: 1 }]);
  const purchases = await page.evaluate(async () => await (await fetch("/vinted/purchases")).text());
  expect(purchases).toContain('"source":"clic"');
  expect(purchases).not.toContain('"source":"auto"');

  await menu.getByRole("button", { name: "Reprendre" }).click();
  const question = page.getByRole("dialog", { name: "Reprendre les achats automatiques ?" });
  await expect(question).toContainText("dans la limite de vos garde-fous");
  await question.getByRole("button", { name: "Reprendre" }).click();
  await expect(menu.getByText("1 filtre achète pour vous")).toBeVisible();
  const resumed = await market.publish({ title: "Robe sans frein", price: 10 });
  await expect.poll(() => market.ordersOf(resumed)).toMatchObject([{ state: "paid", payments: 1 }]);
});

/** Makes the page throw when it formats one of these numbers. */
async function failOn(page: Page, ...numbers: readonly number[]): Promise<void> {
  await page.addInitScript(`
    Intl.NumberFormat = class extends Intl.NumberFormat {
      get format() {
        const format = super.format;
        return (value) => {
          if (${JSON.stringify(numbers)}.includes(value)) throw new Error("a number that was planted");
          return format(value);
        };
      }
    };
  `);
}

test("a rendering error removes only its card or row, or at most its page", async ({ page, market }) => {
  await signIn(page, "seeker-casse");
  await addFilter(page, { tag: "Cassés", limit: 431, mots: ["cassé"] });
  await addFilter(page, { tag: "Entiers", limit: 50, mots: ["entier"] });
  await market.publish({ title: "Vase cassé", price: 20 });
  await market.publish({ title: "Vase entier", price: 30 });
  await page.reload();
  const broken = page.getByRole("article").filter({ hasText: "Vase cassé" });
  const whole = page.getByRole("article").filter({ hasText: "Vase entier" });
  for (const card of [broken, whole]) {
    await press(card.getByRole("button", { name: "Acheter" }));
    await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  }
  const price = await amountIn(broken);
  await page.getByRole("link", { name: "Achats" }).click();
  await expect(page.getByRole("article")).toHaveCount(2);
  const paid = await amountIn(broken);

  await page.evaluate(() => localStorage.setItem("synapse.filter-card-sections", '["Limite de prix"]'));
  await failOn(page, paid, price, 431);
  for (const part of ["bilan", "help-modal"])
    await page.route(`**/assets/${part}-*.js`, (route) => route.abort());
  await page.goto("/synapse/articles");
  await expect(whole).toBeVisible();
  await expect(broken).toHaveCount(0);
  await drawn(page);
  await page.keyboard.press("?");
  await expect(page.getByRole("alert")).toContainText("Cette fenêtre n'a pas pu s'ouvrir");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await page.getByRole("link", { name: "Achats" }).click();
  await expect(page.getByText("Cet achat n'a pas pu s'afficher")).toHaveCount(1);
  await expect(page.getByText("Cette partie n'a pas pu s'afficher. Rechargez la page.")).toHaveCount(1);
  await expect(whole).toBeVisible();
  await page.getByRole("link", { name: "Filtres", exact: true }).click();
  const filters = page.getByRole("article");
  await expect(filters.filter({ hasText: "Entiers" }).getByRole("switch", { name: "Actif" })).toBeVisible();
  await expect(filters.filter({ hasText: "Cassés" }).getByRole("switch")).toHaveCount(0);

  await page.route(/assets\/achats-page-.*\.js$/, (route) =>
    route.fulfill({ contentType: "text/javascript", body: "throw new Error('planted');" }),
  );
  await page.reload();
  await page.getByRole("link", { name: "Achats" }).click();
  await expect(page.getByRole("heading", { name: "Cette page n'a pas pu s'afficher" })).toBeVisible();
  await expect(page.locator("main")).toHaveCount(1);
  await page.getByRole("link", { name: "Produits", exact: true }).click();
  await expect(whole).toBeVisible();
});

test("the articles stay when the offer of alerts below them cannot be loaded", async ({ page, market }) => {
  await signIn(page, "seeker-sansoffre");
  await addFilter(page, { tag: "Offre", limit: 50, mots: ["sansoffre"] });
  await market.publish({ title: "Robe sansoffre", price: 10 });
  await page.route("**/assets/alerts-*.js", (route) => route.abort());
  const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/assets/alerts-"));
  await page.reload();
  await failed;
  await settled(page);
  await expect(page.getByRole("article").filter({ hasText: "Robe sansoffre" })).toBeVisible();
});

/** The first amount in a card or row. */
async function amountIn(article: Locator): Promise<number> {
  const [amount = ""] = /\d+,\d\d/.exec((await article.textContent()) ?? "") ?? [];
  return Number(amount.replace(",", "."));
}
