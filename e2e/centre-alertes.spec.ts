/** The page 'Alertes' with the sandbox's channels, a paired chat, and the page behind an alert's link. */
import type { Page } from "@playwright/test";
import { z } from "zod";
import { addFilter, expect, signIn, test } from "./journey.ts";
import type { Product } from "./product.ts";

const pushed = z.object({ type: z.string(), url: z.string() });

interface AlertedDevice {
  readonly page: Page;
  readonly product: Product;
  readonly name: string;
  /** The word of the titles that it is alerted of. */
  readonly word: string;
}

/** Adds a device of the sandbox to the person's alerts; returns how to read the articles sent to it. */
async function alertsOfDevice({ page, product, name, word }: AlertedDevice) {
  await addFilter(page, { tag: "Liens", limit: 100, mots: [word] });
  const answer = z.object({ abonnement: z.unknown() });
  const device = answer.parse(await product.sandbox.control("POST", "/push/devices", { nom: name }));
  await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    await fetch("/alertes/appareils", { method: "POST", headers, body: JSON.stringify(body) });
  }, device);
  return async () =>
    (await product.sandbox.receptions("push", name))
      .map(({ contenu }) => pushed.parse(contenu))
      .filter(({ type }) => type === "article");
}

const channel = (page: Page, name: string | RegExp) =>
  page.getByRole("region", { name: "Canaux" }).getByRole("listitem", { name });

test("a trial phone is added, tried, switched and removed, and the journal says what was sent", async ({
  page,
}) => {
  await signIn(page, "thunder-canaux");
  await page.getByRole("link", { name: "Alertes", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Alertes", exact: true })).toBeVisible();
  const journal = page.getByRole("region", { name: "Alertes envoyées" });
  await page.getByRole("button", { name: "Téléphone d'essai" }).click();
  const phone = channel(page, /Téléphone d'essai/);
  await expect(phone).toBeVisible();
  await phone.getByRole("button", { name: /^Envoyer un essai/ }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Essai envoyé." })).toBeVisible();
  await expect(journal.getByRole("listitem").filter({ hasText: "Essai de Synapse" })).toHaveCount(2);

  const [articles, purchases] = ["Nouveaux articles", "Achats"].map((name) =>
    phone.getByRole("switch", { name }),
  );
  // Both answers are still awaited.
  let answer = (): void => undefined;
  const isAwaited = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/alertes/edit", async (route) => {
    await isAwaited;
    await route.continue();
  });
  await articles?.click();
  await purchases?.click();
  await expect(phone.getByRole("switch", { name: "Achats" })).not.toBeChecked();
  await expect(phone.getByRole("switch", { name: "Nouveaux articles" })).not.toBeChecked();
  answer();
  await expect(channel(page, "E-mail").getByRole("switch", { name: "Nouveaux articles" })).toHaveCount(0);
  await expect(channel(page, "E-mail").getByRole("button", { name: /^Retirer/ })).toHaveCount(0);
  await expect
    .poll(async () => await page.evaluate("fetch('/alertes').then((answer) => answer.text())"))
    .toContain('"articles":false,"achats":false,"compte":true');
  await page.reload();
  await expect(phone.getByRole("switch", { name: "Nouveaux articles" })).not.toBeChecked();
  await expect(phone.getByRole("switch", { name: "Compte et sécurité" })).toBeChecked();

  await phone.getByRole("button", { name: /^Retirer/ }).click();
  const question = page.getByRole("dialog", { name: "Retirer ce canal ?" });
  await question.getByRole("button", { name: "Garder le canal" }).click();
  await expect(phone).toBeVisible();
  await phone.getByRole("button", { name: /^Retirer/ }).click();
  await question.getByRole("button", { name: "Retirer", exact: true }).click();
  await expect(phone).toHaveCount(0);
  await expect(journal.getByRole("listitem").filter({ hasText: "Canal d'alertes retiré" })).toBeVisible({
    timeout: 60_000,
  });
});

test("quiet hours, the limit and a pause are set with the keyboard alone", async ({ page }) => {
  await signIn(page, "thunder-calme");
  await page.goto("/synapse/alertes");
  const settings = page.getByRole("region", { name: "Réglages" });
  const limit = settings.getByLabel("Au plus … articles par heure");
  await limit.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("0");
  await expect(settings.getByText("Un nombre entier de 1 à 120.")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("12");
  await page.keyboard.press("Tab");
  const from = settings.getByLabel("Heures calmes, de");
  await expect(from).toBeFocused();
  // The minutes alone are missing.
  await page.keyboard.type("08");
  await from.press("Backspace");
  await expect(settings.getByText("Indiquez les heures et les minutes.")).toBeVisible();
  // Filled directly, because the keys differ between 12- and 24-hour clocks.
  await from.fill("22:30");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: "Alertes enregistrées." })).toBeVisible();
  const calm = settings.getByRole("switch", { name: "Heures calmes" });
  await calm.focus();
  await page.keyboard.press("Space");
  await expect(calm).toBeChecked();
  const pause = page.getByRole("button", { name: "Pause 1 h" });
  await pause.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText(/^En pause jusqu'à/)).toBeVisible();
  await page.reload();
  await expect(limit).toHaveValue("12");
  await expect(settings.getByLabel("Heures calmes, de")).toHaveValue("22:30");
  await expect(calm).toBeChecked();
  await page.getByRole("button", { name: "Reprendre" }).click();
  await expect(pause).toBeVisible();
});

test("a limit that was typed but not saved is lost only after a question", async ({ page }) => {
  await signIn(page, "seeker-quitte");
  await page.getByRole("link", { name: "Alertes", exact: true }).click();
  const limit = page.getByLabel("Au plus … articles par heure");
  await limit.fill("5");
  await page.getByRole("link", { name: "Filtres", exact: true }).first().click();
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  await question.getByRole("button", { name: "Rester" }).click();
  await expect(question).toHaveCount(0);
  await expect(limit).toHaveValue("5");
  await page.goBack();
  await question.getByRole("button", { name: "Rester" }).click();
  await expect(limit).toHaveValue("5");
  await page.getByRole("button", { name: "Enregistrer" }).click();
  await expect(page.getByRole("button", { name: "Enregistrer" })).toBeDisabled();
  await page.getByRole("link", { name: "Filtres", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Mes filtres" })).toBeVisible();
  await page.goBack();
  await expect(limit).toHaveValue("5");
  // Nothing to lose: no question.
  await page.goBack();
  await expect(
    page.getByRole("heading", { name: "Mes filtres" }).or(page.getByRole("heading", { name: "Produits" })),
  ).toBeVisible();
});

test("hours that are being typed are kept when another device changes the settings", async ({
  page,
  context,
}) => {
  await signIn(page, "thunder-deuxappareils");
  await page.goto("/synapse/alertes");
  const settings = page.getByRole("region", { name: "Réglages" });
  const from = settings.getByLabel("Heures calmes, de");
  const limit = settings.getByLabel("Au plus … articles par heure");
  await from.fill("21:15");
  const elsewhere = await context.newPage();
  await elsewhere.goto("/synapse/alertes");
  await elsewhere.getByLabel("Au plus … articles par heure").fill("33");
  await elsewhere.getByRole("button", { name: "Enregistrer", exact: true }).click();
  await expect(elsewhere.getByRole("alert").filter({ hasText: "Alertes enregistrées." })).toBeVisible();
  await elsewhere.close();
  // A switch that is saved reads the settings again.
  await settings.getByRole("switch", { name: "Heures calmes" }).click();
  await expect(limit).toHaveValue("33");
  await expect(from).toHaveValue("21:15");
  // The button is also disabled while it saves.
  const isSaved = page.waitForResponse("**/alertes/edit");
  await settings.getByRole("button", { name: "Enregistrer", exact: true }).click();
  await isSaved;
  await expect(settings.getByRole("button", { name: "Enregistrer", exact: true })).toBeDisabled();
  await page.reload();
  await expect(limit).toHaveValue("33");
  await expect(from).toHaveValue("21:15");
});

test("a chat is paired by its code in the sandbox's Telegram, and shows up by itself", async ({
  page,
  product,
}) => {
  await signIn(page, "thunder-telegram");
  await page.goto("/synapse/alertes");
  await page.getByRole("region", { name: "Canaux" }).getByRole("button", { name: "Relier Telegram" }).click();
  const dialog = page.getByRole("dialog", { name: "Relier Telegram" });
  await expect(dialog.getByText("Valable 10 minutes")).toBeVisible();
  const code = await dialog.getByText(/^[A-Z2-9]{8}$/).innerText();
  const link = dialog.getByRole("link", { name: "Ouvrir Telegram" });
  expect(await link.getAttribute("href")).toContain(`start=${code}`);
  const [telegram] = await Promise.all([page.waitForEvent("popup"), link.click()]);
  await expect(telegram.getByLabel("Écrire au robot")).toHaveValue(`/start ${code}`);
  await telegram.getByRole("button", { name: "Envoyer" }).click();
  // A page that is closed while it navigates may never report that it is closed.
  await expect(telegram.getByText(`/start ${code}`)).toBeVisible();
  await telegram.close();
  await expect(dialog).toHaveCount(0);
  const chat = channel(page, /^Telegram · /);
  await expect(chat).toBeVisible();
  await chat.getByRole("button", { name: /^Envoyer un essai/ }).click();
  const messages = async () => (await product.sandbox.chat(1)).map(({ texte }) => texte).join();
  await expect.poll(messages).toContain("Essai de Synapse");
});

test("a code that has expired is replaced on request, and a chat that was lost is noticed when it is back", async ({
  page,
}) => {
  await page.clock.install();
  await signIn(page, "thunder-codeexpire");
  let etat = "perdu";
  const evenements = { articles: true, achats: true, compte: true, resume: true };
  await page.route(/:\d+\/alertes$/u, async (route) => {
    const response = await route.fetch();
    const centre = z.object({ alertes: z.looseObject({}) }).parse(await response.json());
    const canaux = [{ id: "c", canal: "telegram", nom: "Léa", etat, evenements, ici: false }];
    await route.fulfill({ response, json: { alertes: { ...centre.alertes, canaux } } });
  });
  await page.goto("/synapse/alertes");
  await page.getByRole("region", { name: "Canaux" }).getByRole("button", { name: "Relier Telegram" }).click();
  const dialog = page.getByRole("dialog", { name: "Relier Telegram" });
  const code = dialog.getByText(/^[A-Z2-9]{8}$/);
  const first = await code.innerText();
  await page.clock.fastForward("10:10");
  await expect(code).toHaveCount(0);
  await page.route("**/telegram*", (route) => route.fulfill({ status: 500, json: { error: "Panne" } }));
  await dialog.getByRole("button", { name: "Nouveau code" }).press("Enter");
  await expect(dialog.getByText("Panne")).toBeVisible();
  await page.unroute("**/telegram*");
  await dialog.getByRole("button", { name: "Réessayer" }).press("Enter");
  await expect(code).toBeVisible();
  await expect(code).not.toHaveText(first);
  etat = "actif";
  await page.clock.runFor(5_000);
  await expect(dialog).toHaveCount(0);
});

test("a chat's code stays the same when the network returns, and another dialog has another code", async ({
  page,
  context,
}) => {
  await signIn(page, "thunder-reseau");
  await page.goto("/synapse/alertes");
  const open = page.getByRole("region", { name: "Canaux" }).getByRole("button", { name: "Relier Telegram" });
  await open.click();
  const dialog = page.getByRole("dialog", { name: "Relier Telegram" });
  const code = dialog.getByText(/^[A-Z2-9]{8}$/);
  const first = await code.innerText();
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("telegram")) requests += 1;
  });
  await context.setOffline(true);
  const readAgain = page.waitForResponse((answer) => answer.request().method() === "GET");
  await context.setOffline(false);
  await readAgain;
  expect(requests).toBe(0);
  await expect(code).toHaveText(first);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await open.click();
  await expect(code).toBeVisible();
  await expect(code).not.toHaveText(first);
});

test("a link's page that could not read its visitor keeps the focus while it tries again", async ({
  page,
}) => {
  await signIn(page, "thunder-relecture");
  const failing = { status: 500, json: { error: "Le serveur est en panne." } };
  await page.route("**/auth/user", (route) => route.fulfill(failing));
  await page.goto(`/alerte#${"a".repeat(43)}`);
  await expect(page.getByText("Le serveur est en panne.")).toBeVisible();
  await page.unroute("**/auth/user");
  let answer = (): void => undefined;
  const isAwaited = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/auth/user", async (route) => {
    await isAwaited;
    await route.continue();
  });
  await page.getByRole("button", { name: "Réessayer" }).press("Enter");
  await expect(page.getByRole("status")).toHaveText("Chargement…");
  await expect(page.getByRole("main")).toBeFocused();
  answer();
  await expect(page.getByRole("heading", { name: "Ce lien est inconnu" })).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
});

test("a link shows whether it is valid: when signed out, to another person, and once it was used", async ({
  page,
  browser,
  market,
  product,
}) => {
  await signIn(page, "thunder-lienvalable");
  const articles = await alertsOfDevice({ page, product, name: "Lien", word: "lienvalable" });
  await market.publish({ title: "Veste lienvalable", price: 10 });
  await expect.poll(async () => (await articles()).length).toBe(1);
  const url = (await articles())[0]?.url ?? "";

  const elsewhere = await (await browser.newContext({ baseURL: product.url })).newPage();
  await elsewhere.goto(url);
  await expect(elsewhere.getByRole("heading", { name: "Connectez-vous pour acheter" })).toBeVisible();
  await signIn(elsewhere, "thunder-lienvoisin");
  await elsewhere.goto(url);
  await expect(elsewhere.getByRole("heading", { name: "Ce lien est inconnu" })).toBeVisible();
  await elsewhere.context().close();

  const failing = { status: 500, json: { error: "Le serveur est en panne." } };
  await page.route("**/alertes/lien", (route) => route.fulfill(failing));
  await page.goto(url);
  await expect(page.getByText("Le serveur est en panne.")).toBeVisible();
  await page.unroute("**/alertes/lien");
  await page.getByRole("button", { name: "Réessayer" }).press("Enter");
  await expect(page.getByRole("heading", { name: "Veste lienvalable" })).toBeVisible();

  // On a clock that is an hour ahead the link still buys: the server says when it has expired.
  const storageState = await page.context().storageState();
  const ahead = await (await browser.newContext({ baseURL: product.url, storageState })).newPage();
  await ahead.clock.install({ time: Date.now() + 3_600_000 });
  await ahead.goto(url);
  await expect(ahead.getByRole("button", { name: /^Acheter/ })).toBeEnabled();
  await expect(ahead.getByText(/^Encore/)).toHaveCount(0);
  await ahead.route("**/auth/user", (route) => route.fulfill(failing));
  await ahead.reload();
  await expect(ahead.getByText("Le serveur est en panne.")).toBeVisible();
  await ahead.unroute("**/auth/user");
  await ahead.getByRole("button", { name: "Réessayer" }).click();
  await expect(ahead.getByRole("button", { name: /^Acheter/ })).toBeEnabled();
  await ahead.route("**/alertes/lien", async (route) => {
    const response = await route.fetch();
    const { lien } = z
      .object({ lien: z.looseObject({ produit: z.looseObject({}) }) })
      .parse(await response.json());
    const produit = { ...lien.produit, status: null };
    await route.fulfill({ response, json: { lien: { ...lien, produit, etat: "expire" } } });
  });
  // The page's timer may start after the button is drawn.
  await expect(async () => {
    await ahead.clock.runFor(31_000);
    await expect(ahead.getByText("Ce lien a expiré")).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect(ahead.getByText(/· N\/A$/)).toBeVisible();
  await expect(ahead.getByText("hors livraison")).toHaveCount(1);
  await ahead.context().close();

  // With the keyboard only: the first button of the page is the one that buys.
  await expect(page.getByText(/^Encore \d+ min/)).toBeVisible();
  await expect(page.getByText("hors livraison")).toHaveCount(1);
  await page.getByRole("link", { name: "Synapse, vers les produits" }).focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: /^Acheter/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText(/Achat confirmé|Déjà acheté/).first()).toBeVisible();
  await expect(page.getByRole("link", { name: "Mes achats" })).toHaveAttribute("href", "/synapse/achats");

  // Another alert in the same window changes only the URL fragment.
  const secureId = await market.publish({ title: "Manteau lienvalable", price: 60, secure: true });
  await expect.poll(async () => (await articles()).length).toBe(2);
  await page.goto((await articles()).find(({ url: each }) => each !== url)?.url ?? "");
  await expect(page.getByRole("heading", { name: "Manteau lienvalable" })).toBeVisible();
  await page.getByRole("button", { name: /^Acheter/ }).click();
  await expect(page.getByText(/Votre banque attend votre confirmation/)).toBeVisible();
  const confirm = page.getByRole("link", { name: "Confirmer" });
  // The page polls the purchase: once the bank has refused it, no confirmation is asked for.
  await page.route("**/alertes/lien", async (route) => {
    const response = await route.fetch();
    const { lien } = z
      .object({ lien: z.looseObject({ achat: z.looseObject({}) }) })
      .parse(await response.json());
    const achat = { ...lien.achat, status: 0, purchase_confirmation: null, raison: "La banque a refusé." };
    await route.fulfill({ response, json: { lien: { ...lien, achat } } });
  });
  await expect(page.getByText("Achat annulé. La banque a refusé.")).toBeVisible();
  await expect(page.getByText(/Votre banque attend/)).toHaveCount(0);
  await page.unroute("**/alertes/lien");
  await page.reload();
  await expect(confirm).toHaveAttribute("href", /^http/);
  const [order] = await market.ordersOf(secureId);
  await product.sandbox.confirm(order?.transaction_id ?? 0);
  await expect(page.getByText("Déjà acheté")).toBeVisible();
  await expect(confirm).toHaveCount(0);

  await page.getByRole("button", { name: "Pause 1 h" }).click();
  await expect(page.getByText("Alertes d'articles en pause.")).toBeVisible();
  await page.getByRole("button", { name: "Bloquer ce vendeur" }).click();
  await expect(page.getByText(/bloqué/)).toBeVisible();
  await page.goto(`${product.url}/alerte#${"x".repeat(43)}`);
  await expect(page.getByRole("heading", { name: "Ce lien est inconnu" })).toBeVisible();
});

/** A link that can still buy, of a listing that an earlier purchase was cancelled of. */
const BUYABLE = {
  etat: "valide",
  prix: { amount: "10.00", currency_code: "EUR" },
  produit: null,
  achat: { status: 0, purchase_confirmation: null, raison: "La banque a refusé." },
};

/** Opens a link that is answered by what is returned, which a test may change; undefined fails. */
async function openLink(page: Page, name: string): Promise<{ lien: object | undefined }> {
  const answer: { lien: object | undefined } = { lien: BUYABLE };
  await signIn(page, name);
  await page.route("**/alertes/lien", async (route) => {
    const { lien } = answer;
    if (lien === undefined) await route.fulfill({ status: 500, json: { error: "Panne" } });
    else await route.fulfill({ json: { success: true, lien: { expire_a: Date.now() + 480_000, ...lien } } });
  });
  await page.goto(`/alerte#${"a".repeat(43)}`);
  await expect(page.getByRole("button", { name: /^Acheter/ })).toBeVisible();
  return answer;
}

test("a press that bought offers no second purchase, also while its link cannot be read again", async ({
  page,
}) => {
  const answer = await openLink(page, "thunder-lienillisible");
  const purchase = { status: 1, purchase_confirmation: null, raison: null };
  await page.route("**/alertes/acheter", async (route) => {
    answer.lien = undefined;
    await route.fulfill({ json: { success: true, message: "Achat confirmé.", purchase } });
  });
  const isReadAgain = page.waitForResponse("**/alertes/lien");
  await page.getByRole("button", { name: /^Acheter/ }).click();
  await isReadAgain;
  await expect(page.getByText("Achat confirmé.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Ach/ })).toHaveCount(0);
});

test("a link's purchase that the bank asks for in its own application waits for the bank", async ({
  page,
}) => {
  const answer = await openLink(page, "thunder-lienbanque");
  const purchase = { status: 2, purchase_confirmation: null, raison: null };
  await page.route("**/alertes/acheter", async (route) => {
    answer.lien = { ...BUYABLE, etat: "utilise", achat: purchase };
    await route.fulfill({ json: { success: true, message: "L'achat est en cours.", purchase } });
  });
  await page.getByRole("button", { name: /^Acheter/ }).click();
  await expect(page.getByText("L'achat est en cours.")).toBeVisible();
  const a_payer = { amount: "12.00", currency_code: "EUR" };
  answer.lien = { ...BUYABLE, etat: "utilise", achat: { ...purchase, a_payer } };
  await expect(page.getByRole("status")).toHaveText("Votre banque attend votre confirmation");
  await expect(page.getByRole("link", { name: "Confirmer" })).toHaveCount(0);
});

test("a link that expired says so, not why an earlier press bought nothing", async ({ page }) => {
  const answer = await openLink(page, "thunder-lienperime");
  await page.route("**/alertes/acheter", (route) => route.abort());
  answer.lien = { ...BUYABLE, etat: "expire" };
  // The press reads the link again, whether it bought or not.
  await page.getByRole("button", { name: /^Acheter/ }).click();
  await expect(page.getByText("Ce lien a expiré")).toBeVisible();
  await expect(page.getByText(/l'achat a peut-être eu lieu/)).toHaveCount(0);
});

test("a press on a link that reached nobody buys nothing, says so, and can be repeated", async ({
  page,
  context,
  market,
  product,
}) => {
  await signIn(page, "thunder-lienperdu");
  const articles = await alertsOfDevice({ page, product, name: "Perdu", word: "lienperdu" });
  const listingId = await market.publish({ title: "Cape lienperdu", price: 10 });
  await expect.poll(async () => (await articles()).length).toBe(1);
  await page.goto((await articles())[0]?.url ?? "");
  const buy = page.getByRole("button", { name: /^Acheter/ });
  await expect(buy).toBeVisible();
  await context.setOffline(true);
  await buy.click();
  await expect(page.getByText("Vous êtes hors ligne : rien n'a été acheté.")).toBeVisible();
  await expect(buy).toBeEnabled();
  await context.setOffline(false);
  await page.route("**/alertes/acheter", (route) => route.abort());
  await buy.click();
  await expect(page.getByText(/l'achat a peut-être eu lieu/)).toBeVisible();
  await page.unroute("**/alertes/acheter");
  await expect(buy).toBeEnabled();
  await buy.click();
  await expect(page.getByText(/Achat confirmé|Déjà acheté/).first()).toBeVisible();
  expect(await market.ordersOf(listingId)).toMatchObject([{ payments: 1 }]);
});
