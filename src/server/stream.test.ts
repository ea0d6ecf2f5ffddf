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
    await expect.poll(() => tab.life).toEqual(["connect"]);
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
});
