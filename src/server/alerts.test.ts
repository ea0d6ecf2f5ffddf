/** Alerts through the whole product and the sandbox's receivers. The tests depend on their order. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { askProduct } from "#cli/ask-product.ts";
import type { Person } from "#verify/testing/person.ts";
import { startWorld, type World } from "#verify/testing/world.ts";

let world: World;
let lea: Person;
let other: Person;

beforeAll(async () => {
  world = await startWorld();
  [lea, other] = [await world.signIn("thunder-lea"), await world.signIn("thunder-autre")];
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const subscriptionOf = z.object({
  abonnement: z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) }),
});
const pushed = z.object({
  type: z.string(),
  titre: z.string(),
  corps: z.string(),
  sonore: z.boolean(),
  marque: z.string(),
  url: z.string(),
  actions: z.array(z.object({ action: z.string(), titre: z.string(), url: z.string() })),
});

async function subscription(nom: string) {
  return subscriptionOf.parse(await world.sandbox.control("POST", "/push/devices", { nom })).abonnement;
}

async function device(person: Person, nom: string) {
  return await person.call("addAlertDevice", { abonnement: await subscription(nom), nom });
}

const pushesTo = async (nom: string) =>
  (await world.sandbox.receptions("push", nom)).map(({ contenu }) => pushed.parse(contenu));
const paid = async () => (await world.sandbox.orders()).filter(({ state }) => state === "paid");
const titlesTo = async (nom: string) => (await pushesTo(nom)).map(({ titre }) => titre);
/** The alert about a listing, by a word of its title: alerts about purchases may arrive at any time. */
const articleTo = async (nom: string, word: string) => {
  const about = async () => (await pushesTo(nom)).find(({ titre }) => titre.includes(word));
  await expect.poll(about).toBeDefined();
  return await about();
};

test("a device gets a test and each new article once, with a link that names nobody", async () => {
  const { canal } = await device(lea, "Téléphone de Léa");
  expect(canal).toMatchObject({ canal: "push", etat: "actif", ici: true });
  await lea.call("addFilter", { tag: "Vestes", mots: ["velours"], limit: 100 });
  await lea.call("addFilter", { tag: "Tout velours", mots: ["velours"], limit: 100, alerte: "silencieux" });
  await world.sandbox.publish({ title: "Veste en velours", price: 12, brand_title: "Sézane" });
  await expect.poll(() => titlesTo("Téléphone de Léa")).toHaveLength(2);
  const [essai, article] = await pushesTo("Téléphone de Léa");
  expect(essai).toMatchObject({ type: "essai", titre: "Essai de Synapse" });
  expect(article).toMatchObject({
    type: "article",
    titre: "13,30\u00A0€ · Veste en velours Sézane",
    sonore: true,
    url: expect.stringMatching(/\/alerte#[\w-]{43}$/u) as unknown,
    actions: [
      { action: "acheter", titre: "Acheter 13,30\u00A0€" },
      { action: "voir", titre: "Voir" },
    ],
  });
  expect(article?.corps).toBe("M · Très bon état · Vestes");
  const [reception] = (await world.sandbox.receptions("push", "Téléphone de Léa")).slice(-1);
  expect(reception?.entetes).toMatchObject({ ttl: "600", urgency: "high", topic: article?.marque });
});

test("a link buys once, for its own person, at its price", async () => {
  const article = await articleTo("Téléphone de Léa", "Veste");
  const jeton = article?.url.split("#")[1] ?? "";
  expect(await lea.call("alertLink", { jeton })).toMatchObject({ lien: { etat: "valide", achat: null } });
  for (const act of ["alertLink", "buyFromAlert"] as const)
    await expect(other.call(act, { jeton })).rejects.toThrow("404");
  const bought = await lea.call("buyFromAlert", { jeton });
  expect(bought.purchase.status).toBe(1);
  await expect(lea.call("buyFromAlert", { jeton })).rejects.toThrow("409");
  expect(await lea.call("alertLink", { jeton })).toMatchObject({
    lien: { etat: "utilise", achat: { status: 1 } },
  });
  expect(await paid()).toHaveLength(1);
  await expect.poll(() => titlesTo("Téléphone de Léa")).toContain("Achat confirmé");
});

test("a dearer listing is not bought by its link, and the seller's block is checked at delivery", async () => {
  const [item] = await world.sandbox.publish({
    title: "Pantalon en velours",
    price: 20,
    seller: "vendeuse-7",
  });
  if (item === undefined) throw new Error("nothing was published");
  const article = await articleTo("Téléphone de Léa", "Pantalon");
  await world.sandbox.changePrice(item.id, 30);
  await expect(lea.call("buyFromAlert", { jeton: article?.url.split("#")[1] ?? "" })).rejects.toThrow("409");
  expect(await paid()).toHaveLength(1);
  await lea.call("blockSellers", { vendeurs: [{ login: "vendeuse-7" }] });
  await world.sandbox.publish({ title: "Jupe en velours", price: 20, seller: "vendeuse-7" });
  await world.sandbox.publish({ title: "Robe en velours", price: 20 });
  await articleTo("Téléphone de Léa", "Robe");
  expect((await titlesTo("Téléphone de Léa")).join()).not.toContain("Jupe");
});

test("a chat is paired by a code, buys after one question once that is allowed, and ends with /stop", async () => {
  const chat = 4_711;
  const write = (texte: string) => world.sandbox.control("POST", "/telegram/messages", { chat, texte });
  // Counted, because an alert about an earlier purchase may arrive between two answers.
  const expectSaid = async (words: string, times = 1) => {
    await expect
      .poll(async () =>
        (await world.sandbox.chat(chat)).filter(({ de, texte }) => de === "robot" && texte.includes(words)),
      )
      .toHaveLength(times);
  };
  const offer = async () => (await world.sandbox.chat(chat)).find(({ texte }) => texte.includes("Cape"));
  const press = async (bouton: string) =>
    await world.sandbox.control("POST", "/telegram/press", {
      chat,
      message_id: (await offer())?.message_id ?? 0,
      bouton,
    });
  await write("/start AAAABBBB");
  await expectSaid("n'est pas valable");
  const { code } = await lea.call("pairTelegram");
  // Alone, as the dialog shows it to copy.
  await write(code);
  await expectSaid("C'est réglé");
  await write(`/start ${code}`);
  await expectSaid("n'est pas valable", 2);
  await lea.call("editAlertCentre", { reglages: { achat_telegram: true } });
  await world.sandbox.publish({ title: "Cape en velours", price: 10 });
  await expectSaid("Cape en velours");
  const buys = (isAllowed: boolean) =>
    lea.call("editAlertCentre", { reglages: { achat_telegram: isAllowed } });
  const buttons = async () => (await offer())?.boutons.map(({ texte }) => texte);
  const question = ["Oui, acheter 11,20\u00A0€", "Non"];
  await press("Acheter");
  await expect.poll(buttons).toEqual(question);
  // Forbidden after the question: a yes withdraws it, and the button that is shown again does not buy.
  await buys(false);
  await press("Oui");
  await expect.poll(buttons).toContain("Pause 1 h");
  await press("Acheter");
  // Messages are handled in order: the answer to this one proves that the press was handled.
  await write("bonjour");
  await expectSaid("Pour relier");
  expect(await buttons()).toContain("Pause 1 h");
  await buys(true);
  await press("Acheter");
  await expect.poll(buttons).toEqual(question);
  // A double press: the second one must not hide the result of the first.
  await Promise.all([press("Oui"), press("Oui")]);
  await expect.poll(async () => (await offer())?.texte).toContain("Acheté : 11,20");
  await write("bonjour");
  await expectSaid("Pour relier", 2);
  expect((await offer())?.texte).toContain("Acheté : 11,20");
  expect(await paid()).toHaveLength(2);
  await write("/stop");
  await expectSaid("ne reçoit plus");
  expect((await lea.call("alertCentre")).alertes.canaux.map(({ canal }) => canal)).toEqual([
    "push",
    "courriel",
  ]);
});

test("account alerts are also mailed, never listings; a destination that no longer exists is marked lost", async () => {
  const mails = async () =>
    (await world.sandbox.receptions("courriel")).map(({ contenu }) =>
      z.object({ sujet: z.string() }).parse(contenu),
    );
  await expect.poll(mails).toContainEqual({ sujet: "Synapse : Canal d'alertes ajouté" });
  expect(JSON.stringify(await mails())).not.toContain("velours");
  const { alertes } = await lea.call("alertCentre");
  const mail = alertes.canaux.find(({ canal }) => canal === "courriel");
  const push = alertes.canaux.find(({ canal }) => canal === "push");
  const edit = (id: string | undefined) =>
    lea.call("editAlertCentre", { canaux: [{ id: id ?? "", evenements: { articles: true } }] });
  await expect(edit(mail?.id)).rejects.toThrow("400");
  await expect(edit("somebody-elses")).rejects.toThrow("404");
  await world.sandbox.control("POST", "/receivers", {
    canal: "push",
    pour: "Téléphone de Léa",
    kind: "gone",
  });
  await expect(lea.call("testAlertChannel", { id: push?.id ?? "" })).rejects.toThrow("409");
  await world.sandbox.control("POST", "/receivers", { clear: true });
  const before = (await pushesTo("Téléphone de Léa")).length;
  await world.sandbox.publish({ title: "Gilet en velours", price: 10 });
  await expect
    .poll(async () => (await lea.call("alertCentre")).alertes.canaux.map(({ etat }) => etat))
    .toContain("perdu");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  // A test alert would be a request too: the device must be added again instead.
  await expect(lea.call("testAlertChannel", { id: push?.id ?? "" })).rejects.toThrow("409");
  expect((await pushesTo("Téléphone de Léa")).length).toBe(before);
});

test("a purchase by a filter, and its end, are announced in its owner's channels, and in nobody else's", async () => {
  const webhook = (id: string): string => `${world.sandbox.url}/api/webhooks/${id}/cle-secrete`;
  await lea.call("editAlerts", { discord: webhook("salon-lea") });
  await other.call("editAlerts", { discord: webhook("salon-autre") });
  await device(lea, "Ordinateur de Léa");
  await lea.call("addFilter", { tag: "Pulls", mots: ["angora"], autobuy: true, limit: 100, max_achats: 1 });
  await world.sandbox.publish({ title: "Pull en angora", price: 12 });
  const toLea = async () =>
    (await world.sandbox.receptions("discord", "salon-lea")).map(({ contenu }) => contenu);
  await expect.poll(async () => JSON.stringify(await toLea())).toContain("Achat confirmé");
  expect(JSON.stringify(await world.sandbox.receptions("discord", "salon-autre"))).not.toContain("angora");
  expect(await toLea()).toContainEqual(
    expect.objectContaining({
      embeds: [
        expect.objectContaining({
          fields: expect.arrayContaining([{ name: "Filtre", value: "Pulls", inline: true }]) as unknown,
        }),
      ],
    }),
  );
  const accountAlerts = async () =>
    (await pushesTo("Ordinateur de Léa")).map(({ type, titre, corps }) => `${type} ${titre} ${corps}`);
  await expect
    .poll(accountAlerts)
    .toContainEqual(
      "compte Achat automatique arrêté Filtre « Pulls » arrêté : son nombre d'achats est atteint.",
    );

  // A charge above the quote stops the person's automatic purchases: an alert tells them so.
  await world.sandbox.arm({ route: "payment", kind: "price_changed", variant: "fee", rate: 1, count: 1 });
  await lea.call("addFilter", { tag: "Gilets", mots: ["mohair"], autobuy: true, limit: 100 });
  await world.sandbox.publish({ title: "Gilet en mohair", price: 12 });
  await expect
    .poll(accountAlerts)
    .toContainEqual(
      expect.stringMatching(
        /^compte Achats automatiques arrêtés Vinted demande plus que le montant.*mohair/u,
      ),
    );
  expect((await lea.call("settings")).vinted.limites.arret).toBe(true);

  const logged = JSON.stringify(world.logged);
  for (const secret of ["cle-secrete", "salon-lea", "/push/"]) expect(logged).not.toContain(secret);
  const journaled = async () =>
    (await lea.call("alertJournal")).envois.find(({ canal }) => canal === "discord")?.resultat;
  await expect.poll(journaled).toBe("envoye");
});

test("the end of a group is announced once, in its owner's channels", async () => {
  await device(other, "Ordinateur d'Autre");
  const ids: string[] = [];
  for (const tag of ["Manteaux", "Capes"])
    ids.push(
      (await other.call("addFilter", { tag, mots: ["alpaga"], autobuy: true, limit: 100 })).filtre._id,
    );
  await other.call("addGroup", { nom: "Un manteau", achats: 1, budget: null, filtres: ids });
  await world.sandbox.publish({ title: "Manteau en alpaga", price: 12 });
  const stops = async (nom: string) =>
    (await pushesTo(nom)).filter(({ corps }) => corps.includes("Un manteau"));
  await expect.poll(() => stops("Ordinateur d'Autre")).toHaveLength(1);
  const [stop] = await stops("Ordinateur d'Autre");
  expect(stop).toMatchObject({
    type: "compte",
    titre: "Achat automatique arrêté",
    corps: "Groupe « Un manteau » complet : l'achat automatique de 2 filtres est arrêté.",
  });
  expect((await other.call("filters")).filtres.map(({ autobuy }) => autobuy)).toEqual([false, false]);
  expect(await stops("Ordinateur de Léa")).toEqual([]);
  // A later alert of the same person: the reader of the audit log went past the stop.
  await world.sandbox.publish({ title: "Cape en alpaga", price: 12 });
  await expect
    .poll(() => titlesTo("Ordinateur d'Autre"))
    .toContainEqual(expect.stringContaining("Cape en alpaga"));
  expect(await stops("Ordinateur d'Autre")).toHaveLength(1);
});

test("a confirmed purchase that is cancelled is announced again, without what is paid back", async () => {
  const ida = await world.signIn("thunder-ida");
  await device(ida, "Téléphone d'Ida");
  await ida.call("editAlerts", { discord: `${world.sandbox.url}/api/webhooks/salon-ida/cle-secrete` });
  await ida.call("addFilter", { tag: "Gants", mots: ["cachemire"], autobuy: true, limit: 100 });
  const [item] = await world.sandbox.publish({ title: "Gants en cachemire", price: 12 });
  await expect.poll(() => titlesTo("Téléphone d'Ida")).toContain("Achat confirmé");
  const order = (await paid()).find(({ item_id: id }) => id === item?.id);
  await ida.call("cancelPurchase", { id: order?.transaction_id ?? 0 });
  await expect.poll(() => titlesTo("Téléphone d'Ida")).toContain("Achat annulé");
  const toIda = async () =>
    (await world.sandbox.receptions("discord", "salon-ida")).map(({ contenu }) => contenu);
  await expect.poll(async () => JSON.stringify((await toIda()).at(-1))).toContain("Achat annulé");
  expect((await toIda()).at(-1)).toMatchObject({
    embeds: [{ fields: [{ name: "Prix" }, { name: "Filtre", value: "Gants" }] }],
  });
});

test("a trial phone receives under the name that its person sees; receptions start after a whole number", async () => {
  const zoe = await world.signIn("thunder-zoe");
  const { canal } = await zoe.call("addAlertDevice", { essai: true });
  await expect.poll(() => titlesTo(canal.nom)).toEqual(["Essai de Synapse"]);
  await expect(world.sandbox.control("GET", "/receptions?apres=x")).rejects.toThrow("400");
});

test("a webhook that is redirected, and leave to buy from Telegram, are told and recorded", async () => {
  const max = await world.signIn("thunder-max");
  await device(max, "Téléphone de Max");
  const news = async () =>
    (await pushesTo("Téléphone de Max"))
      .filter(({ type }) => type === "compte")
      .map(({ titre, corps }) => `${titre} : ${corps}`);
  const discord = (id: string) => ({ discord: `${world.sandbox.url}/api/webhooks/${id}/cle-secrete` });
  const ADDED = "Canal d'alertes ajouté : Discord";
  await max.call("editAlerts", discord("salon-max"));
  await expect.poll(news).toEqual([ADDED]);
  // The same address again is no news.
  await max.call("editAlerts", discord("salon-max"));
  await max.call("editAlerts", discord("salon-inconnu"));
  await expect.poll(news).toEqual([ADDED, "Canal d'alertes retiré : Discord", ADDED]);
  await max.call("editAlertCentre", { reglages: { achat_telegram: true, calme: { actif: true } } });
  const copy = await askProduct({ command: "export", input: { name: max.name } }, world.dataDir);
  const entries = JSON.stringify(copy);
  expect(entries).toContain('"parts":"quiet,buysFromTelegram"');
  expect(entries).toContain('"buysFromTelegram":true');
});

test("a browser that somebody else adds is told and recorded as removed for its former owner", async () => {
  const [rose, tom] = [await world.signIn("thunder-rose"), await world.signIn("thunder-tom")];
  await device(rose, "Téléphone de Rose");
  const abonnement = await subscription("Tablette");
  await rose.call("addAlertDevice", { abonnement, nom: "Tablette" });
  await tom.call("addAlertDevice", { abonnement, nom: "Tablette" });
  const titles = () => titlesTo("Téléphone de Rose");
  await expect.poll(titles).toContain("Canal d'alertes retiré");
  expect((await rose.call("alertCentre")).alertes.canaux.map(({ nom }) => nom)).not.toContain("Tablette");
});

test("a device whose session the person ends elsewhere is told and recorded as removed", async () => {
  const ici = await world.signIn("thunder-noa");
  const la = await world.signIn("thunder-noa");
  await device(ici, "Téléphone de Noa");
  await device(la, "Ordinateur de Noa");
  await ici.call("endSessions", {});
  await expect.poll(() => titlesTo("Téléphone de Noa")).toContain("Canal d'alertes retiré");
  expect((await ici.call("alertCentre")).alertes.canaux.map(({ nom }) => nom)).not.toContain(
    "Ordinateur de Noa",
  );
});
