import type { Page } from "@playwright/test";
import { addFilter, expect, focusTaken, signIn, test } from "./journey.ts";
import type { Product } from "./product.ts";

// History must be added before anything is published, and the journeys count its listings.
test.use({ marketName: "replay" });

const HOUR_MS = 3_600_000;
const T_SHIRT_LEAF = 221;

/** Sixty T-shirts by Zara over two weeks, from 20 to 39 EUR without fees. */
async function addHistory({ sandbox }: Product): Promise<void> {
  const nowMs = Date.now();
  const listings = Array.from({ length: 60 }, (_, index) => ({
    title: `T-shirt ${index}`,
    brand_title: "Zara",
    catalog_id: T_SHIRT_LEAF,
    price: 20 + (index % 20),
    seller: `vendeuse-${index}`,
    at: nowMs - (60 - index) * 6 * HOUR_MS,
  }));
  await sandbox.control("POST", "/history", listings);
  await expect
    .poll(async () => await sandbox.control("GET", "/history"), { timeout: 60_000 })
    .toMatchObject({ read: 60 });
}

test.beforeAll(async ({ product }) => addHistory(product));

async function openForm(page: Page) {
  await page.goto("/synapse/filtres?nouveau=true");
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("Décrivez ce que vous cherchez")).toBeFocused();
  return { form, preview: form.getByRole("status", { name: "Aperçu du filtre" }) };
}

test("a newcomer's first filter says what it would have found in a month while it is written", async ({
  page,
}) => {
  await signIn(page, "acquire-rejeu");
  const { form, preview } = await openForm(page);
  // Nothing has been searched yet.
  await expect(preview).not.toContainText("derniers jours");
  await page.keyboard.type("T-shirt Zara moins de 30 €");
  await page.keyboard.press("Enter");
  await expect(preview).toContainText("Ces 30 derniers jours : 24 articles");
  await expect(preview).toContainText("Historique d'exemple jusqu'au");
  await expect(form.getByText(/La moins chère\s: 21,70\s€ — à 35\s€, 15 articles de plus/)).toBeVisible();

  await form.getByRole("switch", { name: "Acquire" }).click({ force: true });
  await expect(preview).toContainText(/24 articles, dont \d+ auraient été achetés \(/);
  await form.getByLabel("Sous le prix habituel").selectOption("Les 10 % les moins chers");
  await expect(form.getByLabel("Sous le prix habituel")).toHaveAccessibleDescription(
    /Pour acheter seul\s: au moins 20 annonces semblables, vues sur 7 jours\./,
  );
  await form.getByLabel(/Limite de prix/).fill("10");
  await expect(preview).toContainText("Ces 30 derniers jours : aucun article");
});

test("the figures of a filter with conditions on sellers say that they do not count these", async ({
  page,
}) => {
  await signIn(page, "acquire-reserve");
  const { form, preview } = await openForm(page);
  await page.keyboard.type("T-shirt Zara moins de 30 €");
  await page.keyboard.press("Enter");
  await expect(preview).toContainText("Ces 30 derniers jours : 24 articles");
  await expect(preview).not.toContainText("conditions sur le vendeur");
  await form.getByText("Options avancées").click();
  await form.getByText("Vendeur", { exact: true }).click();
  await form.getByLabel("Note minimum").fill("5");
  await expect(preview).toContainText("Ces 30 derniers jours : 24 articles");
  await expect(preview).toContainText("Les conditions sur le vendeur ne sont pas comptées");
  await form.getByLabel("Ignorer les republications").check();
  await expect(preview).toContainText("Le nombre sur 24 h compte aussi les republications.");
});

test("a filter for good prices says that it needs precise types", async ({ page }) => {
  await signIn(page, "acquire-types");
  const { form } = await openForm(page);
  const bargain = form.getByLabel("Sous le prix habituel");
  await bargain.selectOption("Les 10 % les moins chers");
  await expect(bargain).toHaveAccessibleDescription(/choisissez des types/);
  await form.getByLabel("Décrivez ce que vous cherchez").fill("T-shirt Zara moins de 30 €");
  await page.keyboard.press("Enter");
  await expect(bargain).not.toHaveAccessibleDescription(/choisissez des types/);
});

test("a run that a newer one replaced is asked again without a word; one that failed says so", async ({
  page,
}) => {
  await signIn(page, "acquire-remplace");
  const answers = [
    { status: 409, error: "Un calcul plus récent a remplacé celui-ci." },
    { status: 429, error: "Trop de calculs attendent leur tour : réessayez dans quelques secondes." },
  ];
  await page.route("**/filtres/rejeu", async (route) => {
    const answer = answers.shift();
    if (answer === undefined) await route.fallback();
    else
      await route.fulfill({
        status: answer.status,
        contentType: "application/json",
        body: JSON.stringify({ success: false, error: answer.error }),
      });
  });
  const { preview } = await openForm(page);
  await page.keyboard.type("T-shirt Zara moins de 30 €");
  await page.keyboard.press("Enter");
  await expect(preview).toContainText("Trop de calculs attendent leur tour");
  await expect(preview).not.toContainText("remplacé");
  await preview.getByRole("button", { name: "Réessayer" }).click();
  await expect(preview).toContainText("Ces 30 derniers jours : 24 articles");
});

test("a filter's card leads by keyboard to its month, and says that it wants a good price", async ({
  page,
}) => {
  await signIn(page, "thunder-mois");
  const wanted = { types: { ids: [T_SHIRT_LEAF] }, brands: { ids: [12] }, limit: 30 };
  await addFilter(page, { ...wanted, tag: "Affaires", bon_prix: 10 });
  await addFilter(page, { ...wanted, tag: "T-shirts du mois", autobuy: true });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("article", { name: "Affaires" })).toContainText(/Bon prix\s: 10\s%/);
  await page.getByRole("link", { name: "Sur 30 jours : T-shirts du mois" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Sur 30 jours" })).toBeVisible();
  const main = page.getByRole("main");
  await expect(main).toContainText(/30 derniers jours\s: 24 articles, dont \d+ auraient été achetés \(/);
  await expect(main).toContainText(/Face aux autres acheteurs\s: inconnu, moins de 20 tentatives/);
  await expect(main).toContainText(/Vu depuis le .* jours sur 30\)/);
  const days = page.getByRole("table", { name: "Articles par jour" });
  await expect(days.getByRole("row")).toHaveCount(31);
  for (const list of ["Les moins chers", "Les plus chers"])
    await expect(page.getByRole("region", { name: list }).getByRole("listitem")).toHaveCount(15);
  await expect(main.getByText("Aurait été acheté", { exact: true }).first()).toBeVisible();
  await expect(main.getByText("Acheté", { exact: true })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Et autrement ?" }).getByRole("listitem")).toContainText([
    /sans la marque Zara\s: aucun de plus/,
    /avec 5\s€ de plus\s: 15 de plus/,
  ]);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(320);

  // In a forced palette the bars have its colours: articles are outlined, purchases filled.
  await page.emulateMedia({ forcedColors: "active" });
  const styleOf = async (element: string, property: string) =>
    await page.evaluate<string>(`getComputedStyle(document.querySelector("${element}")).${property}`);
  const [text, ground] = [await styleOf("body", "color"), await styleOf("body", "backgroundColor")];
  expect(text).not.toBe(ground);
  const bar = (kind: string) => main.locator(`.day-bars__${kind}:not([height='0'])`).first();
  await expect(bar("count")).toHaveCSS("fill", ground);
  await expect(bar("count")).toHaveCSS("stroke", text);
  await expect(bar("part")).not.toHaveCSS("fill", ground);
  const key = 'document.querySelector(".day-bars__legend [data-key=part]"), "::before"';
  const keyColour = await page.evaluate<string>(`getComputedStyle(${key}).backgroundColor`);
  await expect(bar("part")).toHaveCSS("fill", keyColour);
  await page.emulateMedia({ forcedColors: null });

  // A filter that does not buy shows no purchases, so its bars have no second part without a legend.
  await page.goto("/synapse/filtres");
  await page.getByRole("link", { name: "Sur 30 jours : Affaires" }).press("Enter");
  await expect(main.getByRole("figure", { name: "Articles par jour" })).toBeVisible();
  await expect(main.locator(".day-bars__part:not([height='0'])")).toHaveCount(0);

  // Nothing is bought, and other people's filters are not accessible.
  await page.goto("/synapse/filtres/rejeu?f=autre");
  await expect(page.getByText("Filtre introuvable")).toBeVisible();
  await page.getByRole("link", { name: "Mes filtres" }).press("Enter");
  await expect(page.getByRole("article")).toHaveCount(2);
});

test.describe("without the service worker, which would load the page itself", () => {
  test.use({ serviceWorkers: "block" });

  test("an installation that keeps a week of the market says so, and after how many days it trusts a price", async ({
    page,
  }) => {
    await signIn(page, "thunder-semaine");
    const wanted = { types: { ids: [T_SHIRT_LEAF] }, brands: { ids: [12] }, limit: 30 };
    await addFilter(page, { ...wanted, tag: "Affaires", bon_prix: 10, autobuy: true });
    await page.route("**/synapse/filtres", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text())
        .replace('name="archive-days" content="30"', 'name="archive-days" content="7"')
        .replace('name="price-days" content="7"', 'name="price-days" content="3"');
      await route.fulfill({ response: answer, body });
    });
    await page.goto("/synapse/filtres");
    const card = page.getByRole("article", { name: "Affaires" });
    await card.getByRole("button", { name: "Modifier" }).click();
    await expect(page.getByRole("dialog").getByLabel("Sous le prix habituel")).toHaveAccessibleDescription(
      /au moins 20 annonces semblables, vues sur 3 jours\./,
    );
    await focusTaken(page.getByRole("dialog"));
    await page.keyboard.press("Escape");
    await card.getByRole("link", { name: "Sur 7 jours : Affaires" }).press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: "Sur 7 jours" })).toBeVisible();
    await page.getByRole("link", { name: "Prix du marché" }).click();
    await expect(page.getByText("Prix demandés sur 7 jours, hors livraison")).toBeVisible();
  });
});
