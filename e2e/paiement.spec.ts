import type { Page } from "@playwright/test";
import { addFilter, expect, openWithFilter, press, signIn, test } from "./journey.ts";

/** What a person sees while paying: one price, one state and one message on every open page. */

test("a price that rose is the one price everywhere, and is bought at once for it", async ({
  page,
  market,
  product,
  context,
}) => {
  await signIn(page, "seeker-hausse");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["hausse"] });
  // The new price first appears at the checkout: no search result has shown it.
  const listingId = await market.publish({ title: "Robe en hausse", price: 22 });
  const card = cardOf(page, "Robe en hausse");
  await expect(card).toContainText("23,80");
  const other = await context.newPage();
  await other.goto("/synapse/articles");
  await expect(cardOf(other, "Robe en hausse")).toContainText("23,80");
  // Events reach only connected pages.
  await expect(other.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  await page.route(
    "**/purchase/click",
    async (route) => {
      await product.sandbox.changePrice(listingId, 25);
      await route.continue();
    },
    { times: 1 },
  );

  await press(card.getByRole("button", { name: "Acheter" }));
  const again = card.getByRole("button", { name: /^Acheter à 26,95\s€$/ });
  await expect(again).toBeEnabled();
  await expect(card).toContainText("Le prix a augmenté");
  await expect(card).not.toContainText("23,80");
  // The other page receives the new price without a request, and never shows that it fell.
  await expect(cardOf(other, "Robe en hausse")).toContainText("26,95");
  await other.reload();
  await expect(cardOf(other, "Robe en hausse")).toContainText("26,95");
  await expect(other.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  await expect(other.getByText("Prix en baisse")).toHaveCount(0);

  await press(again);
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect(cardOf(other, "Robe en hausse").getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  expect(await market.ordersOf(listingId)).toMatchObject([{ state: "paid", payments: 1 }]);
});

test("a key pressed just after the price rose under the focus buys nothing; pressed later, it buys at that price", async ({
  page,
  market,
  product,
  context,
}) => {
  await signIn(page, "seeker-touche");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["touche"] });
  const listingId = await market.publish({ title: "Robe touche", price: 22 });
  const card = cardOf(page, "Robe touche");
  await expect(card).toContainText("23,80");
  const other = await context.newPage();
  await other.goto("/synapse/articles");
  await expect(cardOf(other, "Robe touche")).toContainText("23,80");
  await page.keyboard.press("j");
  await expect(card).toBeFocused();
  await page.evaluate(PRESS_KEYS_ON_RISE);
  await product.sandbox.changePrice(listingId, 25);
  await cardOf(other, "Robe touche").getByRole("button", { name: "Acheter" }).dispatchEvent("click");
  await expect(card).toContainText("26,95");
  await expect.poll(() => page.evaluate("window.presses")).toEqual(["a", "Enter"]);
  // A purchase started by a press would show immediately.
  await expect(card.getByRole("button", { name: /^Acheter/ })).toBeEnabled();
  const paid = async () => (await market.ordersOf(listingId)).filter(({ payments }) => payments > 0);
  expect(await paid()).toEqual([]);
  // The card accepts keys again after a second.
  await expect
    .poll(async () => {
      await page.keyboard.press("a");
      return await card.getByRole("button", { name: "Déjà acheté" }).count();
    })
    .toBe(1);
  expect(await paid()).toMatchObject([{ state: "paid", payments: 1, total: { amount: "26.95" } }]);
});

test("a page that was disconnected is notified of a price that rose like any other", async ({
  page,
  market,
  product,
  context,
}) => {
  await signIn(page, "seeker-retour");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["revenue"] });
  const listingId = await market.publish({ title: "Robe revenue", price: 22 });
  const card = cardOf(page, "Robe revenue");
  const other = await context.newPage();
  await other.goto("/synapse/articles");
  for (const each of [page, other]) await expect(cardOf(each, "Robe revenue")).toContainText("23,80");
  await product.killAndRestart();
  for (const each of [page, other])
    await expect(each.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  await product.sandbox.changePrice(listingId, 25);
  await press(card.getByRole("button", { name: "Acheter" }));
  for (const each of [page, other]) await expect(cardOf(each, "Robe revenue")).toContainText("26,95");
});

test("a real fall is still called one, also after a rise", async ({ page, market, product }) => {
  await signIn(page, "seeker-baisse");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["balance"] });
  const listingId = await market.publish({ title: "Robe sur la balance", price: 20 });
  const card = cardOf(page, "Robe sur la balance");
  await expect(card).toContainText("21,70");
  await product.sandbox.changePrice(listingId, 30);
  await expect(card).toContainText("32,20");
  await expect(card).not.toContainText("Prix en baisse");
  await product.sandbox.changePrice(listingId, 25);
  await expect(card).toContainText("26,95");
  await expect(card).toContainText("Prix en baisse");
});

test("a card is busy, not bought, until the purchase is confirmed; a reload changes nothing of that", async ({
  page,
  market,
  product,
  context,
}) => {
  await signIn(page, "seeker-patience");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["patience"] });
  const listingId = await market.publish({ title: "Robe de patience", price: 20 });
  const card = cardOf(page, "Robe de patience");
  await noteStates(page);
  // Within the payment's deadline; it ends once the page was reloaded.
  await product.sandbox.arm({ kind: "latency", route: "payment", rate: 1, count: 1, delay_ms: 14_000 });
  const other = await context.newPage();
  await other.goto("/synapse/articles");
  await expect(cardOf(other, "Robe de patience")).toBeVisible();

  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(
    cardOf(other, "Robe de patience").getByRole("button", { name: "Achat en cours" }),
  ).toBeDisabled();
  // Only until the new document is there: the payment ends soon.
  await other.reload({ waitUntil: "commit" });
  await expect(
    cardOf(other, "Robe de patience").getByRole("button", { name: "Achat en cours" }),
  ).toBeDisabled();
  await product.sandbox.clearFaults();
  for (const each of [page, other])
    await expect(
      cardOf(each, "Robe de patience").getByRole("button", { name: "Déjà acheté" }),
    ).toBeDisabled();
  expect(await statesOf(page)).toEqual(["Acheter", "Achat en cours", "Déjà acheté"]);
  expect(await market.ordersOf(listingId)).toMatchObject([{ state: "paid", payments: 1 }]);
});

test("a failure shows one message on the page that clicked and one on the other, and both stay", async ({
  page,
  market,
  product,
  context,
}) => {
  await context.clock.install();
  await signIn(page, "seeker-une-fois");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["convoitée"] });
  await market.publish({ title: "Robe convoitée", price: 20 });
  const card = cardOf(page, "Robe convoitée");
  const other = await context.newPage();
  await other.goto("/synapse/articles");
  await expect(cardOf(other, "Robe convoitée")).toBeVisible();
  // Only a connected page receives the event that its message comes from.
  for (const each of [page, other])
    await expect(each.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  await noteMessages(page);
  await product.sandbox.arm({ kind: "sold_first", route: "payment", rate: 1, count: 1 });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("button", { name: "Vendu" })).toBeDisabled();
  await expect(cardOf(other, "Robe convoitée").getByRole("button", { name: "Vendu" })).toBeDisabled();
  for (const each of [page, other])
    await expect(each.getByRole("alert").filter({ hasText: "Robe convoitée" })).toHaveCount(1);
  const messages = await page.evaluate<readonly string[]>("window.messages");
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain("Cet article est déjà vendu.");
  expect(messages[0]?.match(/Robe convoitée/gu)).toHaveLength(1);
  // Longer than any message that closes by itself.
  await context.clock.runFor(15_000);
  for (const each of [page, other])
    await expect(each.getByRole("alert").filter({ hasText: "Robe convoitée" })).toBeVisible();
});

test("many purchases are one message, two messages stand at most, and what concerns money stays", async ({
  page,
  market,
}) => {
  await page.clock.install();
  await signIn(page, "acquire-groupe");
  await openWithFilter(page, { tag: "Lots", types: { ids: [221] }, limit: 60, autobuy: true, mots: ["lot"] });
  await expect(page.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  for (const n of [1, 2, 3]) await market.publish({ title: `Lot numéro ${n}`, price: 10 + n });
  const toast = page.getByRole("alert").filter({ hasText: "3 achats confirmés" });
  await expect(toast).toContainText("Acquire · filtre « Lots »");
  await expect(toast).toContainText("Lot numéro 2");
  await expect(page.getByRole("alert")).toHaveCount(1);
  // Longer than any message that closes by itself.
  await page.clock.runFor(10_000);
  await expect(toast).toBeVisible();
  await toast.getByRole("button", { name: "Fermer le message" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);

  for (const tag of ["Deux", "Trois"]) await addFilter(page, { tag, limit: 60, mots: ["lot"] });
  await page.reload();
  const chips = page.getByRole("group", { name: "Filtres actifs" });
  for (const name of ["Deux", "Trois", "Lots"]) {
    await chips.getByRole("button", { name }).press("Enter");
    const message = page.getByRole("alert").filter({ hasText: name });
    await expect(message).toContainText("en pause");
    // Under the pointer no message closes by itself.
    await message.hover();
  }
  await expect(page.getByRole("alert")).toHaveCount(2);
});

test("a refusal before a purchase began shows the server's message, and never an unknown outcome", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-cadence");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["cadence"] });
  await market.publish({ title: "Robe à la cadence", price: 20 });
  const card = cardOf(page, "Robe à la cadence");
  const refusals = [
    { status: 429, error: "Trop de demandes : réessayez dans 5 secondes.", code: "attente" },
    { status: 503, error: "Le service démarre.", code: "demarrage" },
  ];
  for (const { status, ...body } of refusals) {
    await page.route(
      "**/purchase/click",
      (route) => route.fulfill({ status, contentType: "application/json", body: JSON.stringify(body) }),
      { times: 1 },
    );
    await press(card.getByRole("button", { name: "Acheter" }));
    await expect(page.getByRole("alert").filter({ hasText: body.error })).toBeVisible();
    await expect(card).toContainText(body.error);
    await expect(page.getByText("La réponse s'est perdue")).toHaveCount(0);
  }
});

test("a server error at a click shows the server's message, and what it means for the money", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-panne");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["panne"] });
  await market.publish({ title: "Robe en panne", price: 20 });
  const card = cardOf(page, "Robe en panne");
  const error = "La base de données est indisponible.";
  await page.route("**/purchase/click", (route) => route.fulfill({ status: 500, json: { error } }), {
    times: 1,
  });
  await press(card.getByRole("button", { name: "Acheter" }));
  const message = `${error.slice(0, -1)} : l'achat a peut-être eu lieu. Rien ne sera payé deux fois ; voyez Achats.`;
  await expect(page.getByRole("alert").filter({ hasText: message })).toBeVisible();
  await expect(card).toContainText(message);
});

test("a server that dies while it pays leaves a card that is busy until the outcome is known", async ({
  page,
  market,
  product,
}) => {
  await signIn(page, "seeker-panne");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 60, mots: ["interrompue"] });
  const listingId = await market.publish({ title: "Robe interrompue", price: 20 });
  const card = cardOf(page, "Robe interrompue");
  await product.sandbox.arm({ kind: "latency", route: "payment", rate: 1, count: 1, delay_ms: 14_000 });
  const payments = async (): Promise<number> => (await product.sandbox.requests()).by_route["payment"] ?? 0;
  const before = await payments();
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect.poll(payments).toBe(before + 1);
  await noteStates(page);
  await product.killAndRestart();
  await expect(card.getByRole("button", { name: /Achat en cours|Déjà acheté/ })).toBeDisabled();
  await expect(card.getByRole("button", { name: "Achat en cours" })).toHaveCount(0, { timeout: 90_000 });
  // The sandbox was killed as well, so only its database tells whether the payment was taken.
  const orders = await market.ordersOf(listingId);
  const isPaid = orders.some(({ state }) => state === "paid");
  await expect(card.getByRole("button", { name: isPaid ? "Déjà acheté" : "Acheter" })).toBeVisible();
  const states = await statesOf(page);
  expect(states[0]).toBe("Achat en cours");
  expect(states.indexOf("Déjà acheté")).toBe(isPaid ? states.length - 1 : -1);
  for (const order of orders) expect(order.payments).toBeLessThanOrEqual(1);
});

/** Runs in the page: presses A, then Enter on the buy button, when the only card's price changes. */
const PRESS_KEYS_ON_RISE = `
  window.presses = [];
  const priceOf = () => document.querySelector(".produit-card__price").textContent;
  const before = priceOf();
  new MutationObserver(() => {
    if (priceOf() === before || window.presses.length > 0) return;
    window.presses.push("a", "Enter");
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
    // What a browser makes of Enter on a button.
    document.querySelector(".buy-button").click();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

function cardOf(page: Page, title: string) {
  return page.getByRole("article").filter({ hasText: title });
}

/** Records every label of the only buy button, in rendering order. */
async function noteStates(page: Page): Promise<void> {
  await page.evaluate(`
    window.states = [];
    const note = () => {
      const button = document.querySelector(".buy-button");
      const name = button?.getAttribute("aria-label") ?? button?.textContent ?? "";
      if (name !== "" && window.states.at(-1) !== name) window.states.push(name);
    };
    note();
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
  `);
}

async function statesOf(page: Page): Promise<readonly string[]> {
  return await page.evaluate<readonly string[]>("window.states");
}

/** Records every message from now on, once each. */
async function noteMessages(page: Page): Promise<void> {
  await page.evaluate(`
    window.messages = [];
    const seen = new Set();
    new MutationObserver(() => {
      for (const alert of document.querySelectorAll('[role="alert"]')) {
        if (seen.has(alert)) continue;
        seen.add(alert);
        window.messages.push(alert.textContent);
      }
    }).observe(document.body, { subtree: true, childList: true });
  `);
}
