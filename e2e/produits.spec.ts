import type { Locator } from "@playwright/test";
import { addFilter, expect, focusTaken, openWithFilter, signIn, test } from "./journey.ts";

test.use({ marketName: "products" });

test("chips switch filters on and off, the layout is remembered, an unknown size reads N/A", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-puces");
  await addFilter(page, { tag: "Puces", types: { ids: [221] }, limit: 50, mots: ["puce"] });
  await market.publish({ title: "Robe puce", price: 10 });
  const card = page.getByRole("article").filter({ hasText: "Robe puce" });
  for (const label of ["Marque", "Prix", "Taille", "État"]) await expect(card).toContainText(label);
  await expect(card.getByText("N/A")).toBeVisible();
  await expect(card.getByRole("link", { name: "Voir l'annonce sur Vinted" })).toHaveAttribute(
    "href",
    /^http/,
  );

  // The filter was added through the API, so the page knows it only after a reload.
  await page.reload();
  const chip = page.getByRole("button", { name: "Puces" });
  await expect(chip).toHaveAttribute("aria-pressed", "true");
  const edited = page.waitForRequest(/\/filtres\/edit$/);
  await chip.click();
  expect((await edited).postDataJSON()).toMatchObject({ tag: "Puces", active: false, limit: 50 });
  await expect(chip).toHaveAttribute("aria-pressed", "false");
  await expect(page.getByRole("link", { name: "Gérer mes filtres" })).toHaveAttribute(
    "href",
    "/synapse/filtres",
  );
  await page.getByRole("button", { name: "Filtres", exact: true }).click();
  await expect(chip).toHaveCount(0);
  await page.getByRole("button", { name: "Filtres", exact: true }).click();

  await page.getByRole("button", { name: "Liste" }).click();
  await page.reload();
  await expect(page.getByRole("button", { name: "Liste" })).toHaveAttribute("aria-pressed", "true");
  await expect(card).toBeVisible();
});

test("a reader who has scrolled down sees the number of new listings, and shows them by a button", async ({
  page,
  market,
  product,
}) => {
  await signIn(page, "seeker-lecture");
  await addFilter(page, { tag: "Lecture", types: { ids: [221] }, limit: 50, mots: ["lecture"] });
  await product.sandbox.publish(
    Array.from({ length: 40 }, (_, index) => ({ title: `Robe lecture ${index}`, price: 10 })),
  );
  await expect(page.getByText("40 articles trouvés sur Vinted")).toBeVisible();
  // Held articles are counted too, before the list is long enough to be scrolled.
  await expect.poll(() => page.evaluate("document.body.scrollHeight > innerHeight + 1500")).toBe(true);
  await page.mouse.wheel(0, 1_500);
  await expect.poll(() => page.evaluate("scrollY > 500")).toBe(true);
  await market.publish({ title: "Robe lecture neuve", price: 10 });
  await market.publish({ title: "Robe lecture toute neuve", price: 10 });
  await page.getByRole("button", { name: "2 nouveaux articles" }).click();
  await expect(page.getByText("42 articles trouvés sur Vinted")).toBeAttached();
  await expect(page.getByText("Robe lecture toute neuve")).toBeInViewport();
  await expect(page.getByRole("button", { name: "2 nouveaux articles" })).toHaveCount(0);
});

test("J pressed once, far down the list, focuses the first card", async ({ page, product }) => {
  await signIn(page, "seeker-loin");
  await openWithFilter(page, { tag: "Loin", types: { ids: [221] }, limit: 50, mots: ["loin"] });
  await product.sandbox.publish(
    Array.from({ length: 60 }, (_, index) => ({ title: `Robe loin ${index}`, price: 10 })),
  );
  const cards = page.getByRole("article");
  // Of those that are not read yet, none would be in the list that a reload renders.
  await expect(page.getByText("60 articles trouvés sur Vinted")).toBeVisible();
  await page.reload();
  await cards.first().waitFor();
  // The list grows while it is rendered.
  await expect
    .poll(() => page.evaluate("scrollTo(0, document.body.scrollHeight); scrollY"))
    .toBeGreaterThan(3_000);
  await page.keyboard.press("j");
  await expect(cards.first()).toBeFocused();
  expect(await page.evaluate("scrollY")).toBeLessThan(1_000);

  // Held down, J repeats before the next card is rendered.
  const idOf = async (card: Locator): Promise<string | null> => await card.getAttribute("data-listing");
  const focused = page.locator("[data-listing]:focus");
  await cards.last().focus();
  const last = await idOf(focused);
  await page.evaluate(
    `for (const key of "jjj") document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))`,
  );
  await expect.poll(async () => await idOf(focused)).not.toBe(last);
  for (const key of "kkk") await page.keyboard.press(key);
  expect(await idOf(focused)).toBe(last);
});

test("the keyboard walks, buys, searches, goes to the filters and shows its help", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-touches");
  await addFilter(page, { tag: "Touches", types: { ids: [221] }, limit: 50, mots: ["touche"] });
  await market.publish({ title: "Robe touche une", price: 10 });
  await expect(page.getByRole("article")).toHaveCount(1);
  await market.publish({ title: "Robe touche deux", price: 10 });
  await expect(page.getByRole("article")).toHaveCount(2);
  const [first, second] = [page.getByRole("article").nth(0), page.getByRole("article").nth(1)];

  // Without a focused card nothing is bought.
  await page.keyboard.press("a");
  await page.keyboard.press("j");
  await expect(first).toBeFocused();
  await page.keyboard.press("j");
  await expect(second).toBeFocused();
  await page.keyboard.press("k");
  await expect(first).toBeFocused();

  const { promise: isSeen, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/purchase/click", async (route) => {
    await isSeen;
    await route.continue();
  });
  await expect(first.getByRole("button", { name: "Acheter" })).toBeEnabled();
  await page.keyboard.press("a");
  await expect(first.getByRole("button", { name: "Achat en cours" })).toBeDisabled();
  answer();
  await expect(first.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect(second.getByRole("button", { name: "Acheter" })).toBeEnabled();

  await page.keyboard.press("/");
  await expect(page.getByLabel("Chercher dans les articles")).toBeFocused();
  await page.keyboard.type("une");
  await expect(page.getByRole("article")).toHaveCount(1);
  await page.getByRole("heading", { name: "Produits" }).click();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Raccourcis clavier" });
  await focusTaken(help);
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/\/synapse\/filtres/);
});
