import type { Page } from "@playwright/test";
import { z } from "zod";
import { addFilter, expect, signIn, test } from "./journey.ts";

const MAX_TABS = 150;

/** Runs in the page: gives each element that the Tab key should reach a number, and answers how many there are. */
const MARK_REACHABLE = `(() => {
  const candidates = "a[href], button, input, select, textarea, summary, [tabindex]";
  let count = 0;
  for (const element of document.querySelectorAll(candidates)) {
    delete element.dataset.walk;
    const isOff = element.disabled || element.tabIndex < 0 || element.closest("[inert], [aria-hidden=true]") !== null;
    const isOtherRadio = element.type === "radio" && !element.checked;
    if (isOff || isOtherRadio || !element.checkVisibility({ visibilityProperty: true })) continue;
    element.dataset.walk = String(count);
    count += 1;
  }
  return count;
})()`;

const WALKED = `(() => {
  const { activeElement: at } = document;
  if (at === null || at === document.body) return null;
  return at.dataset.walk ?? at.className ?? at.tagName;
})()`;

const walked = z.string().nullable();

/** Presses Tab from the top of the page until it has gone around; answers what it did not reach. */
async function unreachedBy(page: Page): Promise<readonly string[]> {
  await page.evaluate("scrollTo(0, 0)");
  const count = z.number().parse(await page.evaluate(MARK_REACHABLE));
  const reached = new Set<string>();
  for (let press = 0; press < MAX_TABS && reached.size < count; press += 1) {
    await page.keyboard.press("Tab");
    const at = walked.parse(await page.evaluate(WALKED));
    if (at !== null) reached.add(at);
  }
  return Array.from({ length: count }, (_, index) => String(index)).filter((mark) => !reached.has(mark));
}

test("Tab reaches everything on every screen, and is caught nowhere", async ({ page, market }) => {
  await page.goto("/");
  await page.getByRole("heading").first().waitFor();
  expect(await unreachedBy(page)).toEqual([]);
  await signIn(page, "acquire-clavier");
  await addFilter(page, { tag: "Clavier", types: { ids: [221] }, limit: 50, mots: ["clavier"] });
  await market.publish({ title: "Robe clavier", price: 10 });
  await expect(page.getByText("Robe clavier")).toBeVisible();
  for (const path of ["/synapse/articles", "/synapse/filtres", "/synapse/achats"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // What is still being read would come between.
    await page.waitForLoadState("networkidle");
    expect([path, await unreachedBy(page)]).toEqual([path, []]);
  }
});

test("a window keeps the focus, gives it back, and everything in it is reached", async ({ page }) => {
  await signIn(page, "acquire-fenetres");
  const opener = page.getByRole("button", { name: "Paramètres utilisateur" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await settings.getByRole("button", { name: "Enregistrer le webhook" }).waitFor();
  const holdsFocus = page.locator('[role="dialog"]:focus-within');
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press("Tab");
    await expect(holdsFocus).toHaveCount(1);
  }
  await page.keyboard.press("Shift+Tab");
  await expect(holdsFocus).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(settings).toHaveCount(0);
  await expect(opener).toBeFocused();

  await page.setViewportSize({ width: 390, height: 800 });
  const burger = page.getByRole("button", { name: "Ouvrir le menu" });
  await burger.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await expect(menu.getByRole("button", { name: "Vinted" })).toBeFocused();
  for (let press = 0; press < 20; press += 1) {
    await page.keyboard.press("Tab");
    await expect(page.locator("nav:focus-within")).toHaveCount(1);
  }
  await page.keyboard.press("Escape");
  await expect(burger).toBeFocused();
});

const FOCUSED = "document.activeElement.innerText || document.activeElement.labels?.[0]?.textContent || ''";

test("Escape leaves the innermost only, and what a key takes away leaves the focus where one was", async ({
  page,
}) => {
  await signIn(page, "acquire-echap");
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await page.getByRole("button", { name: "Paramètres utilisateur" }).press("Enter");
  const add = settings.getByRole("group", { name: "Points relais" }).getByRole("button", { name: "Ajouter" });
  await add.press("Enter");
  const name = settings.getByLabel("Nom du point relais");
  await expect(name).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(name).toHaveCount(0);
  await expect(add).toBeFocused();
  await add.press("Enter");
  await name.fill("Relais du clavier");
  await page.keyboard.press("Enter");
  await expect(add).toBeFocused();
  await settings.getByRole("button", { name: "Retirer Relais du clavier" }).press("Enter");
  await expect(add).toBeFocused();
  await settings.getByRole("button", { name: "Supprimer mon compte" }).press("Enter");
  await expect(settings.getByLabel(/pour confirmer/)).toBeFocused();
  await settings.getByRole("button", { name: "Garder mon compte" }).press("Enter");
  await expect(settings.getByRole("button", { name: "Supprimer mon compte" })).toBeFocused();
  const disconnect = settings.getByRole("button", { name: "Déconnecter le compte" });
  await disconnect.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await expect(disconnect).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(settings).toHaveCount(0);

  await page.goto("/synapse/filtres");
  await page.getByRole("button", { name: "Créer un nouveau filtre" }).press("Enter");
  const form = page.getByRole("dialog", { name: "Créer un nouveau filtre" });
  const types = form.getByRole("group", { name: "Types", exact: true });
  const field = types.getByRole("button").first();
  await field.press("Enter");
  await types.getByRole("button", { name: "Femmes" }).press("Enter");
  await expect.poll(() => page.evaluate(FOCUSED)).toContain("Retour aux arrière");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(FOCUSED)).toContain("Femmes");
  await page.keyboard.press("Escape");
  await expect(field).toHaveAttribute("aria-expanded", "false");
  await expect(field).toBeFocused();
  const states = form.getByRole("group", { name: "États", exact: true });
  await states.getByRole("button").first().press("Enter");
  await states.getByLabel("Bon état", { exact: true }).press("Space");
  await states.getByRole("button", { name: "Tout effacer" }).press("Enter");
  await expect(states.getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(form).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
});
