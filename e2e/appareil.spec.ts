/**
 * A browser receives alerts: the page subscribes, the product encrypts and sends, the sandbox replaces the
 * push service and decrypts, and DevTools deliver the message to the real service worker. A headless browser
 * has no push service and no notifications: subscriptions and notifications are recorded instead.
 */
import type { CDPSession, Page, Worker } from "@playwright/test";
import { z } from "zod";
import { DELETE_WORD } from "#contract/bounds.ts";
import { addFilter, expect, signIn, test } from "./journey.ts";
import type { Product } from "./product.ts";

const subscribed = z.object({
  abonnement: z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) }),
});
const pushed = z.object({ type: z.string(), titre: z.string(), url: z.string() });
const noted = z.array(
  z.object({
    title: z.string(),
    tag: z.string(),
    silent: z.boolean(),
    actions: z.array(z.object({ action: z.string(), title: z.string() })),
  }),
);
const centre = z.looseObject({
  alertes: z.looseObject({ canaux: z.array(z.looseObject({ canal: z.string() })) }),
});
const registrations = z.object({
  registrations: z.array(z.object({ registrationId: z.string(), scopeURL: z.string() })),
});

/**
 * Before the page loads: permission is granted on request, and each subscription of the push service is a device
 * of its own.
 */
async function withPushService(page: Page, { sandbox }: Product, nom: string): Promise<void> {
  const abonnements = [];
  while (abonnements.length < 4)
    abonnements.push(subscribed.parse(await sandbox.control("POST", "/push/devices", { nom })).abonnement);
  await page.addInitScript(`{
    const abonnements = ${JSON.stringify(abonnements)};
    const has = (name) => localStorage.getItem(name) !== null;
    const subscription = (abonnement) => ({
      ...abonnement,
      toJSON: () => abonnement,
      unsubscribe: async () => { localStorage.removeItem("abonné"); return true; },
    });
    const known = () => (has("abonné") ? subscription(abonnements[Number(localStorage.getItem("abonné"))]) : null);
    Object.defineProperty(Notification, "permission", { get: () => (has("permis") ? "granted" : "default") });
    Notification.requestPermission = async () => { localStorage.setItem("permis", ""); return "granted"; };
    PushManager.prototype.subscribe = async () => {
      const n = Number(localStorage.getItem("abonnements"));
      localStorage.setItem("abonnements", String(n + 1));
      localStorage.setItem("abonné", String(n));
      return known();
    };
    PushManager.prototype.getSubscription = async () => known();
  }`);
}

/** The worker, what it shows and opens, and a way to deliver push messages. */
async function followWorker(page: Page) {
  const devtools: CDPSession = await page.context().newCDPSession(page);
  const ids: string[] = [];
  devtools.on("ServiceWorker.workerRegistrationUpdated", (event) => {
    for (const one of registrations.parse(event).registrations) ids.push(one.registrationId);
  });
  await devtools.send("ServiceWorker.enable");
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  const worker: Worker =
    page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent("serviceworker"));
  await worker.evaluate(`{
    self.noted = [];
    self.opened = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
      noted.push({ title, ...options });
    };
    Clients.prototype.openWindow = async (url) => { opened.push(url); return null; };
  }`);
  const { origin } = new URL(page.url());
  return {
    async deliver(message: unknown): Promise<void> {
      await expect.poll(() => ids.length).toBeGreaterThan(0);
      await devtools.send("ServiceWorker.deliverPushMessage", {
        origin,
        registrationId: ids[0] ?? "",
        data: JSON.stringify(message),
      });
    },
    shown: async () => noted.parse(await worker.evaluate("noted")),
    /** Presses the latest notification. @returns what it opens */
    async press(action: string): Promise<unknown> {
      await worker.evaluate(`{
        opened.length = 0;
        const event = new ExtendableEvent("notificationclick");
        const notification = { data: noted.at(-1).data, close: () => undefined };
        Object.defineProperties(event, { action: { value: ${JSON.stringify(action)} }, notification: { value: notification } });
        dispatchEvent(event);
      }`);
      await expect.poll(() => worker.evaluate("opened.length")).toBe(1);
      return await worker.evaluate("opened[0]");
    },
  };
}

test("a device is set up in two presses, receives an article while Synapse is closed, and buys by its button", async ({
  page,
  market,
  product,
}) => {
  const received = async () =>
    (await product.sandbox.receptions("push", "Navigateur")).map(({ contenu }) => contenu);
  await withPushService(page, product, "Navigateur");
  await signIn(page, "thunder-navigateur");
  await addFilter(page, { tag: "Vestes", limit: 100, mots: ["navigateur"] });
  await page.reload();
  const card = page.getByRole("region", { name: "Soyez prévenu quand Synapse est fermé" });
  await card.getByRole("button", { name: "Activer sur cet appareil" }).click();
  await expect(card.getByText("C'est réglé")).toBeVisible();
  await card.getByRole("button", { name: "Silence la nuit (23 h – 7 h)" }).press("Enter");
  await expect(card.getByRole("button", { name: "Silence la nuit (23 h – 7 h)" })).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
  await page.evaluate(`fetch("/alertes/edit", { method: "POST", headers: { "content-type": "application/json" },
    body: JSON.stringify({ reglages: { calme: { actif: false } } }) })`);

  const worker = await followWorker(page);
  await expect.poll(async () => (await received()).length).toBe(1);
  await worker.deliver((await received())[0]);
  await expect
    .poll(async () => (await worker.shown()).map(({ title }) => title))
    .toEqual(["Essai de Synapse"]);

  const listingId = await market.publish({ title: "Veste navigateur", price: 10 });
  await expect.poll(async () => (await received()).length).toBe(2);
  const article = (await received())[1];
  // An open page shows the article itself; a request of the bank is shown anyway.
  await worker.deliver(article);
  await worker.deliver({
    ...z.looseObject({}).parse(article),
    type: "banque",
    titre: "Votre banque",
    actions: [],
  });
  await expect.poll(async () => (await worker.shown()).map(({ title }) => title)).toContain("Votre banque");
  expect(await worker.shown()).toHaveLength(2);
  // With the page closed, the same message is shown with its buttons.
  await page.goto("about:blank");
  await worker.deliver(article);
  await expect.poll(async () => (await worker.shown()).length).toBe(3);
  const { titre, url } = pushed.parse(article);
  expect((await worker.shown()).at(-1)).toMatchObject({
    title: titre,
    silent: false,
    actions: [
      { action: "acheter", title: "Acheter 11,20\u00A0€" },
      { action: "voir", title: "Voir" },
    ],
  });
  expect(await worker.press("voir")).toContain(`/items/${listingId}`);
  expect(await worker.press("acheter")).toBe(url);
  // Opening the page buys nothing; only pressing its button does.
  await page.goto(url);
  const buy = page.getByRole("button", { name: "Acheter 11,20" });
  await expect(buy).toBeEnabled();
  expect(await market.ordersOf(listingId)).toEqual([]);
  await buy.click();
  await expect(page.getByText(/Déjà acheté|Achat confirmé/).first()).toBeVisible();
  expect(await market.ordersOf(listingId)).toMatchObject([{ state: "paid", payments: 1 }]);
  await page.reload();
  await expect(page.getByText("Déjà acheté")).toBeVisible();
});

test("messages of the same alert replace one another, and one that cannot be read shows nothing", async ({
  page,
  product,
}) => {
  await withPushService(page, product, "Doublon");
  await signIn(page, "thunder-doublon");
  await page.goto("/synapse/alertes");
  await page.getByRole("button", { name: "Activer sur cet appareil" }).click();
  await expect(page.getByText("C'est réglé").first()).toBeVisible();
  const worker = await followWorker(page);
  const received = async () =>
    (await product.sandbox.receptions("push", "Doublon")).map(({ contenu }) => contenu);
  await expect.poll(async () => (await received()).length).toBe(1);
  const [trial] = await received();
  await worker.deliver(trial);
  await worker.deliver(trial);
  await expect.poll(async () => (await worker.shown()).length).toBe(2);
  expect(new Set((await worker.shown()).map(({ tag }) => tag)).size).toBe(1);
  await worker.deliver("no alert");
  await worker.deliver(trial);
  await expect.poll(async () => (await worker.shown()).length).toBe(3);
});

test("a browser that is removed, or whose person signs out, has no subscription left and is not added again", async ({
  page,
  product,
}) => {
  const isSubscribed = async () => await page.evaluate('localStorage.getItem("abonné") !== null');
  const here = page
    .getByRole("region", { name: "Canaux" })
    .getByRole("listitem")
    .filter({ hasText: "Cet appareil" });
  const activate = async () => {
    await page.getByRole("button", { name: "Activer sur cet appareil" }).click();
    await expect(here).toBeVisible();
    expect(await isSubscribed()).toBe(true);
  };
  await withPushService(page, product, "Retiré");
  await signIn(page, "thunder-retire");
  await page.goto("/synapse/alertes");
  await page.getByRole("button", { name: "Téléphone d'essai" }).click();
  await activate();

  // The channels are not read again yet.
  await page.route(/:\d+\/alertes$/u, () => undefined);
  await here.getByRole("button", { name: /^Retirer/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retirer", exact: true }).click();
  await expect.poll(isSubscribed).toBe(false);
  await expect(here).toHaveCount(0);
  await expect(page.getByText("Cet appareil ne reçoit plus les alertes.")).toHaveCount(0);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await expect(page.getByRole("button", { name: "Activer sur cet appareil" })).toBeVisible();
  await expect(here).toHaveCount(0);

  await activate();
  // The landing page asks a subscriber whether to leave for the panel.
  page.on("dialog", (dialog) =>
    dialog.message() === "Aller au Synapse ?" ? void dialog.dismiss() : void dialog.accept(),
  );
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await expect.poll(isSubscribed).toBe(false);

  await signIn(page, "thunder-retire");
  await page.goto("/synapse/alertes");
  await activate();
  await page.goto("/");
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await expect.poll(isSubscribed).toBe(false);
});

test("the browser of a deleted account has no subscription left", async ({ page, product }) => {
  await withPushService(page, product, "Effacé");
  await signIn(page, "thunder-efface");
  await page.goto("/synapse/alertes");
  await page.getByRole("button", { name: "Activer sur cet appareil" }).click();
  await expect(page.getByText("C'est réglé").first()).toBeVisible();
  const kept = async () => await page.evaluate('localStorage.getItem("abonné")');
  expect(await kept()).toBe("0");
  await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
  const account = page.getByRole("region", { name: "Compte", exact: true });
  await account.getByRole("button", { name: "Supprimer mon compte" }).click();
  await account.getByLabel(`Écrivez ${DELETE_WORD}`).fill(DELETE_WORD);
  await account.getByRole("button", { name: "Supprimer définitivement" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  expect(await kept()).toBeNull();
});

test("a device that lost its subscription is activated again in its place", async ({ page, product }) => {
  const isSubscribed = async () => await page.evaluate('localStorage.getItem("abonné") !== null');
  await withPushService(page, product, "Perdu");
  await signIn(page, "thunder-perdu");
  await page.goto("/synapse/alertes");
  const activate = page.getByRole("button", { name: "Activer sur cet appareil" });
  await activate.click();
  await expect(page.getByText("C'est réglé").first()).toBeVisible();
  await product.sandbox.control("POST", "/receivers", {
    canal: "push",
    pour: "Perdu",
    kind: "gone",
    count: 1,
  });
  const here = page.getByRole("listitem").filter({ hasText: "Cet appareil" });
  await here.getByRole("button", { name: /^Envoyer un essai/ }).click();
  await expect(page.getByText("Perdu", { exact: true })).toBeVisible();
  await activate.click();
  await expect(page.getByText("Cet appareil ne reçoit plus les alertes.")).toHaveCount(0);
  await expect(page.getByText("C'est réglé").first()).toBeVisible();
  await expect(page.getByText("Perdu", { exact: true })).toHaveCount(0);
  await page.reload();
  await expect(page.getByText("C'est réglé").first()).toBeVisible();
  expect(await isSubscribed()).toBe(true);
});

test("a lost channel of this browser is removed without ending its working subscription", async ({
  page,
  product,
}) => {
  await withPushService(page, product, "Deux lignes");
  await signIn(page, "thunder-deux-lignes");
  await page.route(/:\d+\/alertes$/u, async (route) => {
    const answer = await route.fetch();
    const body = centre.parse(await answer.json());
    const [own] = body.alertes.canaux.filter(({ canal }) => canal === "push");
    if (own !== undefined)
      body.alertes.canaux.unshift({ ...own, id: "ancien", nom: "Ancien", etat: "perdu" });
    await route.fulfill({ response: answer, json: body });
  });
  await page.route("**/alertes/retirer", (route) => route.fulfill({ json: { message: "Canal retiré." } }));
  await page.goto("/synapse/alertes");
  await page.getByRole("button", { name: "Activer sur cet appareil" }).click();
  await expect(page.getByText("C'est réglé").first()).toBeVisible();
  await page.getByRole("button", { name: /^Retirer.*Ancien/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retirer", exact: true }).click();
  await expect(page.getByText("Canal retiré.")).toBeVisible();
  expect(await page.evaluate('localStorage.getItem("abonné")')).not.toBeNull();
});

test("a device that the server refuses is told why", async ({ page, product }) => {
  await withPushService(page, product, "Onzième");
  await signIn(page, "thunder-onzieme");
  const error = "Vous avez déjà 10 appareils, le maximum : retirez-en un d'abord.";
  await page.route("**/alertes/appareils", (route) => route.fulfill({ status: 409, json: { error } }));
  await page.goto("/synapse/alertes");
  await page.getByRole("button", { name: "Activer sur cet appareil" }).click();
  await expect(page.getByText(error)).toBeVisible();
  await expect(page.getByText("Le service de notifications du navigateur n'a pas répondu.")).toHaveCount(0);
});
