import { expect, signIn, test } from "./journey.ts";

test("a Discord webhook is refused at its field, kept masked, and taken away again", async ({ page }) => {
  await signIn(page, "seeker-webhook");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const settings = page.getByRole("dialog", { name: "Paramètres utilisateur" });
  const field = settings.getByLabel("Webhook Discord");
  await expect(field).toHaveAttribute("type", "password");
  const save = settings.getByRole("button", { name: "Enregistrer le webhook" });
  await expect(save).toBeDisabled();
  await field.fill("https://ailleurs.example/api/webhooks/1/abc");
  await save.click();
  await expect(field).toHaveAttribute("aria-invalid", "true");
  // The input is kept for correction.
  await expect(field).toHaveValue("https://ailleurs.example/api/webhooks/1/abc");

  await field.fill(`https://discord.com/api/webhooks/123456789012345678/${"a".repeat(64)}wXyZ`);
  await field.press("Enter");
  await expect(settings.getByText("se termine par wXyZ")).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  await expect(settings.getByText("se termine par wXyZ")).toBeVisible();
  await expect(settings).not.toContainText("aaaa");
  await settings.getByRole("button", { name: "Retirer le webhook" }).click();
  const question = page.getByRole("dialog", { name: "Retirer le webhook ?" });
  await question.getByRole("button", { name: "Garder le webhook" }).click();
  await expect(settings.getByText("se termine par wXyZ")).toBeVisible();
  await settings.getByRole("button", { name: "Retirer le webhook" }).click();
  await question.getByRole("button", { name: "Retirer", exact: true }).click();
  await expect(field).toHaveValue("");
});
