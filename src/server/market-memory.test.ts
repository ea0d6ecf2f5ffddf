import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { HOUR_MS } from "#domain/clock.ts";
import type { Person } from "#verify/testing/person.ts";
import { startWorld, type World } from "#verify/testing/world.ts";
import { replayOf } from "./replay.suite.ts";

/** The market's memory in the whole product: history, usual prices, backtest, price condition and guard. */

const T_SHIRTS = 221;

let world: World;
let buyer: Person;
/** Days in Paris on which listings of the imported history were seen. */
let days: readonly string[];

const parisDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" });

beforeAll(async () => {
  world = await startWorld();
  buyer = await world.signIn("thunder-market");
  const nowMs = Date.now();
  const listings = Array.from({ length: 60 }, (_, index) => ({
    title: `Robe ${index}`,
    brand_title: "Zara",
    price: 20 + (index % 20),
    seller: `vendeuse-${index}`,
    ...(index % 3 === 0 ? { color: "Bred" } : {}),
    at: nowMs - (60 - index) * 6 * HOUR_MS,
  }));
  days = [...new Set(listings.map(({ at }) => parisDay.format(at)))];
  expect(await control("POST", "/control/history", listings)).toMatchObject({ given: 60 });
});
afterAll(() => world[Symbol.asyncDispose]());

async function control(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${world.sandbox.url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return await answer.json();
}

const replay = async (filter: object) => await replayOf(buyer, filter);

const DRESSES = { types: { ids: [T_SHIRTS] }, brands: { ids: [12] } };

test("given history is read within seconds", async () => {
  await expect
    .poll(async () => await control("GET", "/control/history"))
    .toEqual({
      given: 60,
      read: 60,
    });
});

test("a backtest finds the past, buys within the limits and says what it would miss", async () => {
  const run = await replay({ ...DRESSES, limit: 30, autobuy: true, jours: 30 });
  expect(run).toMatchObject({ articles: 24, incertains: 0, tronque: false });
  expect(run.couverture).toMatchObject({
    exemple: true,
    exemple_jusqu_au: days.at(-1),
    jours: days.length,
  });
  expect(run.periode.jours).toBe(30);
  expect(run.jours).toHaveLength(30);
  expect(run.jours.reduce((sum, { articles }) => sum + articles, 0)).toBe(24);
  expect(run.achats?.nombre).toBe(24);
  expect(run.achats?.fourchette).toBeNull();
  expect(run.achetes).toEqual(run.ids);
  expect(run.exemples.moins_chers[0]).toMatchObject({ marque: "Zara", etat: "Très bon état", achat: true });
  expect(run.limite.paliers.map(({ limit }) => limit)).toEqual([35, 40, 45, 50]);
  expect(run.limite.paliers[0]?.articles).toBeGreaterThan(0);
  // The backtest also reports purchases for a filter that does not buy.
  expect((await replay({ ...DRESSES, limit: 30 })).achats?.nombre).toBe(24);
  const narrow = await replay({ ...DRESSES, limit: 100, status: { ids: [6] } });
  expect(narrow).toMatchObject({
    articles: 0,
    achats: { nombre: 0 },
    conditions: [
      { champ: "brands", articles: 0 },
      { champ: "status", articles: 60 },
    ],
  });
});

test("a backtest of a colour finds the past listings that have it", async () => {
  const foundIn = async (color: string) => {
    const { articles, conditions } = await replay({ ...DRESSES, limit: 100, color });
    return [articles, conditions.find(({ champ }) => champ === "color")?.articles];
  };
  // Every third is in black and red.
  for (const color of ["Bred", "Black", "Red"]) expect(await foundIn(color)).toEqual([20, 40]);
  expect(await foundIn("Green")).toEqual([0, 60]);
});

test("what a backtest is asked for is checked", async () => {
  const status = async (body: object) => (await buyer.raw("POST", "/filtres/rejeu", body)).status;
  expect(await status({ jours: 31 })).toBe(400);
  expect(await status({ jours: 0 })).toBe(400);
  expect(await status({ depuis: Date.now() + HOUR_MS })).toBe(400);
  expect(await status({ types: { ids: [999_999] } })).toBe(400);
  expect(await status({ depuis: Date.now() - HOUR_MS })).toBe(200);
});

test("usual prices are answered by type and brand", async () => {
  const { status, body } = await buyer.raw("GET", `/marche/prix?type=${T_SHIRTS}&marque=12`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    prix: { annonces: 60, marque: { id: 12, nom: "Zara" }, couverture: { exemple: true } },
  });
  expect((await buyer.raw("GET", "/marche/prix")).status).toBe(400);
  expect((await buyer.raw("GET", "/marche/prix?type=1&marque=999999999")).status).toBe(400);
  const popular = await buyer.raw("GET", "/marche/populaires");
  expect(popular.body).toMatchObject({ populaires: [{ type: { id: T_SHIRTS }, annonces: 60 }] });
});

test("a bargain is bought, a listing that is too cheap is asked about, once", async () => {
  const asked: unknown[] = [];
  const tab = world.openTab(buyer);
  tab.socket.on("achat_a_confirmer", (payload) => asked.push(payload));
  await buyer.call("addFilter", { ...DRESSES, tag: "Bon prix", limit: 60, bon_prix: 10, autobuy: true });
  await buyer.call("addFilter", { ...DRESSES, tag: "Tout", limit: 9 });
  await world.sandbox.publish([
    { title: "Trop cher", brand_title: "Zara", price: 38, seller: "a" },
    { title: "Bonne affaire", brand_title: "Zara", price: 12, seller: "b" },
    { title: "Trop beau", brand_title: "Zara", price: 2, seller: "c" },
  ]);
  await expect
    .poll(async () => (await buyer.call("purchases")).purch.map(({ product }) => product.title))
    .toEqual(["Bonne affaire"]);
  await expect
    .poll(async () => (await buyer.call("missedPurchases")).manques)
    .toMatchObject([{ code: "trop_beau", a_confirmer: true, product: { title: "Trop beau" } }]);
  await expect.poll(() => asked.length).toBe(1);
  const [miss] = (await buyer.call("missedPurchases")).manques;
  expect(miss?.raison).toMatch(
    /^Trop beau pour être vrai : 2,80\s€ au lieu de 2\d–3\d €\. Rien n'a été acheté\.$/u,
  );
  const { items } = await buyer.call("recentArticles");
  expect(items.find(({ title }) => title === "Trop beau")?.prix).toMatchObject({
    suspect: true,
    n: 62,
    rang: 100,
  });
  // The saving is measured against the usual price at the moment of the purchase.
  const usual = items.find(({ title }) => title === "Bonne affaire")?.prix;
  const savedCents = 100 * Number(usual?.median.amount) - 1_330;
  await expect
    .poll(async () => (await buyer.call("purchaseSummary")).bilan)
    .toMatchObject({
      confirmes: 1,
      economie: {
        montant: { amount: (savedCents / 100).toFixed(2), currency_code: "EUR" },
        achats: 1,
        annonces: usual?.n,
      },
    });
  const click = async () => await buyer.raw("POST", "/purchase/click", { id: miss?.product.id });
  await world.sandbox.arm({ route: "conversation", kind: "server_error", rate: 1 });
  expect((await click()).status).not.toBe(200);
  // The question stands again, and is shown once.
  await expect
    .poll(async () => (await buyer.call("missedPurchases")).manques)
    .toMatchObject([{ a_confirmer: true, product: { title: "Trop beau" } }]);
  await world.sandbox.clearFaults();
  const clicked = await click();
  expect(clicked.status).toBe(200);
  // What failed stays in the history.
  expect((await buyer.call("missedPurchases")).manques).toMatchObject([{ a_confirmer: false }]);
});

test("the past is over once a listing was published", async () => {
  expect(await control("POST", "/control/history", { days: 1, listings: 10 })).toHaveProperty("error");
  const quartiles = z.object({ bas: z.number(), median: z.number(), haut: z.number(), dearer: z.number() });
  const path = `/control/law?catalog_id=${T_SHIRTS}&brand_title=Zara&price=10`;
  const { bas, median, haut, dearer } = quartiles.parse(await control("GET", path));
  expect(bas).toBeLessThan(median);
  expect(median).toBeLessThan(haut);
  expect(dearer).toBeGreaterThan(0);
});
