import type { Page } from "@playwright/test";
import { z } from "zod";
import { addFilter, expect, settled, signIn, socketOf, test } from "./journey.ts";

test.use({ marketName: "panel" });

/** Runs in the page: the times of its polls and calls by its own clock. */
const NOTE_TIMES = `
  window.noted = [];
  const note = (what) => noted.push({ what, atMs: Date.now() });
  const { fetch } = window;
  window.fetch = (target, options) => {
    note(new URL(target instanceof Request ? target.url : target, location.href).pathname);
    return fetch(target, options);
  };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (frame) {
    if (String(frame).includes("flux_handler")) note("poll");
    return send.call(this, frame);
  };
`;
const notedTimes = z.array(z.object({ what: z.string(), atMs: z.number() }));

test("the page asks for listings every 5 seconds, and for everything with the keep-alive every 60", async ({
  page,
}) => {
  await page.clock.install();
  await page.addInitScript(NOTE_TIMES);
  await signIn(page, "seeker-rythme");
  await expect(page.getByText("En direct", { exact: true })).toBeVisible();
  // Less than the time after which the socket misses a sign of the server.
  await page.clock.pauseAt(Date.now() + 10_000);
  const during = async (durationMs: number): Promise<(what: string) => readonly number[]> => {
    await page.evaluate("noted.length = 0");
    await page.clock.runFor(durationMs);
    const noted = notedTimes.parse(await page.evaluate("noted"));
    return (what) => noted.filter((each) => each.what === what).map(({ atMs }) => atMs);
  };

  const [firstPollMs = 0, ...laterPollsMs] = (await during(20_000))("poll");
  expect(laterPollsMs).toEqual([5_000, 10_000, 15_000].map((afterMs) => firstPollMs + afterMs));

  const read = await during(120_000);
  const [keptMs = 0, ...keptAgainMs] = read("/auth/keepalive");
  expect(keptAgainMs).toEqual([keptMs + 60_000]);
  for (const path of ["/filtres/get", "/vinted/purchases", "/vinted/get"])
    expect(read(path).filter((atMs) => atMs >= keptMs && atMs < keptMs + 1_000)).not.toEqual([]);
});

test("the menu has its groups, and what is not there yet leads nowhere", async ({ page }) => {
  await signIn(page, "seeker-menu");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await expect(menu.getByRole("button", { name: "Vinted" })).toHaveAttribute("aria-expanded", "true");
  await expect(menu.getByRole("link")).toHaveText(["Produits", "Filtres", "Achats", "Prix du marché"]);
  await menu.getByRole("button", { name: "Bot" }).click();
  await menu.getByRole("button", { name: "Abonnements" }).click();
  for (const name of ["Mes Bots", "Offres", "Mon abonnement", "Prix"])
    await expect(menu.getByRole("button", { name, exact: true })).toBeDisabled();

  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  await expect(menu.getByRole("link", { name: "Produits" })).toBeInViewport();
  await page.mouse.click(370, 500);
  await expect(page.getByRole("button", { name: "Ouvrir le menu" })).toBeVisible();
});

test("a refused logout changes nothing; logging out empties the page", async ({ page, market }) => {
  await signIn(page, "seeker-sortie");
  await addFilter(page, { tag: "Tout", types: { ids: [221] }, limit: 50, mots: ["sortie"] });
  await market.publish({ title: "Robe de sortie", price: 10 });
  await expect(page.getByRole("article")).toHaveCount(1);
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await expect(page.getByRole("article")).toHaveCount(1);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole("alert").filter({ hasText: "déconnecté" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/synapse\/articles/);
  const isEmpty = async (): Promise<void> => {
    await expect(page.getByText("Robe de sortie")).toHaveCount(0);
    await expect(page.getByRole("heading")).toHaveCount(0);
  };
  await isEmpty();
  // Going back loads no document, so that there is no request to wait for; a reload has some.
  await page.reload();
  await settled(page);
  await isEmpty();
});

test("logging out of the landing page by keyboard says so, and keeps the focus at its sign-in", async ({
  page,
}) => {
  await signIn(page, "attente-sortie");
  const out = page.getByRole("button", { name: "Se déconnecter" });
  page.once("dialog", (dialog) => void dialog.accept());
  await out.press("Enter");
  await expect(out).toHaveCount(0);
  // Code that is loaded at the sign-out must not render the page again.
  await settled(page);
  await expect(page.getByRole("alert")).toHaveText("Vous êtes déconnecté.");
  await expect(page.locator("#login")).toBeFocused();
});

test("a message that closes by itself is shown at once, and those that stay until closed return after it", async ({
  page,
}) => {
  await page.clock.install();
  const send = await socketOf(page);
  await signIn(page, "seeker-messages");
  await expect(page.getByRole("status").filter({ hasText: "En direct" })).toBeVisible();
  const message = (text: string) => page.getByRole("alert").filter({ hasText: text });
  send(`["filtreData",{"message":"Filtre Robes arrêté."}]`);
  send(`["filtreData",{"message":"Filtre Jeans arrêté."}]`);
  await expect(message("Filtre Robes arrêté.")).toBeVisible();
  await expect(message("Filtre Jeans arrêté.")).toBeVisible();
  send(`["purchaseData",{"success":false,"error":"Vinted ne répond pas."}]`);
  await expect(message("Vinted ne répond pas.")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(2);
  await page.clock.fastForward(10_000);
  await expect(message("Vinted ne répond pas.")).toHaveCount(0);
  await expect(message("Filtre Robes arrêté.")).toBeVisible();
  await expect(message("Filtre Jeans arrêté.")).toBeVisible();
});

test("messages are loaded ahead also when the first read of the user failed", async ({ page }) => {
  await signIn(page, "seeker-relu");
  await page.route("**/auth/user", (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto("/synapse/filtres");
  await settled(page);
  // The page may read its user again by itself.
  const loaded = page.waitForRequest(/\/assets\/toasts-/u, { timeout: 0 });
  await page.unroute("**/auth/user");
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
  await expect(page.getByRole("heading", { name: "Mes filtres" })).toBeVisible();
  await loaded;
});

test("a panel that could not read its user opens by itself once it can", async ({ page }) => {
  await signIn(page, "seeker-refus");
  await page.route("**/auth/user", (route) => route.fulfill({ status: 500, json: {} }), { times: 2 });
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("heading", { name: "Mes filtres" })).toBeVisible();
});

/** Runs in the page: the colour that the browser takes for its own bars, the first one that applies, as CSS computes it. */
const THEME_COLOUR = `(() => {
  const all = [...document.querySelectorAll("meta[name=theme-color]")];
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = all.find(({ media }) => matchMedia(media).matches).content;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
})()`;

test("on a phone the menu stays open while the theme changes, and the browser's bar gets its colour", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  await signIn(page, "seeker-theme");
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  const theme = page
    .getByRole("navigation", { name: "Menu principal" })
    .getByRole("button", { name: /thème/ });
  const barColour = (): Promise<string> => page.evaluate(THEME_COLOUR);
  const body = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const dark = await body();
  expect(await barColour()).toBe(dark);
  // The icon, which the press replaces.
  await theme.locator("svg").click();
  await expect(theme).toBeVisible();
  const light = await body();
  expect(light).not.toBe(dark);
  expect(await barColour()).toBe(light);
  await page.goto("/conditions");
  expect(await barColour()).toBe(light);
});

test("losing and regaining the network is shown", async ({ page }) => {
  // What shows messages is loaded a while after the first screen.
  const toasts = page.waitForResponse(/\/toasts-/);
  await signIn(page, "seeker-reseau");
  await (await toasts).finished();
  const state = page.getByRole("banner").getByRole("status");
  await expect(state).toHaveText("En direct");
  await page.context().setOffline(true);
  await expect(state).toHaveText("Flux en pause : vous êtes hors ligne");
  await page.getByRole("button", { name: "Tout arrêter" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "Vous êtes hors ligne : les achats automatiques continuent.",
  );
  await page.context().setOffline(false);
  await expect(state).toHaveText("En direct");
});

test("a stop of buying shows at once on the person's other devices, and so does its end", async ({
  page,
}) => {
  await signIn(page, "acquire-deuxecrans");
  const other = await page.context().newPage();
  // Without its regular readings only the event can tell it.
  await other.addInitScript("globalThis.setInterval = () => 0");
  await other.goto("/synapse/articles");
  await expect(other.getByRole("banner").getByRole("status")).toHaveText("En direct");
  await page.getByRole("button", { name: "Tout arrêter" }).click();
  const resume = (tab: Page) => tab.getByRole("button", { name: "Reprendre" });
  await expect(resume(other)).toBeVisible();
  await resume(page).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reprendre" }).click();
  await expect(other.getByRole("button", { name: "Tout arrêter" })).toBeVisible();
});

test("on a low screen, as with a zoom of 400 %, the bars scroll away with the page", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await signIn(page, "seeker-loupe");
  const bar = page.getByRole("banner");
  await expect(bar).toBeInViewport();
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  await expect(page.getByRole("link", { name: "Produits" }).first()).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Escape");
  await settled(page);
  await page.mouse.move(160, 128);
  await page.mouse.wheel(0, 120);
  await expect(bar).not.toBeInViewport();
  await expect(page.getByRole("navigation", { name: "Écrans" })).not.toBeInViewport();
});
