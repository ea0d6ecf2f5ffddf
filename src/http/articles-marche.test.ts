import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { calls } from "#contract/calls.ts";
import { HOUR_MS, MINUTE_MS } from "#domain/clock.ts";
import type { FeedState } from "#feed/feed.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { archived } from "#verify/testing/archived.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

/** The interval at which a call looks for the first reading (routes/articles.ts). */
const POLL_MS = 200;

let world: HttpWorld;
let feedState: FeedState = { kind: "live" };

beforeAll(async () => {
  world = await startHttpWorld({ feed: { state: () => feedState } });
});
afterAll(() => world[Symbol.asyncDispose]());

async function seeListings(
  firstId: number,
  count: number,
  brandTitle: string,
  { seller } = aListing(),
): Promise<void> {
  const nowMs = world.clock.nowMs();
  const listings = Array.from({ length: count }, (_, index) =>
    aSeenListing({
      listing: aListing({ id: firstId + index, brandTitle, seller }),
      firstSeenAtMs: nowMs,
      seenAtMs: nowMs + index,
    }),
  );
  await world.store.listings.record({ listings, matches: [], marks: [], archive: [archived(listings)] });
}

async function readMarket(reader?: Awaited<ReturnType<HttpWorld["signIn"]>>) {
  const person = reader ?? (await world.signIn("seeker"));
  const answer = await person.get("/articles/marche");
  expect(answer.status, answer.text).toBe(200);
  return z.strictObject(calls.market.answer.shape).parse(answer.body);
}

test("an empty market is shown as it is: no listing, no suggestion", async () => {
  expect(await readMarket()).toEqual({ items: [], filtres: [] });
});

test("the first reading of a market that was not read before is awaited for two seconds", async () => {
  const person = await world.signIn("seeker");
  feedState = { kind: "idle" };
  const { clock } = world;
  const scheduled = vi.spyOn(clock, "schedule");
  /** Asks for the market; the clock only advances while the answer waits, however slow the store is. */
  const answerAfter = async (act: () => Promise<void>) => {
    scheduled.mockClear();
    let waits = 0;
    let isAnswered = false;
    const asked = readMarket(person).finally(() => (isAnswered = true));
    await expect
      .poll(async () => {
        if (scheduled.mock.calls.filter(([delayMs]) => delayMs === POLL_MS).length > waits) {
          waits += 1;
          if (waits === 1) await act();
          await clock.advance(POLL_MS);
        }
        return isAnswered;
      })
      .toBe(true);
    return { ...(await asked), waitedMs: waits * POLL_MS };
  };
  expect(await answerAfter(async () => undefined)).toEqual({ items: [], filtres: [], waitedMs: 2_000 });
  const seen = await answerAfter(async () => await seeListings(6_000, 3, "Gap"));
  expect(seen.waitedMs).toBe(POLL_MS);
  expect(seen.items.map(({ id }) => id)).toEqual([6_002, 6_001, 6_000]);
  feedState = { kind: "live" };
  await clock.advance(HOUR_MS);
});

test("the latest listings are shown whichever filter they were read for, with ready filters for frequent searches", async () => {
  await seeListings(7_000, 20, "Zara");
  await seeListings(8_000, 4, "Nike");
  await world.clock.advance(3_000);
  const { items, filtres } = await readMarket();
  expect(items).toHaveLength(12);
  expect(items[0]).toMatchObject({ id: 7_019, brand_title: "Zara" });
  expect(filtres.map(({ tag, articles, copie_de }) => [tag, articles, copie_de])).toEqual([
    ["Zara · T-shirts (Femmes)", 20, null],
    ["Nike · T-shirts (Femmes)", 4, null],
  ]);
  expect(filtres[0]).toMatchObject({ types: { ids: [221] }, limit: 15 });
});

test("the most copied public filter with matches comes first, without its owner", async () => {
  const owner = await world.signIn("thunder");
  await owner.post("/filtres/add", { tag: "Robes d'été", mots: ["robe"], limit: 20, info: "secret" });
  await owner.post("/filtres/add", { tag: "Introuvable", mots: ["licorne"] });
  await owner.post("/filtres/add", { tag: "Pour moi", private: true });
  const { filtres } = await readMarket();
  expect(filtres.map(({ tag }) => tag)).toEqual([
    "Robes d'été",
    "Zara · T-shirts (Femmes)",
    "Nike · T-shirts (Femmes)",
  ]);
  expect(filtres[0]?.copie_de).not.toBeNull();
  expect(JSON.stringify(filtres)).not.toContain("secret");
});

test("listings of blocked sellers leave their places to others", async () => {
  await seeListings(9_000, 15, "Puma", aListing({ seller: { id: 31, login: "spam75", photoUrl: null } }));
  await world.clock.advance(3_000);
  const person = await world.signIn("seeker");
  await person.post("/vendeurs/bloquer", { vendeurs: [{ login: "spam75", id: 31 }] });
  const { items } = await readMarket(person);
  expect(items.map(({ brand_title }) => brand_title)).toEqual(Array.from({ length: 12 }, () => "Zara"));
});

test("listings of an hour ago are no longer shown as the current market", async () => {
  await world.clock.advance(61 * MINUTE_MS);
  expect(await readMarket()).toEqual({ items: [], filtres: [] });
});

test("the prices of an unknown type or brand are refused, and those of known ones answered", async () => {
  const person = await world.signIn("seeker");
  const answerOf = async (query: string) => {
    const { status, body } = await person.get(`/marche/prix?${query}`);
    return [status, body];
  };
  const refused = (champ: string, error: string) => [400, { error, champ }];
  const noType = refused("type", "Ce type n'existe pas (champ « type »).");
  const noBrand = refused("marque", "Cette marque n'existe pas (champ « marque »).");
  expect(await answerOf("type=999999999")).toEqual(noType);
  expect(await answerOf("type=999999999&marque=999999999")).toEqual(noType);
  expect(await answerOf("type=221&marque=999999999")).toEqual(noBrand);
  expect(await answerOf("type=221&marque=12")).toMatchObject([
    200,
    { prix: { type: { id: 221, nom: "T-shirts" }, marque: { id: 12, nom: "Zara" } } },
  ]);
});
