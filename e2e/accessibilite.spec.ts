import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { addFilter, expect, signIn, test } from "./journey.ts";

const themes = ["dark", "light"] as const;

/** Apart from those that never end. */
const ARE_ANIMATIONS_OVER = `document.getAnimations().every(({ playState, effect }) =>
  playState !== "running" || effect.getComputedTiming().endTime === Infinity)`;

async function expectNoViolation(page: Page): Promise<void> {
  // Axe must not measure a colour in the middle of a transition.
  await expect.poll(() => page.evaluate(ARE_ANIMATIONS_OVER)).toBe(true);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
  ).toEqual([]);
}

for (const colorScheme of themes) {
  test(`axe finds nothing on any screen or modal (${colorScheme})`, async ({ page, market }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto("/");
    await page.getByRole("heading").first().waitFor();
    await expectNoViolation(page);

    await signIn(page, `acquire-axe-${colorScheme}`);
    await expect(page).toHaveURL(/\/synapse\/articles/);
    // A unique keyword, so that no other person's automatic filter buys it first.
    await addFilter(page, {
      tag: "Pour tous",
      types: { ids: [221] },
      limit: 50,
      autobuy: true,
      mots: [colorScheme],
    });
    await market.publish({ title: `Vu par tous ${colorScheme}`, price: 10, brand_title: "Kiabi" });
    await expect(page.getByRole("article").first()).toBeVisible();
    await expectNoViolation(page);

    await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
    await page.getByRole("dialog").getByLabel("Rue").waitFor();
    await expectNoViolation(page);

    await page.goto("/synapse/filtres");
    await page.getByRole("article").first().waitFor();
    await expectNoViolation(page);
    await page.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
    await page.getByRole("dialog").getByLabel("Tag *").waitFor();
    await expectNoViolation(page);

    await page.goto("/synapse/achats");
    await page.getByRole("article").first().waitFor();
    await expectNoViolation(page);
  });
}
