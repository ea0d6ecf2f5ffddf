/** What is typed, chosen and pressed in the panel's forms and lists is neither lost nor saved unasked. */
import type { Page } from "@playwright/test";
import { addFilter, expect, press, signIn, test } from "./journey.ts";

test.use({ marketName: "forms" });

/** Whether the keyboard would start again at the top of the page. */
const isFocusLost = (page: Page) => page.evaluate<boolean>("document.activeElement === document.body");

test("Enter in a picker does not save the form around it", async ({ page }) => {
  await signIn(page, "acquire-cherche");
  await page.goto("/synapse/filtres?nouveau=true");
  const form = page.getByRole("dialog");
  await form.getByLabel("Tag *").fill("Baskets");
  const brands = form.getByRole("group", { name: "Marques" });
  await brands.getByRole("button", { name: /^Marques/ }).click();
  const added = page.waitForRequest(/\/filtres\/add$/);
  await brands.getByLabel("Chercher une marque").fill("nike");
  await page.keyboard.press("Enter");
  const nike = brands.getByRole("checkbox", { name: "Nike", exact: true });
  await nike.press("Space");
  await nike.press("Enter");
  await form.getByLabel("Info supp").fill("relu");
  await form.getByRole("button", { name: "Créer le filtre" }).click();
  expect((await added).postDataJSON()).toMatchObject({ brands: { ids: [53] }, info: "relu" });
});
