import type { Locator, Page } from "@playwright/test";
import { z } from "zod";
import { discard, drawn, expect, focusTaken, signIn, test } from "./journey.ts";

test("settings are shown, changed and kept, and the token stays masked until it is asked for", async ({
  page,
}) => {
  await signIn(page, "seeker-reglages");
  const modal = await openSettings(page);
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

  // Disconnecting saves nothing else, and keeps what was typed.
  await modal.getByLabel("Rue").fill("3 quai Rambaud");
  await modal.getByRole("button", { name: "Déconnecter le compte" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Déconnecter", exact: true }).click();
  await expect(modal.getByText("Aucun token enregistré")).toBeVisible();
  await expect(modal.getByLabel("Token de rafraîchissement Vinted")).toBeFocused();
  await expect(modal.getByLabel("Token de rafraîchissement Vinted")).toHaveValue("");
  await expect(modal.getByLabel("Rue")).toHaveValue("3 quai Rambaud");
  await modal.getByRole("button", { name: "Sauvegarder" }).click();
  await expect(modal).toHaveCount(0);
  await page.getByRole("button", { name: "Connecter votre compte" }).click();
  await expect(modal.getByLabel("Rue")).toHaveValue("3 quai Rambaud");
  await expect(modal.getByText("Aucun token enregistré")).toBeVisible();
});

test("a relay point that was typed but not added holds the save back, and its field says so", async ({
  page,
}) => {
  await signIn(page, "seeker-relais");
  const modal = await openSettings(page);
  await modal.getByRole("button", { name: "Ajouter" }).click();
  const field = modal.getByLabel("Nom du point relais");
  const save = modal.getByRole("button", { name: "Sauvegarder" });
  await field.fill("Tabac du quai");
  await save.click();
  await expect(modal.getByText("Appuyez sur Ajouter, ou annulez ce point relais.")).toBeVisible();
  await expect(field).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(field).toHaveCount(0);
  // An empty one is none.
  await modal.getByRole("button", { name: "Ajouter" }).click();
  await save.click();
  await expect(modal).toHaveCount(0);
  expect(await savedSettings(page)).toMatchObject({ relais: ["Relais Colis Bastille", "Tabac du quai"] });
});

test("the guards hold what stops automatic buying, saved at once and told from the pause of a filter", async ({
  page,
}) => {
  await signIn(page, "thunder-gardefous");
  const modal = await openSettings(page);
  const guards = modal.getByRole("region", { name: "Garde-fous", exact: true });
  await expect(guards.getByLabel("Dépense par jour")).toBeVisible();
  const autobuy = guards.getByRole("group", { name: "Achats automatiques" });
  await expect(autobuy.getByText("Enregistré aussitôt")).toBeVisible();
  // What a person may take for the same: the stop, and the pause of a filter.
  for (const text of [
    "Vos filtres cherchent toujours, et l'achat en un clic reste possible.",
    "Mettre un filtre en pause (« Actif », dans Mes filtres) n'arrête que lui : il ne cherche plus et n'achète plus.",
  ])
    await expect(autobuy).toContainText(text);
  await autobuy.getByRole("switch", { name: "Tout arrêter" }).press("Space");
  await expect(page.getByRole("alert")).toContainText("Achats automatiques arrêtés.");
  await expect(autobuy.getByRole("switch", { name: "Tout arrêter" })).toBeChecked();
});

test("a save that is refused says why, keeps what was typed, and leaves the focus in the form, which asks before Escape closes it", async ({
  page,
}) => {
  await signIn(page, "seeker-refuse");
  const modal = await openSettings(page);
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
  await discard(page);
  await expect(modal).toHaveCount(0);
});

test("a refusal at a limit stays when its field is left as it is", async ({ page }) => {
  await signIn(page, "thunder-limiterefusee");
  const modal = await openSettings(page);
  const day = modal.getByLabel("Dépense par jour");
  await day.fill("10");
  const refused = { status: 400, json: { error: "Limite refusée.", champ: "limites.jour" } };
  await page.route("**/vinted/edit", (route) => route.fulfill(refused), { times: 1 });
  await page.keyboard.press("Enter");
  await expect(modal.getByText("Limite refusée.")).toBeVisible();
  // The refusal moves the focus to its field, also if it is there already.
  await drawn(page);
  await page.keyboard.press("Tab");
  await expect(day).not.toBeFocused();
  await expect(modal.getByText("Limite refusée.")).toBeVisible();
  await day.fill("11");
  await expect(modal.getByText("Limite refusée.")).toHaveCount(0);
});

test("a limit typed with cents is saved without them, not as a hundred times as much", async ({ page }) => {
  await signIn(page, "thunder-centimes");
  const modal = await openSettings(page);
  for (const label of ["Dépense par jour", "Dépense par mois"])
    await expect(modal.getByLabel(label)).toHaveAccessibleDescription("Sans les centimes");
  await expect(modal.getByLabel("Achats par jour")).toHaveAccessibleDescription("Un nombre entier");
  const typed = [
    ["Dépense par jour", "150,50", "150"],
    ["Dépense par mois", "1 500.00 €", "1500"],
    ["Achats par jour", "2,5", "2"],
  ] as const;
  for (const [label, text, kept] of typed) {
    await modal.getByLabel(label).clear();
    await modal.getByLabel(label).pressSequentially(text);
    await page.keyboard.press("Tab");
    await expect(modal.getByLabel(label)).toHaveValue(kept);
  }
  await modal.getByLabel("Achats par jour").clear();
  await modal.getByLabel("Achats par jour").pressSequentially("3,9");
  await page.keyboard.press("Enter");
  await expect(modal).toHaveCount(0);
  expect(await savedSettings(page)).toMatchObject({ limites: { jour: 150, mois: 1_500, achats_jour: 3 } });
});

test("the window stays open while it saves, and says why that was refused", async ({ page }) => {
  await signIn(page, "seeker-lent");
  const modal = await openSettings(page);
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await page.route("**/vinted/edit", async (route) => {
    arrived.resolve();
    await gate.promise;
    await route.fulfill({ status: 500, json: { error: "Le serveur est en panne." } });
  });
  await modal.getByLabel("Ville").fill("Lyon");
  await modal.getByRole("button", { name: "Sauvegarder" }).press("Enter");
  await arrived.promise;
  await page.keyboard.press("Escape");
  await modal.getByRole("link", { name: "Appareils, Telegram et heures calmes" }).click();
  gate.resolve();
  await expect(modal.getByText("Le serveur est en panne.")).toBeVisible();
  await expect(modal.getByLabel("Ville")).toHaveValue("Lyon");
});

test("saving one thing leaves alone what was changed elsewhere while the window was open", async ({
  page,
}) => {
  await signIn(page, "thunder-arret");
  const modal = await openSettings(page);
  await modal.getByLabel("Ville").fill("Lyon");
  const elsewhere = { relais: ["Tabac du port"], paiement: 11, limites: { arret: true } };
  await saveElsewhere(page, elsewhere);
  await modal.getByRole("button", { name: "Sauvegarder" }).click();
  await expect(modal).toHaveCount(0);
  expect(await savedSettings(page)).toMatchObject({ ...elsewhere, adresse: { ville: "Lyon" } });
});

test("the window follows what is saved elsewhere while it is open, but leaves what is typed alone", async ({
  page,
}) => {
  await page.clock.install();
  await signIn(page, "thunder-suivi");
  const modal = await openSettings(page);
  const relays = modal.getByRole("group", { name: "Points relais" }).getByRole("listitem");
  await modal.getByLabel("Rue").fill("3 quai Rambaud");
  await modal.getByRole("button", { name: "Ajouter" }).click();
  await modal.getByLabel("Nom du point relais").fill("Tabac d'ici");
  await page.keyboard.press("Enter");
  await modal.getByLabel("Dépense par mois").focus();

  const first = { jour: 120, mois: 900, achats_jour: 7 };
  await saveElsewhere(page, { relais: ["Relais Colis Bastille", "Tabac de là"], limites: first });
  await page.clock.fastForward("01:01");
  await expect(modal.getByLabel("Dépense par jour")).toHaveValue("120");
  await expect(modal.getByLabel("Achats par jour")).toHaveValue("7");
  await expect(relays).toHaveText(["Relais Colis Bastille", "Tabac de là", "Tabac d'ici"]);
  await expect(modal.getByLabel("Rue")).toHaveValue("3 quai Rambaud");
  // A focused field keeps its text until it loses the focus.
  await expect(modal.getByLabel("Dépense par mois")).toHaveValue("2000");
  await page.keyboard.press("Tab");
  await expect(modal.getByLabel("Dépense par mois")).toHaveValue("900");

  // Saved before the window reads it.
  const adresse = { rue: "1 rue", ville: "Lyon", code_postal: 69_001, pays: "France" };
  await saveElsewhere(page, { relais: ["Tabac de là", "Tabac de loin"], adresse });
  await modal.getByRole("button", { name: "Sauvegarder" }).click();
  await expect(modal).toHaveCount(0);
  expect(await savedSettings(page)).toMatchObject({
    relais: ["Tabac de là", "Tabac de loin", "Tabac d'ici"],
    adresse: { ...adresse, rue: "3 quai Rambaud" },
    limites: first,
  });
});

test("a revealed token that is put back as it was is not saved as a new one", async ({ page }) => {
  await signIn(page, "thunder-retouche");
  const modal = await openSettings(page);
  const field = modal.getByLabel("Token de rafraîchissement Vinted");
  await modal.getByRole("button", { name: "Afficher le token" }).click();
  await expect(field).toHaveValue(/^[^•]{8,}$/u);
  const revealed = await field.inputValue();
  await field.press("End");
  await field.press("x");
  await expect(field).toHaveValue(`${revealed}x`);
  await field.press("Backspace");
  await expect(field).toHaveValue(revealed);
  const saving = page.waitForRequest("**/vinted/edit");
  await modal.getByRole("button", { name: "Sauvegarder" }).click();
  expect((await saving).postDataJSON()).toMatchObject({ token: "" });
  await expect(modal).toHaveCount(0);
});

test("the link to the alerts asks before what was typed is lost", async ({ page }) => {
  await signIn(page, "seeker-lien");
  const modal = await openSettings(page);
  const link = modal.getByRole("link", { name: "Appareils, Telegram et heures calmes" });
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  await modal.getByRole("button", { name: "Ajouter" }).click();
  await modal.getByLabel("Nom du point relais").fill("Tabac");
  await link.click();
  await question.getByRole("button", { name: "Rester" }).click();
  await expect(modal.getByLabel("Nom du point relais")).toHaveValue("Tabac");
  await modal.getByRole("button", { name: "Annuler" }).first().click();
  await modal.getByLabel("Ville").fill("Lyon");
  await link.click();
  await question.getByRole("button", { name: "Quitter" }).click();
  await expect(modal).toHaveCount(0);
  await expect(page).toHaveURL(/\/synapse\/alertes$/u);

  // A change without typing would be lost too.
  await saveElsewhere(page, { relais: ["Tabac"] });
  await page.reload();
  await openSettings(page);
  await modal.getByRole("button", { name: "Retirer Tabac" }).click();
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Quitter" }).click();
  await expect(modal).toHaveCount(0);

  // Nothing was changed: nothing is asked.
  await page.getByRole("button", { name: "Paramètres" }).click();
  await expect(modal.getByLabel("Ville")).toHaveValue("Paris");
  await link.click();
  await expect(modal).toHaveCount(0);
});

/** What is typed before the window has taken the focus goes to its first field. */
async function openSettings(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Paramètres" }).click();
  const modal = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await focusTaken(modal);
  return modal;
}

async function saveElsewhere(page: Page, settings: object): Promise<void> {
  const isSaved = await page.evaluate(async (body) => {
    const response = await fetch("/vinted/edit", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.ok;
  }, settings);
  expect(isSaved).toBe(true);
}

async function savedSettings(page: Page): Promise<unknown> {
  const text = await page.evaluate(async () => await (await fetch("/vinted/get")).text());
  return z.object({ vinted: z.unknown() }).parse(JSON.parse(text)).vinted;
}
