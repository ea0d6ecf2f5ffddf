import type { Page } from "@playwright/test";
import { addFilter, expect, signIn, test } from "./journey.ts";

test("a filter is created, edited, toggled and deleted", async ({ page }) => {
  await signIn(page, "acquire-filtre");
  await page.getByRole("link", { name: "Filtres", exact: true }).click();
  await expect(page.getByText("Aucuns filtres trouvés")).toBeVisible();
  await expect(page.getByText("Vous n'avez pas de filtres.")).toBeVisible();

  await page.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
  const form = page.getByRole("dialog");
  const save = form.getByRole("button", { name: /^(Créer|Enregistrer|Sauvegarder)/ });
  await expect(save).toBeDisabled();
  await form.getByLabel("Tag *").fill("Jeans Levi's");
  // The tree is walked level by level; going back leaves the choice alone.
  const types = form.getByRole("group", { name: "Types" });
  await types.getByRole("button", { name: /^Types/ }).click();
  for (const branch of ["Femmes", "Vêtements", "Jeans"])
    await types.getByRole("button", { name: branch, exact: true }).click();
  await types.getByRole("checkbox", { name: "Jeans skinny" }).check();
  await types.getByRole("button", { name: "Retour aux arrière" }).click();
  // Opening another one closes it: only one is open at a time.
  const brands = form.getByRole("group", { name: "Marques" });
  await brands.getByRole("button", { name: /^Marques/ }).click();
  await expect(types.getByRole("button", { name: /^Types/ })).toHaveAttribute("aria-expanded", "false");
  await expect(types.getByRole("button", { name: /^Types/ })).toContainText("Jeans skinny");
  await form.getByLabel(/Limite de prix/).fill("35");
  await save.click();
  await expect(form).toHaveCount(0);

  const card = page.getByRole("article").filter({ hasText: "Jeans Levi's" });
  await expect(card).toBeVisible();
  await card.getByRole("button", { name: /Modifier/ }).click();
  await page.getByRole("dialog").getByLabel("Tag *").fill("Jeans 501");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Créer|Enregistrer|Sauvegarder)/ })
    .click();
  await expect(page.getByText("Filtre en pause : réactivez-le")).toBeVisible();
  await expect(page.getByRole("article").filter({ hasText: "Jeans 501" })).toBeVisible();
});

test("several filters go at once, and the selection is cleared", async ({ page }) => {
  await signIn(page, "acquire-tri");
  for (const tag of ["Un", "Deux", "Trois"]) await addFilter(page, { tag });
  await page.goto("/synapse/filtres");
  for (const tag of ["Un", "Deux"])
    await page
      .getByRole("article")
      .filter({ hasText: tag })
      .getByRole("checkbox", { name: /Sélectionner/ })
      .check();
  // What is selected in one view is not deleted from another, where it is out of sight.
  const views = page.getByRole("navigation", { name: "Vues des filtres" });
  await views.getByRole("link", { name: "Privés" }).click();
  await expect(page.getByRole("button", { name: /Supprimer .*2/ })).toHaveCount(0);
  await views.getByRole("link", { name: "Tous" }).click();
  await page.getByRole("button", { name: /Supprimer .*2/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Supprimer/ })
    .click();
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(page.getByRole("article")).toContainText("Trois");
});

test("what one tab has paused stays paused, whatever an older tab changes of it", async ({
  page,
  context,
}) => {
  await signIn(page, "acquire-onglets");
  await addFilter(page, { tag: "Trench" });
  await page.goto("/synapse/filtres");
  const switchIn = (tab: Page, label: string) =>
    tab.getByRole("article").filter({ hasText: "Trench" }).getByRole("switch", { name: label });
  await expect(switchIn(page, "Actif")).toBeChecked();

  const other = await context.newPage();
  await other.goto("/synapse/filtres");
  await switchIn(other, "Actif").click({ force: true });
  await expect(switchIn(other, "Actif")).not.toBeChecked();
  await expect(switchIn(other, "Actif")).toHaveAttribute("aria-busy", "false");
  await other.close();

  await switchIn(page, "Privé").click({ force: true });
  await expect(switchIn(page, "Privé")).toBeChecked();
  await expect(switchIn(page, "Privé")).toHaveAttribute("aria-busy", "false");
  await page.reload();
  await expect(switchIn(page, "Privé")).toBeChecked();
  await expect(switchIn(page, "Actif")).not.toBeChecked();
});
