import { expect, settled, signIn, test } from "./journey.ts";

test("the list of devices names each, and another one is signed out from here", async ({
  page,
  browser,
  product,
}) => {
  await signIn(page, "seeker-appareils");
  const other = await browser.newContext({ baseURL: product.url });
  const elsewhere = await other.newPage();
  await signIn(elsewhere, "seeker-appareils");
  await expect(elsewhere.getByRole("heading", { name: "Produits" })).toBeVisible();

  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const devices = page
    .getByRole("dialog", { name: "Paramètres utilisateur" })
    .getByRole("region", { name: "Appareils connectés" })
    .getByRole("listitem");
  await expect(devices).toHaveCount(2);
  await expect(devices.filter({ hasText: "Cet appareil" })).toHaveCount(1);
  // This device is signed out by the button of the top bar, which asks for confirmation.
  await expect(
    devices.filter({ hasText: "Cet appareil" }).getByRole("button", { name: "Déconnecter" }),
  ).toHaveCount(0);
  await devices.getByRole("button", { name: "Déconnecter" }).click();
  await expect(devices).toHaveCount(1);

  // Without a reload: the server closes the other device's socket, and its page checks its session.
  await expect(elsewhere.getByRole("heading", { name: "Produits" })).toHaveCount(0);
  await other.close();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "Produits" })).toBeVisible();
});

test("all other devices are signed out only after a question that says how many", async ({
  page,
  browser,
  product,
}) => {
  await signIn(page, "seeker-tousappareils");
  for (let other = 0; other < 2; other += 1)
    await signIn(await browser.newPage({ baseURL: product.url }), "seeker-tousappareils");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const devices = page.getByRole("region", { name: "Appareils connectés" });
  await expect(devices.getByRole("listitem")).toHaveCount(3);
  const end = devices.getByRole("button", { name: "Déconnecter tous les autres" });
  await end.click();
  const question = page.getByRole("dialog", { name: "Déconnecter 2 appareils ?" });
  await question.getByRole("button", { name: "Les laisser connectés" }).click();
  await expect(question).toHaveCount(0);
  await expect(devices.getByRole("listitem")).toHaveCount(3);
  await end.press("Enter");
  await question.getByRole("button", { name: "Déconnecter", exact: true }).click();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(false);
});

test("an account is deleted only after the confirmation word is typed, and then completely", async ({
  page,
}) => {
  await signIn(page, "seeker-effacement");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  await settings.getByRole("button", { name: "Supprimer mon compte" }).click();
  const last = settings.getByRole("button", { name: "Supprimer définitivement" });
  await expect(last).toBeDisabled();
  await settings.getByLabel("Écrivez SUPPRIMER pour confirmer").fill("supprimer");
  await expect(last).toBeDisabled();
  await settings.getByRole("button", { name: "Garder mon compte" }).click();
  await settings.getByRole("button", { name: "Supprimer mon compte" }).click();
  await settings.getByLabel("Écrivez SUPPRIMER pour confirmer").fill("SUPPRIMER");
  await last.click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole("link", { name: "Rejoindre Dès Maintenant" })).toBeVisible();
  await page.goto("/synapse/articles");
  await settled(page);
  await expect(page.locator("#root > *")).toHaveCount(0);
});
