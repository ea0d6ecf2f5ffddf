import { addFilter, expect, signIn, test } from "./journey.ts";

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

/** Replaces system notifications, which a headless browser cannot show. */
const NOTE_NOTIFICATIONS = `
  globalThis.noted = [];
  globalThis.Notification = class extends EventTarget {
    static permission = "default";
    static requestPermission = async () => (Notification.permission = await globalThis.wished);
    constructor(title, { body }) { super(); noted.push(title + ": " + body); }
    close() {}
  };
  globalThis.isHidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
`;

test("notifications need permission, explain a refusal, and are shown only while the page is hidden", async ({
  page,
  market,
}) => {
  await page.addInitScript(NOTE_NOTIFICATIONS);
  await signIn(page, "seeker-notifications");
  await addFilter(page, { tag: "Alerte", types: { ids: [221] }, limit: 50, mots: ["alerte"] });
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const choice = page.getByRole("dialog").getByRole("switch", { name: "Notifications du système" });
  await page.evaluate("globalThis.wished = 'denied'");
  await choice.click();
  await expect(page.getByRole("alert").filter({ hasText: "Le navigateur refuse" })).toBeVisible();
  await expect(choice).not.toBeChecked();
  // The sound is chosen while the browser still asks for its permission.
  await page.evaluate("void (globalThis.wished = new Promise((then) => { globalThis.allow = then; }))");
  await choice.click();
  const sound = page.getByRole("dialog").getByRole("switch", { name: "Son" });
  await sound.click();
  await expect(sound).toBeChecked();
  await page.evaluate("allow('granted')");
  await expect(choice).toBeChecked();
  await expect(sound).toBeChecked();
  await page.keyboard.press("Escape");

  await market.publish({ title: "Robe en vue alerte", price: 10 });
  await expect(page.getByText("Robe en vue alerte")).toBeVisible();
  expect(await page.evaluate("noted")).toEqual([]);
  await page.evaluate("globalThis.isHidden = true");
  await market.publish({ title: "Robe cachée alerte", price: 10 });
  await expect.poll(() => page.evaluate("noted")).toEqual(["Synapse: Robe cachée alerte"]);
});

test("where the browser keeps nothing, choosing the sound leaves the notifications chosen", async ({
  page,
}) => {
  await page.addInitScript(NOTE_NOTIFICATIONS);
  await page.addInitScript(
    `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); }`,
  );
  await signIn(page, "seeker-sansmemoire");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const choices = ["Notifications du système", "Son"].map((name) =>
    page.getByRole("dialog").getByRole("switch", { name }),
  );
  await page.evaluate("globalThis.wished = 'granted'");
  for (const choice of choices) {
    await choice.click();
    await expect(choice).toBeChecked();
  }
  for (const choice of choices) await expect(choice).toBeChecked();
});
