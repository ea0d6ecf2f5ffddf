import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { produitDuFlux } from "#contract/produit.ts";
import { asFilterId, asListingId, type UserId } from "#domain/ids.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { recordMatches } from "#verify/testing/a-match.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const recent = z.strictObject({ items: z.array(z.strictObject(produitDuFlux.shape)) });

async function record(userId: UserId, firstId: number, count: number): Promise<void> {
  const listings = Array.from({ length: count }, (_, index) => aListing({ id: firstId + index }));
  await recordMatches(world.store, userId, world.clock.nowMs(), listings);
}

test("the latest matches are the caller's own, newest first, fifty unless asked otherwise", async () => {
  const person = await world.signIn("seeker");
  const other = await world.signIn("seeker");
  await world.store.filters.add(aFilter({ id: asFilterId("f1"), userId: person.user.id }), 1);
  await record(person.user.id, 1_000, 60);
  const fifty = recent.parse((await person.get("/articles/recent")).body).items;
  expect(fifty.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => 1_059 - index));
  expect(fifty[0]).toMatchObject({
    filtres: ["f1"],
    vu_a: world.clock.nowMs() + 59,
    url: `${world.sandboxUrl}/items/1059-robe-d-ete`,
    total_item_price: { amount: "11.20", currency_code: "EUR" },
  });
  expect(recent.parse((await person.get("/articles/recent?limit=3")).body).items).toHaveLength(3);
  expect(recent.parse((await person.get("/articles/recent?limit=200")).body).items).toHaveLength(60);
  expect(recent.parse((await other.get("/articles/recent")).body).items).toEqual([]);
});

test("the latest matches say what is known of their sellers and of earlier listings", async () => {
  const person = await world.signIn("seeker");
  const [nowMs, { store }] = [world.clock.nowMs(), world];
  await record(person.user.id, 2_000, 2);
  const [earlier, later] = await store.listings.byIds([2_000, 2_001].map(asListingId));
  if (earlier === undefined || later === undefined) throw new Error("two listings");
  const [first, second] = [earlier, later].toSorted((one, other) => one.listing.id - other.listing.id);
  if (first === undefined || second === undefined) throw new Error("two listings");
  await store.relists.note([{ key: 77n, seen: first }], 0);
  await store.relists.note([{ key: 77n, seen: second }], 0);
  await store.sellerFacts.claim(first.listing.seller.id, { nowMs, untilMs: nowMs, lapsedUntilMs: null });
  const facts = { rating: 4.75, reviewCount: 31, countryCode: "BE" };
  await store.sellerFacts.save(first.listing.seller.id, facts, nowMs);
  const { items } = recent.parse((await person.get("/articles/recent?limit=2")).body);
  const user = { note: 4.75, avis: 31, pays: "BE" };
  const premier_prix = { amount: "11.20", currency_code: "EUR" };
  expect(items).toMatchObject([{ user, republication: { fois: 1, premier_prix, depuis: nowMs } }, { user }]);
  expect(items[1]).not.toHaveProperty("republication");
});

test("the listings come compressed to clients that accept it", async () => {
  const person = await world.signIn("seeker");
  await record(person.user.id, 3_000, 20);
  const plain = await person.get("/articles/recent");
  expect(plain.headers).not.toHaveProperty("content-encoding");
  const zipped = await world.app.inject({
    url: "/articles/recent",
    headers: { host: "localhost:3000", cookie: person.cookie, "accept-encoding": "br, gzip" },
  });
  expect([zipped.headers["content-encoding"], zipped.headers["vary"]]).toEqual(["gzip", "accept-encoding"]);
  expect(zipped.headers["content-length"]).toBe(String(zipped.rawPayload.length));
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.text);
});

test.each(["0", "201", "-1", "1.5", "x", "1e3", "Infinity", "", "1&limit=2"])(
  "a limit of %j is refused",
  async (limit) => {
    const person = await world.signIn("seeker");
    const answer = await person.get(`/articles/recent?limit=${limit}`);
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([400, ["error"]]);
  },
);
