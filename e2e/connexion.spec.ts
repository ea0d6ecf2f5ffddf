import type { Page } from "@playwright/test";
import { addFilter, expect, settled, signIn, socketOf, test } from "./journey.ts";

test("a stranger comes in through the sandbox's page of people and leaves again", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Découvrir" })).toHaveAttribute("href", /#prix$/);
  await page.getByRole("link", { name: "Rejoindre Dès Maintenant" }).click();
  await page.getByText("thunder-lea").first().click();
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();

  page.once("dialog", (dialog) => {
    expect(dialog.message()).toBe("Voulez-vous vraiment vous déconnecter ?");
    void dialog.accept();
  });
  await page.getByRole("button", { name: /déconnecter/i }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.goto("/synapse/articles");
  await settled(page);
  await expect(page.locator("#root > *")).toHaveCount(0);
});

test("a session that ends soon after its sign-in leaves the panel black, and no reason is given for it", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Rejoindre Dès Maintenant" }).click();
  await page.getByText("thunder-lea").first().click();
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await page.context().clearCookies();
  await page.goto("/synapse/articles");
  await settled(page);
  await expect(page).toHaveURL(/\/synapse\/articles$/);
  await expect(page.locator("#root > *")).toHaveCount(0);
});

test("a newcomer stands on the waiting list and sees no panel", async ({ page }) => {
  await page.clock.install();
  await signIn(page, "nouveau-paul");
  await expect(page).toHaveURL(/\/#prix$/);
  await expect(page.getByText(/liste d.attente/i).first()).toBeVisible();
  const user = page.waitForResponse("**/auth/user");
  await page.goto("/synapse/articles");
  await user;
  await settled(page);
  await expect(page.locator("#root > *")).toHaveCount(0);
  // Nor later, when an open panel loads what its first screen does not need.
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.clock.fastForward(60_000);
  await settled(page);
  await expect(page.locator("#root > *")).toHaveCount(0);
  expect(requests).toEqual([]);
});

test("a user that could not be read is not taken for one whose browser kept no cookie", async ({ page }) => {
  // Once the page has read its user, it takes no record of a sign-in any more.
  const first = page.waitForResponse("**/auth/user");
  await page.goto("/#prix");
  await first;
  await settled(page);
  await page.evaluate("sessionStorage.setItem('synapse.connexion', String(Date.now()))");
  await page.route("**/auth/user", (route) => route.fulfill({ status: 500, json: {} }));
  const read = page.waitForResponse("**/auth/user");
  await page.reload();
  await read;
  await settled(page);
  await expect(page.getByText("Autorisez les cookies")).toHaveCount(0);
  await page.unroute("**/auth/user");
  await page.reload();
  await expect(page.getByText("Autorisez les cookies")).toBeVisible();
});

test("a subscriber who comes back to the landing page is asked once", async ({ page }) => {
  await signIn(page, "seeker-retour");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  const questions: string[] = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void dialog.accept();
  });
  // The page leaves for the panel before it has loaded.
  await page.goto("/", { waitUntil: "commit" });
  await expect(page).toHaveURL(/\/synapse\/articles/);
  expect(questions).toEqual(["Aller au Synapse ?"]);
});

test("after another person signs in on another tab nothing of the previous person is shown", async ({
  page,
  market,
}) => {
  await signIn(page, "acquire-avant");
  await addFilter(page, { tag: "Robes d'avant", types: { ids: [221] }, limit: 50 });
  await market.publish({ title: "Robe vue avant", price: 20 });
  await expect(page.getByRole("article").filter({ hasText: "Robe vue avant" })).toBeVisible();

  const other = await signInElsewhere(page, "acquire-apres");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await expect(page.getByText("Robe vue avant")).toHaveCount(0);
  await expect(page.getByText("Robes d'avant")).toHaveCount(0);
  await addFilter(other, { tag: "Robes d'après", types: { ids: [221] }, limit: 50 });
  await market.publish({ title: "Robe vue après", price: 20 });
  await expect(page.getByRole("article").filter({ hasText: "Robe vue après" })).toBeVisible();
});

test("a message and a question to the previous person are gone when another person has signed in", async ({
  page,
}) => {
  const send = await socketOf(page);
  await signIn(page, "acquire-demande");
  await addFilter(page, { tag: "Robes", types: { ids: [221] }, limit: 50 });
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  const toast = page.getByRole("alert").filter({ hasText: "Filtre Robes arrêté." });
  send(`["filtreData",{"message":"Filtre Robes arrêté."}]`);
  await expect(toast).toBeVisible();
  await page.getByRole("article").getByRole("button", { name: "Supprimer" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await signInElsewhere(page, "acquire-suite");
  await expect(page.getByText("Vous n'avez pas de filtres.")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(toast).toHaveCount(0);
});

/**
 * Ends the page's session and signs another person in on another tab, before the page has learned of either.
 * @returns the other tab
 */
async function signInElsewhere(page: Page, persona: string): Promise<Page> {
  // When its session ends, the first tab checks its user; the answer waits for the next sign-in.
  const { promise: isThere, resolve: arrive } = Promise.withResolvers<undefined>();
  await page.route("**/auth/user", async (route) => {
    await isThere;
    await route.continue();
  });
  await page.evaluate(async () => await (await fetch("/auth/out")).text());
  const other = await page.context().newPage();
  await signIn(other, persona);
  await expect(other).toHaveURL(/\/synapse\/articles/);
  arrive(undefined);
  return other;
}
