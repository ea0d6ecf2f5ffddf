/** Literal requirements of the specification that no other journey covers. */
import type { Page } from "@playwright/test";
import { z } from "zod";
import { addFilter, expect, openNewFilter, signIn, test } from "./journey.ts";

test.use({ marketName: "letter" });

/** The design's black, as a computed style. */
const BLACK = "rgb(11, 13, 12)";
const PROTECTED =
  /^\/(filtres|groupes|vendeurs|marche|alertes|vinted|purchase|articles|socket\.io)\b|^\/auth\/(keepalive|sessions)\b/;

/** Records every background colour of the page from the first frame on. */
async function recordBackgrounds(page: Page): Promise<() => Promise<unknown>> {
  await page.addInitScript(`
    window.grounds = new Set();
    const look = () => {
      for (const element of [document.documentElement, document.body])
        if (element && document.styleSheets.length > 0) grounds.add(getComputedStyle(element).backgroundColor);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  `);
  return () => page.evaluate("[...grounds]");
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`the black state is the design's black and nothing else (${colorScheme})`, async ({
    browser,
    baseURL,
  }) => {
    const context = await browser.newContext({ colorScheme, baseURL: baseURL ?? "" });
    const page = await context.newPage();
    const grounds = await recordBackgrounds(page);
    for (const path of ["/synapse/articles", "/synapse/filtres", "/synapse/achats"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      await expect(page.locator("#root > *")).toHaveCount(0);
      expect(await grounds()).toEqual([BLACK]);
    }
    await signIn(page, `attente-${colorScheme}`);
    await expect(page).toHaveURL(/#prix$/);
    await page.goto("/synapse/articles", { waitUntil: "networkidle" });
    await expect(page.locator("#root > *")).toHaveCount(0);
    expect(await grounds()).toEqual([BLACK]);
    await context.close();
  });
}

test("nothing protected is called after logging out", async ({ page }) => {
  await signIn(page, "seeker-apres");
  await expect(page.getByText("En direct", { exact: true })).toBeVisible();
  await page.clock.install();
  // The last of the first reads: one that began before the end of the session may be sent while its answer is read.
  const lastReads = ["**/vendeurs/bloques", "**/articles/marche"].map((path) => page.waitForResponse(path));
  await page.reload();
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  await page.clock.runFor(3_000);
  await expect(page.getByText("En direct", { exact: true })).toBeVisible();
  await Promise.all(lastReads);
  const calls: string[] = [];
  let isOut = false;
  const note = (address: string): void => {
    if (isOut) calls.push(new URL(address).pathname);
  };
  page.on("response", (response) => {
    if (response.url().endsWith("/auth/out")) isOut = true;
  });
  page.on("request", (request) => note(request.url()));
  page.on("websocket", (socket) => note(socket.url()));
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await expect(page).toHaveURL(/\/$/);
  for (let minute = 0; minute < 3; minute += 1) await page.clock.runFor(60_000);
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.clock.runFor(10_000);
  expect(calls.filter((path) => PROTECTED.test(path))).toEqual([]);
});

test("a filter is sent whole with ids and names; settings always with token, payment, address and relay points", async ({
  page,
}) => {
  await page.addInitScript(
    "window.timeouts = 0; const timeout = AbortSignal.timeout; AbortSignal.timeout = (ms) => { timeouts += 1; return timeout.call(AbortSignal, ms); };",
  );
  await signIn(page, "thunder-entier");
  await addFilter(page, { tag: "Vestes", types: { ids: [1037] }, brands: { ids: [53] }, limit: 40 });
  await page.reload();
  const edit = page.waitForRequest("**/filtres/edit");
  await page.getByRole("button", { name: "Vestes", pressed: true }).click();
  expect((await edit).postDataJSON()).toMatchObject({
    active: false,
    types: { ids: [1037], names: ["Manteaux et vestes"] },
    brands: { ids: [53], names: ["Nike"] },
    sizes: { ids: [], names: [] },
    status: { ids: [], names: [] },
  });

  const settings = page.waitForResponse("**/vinted/get");
  const form = await openNewFilter(page);
  // A stop before the settings are known is sent without them.
  await settings;
  await form.getByLabel("Tag *").fill("Tout");
  const add = page.waitForRequest("**/filtres/add");
  await page.getByRole("button", { name: "Créer le filtre" }).click();
  expect((await add).postDataJSON()).toMatchObject({ tag: "Tout", types: { ids: [], names: [] } });

  const menu = page.getByRole("navigation", { name: "Menu principal" });
  const stop = page.waitForRequest("**/vinted/edit");
  await menu.getByRole("button", { name: "Tout arrêter" }).click();
  const account = z.object({
    token: z.literal(""),
    paiement: z.number(),
    adresse: z.object({}),
    relais: z.array(z.string()),
  });
  expect(account.parse((await stop).postDataJSON()).relais).toHaveLength(1);
  await expect(menu.getByText("Achats automatiques arrêtés")).toBeVisible();
  expect(await page.evaluate("timeouts")).toBe(0);
});

test("a read that fails is logged and shown in place, never in a message", async ({ page }) => {
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  await signIn(page, "seeker-journal");
  await expect(page.getByText("En direct", { exact: true })).toBeVisible();
  await page.route("**/vinted/purchases", (route) =>
    route.fulfill({ status: 400, json: { error: "Raison" } }),
  );
  await page.goto("/synapse/achats");
  await expect(page.getByText("Vos achats\u00a0: lecture impossible")).toBeVisible();
  await expect.poll(() => logged.some((line) => line.startsWith("synapse: read failed"))).toBe(true);
  await expect(page.getByText("Raison")).toHaveCount(0);
});

test("a listing without a condition reads N/A", async ({ page, market }) => {
  await signIn(page, "seeker-etat");
  await addFilter(page, { tag: "Tout", limit: 50, mots: ["sansetat"] });
  await market.publish({ title: "Robe sansetat", price: 10 });
  await expect(page.getByRole("article")).toHaveCount(1);
  await page.routeWebSocket(/socket\.io/, () => undefined);
  await page.route("**/articles/recent*", async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replace('"status":"Très bon état"', '"status":null');
    await route.fulfill({ response, body: text });
  });
  await page.reload();
  await expect(page.getByRole("article").getByText("N/A").first()).toBeVisible();
  await expect(page.getByRole("article").getByText("Très bon état")).toHaveCount(0);
});
