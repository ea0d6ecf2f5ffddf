import type { Locator, Page, WebSocketRoute } from "@playwright/test";
import { addFilter, drawn, expect, openWithFilter, press, signIn, test } from "./journey.ts";

test("a click buys once, the purchase is listed, and a cancel is followed to its end", async ({
  page,
  market,
}) => {
  await signIn(page, "acquire-achat");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 50 });
  const listingId = await market.publish({ title: "Robe à acheter", price: 20 });

  const card = page.getByRole("article").filter({ hasText: "Robe à acheter" });
  await press(card.getByRole("button", { name: "Acheter" }), 2);
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect
    .poll(async () => await market.ordersOf(listingId))
    .toMatchObject([{ account: "acquire-achat", state: "paid", payments: 1 }]);
  const toast = page.getByRole("alert").filter({ hasText: "Achat confirmé" });
  await expect(toast).toHaveText(/^[^€]*Robe à acheter[^€]*\d\s€[^€]*$/u);
  await expect(toast).not.toContainText(/Robe à acheter.*Robe à acheter/su);

  await page.getByRole("link", { name: "Achats" }).click();
  await expect(page).toHaveURL(/\/synapse\/achats/);
  await expect(page.getByRole("tab", { name: "Tous les achats (1)" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Confirmé (1)" })).toBeVisible();
  const purchase = page.getByRole("article").filter({ hasText: "Robe à acheter" });
  await expect(purchase).toContainText("Confirmé");
  await expect(purchase).toContainText(/\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}/);
  const summary = page.getByRole("region", { name: "Bilan" });
  await expect(summary.getByText("Réussite")).toBeVisible();
  await expect(summary.getByRole("table").locator("tbody tr")).toHaveCount(12);
  // This week's bar is the highest.
  await expect(summary.locator("svg rect")).toHaveCount(12);
  await expect(summary.locator("svg rect").last()).toHaveAttribute("height", "56");
  const tabs = await page.getByRole("tablist").boundingBox();
  expect((await summary.boundingBox())?.y).toBeLessThan(tabs?.y ?? 0);

  await press(purchase.getByRole("button", { name: "Annuler" }));
  await page.getByRole("dialog").getByRole("button", { name: "Annuler l'achat" }).click();
  await expect(purchase).toContainText("Annulé");
  await expect(purchase).toContainText("annulé, remboursé par Vinted");
  await expect(purchase).not.toContainText("payé");
  // The list may show it before the message does.
  await expect(page.getByRole("alert").filter({ hasText: "Achat annulé" })).toBeVisible();
  expect(await market.ordersOf(listingId)).toMatchObject([{ state: "cancelled", payments: 1 }]);

  await page.route("**/purchase/delete", (route) => route.fulfill({ status: 500, json: { error: "Panne" } }));
  const messages = await page.getByRole("alert").allTextContents();
  const logged = page.waitForEvent("console", (message) =>
    message.text().includes("hiding purchases failed"),
  );
  const readAgain = page.waitForResponse(/\/vinted\/purchases/);
  await page.getByRole("button", { name: "Retirer les achats annulés" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retirer", exact: true }).click();
  await logged;
  await readAgain;
  await expect(page.getByRole("main")).toBeFocused();
  expect(await page.getByRole("alert").allTextContents()).toEqual(messages);
  await expect(purchase).toBeVisible();
});

test("what another subscriber bought is sold for everybody, and the focus stays with its card", async ({
  page,
  browser,
  market,
  product,
}) => {
  await signIn(page, "acquire-second");
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 50 });
  const first = await (await browser.newContext({ baseURL: product.url })).newPage();
  await signIn(first, "acquire-premier");
  await openWithFilter(first, { tag: "Robes", types: { ids: [221] }, limit: 50 });
  await market.publish({ title: "Robe disputée", price: 20 });
  const cardOn = (where: Page) => where.getByRole("article").filter({ hasText: "Robe disputée" });
  const card = cardOn(page);
  await card.getByRole("button", { name: "Acheter" }).focus();
  await press(cardOn(first).getByRole("button", { name: "Acheter" }));
  await expect(cardOn(first).getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect(card.getByRole("button", { name: "Vendu" })).toBeDisabled();
  await expect(card).toBeFocused();
  await page.reload();
  await expect(card.getByRole("button", { name: "Vendu" })).toBeDisabled();
  await first.context().close();
});

test("what was bought cannot be bought again while the list of purchases cannot be read", async ({
  page,
  market,
}) => {
  await signIn(page, "acquire-illisible");
  await page.route("**/vinted/purchases", (route) =>
    route.fulfill({ status: 500, json: { error: "Panne" } }),
  );
  await openWithFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 50, mots: ["illisible"] });
  await market.publish({ title: "Robe illisible", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "Robe illisible" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(page.getByRole("alert").filter({ hasText: "Achat confirmé" })).toBeVisible();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
});

test("a cancel that fails or is refused says so, and leaves a purchase that is bought and can be cancelled", async ({
  page,
  market,
  product,
}) => {
  await page.clock.install();
  await signIn(page, "seeker-annule");
  await openWithFilter(page, { tag: "Gilets", types: { ids: [221] }, limit: 50, mots: ["gardé"] });
  await market.publish({ title: "Gilet gardé", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "Gilet gardé" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeVisible();
  await page.goto("/synapse/achats");
  const purchase = page.getByRole("article").filter({ hasText: "Gilet gardé" });
  const cancel = async (): Promise<void> => {
    await press(purchase.getByRole("button", { name: "Annuler" }));
    await page.getByRole("dialog").getByRole("button", { name: "Annuler l'achat" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  };
  const error = "La place de marché ne répond pas.";
  const fails = { status: 502, json: { error } };
  await page.route("**/vinted/cancel", (route) => route.fulfill(fails), { times: 1 });
  await cancel();
  const failure = page.getByRole("alert").filter({ hasText: error });
  await expect(failure).toBeVisible();
  await expect(purchase).toContainText("Confirmé");
  // Longer than any message that closes by itself.
  await page.clock.runFor(15_000);
  await expect(failure).toBeVisible();

  await product.sandbox.arm({ kind: "cancel_refused", rate: 1, count: 1 });
  await cancel();
  const toast = page.getByRole("alert").filter({ hasText: "Annulation non aboutie" });
  await expect(toast).toContainText(/«\sGilet gardé\s» reste acheté, .* livraison comprise/u);
  await expect(page.getByText("Achat confirmé :")).toHaveCount(0);
  await expect(purchase.getByRole("button", { name: "Annuler" })).toBeEnabled();
});

test("a refused cancel whose event was missed is reported once the page is connected", async ({
  page,
  market,
  product,
}) => {
  const line = await breakableConnection(page);
  await signIn(page, "seeker-annule-sourd");
  await openWithFilter(page, { tag: "Gilets", types: { ids: [221] }, limit: 50, mots: ["muet"] });
  await market.publish({ title: "Gilet muet", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "Gilet muet" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeVisible();
  await line.cut();
  await page.goto("/synapse/achats");
  const purchase = page.getByRole("article").filter({ hasText: "Gilet muet" });
  await product.sandbox.arm({ kind: "cancel_refused", rate: 1, count: 1 });
  await press(purchase.getByRole("button", { name: "Annuler" }));
  await page.getByRole("dialog").getByRole("button", { name: "Annuler l'achat" }).click();
  const known = () => page.evaluate(async () => await (await fetch("/vinted/purchases")).text());
  await expect.poll(known).toMatch(/"raison":"/);
  line.restore();
  await expect(page.getByRole("alert").filter({ hasText: "Annulation non aboutie" })).toContainText(
    "Gilet muet",
  );
});

test("a listing that waits for the bank shows its link, and is confirmed once the bank has its answer", async ({
  page,
  market,
  product,
}) => {
  await signIn(page, "seeker-banque");
  await openWithFilter(page, { tag: "Manteaux", types: { ids: [221] }, limit: 90 });
  const listingId = await market.publish({ title: "Manteau sous 3-D Secure", price: 60, secure: true });

  const card = page.getByRole("article").filter({ hasText: "Manteau sous 3-D Secure" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("link", { name: "À confirmer" })).toHaveAttribute("href", /^http/);
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toHaveCount(0);
  const toast = page.getByRole("alert").filter({ hasText: "Manteau sous 3-D Secure" });
  await expect(toast).toContainText(/Votre banque attend votre confirmation.+ livraison comprise/);
  await expect(toast.getByRole("link", { name: /Confirmer avant \d{2}:\d{2}/ })).toHaveAttribute(
    "href",
    /^http/,
  );
  const bankPage = page.waitForEvent("popup");
  await card.focus();
  await page.keyboard.press("a");
  // A page that is closed while it navigates may never report that it is closed.
  await (await bankPage).waitForLoadState();
  await (await bankPage).close();

  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await menu.getByRole("link", { name: /Achats.+1 achat à confirmer avant \d{2}:\d{2}/ }).click();
  const purchase = page.getByRole("article").filter({ hasText: "Manteau sous 3-D Secure" });
  await expect(purchase).toContainText("En attente");
  await expect(purchase).toContainText("à payer, livraison comprise");
  await expect(purchase.getByRole("link", { name: "Confirmer" })).toHaveAttribute("href", /^http/);
  await page.reload();
  await expect(purchase).toContainText("En attente");
  // The summary is there before the first outcome, which would otherwise push the rows down under a hand.
  await expect(page.getByRole("region", { name: "Bilan" })).toBeVisible();
  await drawn(page);
  const topOf = async () => Math.round((await purchase.boundingBox())?.y ?? Number.NaN);
  const before = await topOf();

  const [order] = await market.ordersOf(listingId);
  await product.sandbox.confirm(order?.transaction_id ?? 0);
  await expect(purchase).toContainText("Confirmé");
  await expect(purchase).toContainText("payé, livraison comprise");
  await expect(page.getByRole("region", { name: "Bilan" })).toContainText("1 achat réussi");
  expect(await topOf()).toBe(before);
  await expect(menu.getByRole("link", { name: "Achats", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Produits" }).first().click();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
});

test("a bank confirmation missed while disconnected is shown once the page is connected again", async ({
  page,
  market,
  product,
}) => {
  let isMuted = false;
  let cut: () => unknown = () => undefined;
  await page.routeWebSocket(/\/socket\.io\//, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => {
      if (!isMuted) socket.send(message);
    });
    cut = async () => await socket.close();
  });
  await signIn(page, "seeker-sourde");
  await openWithFilter(page, { tag: "Parkas", types: { ids: [221] }, limit: 90, mots: ["sourde"] });
  const listingId = await market.publish({ title: "Parka sourde", price: 60, secure: true });
  const card = page.getByRole("article").filter({ hasText: "Parka sourde" });
  await press(card.getByRole("button", { name: "Acheter" }));
  const toast = page.getByRole("alert").filter({ hasText: "Parka sourde" });
  await expect(toast).toContainText("Votre banque attend votre confirmation");
  isMuted = true;
  const [order] = await market.ordersOf(listingId);
  await product.sandbox.confirm(order?.transaction_id ?? 0);
  // Known to the server, whose event has been missed.
  const known = () => page.evaluate(async () => await (await fetch("/vinted/purchases")).text());
  await expect.poll(known).toMatch(/"status":1,"purchase_date"/);
  isMuted = false;
  await cut();
  await expect(toast).toContainText("Achat confirmé");
  await expect(toast.getByRole("link", { name: /Confirmer/ })).toHaveCount(0);
});

test("an automatic purchase appears by itself", async ({ page, market }) => {
  await signIn(page, "thunder-auto");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await openWithFilter(page, { tag: "Sacs", types: { ids: [221] }, limit: 40, autobuy: true, mots: ["sac"] });
  // A purchase made before the page has reconnected is in the list, but no message announces it.
  await expect(page.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  const listingId = await market.publish({ title: "Sac acheté tout seul", price: 25 });

  const toast = page.getByRole("alert").filter({ hasText: "Sac acheté tout seul" });
  await expect(toast).toContainText(/Achat confirmé.+ livraison comprise/);
  await expect(toast).toContainText("Thunder · filtre « Sacs »");
  await expect
    .poll(async () => await market.ordersOf(listingId))
    .toMatchObject([{ account: "thunder-auto", state: "paid", payments: 1 }]);
  await page.getByRole("link", { name: "Achats" }).click();
  const row = page.getByRole("article").filter({ hasText: "Sac acheté tout seul" });
  await expect(row).toContainText("Confirmé");
  await expect(row).toContainText("Sacs");
});

test("purchases that arrive neither move the one that is read nor close its explanation", async ({
  page,
  product,
  market,
}) => {
  await signIn(page, "thunder-lit");
  await openWithFilter(page, {
    tag: "Livres",
    types: { ids: [221] },
    limit: 40,
    autobuy: true,
    mots: ["lu"],
  });
  await product.sandbox.publish(
    Array.from({ length: 8 }, (_, index) => ({ title: `Gilet lu ${index}`, price: 10 })),
  );
  const tab = (count: number): Locator => page.getByRole("tab", { name: `Tous les achats (${count})` });
  await page.goto("/synapse/achats");
  await expect(tab(8)).toBeVisible();
  await expect(page.getByRole("tab", { name: "Confirmé (8)" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Bilan" })).toBeVisible();
  await drawn(page);
  const rows = page.getByRole("article");
  const title = (await rows.nth(1).getByRole("heading").textContent()) ?? "";
  const row = rows.filter({ hasText: title });
  await press(row.getByRole("button", { name: "Pourquoi ?" }));
  await expect(row.getByText("Décidé")).toBeVisible();
  // Below the list's start, which is out of sight.
  await expect.poll(() => page.evaluate("scrollTo(0, 560); scrollY")).toBe(560);
  await drawn(page);
  const placeOf = async () => Math.round((await row.boundingBox())?.y ?? Number.NaN);
  const before = await placeOf();
  for (const count of [9, 10]) {
    await market.publish({ title: `Gilet lu ${count}`, price: 10 });
    await expect(tab(count)).toBeAttached();
  }
  // The list makes up for what it has added once that is measured.
  await expect.poll(async () => Math.abs((await placeOf()) - before)).toBeLessThanOrEqual(2);

  // Read from the top, the list begins with the newest, which push the row away.
  await page.evaluate("scrollTo(0, 0)");
  let readCount = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/vinted/purchases")) readCount += 1;
  });
  const startedAtMs = Date.now();
  await product.sandbox.publish(
    Array.from({ length: 9 }, (_, index) => ({ title: `Gilet lu encore ${index}`, price: 10 })),
  );
  await expect(page.getByRole("tab", { name: "Confirmé (19)" })).toBeVisible();
  // Not for each event of each purchase: once for all of 300 ms.
  expect(readCount).toBeLessThanOrEqual((Date.now() - startedAtMs) / 300 + 1);
  await expect(row).toHaveCount(0);
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await expect(row.getByText("Décidé")).toBeVisible();
});

test("a purchase made before the page was connected is shown once it is connected", async ({
  page,
  market,
}) => {
  const line = await breakableConnection(page);
  await line.cut();
  await signIn(page, "thunder-avant");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await addFilter(page, {
    tag: "Sacs",
    types: { ids: [221] },
    limit: 40,
    autobuy: true,
    mots: ["besace"],
  });
  const listingId = await market.publish({ title: "Besace d'avant la ligne", price: 25 });
  await expect.poll(async () => await market.ordersOf(listingId)).toMatchObject([{ state: "paid" }]);
  line.restore();
  const card = page.getByRole("article").filter({ hasText: "Besace d'avant la ligne" });
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
});

test("the outcome of a purchase during a lost connection is shown after reconnecting", async ({
  page,
  market,
  product,
}) => {
  const line = await breakableConnection(page);
  await signIn(page, "seeker-coupure");
  await openWithFilter(page, { tag: "Manteaux", types: { ids: [221] }, limit: 90 });
  const listingId = await market.publish({ title: "Manteau pendant la coupure", price: 60, secure: true });
  const card = page.getByRole("article").filter({ hasText: "Manteau pendant la coupure" });
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(card.getByRole("link", { name: "À confirmer" })).toBeVisible();
  await page.getByRole("link", { name: "Achats" }).click();
  const purchase = page.getByRole("article").filter({ hasText: "Manteau pendant la coupure" });
  await expect(purchase).toContainText("En attente");

  await line.cut();
  const [order] = await market.ordersOf(listingId);
  await product.sandbox.confirm(order?.transaction_id ?? 0);
  const known = () => page.evaluate(async () => await (await fetch("/vinted/purchases")).text());
  await expect.poll(known).toMatch(/"status":1,"purchase_date"/);
  await expect(purchase).toContainText("En attente");
  line.restore();
  await expect(purchase).toContainText("Confirmé");
});

test("a click whose answer is lost stays busy until the list shows its outcome, and one message reports it", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-perdu");
  await openWithFilter(page, { tag: "Gilets", types: { ids: [221] }, limit: 60 });
  const listingId = await market.publish({ title: "Gilet sans réponse", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "Gilet sans réponse" });
  // After the reload it comes from the recent articles only.
  await expect(card).toBeVisible();
  let isListAway = true;
  await page.route("**/vinted/purchases", async (route) =>
    isListAway ? await route.abort() : await route.continue(),
  );
  await page.route("**/purchase/click", async (route) => {
    await route.fetch();
    await route.abort();
  });
  const line = await breakableConnection(page);
  await page.reload();
  await line.cut();
  await press(card.getByRole("button", { name: "Acheter" }));
  await expect(page.getByRole("alert").filter({ hasText: "La réponse s'est perdue" })).toBeVisible();
  await expect(card.getByRole("button", { name: "Achat en cours" })).toBeDisabled();
  isListAway = false;
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect(page.getByRole("alert")).toHaveCount(1);
  await expect(page.getByRole("alert")).toContainText("Achat confirmé");
  expect(await market.ordersOf(listingId)).toHaveLength(1);
});

/** The page's WebSocket: `cut` closes it and prevents new ones until `restore`. */
async function breakableConnection(page: Page): Promise<{ cut(): Promise<void>; restore(): void }> {
  let available = Promise.withResolvers<void>();
  available.resolve();
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket(/socket\.io/, async (socket) => {
    await available.promise;
    socket.connectToServer();
    open.add(socket);
  });
  return {
    cut: async () => {
      available = Promise.withResolvers();
      for (const socket of open) await socket.close();
      open.clear();
    },
    restore: () => available.resolve(),
  };
}
