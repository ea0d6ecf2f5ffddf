import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./journey.ts";
import type { Product } from "./product.ts";

// The history is given before anything is published, and its listings are counted.
test.use({ marketName: "replay" });

const HOUR_MS = 3_600_000;
const T_SHIRT_LEAF = 221;

/** Sixty T-shirts by Zara over two weeks, from 20 to 39 EUR without fees. */
async function giveHistory({ sandbox }: Product): Promise<void> {
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
    .poll(async () => await sandbox.control("GET", "/history"), { timeout: 20_000 })
    .toMatchObject({ read: 60 });
}

test.beforeAll(async ({ product }) => giveHistory(product));

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
  // Nothing is looked for yet.
  await expect(preview).not.toContainText("derniers jours");
  await page.keyboard.type("T-shirt Zara moins de 30 €");
  await page.keyboard.press("Enter");
  await expect(preview).toContainText("Ces 30 derniers jours : 24 articles");
  await expect(preview).toContainText("Historique d'exemple jusqu'au");
  await expect(form.getByText(/La moins chère\s: 21,70\s€ — à 35\s€, 15 articles de plus/)).toBeVisible();

  await form.getByText("Achat, partage et options").click();
  await form.getByRole("switch", { name: "Acquire" }).click({ force: true });
  await expect(preview).toContainText(/24 articles, dont \d+ auraient été achetés \(/);
  await form.getByLabel("Sous le prix habituel").selectOption("Les 10 % les moins chers");
  await expect(form.getByLabel("Sous le prix habituel")).toHaveAccessibleDescription(
    /Pour acheter seul\s: au moins 20 annonces semblables, vues sur 7 jours\./,
  );
  await form.getByLabel(/Limite de prix/).fill("10");
  await expect(preview).toContainText("Ces 30 derniers jours : aucun article");
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
