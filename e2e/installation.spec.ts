import { z } from "zod";
import { addFilter, expect, settled, signIn, test } from "./journey.ts";

const STILL_BUYING = "Vous êtes hors ligne : les achats automatiques continuent.";
const WINDOW_WAITS = "Vous êtes hors ligne : cette fenêtre s'ouvrira dès que la connexion sera revenue.";

const appManifest = z.object({ url: z.string(), errors: z.array(z.unknown()), data: z.string() });
const installability = z.object({ installabilityErrors: z.array(z.object({ errorId: z.string() })) });

test("the browser finds nothing that keeps the panel from being installed", async ({ page, product }) => {
  await signIn(page, "seeker-installation");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  const devtools = await page.context().newCDPSession(page);
  const manifest = appManifest.parse(await devtools.send("Page.getAppManifest"));
  expect([manifest.url, manifest.errors]).toEqual([`${product.url}/manifest.webmanifest`, []]);
  const { installabilityErrors } = installability.parse(await devtools.send("Page.getInstallabilityErrors"));
  // A private window cannot install; that is the only permitted error.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
});

test("opened without a network the panel says so, and comes back with it", async ({ page, context }) => {
  await signIn(page, "seeker-horsligne");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Vous êtes hors ligne" })).toBeVisible();
  await expect(page).toHaveURL(/\/synapse\/articles/);
  // No personal data is cached for this page.
  expect(await page.evaluate("caches.keys()")).toEqual([]);
  await expect(page.getByRole("button", { name: "Réessayer" })).toBeVisible();
  // A shared filter is in the fragment, which neither a press nor the page's own attempts may drop.
  await page.goto("/synapse/articles#partage");
  await page.getByRole("button", { name: "Réessayer" }).click();
  await expect(page.getByRole("heading", { name: "Vous êtes hors ligne" })).toBeVisible();
  await expect(page).toHaveURL(/#partage$/);
  await context.setOffline(false);
  // Automatically, as the page announces.
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible({ timeout: 30_000 });
});

test("a screen that was never opened says that there is no network, and opens by itself once there is", async ({
  page,
  context,
}) => {
  await signIn(page, "seeker-tunnel");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  const opened = page.getByRole("heading", { name: "Mes achats" });
  // The first time the whole document is reloaded, the second time only the screen fails.
  for (let time = 0; time < 2; time += 1) {
    await page.goto("/synapse/articles");
    await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
    await page.route("**/assets/achats-page*", (route) => route.abort());
    await context.setOffline(true);
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Achats" }).first().click();
    await expect(page.getByRole("heading", { name: "Vous êtes hors ligne" })).toBeVisible();
    await page.unroute("**/assets/achats-page*");
    await context.setOffline(false);
    await expect(opened).toBeVisible({ timeout: 30_000 });
  }
});

test("a page that is left at once leaves a worker behind that asks through the browser", async ({ page }) => {
  await page.goto("/");
  const preload = await page.evaluate(`(async () => {
    const registration = await navigator.serviceWorker.register("/service-worker.js", { scope: "/synapse/" });
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    while (worker.state !== "activated") await new Promise((then) => worker.addEventListener("statechange", then, { once: true }));
    return await registration.navigationPreload.getState();
  })()`);
  expect(preload).toMatchObject({ enabled: true });
});

test("a press that the lost network keeps from stopping purchases says that they go on", async ({
  page,
  context,
}) => {
  await signIn(page, "thunder-coupure");
  await addFilter(page, {
    tag: "Coupure",
    types: { ids: [221] },
    limit: 50,
    mots: ["coupure"],
    autobuy: true,
  });
  await page.goto("/synapse/filtres");
  const filter = page.getByRole("article", { name: "Coupure" });
  await settled(page);
  await context.setOffline(true);
  const message = page.getByRole("alert");
  await filter.getByRole("switch", { name: "Thunder" }).click();
  await expect(message).toContainText(STILL_BUYING);
  await message.getByRole("button", { name: "Fermer" }).click();
  await expect(message).toHaveCount(0);
  await page.getByRole("button", { name: "Tout arrêter" }).click();
  await expect(message).toContainText(STILL_BUYING);
  // What draws messages loads with the network, and takes over the one that was not closed.
  const toasts = page.waitForResponse(/\/toasts-/);
  await context.setOffline(false);
  await toasts;
  await expect(message).toHaveCount(1);
  await expect(message.getByRole("button", { name: "Fermer le message" })).toBeVisible();
  await expect(message).toHaveText(STILL_BUYING);
});

test("a window pressed open without a network says so, and opens by itself once there is one", async ({
  page,
  context,
}) => {
  await signIn(page, "seeker-fenetre");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await settled(page);
  await context.setOffline(true);
  const gear = page.getByRole("button", { name: "Paramètres utilisateur" });
  const waiting = page.getByRole("status").filter({ hasText: WINDOW_WAITS });
  await gear.click();
  await expect(waiting).toBeVisible();
  // Closed, it does not open later.
  await page.keyboard.press("Escape");
  await expect(waiting).toHaveCount(0);
  await page.getByRole("button", { name: "État du service et arrêt des achats" }).click();
  await waiting.getByRole("button", { name: "Fermer" }).click();
  await expect(waiting).toHaveCount(0);
  await gear.click();
  await expect(waiting).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("dialog", { name: "Paramètres utilisateur" })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expect(waiting).toHaveCount(0);
});

test("the form of a filter can be used without a network, except for what has not loaded", async ({
  page,
  context,
}) => {
  await signIn(page, "seeker-formulaire");
  await addFilter(page, { tag: "Coupure", types: { ids: [221] }, limit: 50 });
  await page.goto("/synapse/filtres");
  const filter = page.getByRole("article", { name: "Coupure" });
  await settled(page);
  await context.setOffline(true);
  await filter.getByRole("button", { name: "Modifier" }).click();
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("Tag *")).toBeVisible();
  await form.getByText("Options avancées").click();
  await expect(form.getByRole("switch", { name: "Ignorer les republications" })).toBeVisible();
  await expect(form.getByText("n'a pas pu s'afficher")).toHaveCount(0);
  await context.setOffline(false);
  await form.getByText("Vendeur", { exact: true }).click();
  await expect(form.getByLabel("Note minimum")).toBeVisible();
});
