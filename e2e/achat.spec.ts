import type { Page, WebSocketRoute } from "@playwright/test";
import { addFilter, expect, signIn, test } from "./journey.ts";

test("a click buys once, the purchase is listed, and a cancel is followed to its end", async ({
  page,
  market,
}) => {
  await signIn(page, "acquire-achat");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await addFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 50 });
  const listingId = await market.publish({ title: "Robe à acheter", price: 20 });

  const card = page.getByRole("article").filter({ hasText: "Robe à acheter" });
  await card.getByRole("button", { name: "Acheter" }).dblclick();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await expect
    .poll(async () => await market.ordersOf(listingId))
    .toMatchObject([{ account: "acquire-achat", state: "paid", payments: 1 }]);

  await page.getByRole("link", { name: "Achats" }).click();
  await expect(page).toHaveURL(/\/synapse\/achats/);
  await expect(page.getByRole("tab", { name: "Tous les achats (1)" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Confirmé (1)" })).toBeVisible();
  const purchase = page.getByRole("article").filter({ hasText: "Robe à acheter" });
  await expect(purchase).toContainText("Confirmé");
  await expect(purchase).toContainText(/\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}/);

  await purchase.getByRole("button", { name: "Annuler" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Annuler l'achat" }).click();
  await expect(purchase).toContainText("Annulé");
  expect(await market.ordersOf(listingId)).toMatchObject([{ state: "cancelled", payments: 1 }]);
});

test("a listing that waits for the bank shows its link, and is confirmed once the bank has its answer", async ({
  page,
  market,
  product,
}) => {
  await signIn(page, "seeker-banque");
  await addFilter(page, { tag: "Manteaux", types: { ids: [221] }, limit: 90 });
  const listingId = await market.publish({ title: "Manteau sous 3-D Secure", price: 60, secure: true });

  const card = page.getByRole("article").filter({ hasText: "Manteau sous 3-D Secure" });
  await card.getByRole("button", { name: "Acheter" }).click();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();

  await page.getByRole("link", { name: "Achats" }).click();
  const purchase = page.getByRole("article").filter({ hasText: "Manteau sous 3-D Secure" });
  await expect(purchase).toContainText("En attente");
  await expect(purchase.getByRole("link", { name: "Confirmer" })).toHaveAttribute("href", /^http/);

  const [order] = await market.ordersOf(listingId);
  await product.sandbox.confirm(order?.transaction_id ?? 0);
  await expect(purchase).toContainText("Confirmé");
});

test("an automatic purchase appears by itself", async ({ page, market }) => {
  await signIn(page, "thunder-auto");
  await expect(page.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  await addFilter(page, { tag: "Sacs", types: { ids: [221] }, limit: 40, autobuy: true, mots: ["sac"] });
  const listingId = await market.publish({ title: "Sac acheté tout seul", price: 25 });

  await expect(page.getByRole("alert").filter({ hasText: "Sac acheté tout seul" })).toBeVisible();
  await expect
    .poll(async () => await market.ordersOf(listingId))
    .toMatchObject([{ account: "thunder-auto", state: "paid", payments: 1 }]);
  await page.getByRole("link", { name: "Achats" }).click();
  await expect(page.getByRole("article").filter({ hasText: "Sac acheté tout seul" })).toContainText(
    "Confirmé",
  );
});

test("what was bought before the page was connected is shown as bought once it is", async ({
  page,
  market,
}) => {
  const line = await breakableLine(page);
  await line.cut();
  await signIn(page, "thunder-avant");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await addFilter(page, { tag: "Sacs", types: { ids: [221] }, limit: 40, autobuy: true, mots: ["besace"] });
  const listingId = await market.publish({ title: "Besace d'avant la ligne", price: 25 });
  await expect.poll(async () => await market.ordersOf(listingId)).toMatchObject([{ state: "paid" }]);
  line.mend();
  const card = page.getByRole("article").filter({ hasText: "Besace d'avant la ligne" });
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
});

test("what became of a purchase while the connection was away is there once it is back", async ({
  page,
  market,
  product,
}) => {
  const line = await breakableLine(page);
  await signIn(page, "seeker-coupure");
  await addFilter(page, { tag: "Manteaux", types: { ids: [221] }, limit: 90 });
  const listingId = await market.publish({ title: "Manteau pendant la coupure", price: 60, secure: true });
  const card = page.getByRole("article").filter({ hasText: "Manteau pendant la coupure" });
  await card.getByRole("button", { name: "Acheter" }).click();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  await page.getByRole("link", { name: "Achats" }).click();
  const purchase = page.getByRole("article").filter({ hasText: "Manteau pendant la coupure" });
  await expect(purchase).toContainText("En attente");

  await line.cut();
  const [order] = await market.ordersOf(listingId);
  await product.sandbox.confirm(order?.transaction_id ?? 0);
  const known = () => page.evaluate(async () => await (await fetch("/vinted/purchases")).text());
  await expect.poll(known).toMatch(/"status":1,"purchase_date"/);
  await expect(purchase).toContainText("En attente");
  line.mend();
  await expect(purchase).toContainText("Confirmé");
});

test("a click whose answer is lost is told as such, and shown as bought once that is known", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-perdu");
  await addFilter(page, { tag: "Gilets", types: { ids: [221] }, limit: 60 });
  const listingId = await market.publish({ title: "Gilet sans réponse", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "Gilet sans réponse" });
  await page.route("**/purchase/click", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await card.getByRole("button", { name: "Acheter" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "La réponse s'est perdue" })).toBeVisible();
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
  expect(await market.ordersOf(listingId)).toHaveLength(1);
});

/** The page's connection for what is live, and nothing else: cut, it ends, and none is made anew before the mend. */
async function breakableLine(page: Page): Promise<{ cut(): Promise<void>; mend(): void }> {
  let whole = Promise.withResolvers<void>();
  whole.resolve();
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket(/socket\.io/, async (socket) => {
    await whole.promise;
    socket.connectToServer();
    open.add(socket);
  });
  return {
    cut: async () => {
      whole = Promise.withResolvers();
      for (const socket of open) await socket.close();
      open.clear();
    },
    mend: () => whole.resolve(),
  };
}
