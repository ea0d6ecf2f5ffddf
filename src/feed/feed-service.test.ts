import { expect, test } from "vitest";
import type { ProductEvent } from "#domain/events.ts";
import type { ListingId } from "#domain/ids.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { feedWorldForAll, matchedIds, READS_PER_SECOND, wishedIds } from "./feed-world.suite.ts";

const world = feedWorldForAll();

/** Ends the current second, so that photos of earlier listings are older than the next process. */
async function secondIsOver(): Promise<void> {
  await world.pass(1_000);
}

test("a published listing becomes a match and a wish within moments, and is then stored", async () => {
  const lea = await world.person("lea", { categoryIds: [221], isAutobuy: true });
  world.market.publishMany(30, { photoTakenAtUnixS: 1 });
  const { feed, batches } = await world.start();
  await world.pass(1_000);
  expect([feed.state(), batches]).toEqual([{ kind: "live" }, []]);
  const id = world.market.publish({ leafId: 221 });
  world.market.publish({ leafId: 1_242 });
  await world.until(() => batches.length > 0);
  await world.pass(500);
  expect([matchedIds(batches), wishedIds(batches)]).toEqual([[id], [id]]);
  expect(batches[0]?.wishes[0]).toMatchObject({ userId: lea, lane: "thunder", filterId: "lea-0" });
  // Published before it is recorded: the store may lag.
  const recorded = async () => await world.store.listings.recentMatches(lea, 10);
  await expect.poll(async () => (await recorded()).map(({ listing }) => listing.listing.id)).toEqual([id]);
  const recent = await recorded();
  expect((await feed.replay(lea, null)).map(({ cursor }) => cursor)).toEqual(
    recent.map(({ cursor }) => cursor),
  );
});

test("without active filters the feed is idle and sends no request", async () => {
  const { feed, states, announce } = await world.start();
  await world.pass(5_000);
  expect([feed.state().kind, world.market.requests.length]).toEqual(["idle", 0]);
  const lea = await world.person("lea", {});
  await announce(lea);
  await world.until(() => world.market.requests.length > 0);
  expect(states()).toEqual(["live"]);
});

test("without active filters the market is read seldom, and only while a person has an open stream", async () => {
  const lea = await world.person("lea");
  const listingId = world.market.publish({ leafId: 221 });
  const { feed, batches, announce } = await world.start();
  const stopWatching = feed.watch(lea);
  await world.pass(1_000);
  expect(await world.store.listings.seenSince(world.startMs, 10)).toMatchObject([
    { listing: { id: listingId } },
  ]);
  const requestedFirst = world.market.requests.length;
  await world.pass(31_000);
  expect(world.market.requests.length - requestedFirst).toBe(2);
  stopWatching();
  await world.pass(31_000);
  expect(world.market.requests.length - requestedFirst).toBe(2);
  expect([feed.state(), batches]).toEqual([{ kind: "idle" }, []]);

  feed.watch(lea);
  const tom = await world.person("tom", { categoryIds: [1_242] });
  const before = world.market.requests.length;
  await announce(tom);
  await world.until(() => feed.state().kind === "live");
  await world.pass(31_000);
  expect(world.market.requests.slice(before).every(({ query: { leafIds } }) => leafIds.includes(1_242))).toBe(
    true,
  );
});

test("a restart loses no match and repeats none", async () => {
  await world.person("lea", { categoryIds: [221], isAutobuy: true });
  world.market.publishMany(30, { photoTakenAtUnixS: 1 });
  const first = await world.start();
  await world.pass(500);
  const before = world.market.publishMany(120);
  await world.until(() => matchedIds(first.batches).length === 120);
  await world.pass(500);
  await world.stop(first.feed);

  const meanwhile = world.market.publishMany(250);
  await secondIsOver();
  const second = await world.start();
  await world.until(() => matchedIds(second.batches).length >= 250);
  const after = world.market.publishMany(3);
  await world.until(() => matchedIds(second.batches).length >= 253);
  await world.pass(2_000);
  expect(new Set(matchedIds(first.batches))).toEqual(new Set(before));
  expect(matchedIds(second.batches)).toHaveLength(253);
  expect(new Set(matchedIds(second.batches))).toEqual(new Set([...meanwhile, ...after]));
  expect(new Set(wishedIds(second.batches))).toEqual(new Set([...before, ...meanwhile, ...after]));
});

test("a restart offers the purchases of the last half minute again, to filters that bought then and still hold them", async () => {
  const lea = await world.person("lea", { categoryIds: [221], isAutobuy: true });
  const tom = await world.person("tom", { categoryIds: [221], isAutobuy: true });
  const ana = await world.person("ana", { categoryIds: [221] });
  const zoe = await world.person("zoe", { categoryIds: [1_242] });
  const mia = await world.person("mia", { categoryIds: [221], isAutobuy: true, isSimulation: true });
  const first = await world.start();
  await world.until(() => first.feed.state().kind === "live");
  const old = world.market.publish({ leafId: 221 });
  await world.until(() => matchedIds(first.batches).includes(old));
  await world.pass(20_000);
  const recent = world.market.publish({ leafId: 221 });
  await world.until(() => matchedIds(first.batches).includes(recent));
  await world.pass(500);
  await world.stop(first.feed);
  const offered = first.batches.flatMap(({ wishes }) => wishes).filter(({ userId }) => userId === lea);
  await world.change(tom, { categoryIds: [1_242] });
  // An edit with which the filter still holds the listing.
  await world.change(lea, { excludeWords: [["polyester"]] });
  const editedAtMs = world.clock.nowMs();
  const autobuy = { isAutobuy: true, autobuySinceMs: world.clock.nowMs() };
  await world.change(ana, autobuy);
  await world.change(zoe, { ...autobuy, categoryIds: [221] });
  await world.change(mia, { isSimulation: false });
  await world.pass(15_000);
  const second = await world.start();
  expect(matchedIds(second.batches)).toEqual([]);
  expect(second.batches.flatMap(({ wishes }) => wishes)).toMatchObject([
    { userId: lea, listingId: recent, lane: "thunder", matchedAtMs: offered.at(-1)?.matchedAtMs },
  ]);
  const [again] = second.batches.flatMap(({ wishes }) => wishes);
  expect(again?.heldAgainAtMs).toBeGreaterThan(editedAtMs);
});

test("a restart offers purchases again in their first order, in which people take turns", async () => {
  for (const login of ["ana", "lea", "mia", "tom", "zoe"])
    await world.person(login, { categoryIds: [221], isAutobuy: true });
  const first = await world.start();
  await world.until(() => first.feed.state().kind === "live");
  world.market.publishMany(2);
  await world.until(() => wishedIds(first.batches).length === 10);
  await world.pass(500);
  await world.stop(first.feed);
  const second = await world.start();
  const [offered, again] = [first, second].map(({ batches }) => batches.flatMap(({ wishes }) => wishes));
  expect(again?.map((wish) => ({ ...wish, heldAgainAtMs: undefined }))).toEqual(offered);
});

test.each([
  // Three of them in one reading fill more than a page.
  { fill: "several pages", published: [1, 1, 3, 1] },
  { fill: "many pages", published: Array.from({ length: 20 }, () => 1) },
])("a restart offers the purchases of the last half minute again if they fill $fill", async (given) => {
  const lea = await world.person("lea", { categoryIds: [221], isAutobuy: true });
  await world.person("tom", { categoryIds: [221] });
  const first = await world.start();
  await world.until(() => first.feed.state().kind === "live");
  const ids: ListingId[] = [];
  for (const count of given.published) {
    ids.push(...world.market.publishMany(count));
    await world.until(() => matchedIds(first.batches).length === 2 * ids.length);
  }
  await world.pass(500);
  await world.stop(first.feed);
  const { listings } = world.store;
  const matchesBetween: typeof listings.matchesBetween = async (fromMs, toMs, limit) =>
    await listings.matchesBetween(fromMs, toMs, Math.ceil(limit / 1_000));
  const second = await world.start({ store: { listings: { ...listings, matchesBetween } } });
  const wishes = second.batches.flatMap((batch) => batch.wishes);
  expect(new Set(wishes.map(({ userId }) => userId))).toEqual(new Set([lea]));
  expect(wishedIds(second.batches)).toEqual(ids);
});

test("listings that do not fit into memory at a restart are not published twice", async () => {
  await world.person("lea", { categoryIds: [221], isAutobuy: true });
  const stock = world.market.publishMany(30);
  const first = await world.start();
  await world.until(() => matchedIds(first.batches).length === stock.length);
  await world.stop(first.feed);
  world.reopenMarket(world.clock.nowMs() + 60_000);
  const others = Array.from({ length: 20_000 }, (_, place) =>
    aSeenListing({
      listing: aListing({ id: 10_000 + place }),
      facts: { leafIds: [1_242], marketplaceColourIds: [] },
      firstSeenAtMs: world.clock.nowMs(),
      seenAtMs: world.clock.nowMs(),
    }),
  );
  await world.store.listings.record({ listings: others, matches: [], marks: [] });
  for (const id of stock) world.market.publish({ id });
  const fresh = world.market.publish({ id: 30_000 });
  const second = await world.start();
  await world.until(() => matchedIds(second.batches).length > 0);
  await world.pass(2_000);
  expect(matchedIds(second.batches)).toEqual([fresh]);
});

test("a process that dies while it catches up leaves the rest to the next one", async () => {
  await world.person("lea", { categoryIds: [221], isAutobuy: true });
  world.market.publishMany(30, { photoTakenAtUnixS: 1 });
  const first = await world.start();
  await world.pass(500);
  const burst = world.market.publishMany(300);
  // The marketplace fails from the third page on: the process stops without having read it.
  world.market.beforeAnswer = ({ page }) => {
    if (page === 3) world.market.failNext(new MarketplaceError("broken_connection"));
  };
  await world.until(() => matchedIds(first.batches).length >= 192);
  await world.stop(first.feed);
  world.market.beforeAnswer = () => undefined;
  await secondIsOver();
  const second = await world.start();
  await world.until(() => matchedIds(second.batches).length >= 108);
  await world.pass(2_000);
  expect(matchedIds(second.batches)).toHaveLength(108);
  expect(new Set([...matchedIds(first.batches), ...matchedIds(second.batches)])).toEqual(new Set(burst));
});

test("a filter that becomes active gets up to fifty listings of the last hour, and buys none of them", async () => {
  await world.person("tom", { categoryIds: [221] });
  world.market.publish({ photoTakenAtUnixS: 1 });
  const { batches, announce } = await world.start();
  await world.pass(500);
  // Two pages: the listings of the second one are seen later although they are older.
  const recent = world.market.publishMany(120);
  await world.until(() => matchedIds(batches).length >= 120);
  await world.pass(60_000);

  const lea = await world.person("lea", { categoryIds: [221], isAutobuy: true });
  await announce(lea);
  await world.pass(2_000);
  const leaMatches = batches.flatMap(({ matches }) => matches.filter(({ userId }) => userId === lea));
  expect(leaMatches.map(({ listing }) => listing.listing.id)).toEqual(recent.slice(-50));
  expect(wishedIds(batches)).toEqual([]);

  const id = world.market.publish();
  await world.until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([id]);
});

test("an edited filter shows the last hour's listings that it newly holds, and buys none of them", async () => {
  const cap = (priceCapEur: number) => ({ categoryIds: [221], isAutobuy: true, priceCapEur });
  const lea = await world.person("lea", cap(20));
  const { batches, announce } = await world.start();
  await world.pass(500);
  const cheap = world.market.publishMany(2, { totalPriceCents: 1_500 });
  const dear = world.market.publishMany(60, { totalPriceCents: 3_000 });
  await world.until(() => matchedIds(batches).length >= 2);
  await world.pass(1_000);
  await world.change(lea, { priceCapEur: 40 });
  await announce(lea);
  await world.until(() => matchedIds(batches).length >= 52);
  await world.pass(1_000);
  expect(matchedIds(batches)).toEqual([...cheap, ...dear.slice(-50)]);
  expect(wishedIds(batches)).toEqual(cheap);
  const id = world.market.publish({ totalPriceCents: 3_000 });
  await world.until(() => wishedIds(batches).length > 2);
  expect(wishedIds(batches).at(-1)).toBe(id);
});

test("a filter that held nothing buys none of the last hour's listings once its price is raised", async () => {
  await world.person("tom", { categoryIds: [221] });
  const lea = await world.person("lea", { categoryIds: [221], isAutobuy: true, priceCapEur: 0 });
  const { batches, announce } = await world.start();
  await world.pass(500);
  const recent = world.market.publishMany(5, { totalPriceCents: 2_000 });
  await world.until(() => matchedIds(batches).length >= 5);
  await world.pass(60_000);
  const raiseTo = async (priceCapEur: number) => {
    await world.change(lea, { priceCapEur });
    await announce(lea);
  };
  await raiseTo(30);
  await world.until(() => matchedIds(batches).length >= 10);
  await raiseTo(0);
  await world.pass(1_000);
  await raiseTo(40);
  await world.pass(1_000);
  expect(new Set(matchedIds(batches))).toEqual(new Set(recent));
  expect(wishedIds(batches)).toEqual([]);
  const id = world.market.publish({ totalPriceCents: 2_000 });
  await world.until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([id]);
});

test("a narrower filter gets up to fifty listings of the last hour as their category is proven", async () => {
  await world.person("tom", { categoryIds: [4] });
  world.market.publishMany(40, { photoTakenAtUnixS: Math.floor(world.startMs / 1_000) - 7_200 });
  const { batches, announce } = await world.start();
  await world.pass(500);
  const recent = world.market.publishMany(60);
  await world.until(() => matchedIds(batches).length >= 60);
  await secondIsOver();
  const lea = await world.person("lea", { categoryIds: [221], isAutobuy: true });
  await announce(lea);
  await world.pass(3_000);
  const shown = batches
    .flatMap(({ matches }) => matches.filter(({ userId }) => userId === lea))
    .map(({ listing }) => listing.listing.id);
  expect(shown).toHaveLength(50);
  expect(new Set(shown)).toEqual(new Set(shown).intersection(new Set(recent)));
  expect(wishedIds(batches)).toEqual([]);
  const id = world.market.publish();
  await world.until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([id]);
});

test("an edited filter buys nothing that was on the market before the edit", async () => {
  const lea = await world.person("lea", { categoryIds: [4], isAutobuy: true, priceCapEur: 20 });
  const { batches, announce } = await world.start();
  await world.pass(500);
  // One is known by its wider category only; the slice of the other was never read.
  const known = world.market.publish({ totalPriceCents: 3_500 });
  const unread = world.market.publish({ leafId: 1_242, totalPriceCents: 3_500 });
  await world.pass(2_000);
  expect(matchedIds(batches)).toEqual([]);
  await world.change(lea, { categoryIds: [221, 1_242], priceCapEur: 40 });
  await announce(lea);
  await world.until(() => matchedIds(batches).length >= 2);
  await world.pass(1_000);
  expect(new Set(matchedIds(batches))).toEqual(new Set([known, unread]));
  expect(wishedIds(batches)).toEqual([]);
  world.market.edit(known, { totalPriceCents: 3_400 });
  await world.until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([known]);
});

test("the first reading of a slice neither shows nor buys old listings", async () => {
  world.market.publishMany(40, { photoTakenAtUnixS: Math.floor(world.startMs / 1_000) - 7_200 });
  const recent = world.market.publishMany(5, { photoTakenAtUnixS: Math.floor(world.startMs / 1_000) - 600 });
  await world.person("lea", { categoryIds: [221], isAutobuy: true });
  const { batches } = await world.start();
  await world.until(() => batches.length > 0);
  await world.pass(2_000);
  expect([matchedIds(batches), wishedIds(batches)]).toEqual([recent, []]);
});

test("a listing is published to filters with a category once its category is proven", async () => {
  await world.person("anybody", {});
  await world.person("lea", { categoryIds: [221], isAutobuy: true });
  await world.person("red", { categoryIds: [221], colourName: "Bred" });
  const { batches } = await world.start();
  await world.pass(2_000);
  const id = world.market.publish({ leafId: 221, colourIds: [1, 7] });
  const black = world.market.publish({ leafId: 221, colourIds: [1] });
  await world.pass(3_000);
  const filtersMatching = (listingId: ListingId): readonly string[] =>
    batches
      .flatMap(({ matches }) => matches)
      .filter(({ listing }) => listing.listing.id === listingId)
      .flatMap(({ filterIds }) => filterIds)
      .toSorted();
  expect(filtersMatching(id)).toEqual(["anybody-0", "lea-0", "red-0"]);
  expect(filtersMatching(black)).toEqual(["anybody-0", "lea-0"]);
  expect(new Set(wishedIds(batches))).toEqual(new Set([id, black]));
});

test("a price that falls below a limit is shown and bought", async () => {
  await world.person("lea", { categoryIds: [221], isAutobuy: true, priceCapEur: 20 });
  const { batches } = await world.start();
  await world.pass(500);
  const id = world.market.publish({ totalPriceCents: 3_000 });
  await world.pass(1_000);
  expect(batches).toEqual([]);
  world.market.edit(id, { totalPriceCents: 1_999 });
  await world.until(() => batches.length > 0);
  expect([matchedIds(batches), wishedIds(batches)]).toEqual([[id], [id]]);
});

test("a price that rose is used in every replay, although the listing is not sent again", async () => {
  const lea = await world.person("lea", { categoryIds: [221] });
  const { feed, batches, events } = await world.start();
  const risen: ProductEvent[] = [];
  events.subscribe((event) => {
    if (event.kind === "price_rose") risen.push(event);
  });
  await world.pass(500);
  const id = world.market.publish({ totalPriceCents: 2_460 });
  await world.until(() => batches.length > 0);
  world.market.edit(id, { totalPriceCents: 2_695 });
  const replayed = async () => (await feed.replay(lea, null)).map(({ listing }) => listing.listing);
  await world.until(() => risen.length > 0);
  expect(await replayed()).toMatchObject([{ id, totalPriceCents: 2_695 }]);
  expect(risen).toMatchObject([{ kind: "price_rose", listingId: id, totalPriceCents: 2_695 }]);
  expect(matchedIds(batches)).toEqual([id]);
  const [recent] = await world.store.listings.recentMatches(lea, 1);
  expect(recent?.listing.listing.totalPriceCents).toBe(2_695);
});

test("the pause of a 429 is exact, shown, and survives a restart", async () => {
  await world.person("lea", { categoryIds: [221] });
  const first = await world.start();
  await world.pass(1_000);
  world.market.failNext(new MarketplaceError("rate_limited", { status: 429, retryAfterMs: 60_000 }));
  await world.until(() => first.feed.state().kind === "paused");
  const state = first.feed.state();
  if (state.kind !== "paused" || state.reason !== "rate_limited")
    throw new Error("the marketplace asked the feed to wait");
  expect(state.untilMs - (world.market.requests.at(-1)?.atMs ?? 0)).toBe(60_000);
  const count = world.market.requests.length;
  await world.pass(5_000);
  await world.stop(first.feed);

  const second = await world.start();
  await world.pass(10_000);
  expect(world.market.requests.length).toBe(count);
  expect(second.feed.state()).toMatchObject({ kind: "paused", reason: "rate_limited" });
  await world.until(() => world.market.requests.length > count);
  expect(world.market.requests[count]?.atMs).toBeGreaterThanOrEqual(state.untilMs);
  await world.until(() => second.feed.state().kind === "live");
});

test("an empty market pauses the feed until the first listing appears", async () => {
  await world.person("lea", {});
  world.market.publishMany(30);
  const { feed } = await world.start();
  await world.pass(1_000);
  world.market.isEmptied = true;
  await world.until(() => feed.state().kind === "paused");
  expect(feed.state()).toMatchObject({ reason: "empty" });
  world.market.isEmptied = false;
  await world.until(() => feed.state().kind === "live");
});

test("the number of requests does not depend on the number of people", async () => {
  const WINDOW_S = 60;
  const requestsFor = async (people: number): Promise<number> => {
    for (let index = 0; index < people; index += 1)
      await world.person(`p${people}-${index}`, { categoryIds: [221] }, { sizeIds: [4] });
    const { feed } = await world.start();
    await world.pass(1_000);
    const before = world.market.requests.length;
    await world.pass(WINDOW_S * 1_000);
    const count = world.market.requests.length - before;
    await world.stop(feed);
    return count;
  };
  const alone = await requestsFor(1);
  const together = await requestsFor(25);
  // Tolerance for the turns of the event loop that the store's thread needs.
  expect(Math.abs(together - alone) / alone).toBeLessThanOrEqual(0.02);
  expect(alone).toBeLessThanOrEqual(READS_PER_SECOND * WINDOW_S + 5);
  expect(alone).toBeGreaterThan(READS_PER_SECOND * WINDOW_S * 0.3);
});

test("slices of people with an open stream are read before others", async () => {
  const lea = await world.person("lea", { categoryIds: [221] });
  await world.person("tom", { categoryIds: [1_242] });
  const { feed, announce } = await world.start();
  await world.pass(1_000);
  const readsOf = (leafId: number): number =>
    world.market.requests.filter(({ query }) => query.leafIds.includes(leafId)).length;
  for (let leaf = 0; leaf < 30; leaf += 1) await world.person(`other-${leaf}`, { categoryIds: [530 + leaf] });
  for (const { id } of await world.store.users.all()) await announce(id);
  const stopWatching = feed.watch(lea);
  const watchedBefore = readsOf(221);
  const unwatchedBefore = readsOf(1_242);
  await world.pass(20_000);
  expect(readsOf(221) - watchedBefore).toBeGreaterThan(1.5 * (readsOf(1_242) - unwatchedBefore));
  stopWatching();
  stopWatching();
});
