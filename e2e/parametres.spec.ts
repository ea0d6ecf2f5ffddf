import { expect, signIn, test } from "./journey.ts";

test("settings are shown, changed and kept, and the token stays masked until it is asked for", async ({
  page,
}) => {
  await signIn(page, "seeker-reglages");
  await page.getByRole("button", { name: "Paramètres" }).click();
  const modal = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await expect(modal.getByLabel("Rue")).toHaveValue("12 rue de la Roquette");
  await expect(modal.getByLabel("Code postal")).toHaveValue("75011");

  await modal.getByLabel("Ville").fill("Lyon");
  await modal.getByLabel("Code postal").fill("69 001 ");
  await modal.getByRole("button", { name: "Ajouter" }).click();
  await modal.getByLabel("Nom du point relais").fill("Tabac des Terreaux");
  await modal.getByRole("button", { name: "Ajouter" }).last().click();
  await modal.getByRole("button", { name: "Sauvegarder" }).click();
  await expect(modal).toHaveCount(0);

  await page.reload();
  await page.getByRole("button", { name: "Paramètres" }).click();
  await expect(modal.getByLabel("Ville")).toHaveValue("Lyon");
  await expect(modal.getByLabel("Code postal")).toHaveValue("69001");
  await expect(modal.getByText("Tabac des Terreaux")).toBeVisible();

  await modal.getByRole("button", { name: "Déconnecter le compte" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Déconnecter", exact: true }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Connecter votre compte" }).click();
  await expect(modal.getByText("Aucun token enregistré")).toBeVisible();
});

test("a save that is refused says why, keeps what was typed, and leaves the focus in the form", async ({
  page,
}) => {
  await signIn(page, "seeker-refuse");
  await page.getByRole("button", { name: "Paramètres" }).click();
  const modal = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await modal.getByLabel("Ville").fill("Lyon");
  const save = modal.getByRole("button", { name: "Sauvegarder" });
  const error = "Vos paramètres n'ont pas pu être enregistrés.";
  // An `error` field means failure whatever the status, with or without `success`.
  for (const status of [500, 200]) {
    await page.route("**/vinted/edit", (route) => route.fulfill({ status, json: { error } }), { times: 1 });
    await save.focus();
    await page.keyboard.press("Enter");
    await expect(modal.getByText(error)).toBeVisible();
    await expect(save).toBeFocused();
    await expect(modal.getByLabel("Ville")).toHaveValue("Lyon");
    await modal.getByLabel("Rue").fill(`${status} rue de la Paix`);
    await expect(modal.getByText(error)).toHaveCount(0);
  }
});

test("saving an address leaves alone a stop that came while the window was open", async ({ page }) => {
  await signIn(page, "thunder-arret");
  await page.getByRole("button", { name: "Paramètres" }).click();
  const modal = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await modal.getByLabel("Ville").fill("Lyon");
  const stopped = await page.evaluate(async () => {
    const response = await fetch("/vinted/edit", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ limites: { arret: true } }),
    });
    return response.ok;
  });
  expect(stopped).toBe(true);
  await modal.getByRole("button", { name: "Sauvegarder" }).click();
  await expect(modal).toHaveCount(0);
  const saved = await page.evaluate(async () => await (await fetch("/vinted/get")).text());
  expect(JSON.parse(saved)).toMatchObject({
    vinted: { adresse: { ville: "Lyon" }, limites: { arret: true } },
  });
});
