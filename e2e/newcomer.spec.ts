import type { Page } from "@playwright/test";
import { addFilter, expect, focusTaken, openWithFilter, press, signIn, test } from "./journey.ts";

// The first journey needs an empty market, and all of them count its listings.
test.use({ marketName: "newcomer" });

const dress = { title: "Robe fleurie", brand_title: "Zara", catalog_id: 178, price: 14 };

/** Counts the clicks on all documents that the page opens from now on. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction("noteClick", () => {
    clicks += 1;
  });
  await page.addInitScript("addEventListener('click', () => noteClick(), true)");
  return () => clicks;
}

test("the very first person sees the market, and filters that find something, without any filter", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-toutpremier");
  await expect(page.getByText("Rien n'a été vu sur le marché")).toBeVisible();
  const preview = page.getByRole("region", { name: "Le marché en ce moment" });
  await expect(preview).toHaveCount(0);
  for (const brand of ["Nike", "Puma", "Kiabi"].flatMap((name) => [name, name, name]))
    await market.publish({ ...dress, title: "Robe d'ouverture", brand_title: brand });
  await expect(preview.getByText("Robe d'ouverture")).toHaveCount(9);
  await expect(page.getByRole("button", { name: /^Lancer « (Nike|Puma|Kiabi) »/ })).toHaveCount(3);
});

test("while nothing was seen, everything that arrives is one click away", async ({ page, market }) => {
  await page.route("**/articles/marche", (route) => route.fulfill({ json: { items: [], filtres: [] } }));
  await signIn(page, "seeker-premier");
  await expect(page.getByRole("heading", { name: "Premiers pas" })).toBeVisible();
  // By keyboard: what arrives is held back while a pointer rests on a card.
  await page.getByRole("button", { name: /^Lancer « Toutes les nouveautés »/ }).press("Enter");
  await expect(page.getByRole("heading", { name: "Premiers pas" })).toHaveCount(0);
  await market.publish({ ...dress, title: "Robe du premier jour" });
  await expect(page.getByRole("article").filter({ hasText: "Robe du premier jour" })).toBeVisible();
});

test("the first steps are shown also while the settings cannot be read", async ({ page }) => {
  await page.route("**/vinted/get", (route) =>
    route.fulfill({ status: 503, json: { error: "Indisponible." } }),
  );
  await signIn(page, "seeker-premier-pas");
  await expect(page.getByRole("heading", { name: "Premiers pas" })).toBeVisible();
});

test("three clicks lead from the landing page through the sign-in to matching articles", async ({
  page,
  market,
  browser,
  baseURL,
}) => {
  // Another person's filter makes the product read the market.
  const other = await browser.newPage({ baseURL: baseURL ?? "" });
  await signIn(other, "seeker-voisine");
  await addFilter(other, { tag: "Robes mini", types: { ids: [178] }, limit: 50, private: true });
  // Four frequent pairs of brand and category: one more than the page offers.
  for (const brand of ["H&M", "Levi's", "Mango"].flatMap((name) => [name, name, name]))
    await market.publish({ ...dress, title: "Robe longue", brand_title: brand });
  for (const title of ["Robe à pois", "Robe rouge", "Robe noire", "Robe d'été"])
    await market.publish({ ...dress, title });
  await expect(other.getByRole("article").filter({ hasText: "Robe d'été" })).toBeVisible();
  await other.close();

  const clicks = await countClicks(page);
  await page.goto("/");
  await page.getByRole("link", { name: "Rejoindre Dès Maintenant" }).click();
  await page.getByText("seeker-camille").first().click();
  await expect(page.getByRole("button", { name: /^Lancer « / })).toHaveCount(3);
  const preview = page.getByRole("region", { name: "Le marché en ce moment" });
  await expect(preview.getByText("Robe à pois")).toBeVisible();
  await expect(preview.getByRole("button")).toHaveCount(0);
  // Dimmed, because they cannot be bought here.
  await expect(preview.locator(".photo").first()).not.toHaveCSS("opacity", "1");
  await page.getByRole("button", { name: /^Lancer « Zara · .*Mini/ }).click();
  await expect(page.getByRole("article").filter({ hasText: "Robe à pois" })).toBeVisible();
  expect(clicks()).toBe(3);
  // The focus went to the page's content, and the page stayed at its top.
  await expect(page.locator("main")).toBeFocused();
  expect(await page.evaluate("scrollY")).toBe(0);
  await expect(page.getByText("Filtre « Zara", { exact: false }).first()).toBeVisible();

  await page.getByRole("link", { name: "Filtres", exact: true }).click();
  const card = page.getByRole("article").filter({ hasText: "Zara" });
  await expect(card.getByRole("switch", { name: "Actif" })).toBeChecked();
  await expect(card.getByRole("switch", { name: "Privé" })).toBeChecked();
});

test("a public filter that finds something is copied and runs", async ({
  page,
  browser,
  baseURL,
  market,
}) => {
  const owner = await browser.newPage({ baseURL: baseURL ?? "" });
  await signIn(owner, "seeker-partage");
  await addFilter(owner, { tag: "Vestes à partager", mots: ["veste"], limit: 80 });
  await market.publish({ title: "Veste en jean", brand_title: "Levi's", price: 20, catalog_id: 178 });
  await expect(owner.getByRole("article").filter({ hasText: "Veste en jean" })).toBeVisible();
  await owner.close();

  await signIn(page, "seeker-copie");
  const start = page.getByRole("button", { name: /^Lancer « Vestes à partager »/ });
  // The copy is made, and setting it going fails: it is shown as it is, and not copied again.
  const error = "Le serveur est en panne.";
  await page.route("**/filtres/edit", (route) => route.fulfill({ status: 500, json: { error } }), {
    times: 1,
  });
  await start.press("Enter");
  await expect(page.getByText(error)).toBeVisible();
  await expect(start).toHaveCount(0);
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(false);
  await page.getByRole("button", { name: "Réactiver" }).click();
  await expect(page.getByRole("article").filter({ hasText: "Veste en jean" })).toBeVisible();
});

test("a filter that is too narrow says what a wider one finds, and is widened with one click", async ({
  page,
  market,
  browser,
  baseURL,
}) => {
  const other = await browser.newPage({ baseURL: baseURL ?? "" });
  await signIn(other, "seeker-large");
  // Below a newcomer's first steps the article would be out of sight, and not rendered.
  await openWithFilter(other, { tag: "Tout", limit: 100, private: true });
  await market.publish({ ...dress, title: "Trench beige", price: 30 });
  await expect(other.getByRole("article").filter({ hasText: "Trench beige" })).toBeVisible();
  await other.close();

  await signIn(page, "seeker-etroit");
  await addFilter(page, { tag: "Trench", mots: ["trench"], limit: 20 });
  await page.reload();
  const why = page.getByRole("region", { name: "Pourquoi rien ?" });
  await expect(why).toContainText("Avec une limite de 35 € : 1 article");
  await why.getByRole("button", { name: "Passer la limite à 35 €" }).click();
  await expect(page.getByRole("article").filter({ hasText: "Trench beige" })).toBeVisible();
});

test("an empty stream says that the market is paused, and how it goes on", async ({ page, product }) => {
  await signIn(page, "seeker-panne");
  await addFilter(page, { tag: "Parkas", mots: ["parka"] });
  await page.reload();
  const live = page.getByRole("status").filter({ hasText: "En direct" });
  await expect(live).toBeVisible();
  await product.sandbox.arm({ kind: "server_error", route: "catalog", rate: 1 });
  const why = page.getByRole("region", { name: "Pourquoi rien ?" });
  await expect(why).toContainText("Le flux est en pause");
  await expect(why).toContainText("il reprend de lui-même");
  await page.getByRole("button", { name: "État du service et arrêt des achats" }).click();
  await expect(page.getByRole("dialog")).toContainText("En pause");
  await focusTaken(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  await product.sandbox.clearFaults();
  await expect(live).toBeVisible();
  await expect(page.getByText("Le flux est en pause")).toHaveCount(0);
});

test("an empty stream says when it reconnects, and what the person must do to get it back", async ({
  page,
}) => {
  await signIn(page, "seeker-coupe");
  await addFilter(page, { tag: "Capes", mots: ["cape"] });
  await page.route(/\/assets\/esm-/u, (route) => route.abort());
  await page.reload();
  const why = page.getByRole("region", { name: "Pourquoi rien ?" });
  await expect(why).toContainText("Rechargez la page.");
  await expect(why).not.toContainText("Rien à faire");
});

test("a stream that is empty for the person's own reasons says which, with the way back", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-vide");
  await addFilter(page, { tag: "Gilets", mots: ["gilet"], active: false });
  await page.reload();
  const why = page.getByRole("region", { name: "Pourquoi rien ?" });
  await expect(why).toContainText("Votre filtre est en pause");
  await page.route("**/filtres/get", (route) => route.fulfill({ status: 500, json: { error: "Non." } }));
  await page.reload();
  await expect(page.getByText("Vos filtres : lecture impossible")).toBeVisible();
  await page.unroute("**/filtres/get");
  // On a busy machine the page may read them by itself before the press.
  await expect(async () => {
    await page
      .getByRole("button", { name: "Réessayer" })
      .click({ timeout: 1_000 })
      .catch(() => undefined);
    await expect(why).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await why.getByRole("button", { name: "Réactiver" }).click();
  // What other tests have published may then make it too narrow.
  await expect(page.getByText("Votre filtre est en pause")).toHaveCount(0);

  await market.publish({ ...dress, title: "Gilet bleu", seller: "vendeur-lassant" });
  await press(page.getByRole("article").getByRole("button", { name: "Bloquer vendeur-lassant" }));
  // Under the pointer the message stays.
  await page.getByRole("alert").filter({ hasText: "vendeur-lassant" }).hover();
  await expect(why).toContainText("1 article vient de vendeurs que vous avez bloqués");
  await page.getByRole("button", { name: "Annuler" }).click();
  await expect(page.getByRole("article").filter({ hasText: "Gilet bleu" })).toBeVisible();
});
