import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACHAT_CONFIRME, ACHAT_EN_ATTENTE } from "#contract/bounds.ts";
import type { Achat } from "#contract/achat.ts";
import type { Person } from "#verify/testing/person.ts";
import { type World, startWorld } from "#verify/testing/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { RATE_LIMITS: "off" } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function purchasesOf(person: Person): Promise<readonly Achat[]> {
  return (await person.call("purchases")).purch;
}

async function ordersOf(person: Person) {
  return (await world.sandbox.orders()).filter((order) => order.account === person.name);
}

/** A listing that is shown on the person's page. */
async function seenItem(person: Person, title: string, attributes: object = {}) {
  await person.call("addFilter", { tag: title, mots: [title], limit: 500 });
  const tab = world.openTab(person);
  await expect.poll(() => tab.life).toEqual(["connect"]);
  const [item] = await world.sandbox.publish({ title, price: 20, ...attributes });
  await expect.poll(() => tab.items.map((one) => one.id)).toContain(item?.id);
  if (item === undefined) throw new Error("nothing was published");
  return { tab, item };
}

/** The listings on the page of another person with a filter for a word, once there are any. */
async function seenBy(name: string, word: string): Promise<{ readonly items: readonly number[] }> {
  const person = await world.signIn(name);
  await person.call("addFilter", { tag: word, mots: [word], limit: 500 });
  const tab = world.openTab(person);
  await expect.poll(() => tab.items.length).toBeGreaterThan(0);
  return { items: tab.items.map(({ id }) => id) };
}

describe("a click", () => {
  test("buys once: one payment at the marketplace, one confirmed row in the list", async () => {
    const lea = await world.signIn("seeker-lea");
    const { tab, item } = await seenItem(lea, "cliquee");
    const answer = await lea.call("clickPurchase", { id: item.id, price: item.total_item_price });
    expect([ACHAT_CONFIRME, ACHAT_EN_ATTENTE]).toContain(answer.purchase.status);
    await expect
      .poll(async () => (await purchasesOf(lea)).map((one) => one.status))
      .toEqual([ACHAT_CONFIRME]);
    const [order] = await ordersOf(lea);
    expect(order).toMatchObject({ item_id: item.id, payments: 1, state: "paid" });
    expect((await purchasesOf(lea))[0]).toMatchObject({
      id_transaction: order?.transaction_id,
      source: "clic",
      product: { id: item.id },
      total: order?.total,
    });
    await expect
      .poll(() => tab.purchases.at(-1))
      .toMatchObject({ success: true, purchase: { status: ACHAT_CONFIRME } });
    expect(await lea.raw("POST", "/purchase/click", { id: item.id })).toMatchObject({ status: 409 });
    expect(await ordersOf(lea)).toHaveLength(1);
  });

  test("tells everybody that the listing is gone, and that it is for sale again once the purchase is cancelled", async () => {
    const word = "convoitee";
    const [lea, mia] = [await world.signIn("seeker-prompte"), await world.signIn("seeker-lente")];
    for (const person of [lea, mia]) await person.call("addFilter", { tag: word, mots: [word], limit: 500 });
    const tab = world.openTab(mia);
    const told: unknown[] = [];
    tab.socket.on("articleData", ({ id, vendu }) => {
      // Facts of other kinds are sent by the same event.
      if (vendu !== undefined) told.push([id, vendu]);
    });
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const [bought, sold] = await world.sandbox.publish([
      { title: word, price: 20 },
      { title: word, price: 21 },
    ]);
    if (bought === undefined || sold === undefined) throw new Error("nothing was published");
    await expect.poll(() => tab.items).toHaveLength(2);
    const goneFor = async (person: Person) =>
      (await person.call("recentArticles")).items.flatMap(({ id, vendu }) => (vendu === true ? [id] : []));
    await lea.call("clickPurchase", { id: bought.id, price: bought.total_item_price });
    await expect.poll(() => told).toEqual([[bought.id, true]]);
    expect(await goneFor(mia)).toEqual([bought.id]);
    const later = world.openTab(mia);
    await expect
      .poll(() => later.items.flatMap(({ id, vendu }) => (vendu === true ? [id] : [])))
      .toEqual([bought.id]);

    await world.sandbox.sellToSomebodyElse(sold.id);
    const click = await lea.raw("POST", "/purchase/click", { id: sold.id, price: sold.total_item_price });
    expect(click.status).toBe(409);
    await expect.poll(() => told.slice(1)).toEqual([[sold.id, true]]);
    expect(new Set(await goneFor(mia))).toEqual(new Set([bought.id, sold.id]));

    const [purchase] = (await purchasesOf(lea)).filter(({ status }) => status === ACHAT_CONFIRME);
    await lea.call("cancelPurchase", { id: purchase?.id_transaction ?? 0 });
    await expect.poll(() => told.slice(2)).toEqual([[bought.id, false]]);
    expect(await goneFor(mia)).toEqual([sold.id]);
  });

  test("thirty clicks at once are one purchase", async () => {
    const tom = await world.signIn("thunder-tom");
    const { item } = await seenItem(tom, "mitraillee");
    const clicks = Array.from({ length: 30 }, () => tom.raw("POST", "/purchase/click", { id: item.id }));
    const statuses = (await Promise.all(clicks)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    await expect.poll(async () => (await ordersOf(tom)).map((order) => order.payments)).toEqual([1]);
    expect(await purchasesOf(tom)).toHaveLength(1);
  });
});

describe("automatic buying", () => {
  test("buys automatically what a filter holds, and notifies the person", async () => {
    const lou = await world.signIn("thunder-lou");
    const { filtre } = await lou.call("addFilter", {
      tag: "auto",
      mots: ["trouvaille"],
      limit: 50,
      autobuy: true,
    });
    const tab = world.openTab(lou);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const [item] = await world.sandbox.publish({ title: "Une trouvaille", price: 12 });
    await expect
      .poll(async () => (await purchasesOf(lou)).map((one) => one.status))
      .toEqual([ACHAT_CONFIRME]);
    expect((await purchasesOf(lou))[0]).toMatchObject({
      source: "auto",
      filtre: filtre._id,
      product: { id: item?.id },
    });
    expect((await ordersOf(lou)).map((order) => order.payments)).toEqual([1]);
    await expect.poll(() => tab.purchases.at(-1)?.purchase?.status).toBe(ACHAT_CONFIRME);
  });

  test("stops as soon as the person's stop is answered, and buys no earlier listing", async () => {
    const max = await world.signIn("acquire-max");
    // Wait until the product has seen the first listing, not only until it is published.
    const { tab } = await seenItem(max, "rubis", { title: "Un ancien rubis" });
    await max.call("addFilter", { tag: "auto", mots: ["rubis"], limit: 50, autobuy: true });
    await max.call("editSettings", { limites: { arret: true } });
    const [item] = await world.sandbox.publish({ title: "Un nouveau rubis", price: 5 });
    await expect.poll(() => tab.items.map((one) => one.id)).toContain(item?.id);
    // The listing is shown before its wish is decided: wait for the refusal before lifting the stop.
    const refused = async () => (await max.call("missedPurchases")).manques.map(({ product }) => product.id);
    await expect.poll(refused).toContain(item?.id);
    expect(await ordersOf(max)).toEqual([]);
    await max.call("editSettings", { limites: { arret: false } });
    await world.sandbox.publish({ title: "Un autre rubis", price: 5 });
    await expect.poll(async () => (await ordersOf(max)).length).toBe(1);
    expect((await purchasesOf(max)).map((one) => one.product.title)).toEqual(["Un autre rubis"]);
  });

  test("takes nothing of a blocked seller, whom a click is refused too, until they are unblocked", async () => {
    const bea = await world.signIn("thunder-bea");
    const tom = { login: "tom31", id: 3_131 };
    await bea.call("addFilter", { tag: "bloc", mots: ["bloc"], limit: 50, autobuy: true });
    const tab = world.openTab(bea);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const [shown] = await world.sandbox.publish({ title: "Deux", price: 5, seller: tom });
    const { items } = await seenBy("seeker-bob", "deux");
    expect(items).toContain(shown?.id);
    await bea.call("blockSellers", { vendeurs: [tom] });
    expect(await bea.raw("POST", "/purchase/click", { id: shown?.id })).toMatchObject({
      status: 409,
      body: { code: "vendeur_bloque" },
    });
    const [blocked] = await world.sandbox.publish({ title: "Un bloc", price: 5, seller: tom });
    const [free] = await world.sandbox.publish({ title: "Un bloc neutre", price: 5 });
    await expect.poll(async () => (await ordersOf(bea)).map((one) => one.item_id)).toEqual([free?.id]);
    const recent = (await bea.call("recentArticles")).items.map(({ id }) => id);
    expect([recent.includes(free?.id ?? 0), recent.includes(blocked?.id ?? 0)]).toEqual([true, false]);
    expect(tab.items.map(({ id }) => id)).not.toContain(blocked?.id);
    await bea.call("unblockSeller", { login: "TOM31" });
    const [again] = await world.sandbox.publish({ title: "Encore un bloc", price: 5, seller: tom });
    await expect.poll(async () => (await ordersOf(bea)).map((one) => one.item_id)).toContain(again?.id);
    expect((await ordersOf(bea)).map((one) => one.item_id)).not.toContain(blocked?.id);
  });

  test("that ended by its rules is switched on again by a page that knows so, not by one that does not", async () => {
    const nora = await world.signIn("acquire-nora");
    const traits = { tag: "Une seule", mots: ["unique"], limit: 100, max_achats: 1 };
    const { filtre: before } = await nora.call("addFilter", { ...traits, autobuy: true });
    const saved = async (body: object) => {
      const { filtre, message } = await nora.call("editFilter", { ...before, paiement: 1, ...body });
      return { autobuy: filtre.autobuy, raison: filtre.arret?.raison ?? null, message };
    };
    await world.sandbox.publish({ title: "Robe unique", price: 20 });
    const now = async () => (await nora.call("filters")).filtres.find(({ _id }) => _id === before._id);
    await expect.poll(async () => (await now())?.arret?.raison).toBe("max_achats");
    expect(await saved({ tag: "Une seule robe" })).toEqual({
      autobuy: false,
      raison: "max_achats",
      message:
        "Filtre « Une seule robe » enregistré. L'achat automatique reste coupé : il s'est arrêté entre-temps.",
    });
    // A page that does not know of the end, but raises the bound.
    expect(await saved({ max_achats: 3 })).toMatchObject({ autobuy: true, raison: null });
    await saved({ max_achats: 1 });
    const { arret } = (await now()) ?? before;
    expect(await saved({ arret })).toEqual({
      autobuy: false,
      raison: "max_achats",
      message:
        "Filtre « Une seule » enregistré. L'achat automatique reste coupé : son nombre d'achats est atteint.",
    });
    const { arret: again } = (await now()) ?? before;
    expect(await saved({ arret: again, max_achats: 2 })).toMatchObject({ autobuy: true, raison: null });
    const edited = await nora.call("editFilter", { ...before, paiement: 1, arret: null, max_achats: 1 });
    expect(edited.filtre).toMatchObject({ autobuy: false, arret: { raison: "max_achats" } });
  });
});
