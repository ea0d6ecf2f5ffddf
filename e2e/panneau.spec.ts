import type { Page } from "@playwright/test";
import { addFilter, expect, signIn, socketOf, test } from "./journey.ts";

test.use({ marketName: "panel" });

/** All frames sent by the page's sockets, and the URLs of its calls. */
function listen(page: Page): { readonly frames: string[]; readonly calls: string[] } {
  const frames: string[] = [];
  const calls: string[] = [];
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => frames.push(String(payload)));
  });
  page.on("request", (request) => {
    calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return { frames, calls };
}

test("the page asks for listings every 5 seconds, and for everything with the keep-alive every 60", async ({
  page,
}) => {
  const { frames, calls } = listen(page);
  await signIn(page, "seeker-rythme");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
  const polls = (): number => frames.filter((frame) => frame.includes("flux_handler")).length;
  await expect.poll(polls).toBeGreaterThanOrEqual(1);
  const before = polls();
  await expect.poll(polls, { timeout: 15_000 }).toBeGreaterThan(before);

  await page.clock.install();
  calls.length = 0;
  await page.reload();
  const reads = ["GET /filtres/get", "GET /vinted/purchases", "GET /vinted/get"];
  for (const call of reads) await expect.poll(() => calls).toContain(call);
  await page.waitForLoadState("networkidle");
  calls.length = 0;
  await page.clock.fastForward(60_000);
  for (const call of ["POST /auth/keepalive", ...reads]) await expect.poll(() => calls).toContain(call);
});

test("the menu has its groups, and what is not there yet leads nowhere", async ({ page }) => {
  await signIn(page, "seeker-menu");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await expect(menu.getByRole("button", { name: "Vinted" })).toHaveAttribute("aria-expanded", "true");
  for (const name of ["Produits", "Filtres", "Achats"])
    await expect(menu.getByRole("link", { name, exact: true })).toBeVisible();
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
  await expect(page.getByText("Robe de sortie")).toHaveCount(0);
  await expect(page.getByRole("heading")).toHaveCount(0);
});

test("logging out of the landing page by keyboard keeps the focus at its sign-in", async ({ page }) => {
  await signIn(page, "attente-sortie");
  const out = page.getByRole("button", { name: "Se déconnecter" });
  page.once("dialog", (dialog) => void dialog.accept());
  await out.press("Enter");
  await expect(out).toHaveCount(0);
  await expect(page.locator("#login")).toBeFocused();
});

test("a message that closes by itself is shown at once, and those that stay until closed return after it", async ({
  page,
}) => {
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
  await expect(message("Vinted ne répond pas.")).toHaveCount(0);
  await expect(message("Filtre Robes arrêté.")).toBeVisible();
  await expect(message("Filtre Jeans arrêté.")).toBeVisible();
});

test("losing and regaining the network is shown", async ({ page }) => {
  await signIn(page, "seeker-reseau");
  const state = page.getByRole("banner").getByRole("status");
  await expect(state).toHaveText("En direct");
  await page.context().setOffline(true);
  await expect(state).toHaveText("Flux en pause : vous êtes hors ligne");
  await page.context().setOffline(false);
  await expect(state).toHaveText("En direct");
});
