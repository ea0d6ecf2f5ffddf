import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type World, startWorld } from "#verify/testing/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const filter = { tag: "Robes", limit: 50 };

describe("a subscriber's stream", () => {
  test("a published listing reaches the open page of any user who has a filter for it", async () => {
    const lea = await world.signIn("seeker-lea");
    const { filtre } = await lea.call("addFilter", filter);
    const tab = world.openTab(lea);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const [published] = await world.sandbox.publish({ title: "Robe d'été", price: 10, brand_title: "Zara" });
    await expect.poll(() => tab.items).toHaveLength(1);
    expect(tab.items[0]).toMatchObject({
      id: published?.id,
      title: "Robe d'été",
      brand_title: "Zara",
      size_title: "M",
      status: "Très bon état",
      total_item_price: published?.total_item_price,
      filtres: [filtre._id],
    });
  });

  test("only what a filter asks for arrives", async () => {
    const tom = await world.signIn("seeker-tom");
    await tom.call("addFilter", {
      tag: "Jeans",
      limit: 20,
      types: { ids: [221] },
      status: { ids: [2] },
      color: "Blue",
      exclure: ["trou"],
    });
    const tab = world.openTab(tom);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const right = { title: "Le bon", price: 10, catalog_id: 221, color: "Blue", status: "Très bon état" };
    await world.sandbox.publish([
      { ...right, title: "Trop cher", price: 20 },
      { ...right, title: "Autre état", status: "Satisfaisant" },
      { ...right, title: "Autre couleur", color: "Red" },
      { ...right, title: "Autre catégorie", catalog_id: 534 },
      { ...right, title: "Avec un trou" },
    ]);
    await world.sandbox.publish(right);
    await expect.poll(() => tab.items.map((item) => item.title)).toEqual(["Le bon"]);
    await settled();
    expect(tab.items.map((item) => item.title)).toEqual(["Le bon"]);
  });

  test("a page learns of every filter that holds a listing, however late its size and colour are known", async () => {
    const zoe = await world.signIn("seeker-zoe");
    const mots = ["arlequin"];
    const filters = [
      { tag: "Tout", limit: 50, mots },
      { tag: "Taille", limit: 50, mots, types: { ids: [221] }, sizes: { ids: [4] } },
      { tag: "Rouge", limit: 50, mots, color: "Red" },
    ];
    const ids = [];
    for (const each of filters) ids.push((await zoe.call("addFilter", each)).filtre._id);
    const tab = world.openTab(zoe);
    const later: string[] = [];
    tab.socket.on("articleData", ({ filtres = [] }) => later.push(...filtres));
    await world.sandbox.publish({
      title: "Arlequin",
      price: 10,
      catalog_id: 221,
      color: "Red",
      size_title: "M / 38 / 10",
    });
    const known = () => [...new Set([...tab.items.flatMap(({ filtres }) => filtres), ...later])].toSorted();
    await expect.poll(known).toEqual(ids.toSorted());
    expect(tab.items).toHaveLength(1);
  });

  test("brand and size are matched as the listing names them", async () => {
    const eve = await world.signIn("seeker-eve");
    const { filtre } = await eve.call("addFilter", { tag: "Nike", limit: 100, brands: { ids: [53] } });
    expect(filtre.brands.names).toEqual(["Nike"]);
    const tab = world.openTab(eve);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    await world.sandbox.publish([
      { title: "Adidas", price: 5, brand_title: "adidas" },
      { title: "Sans marque", price: 5 },
    ]);
    await world.sandbox.publish({ title: "Nike", price: 5, brand_title: "NIKE" });
    await expect.poll(() => tab.items.map((item) => item.title)).toEqual(["Nike"]);
  });

  test("a page that connects again with its cursor gets what it missed and nothing twice", async () => {
    const ana = await world.signIn("seeker-ana");
    await ana.call("addFilter", filter);
    const first = world.openTab(ana);
    await world.sandbox.publish({ title: "Avant", price: 10 });
    await expect.poll(() => first.items.map((item) => item.title)).toContain("Avant");
    first.close();
    await world.sandbox.publish([
      { title: "Pendant 1", price: 10 },
      { title: "Pendant 2", price: 10 },
    ]);
    const depuis = first.flux.at(-1)?.curseur ?? "";
    const second = world.openTab(ana, { depuis });
    await expect
      .poll(() => second.items.map((item) => item.title).toSorted())
      .toEqual(["Pendant 1", "Pendant 2"]);
    const third = world.openTab(ana);
    await expect
      .poll(() => third.items.map((item) => item.title))
      .toEqual(expect.arrayContaining(["Avant", "Pendant 1", "Pendant 2"]) as string[]);
  });

  test("a listing is sent again when its price falls, not when it rises", async () => {
    const ida = await world.signIn("seeker-ida");
    await ida.call("addFilter", filter);
    const tab = world.openTab(ida);
    const [item] = await world.sandbox.publish({ title: "Soldée", price: 30 });
    const prices = () =>
      tab.items.filter((one) => one.id === item?.id).map((one) => Number(one.total_item_price.amount));
    await expect.poll(prices).toHaveLength(1);
    await world.sandbox.changePrice(item?.id ?? 0, 35);
    await settled();
    await world.sandbox.changePrice(item?.id ?? 0, 20);
    await expect.poll(prices).toHaveLength(2);
    expect(prices()[1]).toBeLessThan(prices()[0] ?? 0);
  });

  test("logging out closes the person's pages of that session at once", async () => {
    const mia = await world.signIn("seeker-mia");
    const tab = world.openTab(mia);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    await mia.call("signOut");
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
    expect(await mia.raw("GET", "/filtres/get")).toMatchObject({ status: 401 });
  });

  test("a user without a plan has no panel and no stream", async () => {
    const bob = await world.signIn("bob");
    expect((await bob.call("user")).user).toMatchObject({ level: 0, plan: "none", waitlist: { rank: 1 } });
    expect(await bob.raw("GET", "/filtres/get")).toMatchObject({ status: 403 });
    const tab = world.openTab(bob);
    await expect
      .poll(() => tab.life)
      .toEqual(["connect_error: Votre abonnement ne donne pas accès au flux."]);
  });
});

/** Waits until a marker listing has reached another person: all earlier listings are processed then. */
async function settled(): Promise<void> {
  const title = `Marque ${crypto.randomUUID()}`;
  const observer = await world.signIn("seeker-witness");
  await observer.call("addFilter", { tag: title, limit: 1_000, mots: title.split(" ") });
  const tab = world.openTab(observer);
  await world.sandbox.publish({ title, price: 500, catalog_id: 221, color: "Blue" });
  await expect.poll(() => tab.items.some((item) => item.title === title)).toBe(true);
  tab.close();
}
