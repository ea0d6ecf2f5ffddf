import type { Page } from "@playwright/test";
import type { Product } from "./product.ts";
import { addFilter, expect, signIn, test } from "./journey.ts";

// History must be added before anything is published.
test.use({ marketName: "prix" });
test.describe.configure({ mode: "serial" });

const T_SHIRTS = 221;
const ZARA = 12;
const HOUR_MS = 3_600_000;

/** Sixty T-shirts of Zara over two weeks, from 20 to 39 EUR. */
async function addHistory({ sandbox }: Product): Promise<void> {
  const nowMs = Date.now();
  const past = Array.from({ length: 60 }, (_, index) => ({
    title: `Passé ${index}`,
    brand_title: "Zara",
    price: 20 + (index % 20),
    seller: `vendeuse-${index}`,
    at: nowMs - (60 - index) * 6 * HOUR_MS,
  }));
  await sandbox.control("POST", "/history", past);
  await expect
    .poll(async () => await sandbox.control("GET", "/history"), { timeout: 60_000 })
    .toEqual({ given: 60, read: 60 });
}

test.beforeAll(async ({ product }) => {
  await addHistory(product);
});

/** Signs in and adds a filter that buys articles with the person's name in the title. */
async function cautiousBuyer(page: Page, word: string): Promise<void> {
  await signIn(page, `thunder-${word}`);
  await expect(page).toHaveURL(/\/synapse\/articles/);
  const criteria = { types: { ids: [T_SHIRTS] }, brands: { ids: [ZARA] }, mots: [word] };
  await addFilter(page, { tag: "Prudence", ...criteria, limit: 60, autobuy: true });
  await page.getByText("En direct", { exact: true }).waitFor();
}

const missedWindow = (page: Page) => page.getByRole("dialog", { name: "Achats manqués" });
const toConfirm = (page: Page) => missedWindow(page).getByRole("region", { name: "À confirmer" });
const rowOf = (page: Page, title: string) => toConfirm(page).getByRole("listitem", { name: title });

/** Presses the button with a new price in the moment in which it is drawn. */
const PRESS_DEARER_AT_ONCE = `new MutationObserver((_changes, observer) => {
  const button = [...document.querySelectorAll("button")].find((one) => one.textContent.startsWith("Acheter à"));
  if (button === undefined) return;
  observer.disconnect();
  button.click();
  window.hasPressed = true;
}).observe(document.body, { subtree: true, childList: true, characterData: true })`;

async function openMissed(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Achats manqués" }).click();
  await missedWindow(page).waitFor();
}

test("a listing that is too cheap needs confirmation: its message leads to it, keys buy it, both tabs show it", async ({
  page,
  context,
  market,
}) => {
  await cautiousBuyer(page, "prudente");
  const listing = { title: "Blouse prudente", brand_title: "Zara", price: 2 };
  const listingId = await market.publish(listing);
  const asked = page.getByRole("alert").filter({ hasText: "Blouse prudente" });
  await expect(asked).toContainText(/Trop beau pour être vrai\s: 2,80\s€ au lieu de 2\d–3\d\s€\./u);
  await asked.getByRole("button", { name: "Voir et décider" }).click();
  await expect(page).toHaveURL(/\/synapse\/achats\?manques=true/);
  await expect(asked).toHaveCount(0);
  const row = rowOf(page, "Blouse prudente");
  await expect(row).toContainText("Rien n'a été acheté.");
  expect(await market.ordersOf(listingId)).toEqual([]);

  const other = await context.newPage();
  await other.goto("/synapse/articles");
  const card = other.getByRole("article").filter({ hasText: "Blouse prudente" });
  const usual = card.getByTitle("Prix demandés, hors livraison");
  await expect(usual).toContainText(/habituellement 2\d–\u2060?3\d\s€.*moins cher que \d+\s% de \d+/u);
  await expect(usual.locator("svg")).toBeVisible();
  await other.goto("/synapse/achats");
  await openMissed(other);
  await expect(rowOf(other, "Blouse prudente")).toBeVisible();

  await row.getByRole("button", { name: "Acheter" }).focus();
  await page.keyboard.press("Enter");
  // The row stays in place: another one there could be bought by the next press.
  for (const tab of [page, other]) {
    const answered = rowOf(tab, "Blouse prudente");
    await expect(answered.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
    await expect(answered.getByText("Rien n'a été acheté.")).toBeHidden();
  }
  await expect
    .poll(async () => await market.ordersOf(listingId))
    .toMatchObject([{ account: "thunder-prudente", state: "paid", payments: 1 }]);
  await page.keyboard.press("Escape");
  await expect(missedWindow(page)).toHaveCount(0);
  await expect(page).toHaveURL(/\/synapse\/achats$/);
  await openMissed(page);
  await expect(missedWindow(page)).toContainText("Rien n'a été manqué");
});

test("a changed price is refused and shown; a sold listing is listed as missed, where its seller is blocked", async ({
  page,
  market,
  product,
}) => {
  await cautiousBuyer(page, "changeante");
  const dearer = await market.publish({ title: "Jupe changeante", brand_title: "Zara", price: 2 });
  const seller = "vendeuse-pressee";
  const sold = await market.publish({ title: "Veste changeante", brand_title: "Zara", price: 2, seller });
  await page.getByRole("button", { name: "Les voir et décider" }).click();
  await expect(toConfirm(page).getByRole("listitem", { name: /changeante/ })).toHaveCount(2);

  await product.sandbox.changePrice(dearer, 4);
  const skirt = rowOf(page, "Jupe changeante");
  await page.evaluate(PRESS_DEARER_AT_ONCE);
  await skirt.getByRole("button", { name: "Acheter" }).click();
  // The second click of a hurried hand buys nothing at the new price.
  await expect.poll(() => page.evaluate("window.hasPressed")).toBe(true);
  const dearerButton = skirt.getByRole("button", { name: /^Acheter à 4,90/ });
  await expect(dearerButton).toBeEnabled();
  // The first click may have begun a checkout, if the new price had not been read yet.
  const paid = async () => (await market.ordersOf(dearer)).filter(({ payments }) => payments > 0);
  expect(await paid()).toEqual([]);
  await expect(async () => {
    if ((await dearerButton.count()) > 0) await dearerButton.click({ timeout: 1_000 });
    await expect(dearerButton).toHaveCount(0, { timeout: 500 });
  }).toPass();
  await expect(skirt.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect.poll(paid).toMatchObject([{ payments: 1 }]);

  await product.sandbox.sellToSomebodyElse(sold);
  await rowOf(page, "Veste changeante").getByRole("button", { name: "Acheter" }).click();
  await expect(rowOf(page, "Veste changeante").getByRole("button", { name: "Vendu" })).toBeDisabled();
  await page.keyboard.press("Escape");
  await openMissed(page);
  await expect(toConfirm(page)).toHaveCount(0);
  const missed = missedWindow(page).getByRole("listitem", { name: "Veste changeante" });
  await expect(missed).toContainText(/vendu/);
  await missed.getByRole("button", { name: `Bloquer ${seller}` }).click();
  await expect(missed.getByRole("button", { name: /^Bloquer/ })).toHaveCount(0);
  const blocked = async (): Promise<string> => await (await page.request.get("/vendeurs/bloques")).text();
  await expect.poll(blocked).toContain(`"${seller}"`);
  expect((await market.ordersOf(sold)).filter(({ payments }) => payments > 0)).toEqual([]);
});

test("a message leaves a form only if told to; a lost answer pays once, and the article is no longer to be confirmed", async ({
  page,
  market,
}) => {
  await cautiousBuyer(page, "perdue");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const city = page.getByRole("dialog", { name: "Paramètres utilisateur" }).getByLabel("Ville");
  await city.fill("Lyon");
  const listingId = await market.publish({ title: "Pull perdue", brand_title: "Zara", price: 2 });
  // The message leads away from a form only once the person has said so.
  const decide = page.getByRole("button", { name: "Voir et décider" });
  await decide.click();
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  await question.getByRole("button", { name: "Rester" }).click();
  await expect(city).toHaveValue("Lyon");
  await decide.click();
  await question.getByRole("button", { name: "Quitter", exact: true }).click();
  await expect(city).toHaveCount(0);
  await page.route("**/purchase/click", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await rowOf(page, "Pull perdue").getByRole("button", { name: "Acheter" }).click();
  await expect(rowOf(page, "Pull perdue").getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  expect(await market.ordersOf(listingId)).toMatchObject([{ payments: 1 }]);
});

/** Runs in the page: the times of the last drawing of a row's button and of the last press. */
const NOTE_ROW_AND_PRESS = `(() => {
  let shown = null;
  new MutationObserver(() => {
    const button = document.querySelector("[role=dialog] .buy-button");
    if (button !== null && button !== shown) globalThis.shownAtMs = performance.now();
    shown = button;
  }).observe(document.body, { childList: true, subtree: true });
  addEventListener("pointerdown", ({ timeStamp }) => (globalThis.pressedAtMs = timeStamp), { capture: true });
})()`;

test("a row that has just come under the pointer takes no press, and takes one once it has been there", async ({
  page,
  product,
}) => {
  await cautiousBuyer(page, "pressee");
  // A press that comes too late uses up a row.
  const listings = ["une", "deux", "trois", "quatre"].map((word) => ({
    title: `Robe pressee ${word}`,
    brand_title: "Zara",
    price: 2,
  }));
  await product.sandbox.publish(listings);
  await page.getByRole("button", { name: "Les voir et décider" }).click();
  const rows = toConfirm(page).getByRole("listitem", { name: /pressee/ });
  await expect(rows).toHaveCount(4);
  const buy = rows.first().locator(".buy-button");
  // The window moves while it appears.
  await buy.click({ trial: true });
  const box = await buy.boundingBox();
  if (box === null) throw new Error("the row has no button");
  const clicks: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/purchase/click")) clicks.push(request.url());
  });
  await page.evaluate(NOTE_ROW_AND_PRESS);
  // On a busy machine the press may come when the row has already been in place long enough.
  let isInTime = false;
  while (!isInTime) {
    clicks.length = 0;
    // The window takes the key once it has the focus.
    await expect(async () => {
      await page.keyboard.press("Escape");
      await expect(missedWindow(page)).toHaveCount(0, { timeout: 1_000 });
    }).toPass();
    await page.getByRole("button", { name: "Achats manqués" }).focus();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.press("Enter");
    await buy.waitFor();
    await page.mouse.down();
    await page.mouse.up();
    isInTime = Number(await page.evaluate("pressedAtMs - shownAtMs")) < 400;
  }
  await page.waitForTimeout(600);
  expect(clicks).toEqual([]);
  // On a busy machine the row is drawn late, and takes a press as long after that.
  await expect(async () => {
    await page.mouse.down();
    await page.mouse.up();
    await expect(buy).toHaveText("Déjà acheté", { timeout: 1_000 });
  }).toPass();
  expect(clicks).toHaveLength(1);
});

test("cards with a usual price have their height again once a window that was narrow is wide again", async ({
  page,
  product,
}) => {
  await page.setViewportSize({ width: 1_280, height: 720 });
  await signIn(page, "acquire-large");
  await addFilter(page, { tag: "Largeur", types: { ids: [T_SHIRTS] }, mots: ["largeur"], limit: 60 });
  const names = Array.from({ length: 8 }, (_, index) => `Largeur ${index}`);
  await product.sandbox.publish(names.map((title) => ({ title, brand_title: "Zara", price: 25 })));
  await page.reload();
  const card = page.getByRole("article").filter({ hasText: "Largeur 0" });
  await expect(card).toContainText("habituellement");
  const heightOf = async (): Promise<number | undefined> => (await card.boundingBox())?.height;
  const before = await heightOf();
  const narrow = page.locator(".produits-list[data-narrow]");
  await page.setViewportSize({ width: 320, height: 720 });
  await expect(narrow).toHaveCount(1);
  await page.setViewportSize({ width: 1_280, height: 720 });
  await expect(narrow).toHaveCount(0);
  await expect.poll(heightOf, { timeout: 10_000 }).toBe(before);
});

test("the prices of the market: a frequent pair, its ranges, another choice by keys, and the way back", async ({
  page,
}) => {
  await signIn(page, "seeker-marche");
  await page.getByRole("link", { name: "Prix du marché" }).click();
  await expect(page).toHaveURL(/\/synapse\/prix$/);
  const zara = page.getByRole("link", { name: /^Zara/ });
  await zara.focus();
  const [tab] = await Promise.all([page.context().waitForEvent("page"), zara.press("ControlOrMeta+Enter")]);
  // A page that is closed while it navigates may never report that it is closed.
  await tab.waitForLoadState();
  await tab.close();
  await expect(zara).toBeFocused();
  await zara.press("Enter");
  await expect(page).toHaveURL(/\/synapse\/prix\?type=221&marque=12$/);
  const answer = page.getByRole("article", { name: "T-shirts · Zara" });
  await expect(answer).toContainText(/Prix habituel2\d–3\d\s€/u);
  await expect(page.getByRole("main")).toBeFocused();
  await expect(answer).toContainText(/Historique d'exemple jusqu'au \d+/u);
  const byCondition = answer.getByRole("table", { name: "Par état" });
  await expect(byCondition.getByRole("row", { name: /^Très bon état/ })).toContainText(/médiane 3\d\s€/u);
  await expect(answer.getByRole("table", { name: "Annonces par jour" }).getByRole("row")).toHaveCount(31);

  const brands = page.getByRole("group", { name: "Marque" });
  await brands.getByRole("button", { name: "Marque Zara" }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Chercher une marque").fill("levis");
  // The list is filtered after a delay: earlier key presses would choose from the unfiltered list.
  await expect(brands.locator("[aria-pressed]").first()).toContainText("Levi's");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/marque=10$/);
  await expect(page.getByRole("heading", { name: "Aucun article" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Marque Levi's" })).toBeFocused();
  await page.getByRole("link", { name: "Toutes les marques" }).press("Enter");
  const byBrand = page.getByRole("table", { name: "Par marque" });
  await expect(byBrand).toContainText("Zara");
  await expect(page.getByRole("main")).toBeFocused();
  await byBrand.getByRole("link", { name: "Zara" }).press("Enter");
  await expect(answer).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
  await page.goBack();

  await page.goBack();
  await page.goBack();
  await expect(answer).toBeVisible();
  await answer.getByRole("link", { name: "Créer un filtre" }).press("Enter");
  const form = page.getByRole("dialog", { name: "Créer un nouveau filtre" });
  await expect(form.getByLabel("Tag *")).toHaveValue("T-shirts Zara");
  await expect(form.getByRole("button", { name: "Marques Zara" })).toBeVisible();
  await expect(form.getByLabel("Limite de prix")).toHaveValue(/^3\d$/u);
  await form.getByRole("button", { name: "Annuler" }).press("Enter");
  await expect(form).toHaveCount(0);
  await expect(page).toHaveURL(/\/synapse\/filtres$/);
  await page.goto("/synapse/prix?type=221&marque=999999999");
  await expect(page.getByRole("heading", { name: "Cette marque n'existe pas" })).toBeVisible();
});
