import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Filter } from "#domain/market/filter.ts";
import type { ProductEvent } from "#domain/events.ts";
import { asFilterId, type ListingId, type UserId } from "#domain/ids.ts";
import { closingPiece } from "#market/market-memory.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { createEventBus } from "#server/events.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createFeed, type FeedDeps } from "./feed-service.ts";
import type { Feed, MatchBatch } from "./feed.ts";
import { factsFrom, MarketInMemory } from "./market-in-memory.suite.ts";
import { PAUSES_OUTSIDE } from "./read/market-pauses.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

const READS_PER_SECOND = 20;
const MAX_FILTERS = 200;

let opened: TestStore;
let clock: FakeClock;
let market: MarketInMemory;
let startMs = Date.UTC(2026, 10, 20, 11);
const running = new Set<Feed>();

beforeAll(async () => {
  opened = await openTestStore();
});

// Each test has its own people, time and listings; they share the store.
beforeEach(async () => {
  startMs += 7 * 24 * 3_600_000;
  clock = new FakeClock(startMs);
  market = new MarketInMemory(clock);
  await opened.store.listings.prune(startMs, closingPiece);
});

afterEach(async () => {
  for (const feed of running) await stop(feed);
  for (const { id } of await opened.store.users.all()) await opened.store.users.erase(id);
});

afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

/** A feed on the real store, and everything that it publishes. */
interface Running {
  readonly feed: Feed;
  readonly batches: MatchBatch[];
  /** The logged states. */
  readonly states: () => readonly unknown[];
  readonly events: ReturnType<typeof createEventBus>;
}

async function start(listings: FeedDeps["store"]["listings"] = opened.store.listings): Promise<Running> {
  const events = createEventBus(createQuietLog());
  const log = createQuietLog();
  const feed = createFeed({
    isStoreAway: () => false,
    catalogue: market,
    store: { ...opened.store, listings },
    events,
    budget: createRequestBudget(clock, {
      read: { perSecond: READS_PER_SECOND, burst: 5 },
      buy: { perSecond: Infinity, burst: 1 },
    }),
    clock,
    random: createFakeRandom(),
    log,
    options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_OUTSIDE },
    facts: factsFrom(market),
  });
  const batches: MatchBatch[] = [];
  feed.onBatch((batch) => batches.push(batch));
  running.add(feed);
  await feed.run();
  const states = () => log.lines.flatMap(({ fields }) => fields.state ?? []);
  return { feed, batches, states, events };
}

async function stop(feed: Feed): Promise<void> {
  running.delete(feed);
  let isStopped = false;
  const stopping = feed.stop().then(() => (isStopped = true));
  await until(() => isStopped);
  await stopping;
}

/** Advances simulated time and lets the store answer meanwhile. */
async function pass(durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
    await clock.advance(50);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The same part of the store, and those of its calls that are not answered yet. */
function observed(part: FeedDeps["store"]["listings"]) {
  const calls = new Set<Promise<unknown>>();
  const listings = new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) => {
        const call = Promise.resolve(Reflect.apply(method, target, args) as unknown);
        calls.add(call);
        return await call.finally(() => calls.delete(call));
      };
    },
  });
  return { listings, calls };
}

/** Ends the current second, so that photos of earlier listings are older than the next process. */
async function secondIsOver(): Promise<void> {
  await pass(1_000);
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 2_000 && !isTrue(); attempt += 1) await pass(50);
  expect(isTrue()).toBe(true);
}

async function person(login: string, ...filters: readonly Partial<Filter>[]): Promise<UserId> {
  const { user } = await opened.store.users.signIn(aUser({ login, providerId: login }), clock.nowMs());
  await opened.store.users.setPlan(user.id, "thunder", null);
  for (const [index, filter] of filters.entries()) await save(user.id, `${login}-${index}`, filter);
  return user.id;
}

async function save(userId: UserId, id: string, filter: Partial<Filter>): Promise<void> {
  const activatedAtMs = clock.nowMs();
  const whole = aFilter({ id: asFilterId(id), userId, activatedAtMs, createdAtMs: activatedAtMs, ...filter });
  await opened.store.filters.add(whole, MAX_FILTERS);
}

function matchedIds(batches: readonly MatchBatch[]): readonly ListingId[] {
  return batches.flatMap(({ matches }) => matches.map(({ listing }) => listing.listing.id));
}

function wishedIds(batches: readonly MatchBatch[]): readonly ListingId[] {
  return batches.flatMap(({ wishes }) => wishes.map(({ listingId }) => listingId));
}

test("a published listing becomes a match and a wish within moments, and is then stored", async () => {
  const lea = await person("lea", { categoryIds: [221], isAutobuy: true });
  market.publishMany(30, { photoTakenAtUnixS: 1 });
  const { feed, batches } = await start();
  await pass(1_000);
  expect([feed.state(), batches]).toEqual([{ kind: "live" }, []]);
  const id = market.publish({ leafId: 221 });
  market.publish({ leafId: 1_242 });
  await until(() => batches.length > 0);
  await pass(500);
  expect([matchedIds(batches), wishedIds(batches)]).toEqual([[id], [id]]);
  expect(batches[0]?.wishes[0]).toMatchObject({ userId: lea, lane: "thunder", filterId: "lea-0" });
  // Published before it is recorded: the store may lag.
  const recorded = async () => await opened.store.listings.recentMatches(lea, 10);
  await expect.poll(async () => (await recorded()).map(({ listing }) => listing.listing.id)).toEqual([id]);
  const recent = await recorded();
  expect((await feed.replay(lea, null)).map(({ cursor }) => cursor)).toEqual(
    recent.map(({ cursor }) => cursor),
  );
});

test("without active filters the feed is idle and sends no request", async () => {
  const { feed, states, events } = await start();
  await pass(5_000);
  expect([feed.state().kind, market.requests.length]).toEqual(["idle", 0]);
  const lea = await person("lea", {});
  await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
  await until(() => market.requests.length > 0);
  expect(states()).toEqual(["live"]);
});

test("a restart loses no match and repeats none", async () => {
  await person("lea", { categoryIds: [221], isAutobuy: true });
  market.publishMany(30, { photoTakenAtUnixS: 1 });
  const first = await start();
  await pass(500);
  const before = market.publishMany(120);
  await until(() => matchedIds(first.batches).length === 120);
  await pass(500);
  await stop(first.feed);

  const meanwhile = market.publishMany(250);
  await secondIsOver();
  const second = await start();
  await until(() => matchedIds(second.batches).length >= 250);
  const after = market.publishMany(3);
  await until(() => matchedIds(second.batches).length >= 253);
  await pass(2_000);
  expect(new Set(matchedIds(first.batches))).toEqual(new Set(before));
  expect(matchedIds(second.batches)).toHaveLength(253);
  expect(new Set(matchedIds(second.batches))).toEqual(new Set([...meanwhile, ...after]));
  expect(new Set(wishedIds(second.batches))).toEqual(new Set([...before, ...meanwhile, ...after]));
});

test("a restart offers the purchases of the last half minute again, to filters that bought then and still hold them", async () => {
  const lea = await person("lea", { categoryIds: [221], isAutobuy: true });
  const tom = await person("tom", { categoryIds: [221], isAutobuy: true });
  const ana = await person("ana", { categoryIds: [221] });
  const zoe = await person("zoe", { categoryIds: [1_242] });
  const mia = await person("mia", { categoryIds: [221], isAutobuy: true, isSimulation: true });
  const first = await start();
  await until(() => first.feed.state().kind === "live");
  const old = market.publish({ leafId: 221 });
  await until(() => matchedIds(first.batches).includes(old));
  await pass(20_000);
  const recent = market.publish({ leafId: 221 });
  await until(() => matchedIds(first.batches).includes(recent));
  await pass(500);
  await stop(first.feed);
  const offered = first.batches.flatMap(({ wishes }) => wishes).filter(({ userId }) => userId === lea);
  const change = async (userId: UserId, changes: Partial<Filter>): Promise<void> => {
    const [known] = await opened.store.filters.activeOf(userId);
    if (known === undefined) throw new Error("the filter is there");
    await replaceFilter(opened.store.filters, { ...known, ...changes }, clock.nowMs());
  };
  await change(tom, { categoryIds: [1_242] });
  // An edit with which the filter still holds the listing.
  await change(lea, { excludeWords: [["polyester"]] });
  const editedAtMs = clock.nowMs();
  const autobuy = { isAutobuy: true, autobuySinceMs: clock.nowMs() };
  await change(ana, autobuy);
  await change(zoe, { ...autobuy, categoryIds: [221] });
  await change(mia, { isSimulation: false });
  await pass(15_000);
  const second = await start();
  expect(matchedIds(second.batches)).toEqual([]);
  expect(second.batches.flatMap(({ wishes }) => wishes)).toMatchObject([
    { userId: lea, listingId: recent, lane: "thunder", matchedAtMs: offered.at(-1)?.matchedAtMs },
  ]);
  const [again] = second.batches.flatMap(({ wishes }) => wishes);
  expect(again?.heldAgainAtMs).toBeGreaterThan(editedAtMs);
});

test("a restart offers purchases again in their first order, in which people take turns", async () => {
  for (const login of ["ana", "lea", "mia", "tom", "zoe"])
    await person(login, { categoryIds: [221], isAutobuy: true });
  const first = await start();
  await until(() => first.feed.state().kind === "live");
  market.publishMany(2);
  await until(() => wishedIds(first.batches).length === 10);
  await pass(500);
  await stop(first.feed);
  const second = await start();
  const [offered, again] = [first, second].map(({ batches }) => batches.flatMap(({ wishes }) => wishes));
  expect(again?.map((wish) => ({ ...wish, heldAgainAtMs: undefined }))).toEqual(offered);
});

test.each([
  // Three of them in one reading fill more than a page.
  { fill: "several pages", published: [1, 1, 3, 1] },
  { fill: "many pages", published: Array.from({ length: 20 }, () => 1) },
])("a restart offers the purchases of the last half minute again if they fill $fill", async (given) => {
  const lea = await person("lea", { categoryIds: [221], isAutobuy: true });
  await person("tom", { categoryIds: [221] });
  const first = await start();
  await until(() => first.feed.state().kind === "live");
  const ids: ListingId[] = [];
  for (const count of given.published) {
    ids.push(...market.publishMany(count));
    await until(() => matchedIds(first.batches).length === 2 * ids.length);
  }
  await pass(500);
  await stop(first.feed);
  const { listings } = opened.store;
  const matchesBetween: typeof listings.matchesBetween = async (fromMs, toMs, limit) =>
    await listings.matchesBetween(fromMs, toMs, Math.ceil(limit / 1_000));
  const second = await start({ ...listings, matchesBetween });
  const wishes = second.batches.flatMap((batch) => batch.wishes);
  expect(new Set(wishes.map(({ userId }) => userId))).toEqual(new Set([lea]));
  expect(wishedIds(second.batches)).toEqual(ids);
});

test("listings that do not fit into memory at a restart are not published twice", async () => {
  await person("lea", { categoryIds: [221], isAutobuy: true });
  const stock = market.publishMany(30);
  const first = await start();
  await until(() => matchedIds(first.batches).length === stock.length);
  await stop(first.feed);
  clock = new FakeClock(clock.nowMs() + 60_000);
  const others = Array.from({ length: 20_000 }, (_, place) =>
    aSeenListing({
      listing: aListing({ id: 10_000 + place }),
      facts: { leafIds: [1_242], marketplaceColourIds: [] },
      firstSeenAtMs: clock.nowMs(),
      seenAtMs: clock.nowMs(),
    }),
  );
  await opened.store.listings.record({ listings: others, matches: [], marks: [] });
  market = new MarketInMemory(clock);
  for (const id of stock) market.publish({ id });
  const fresh = market.publish({ id: 30_000 });
  const second = await start();
  await until(() => matchedIds(second.batches).length > 0);
  await pass(2_000);
  expect(matchedIds(second.batches)).toEqual([fresh]);
});

test("a process that dies while it catches up leaves the rest to the next one", async () => {
  await person("lea", { categoryIds: [221], isAutobuy: true });
  market.publishMany(30, { photoTakenAtUnixS: 1 });
  const first = await start();
  await pass(500);
  const burst = market.publishMany(300);
  // The marketplace fails from the third page on: the process stops without having read it.
  market.beforeAnswer = ({ page }) => {
    if (page === 3) market.failNext(new MarketplaceError("broken_connection"));
  };
  await until(() => matchedIds(first.batches).length >= 192);
  await stop(first.feed);
  market.beforeAnswer = () => undefined;
  await secondIsOver();
  const second = await start();
  await until(() => matchedIds(second.batches).length >= 108);
  await pass(2_000);
  expect(matchedIds(second.batches)).toHaveLength(108);
  expect(new Set([...matchedIds(first.batches), ...matchedIds(second.batches)])).toEqual(new Set(burst));
});

test("a filter that becomes active gets up to fifty listings of the last hour, and buys none of them", async () => {
  await person("tom", { categoryIds: [221] });
  market.publish({ photoTakenAtUnixS: 1 });
  const { batches, events } = await start();
  await pass(500);
  // Two pages: the listings of the second one are seen later although they are older.
  const recent = market.publishMany(120);
  await until(() => matchedIds(batches).length >= 120);
  await pass(60_000);

  const lea = await person("lea", { categoryIds: [221], isAutobuy: true });
  await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
  await pass(2_000);
  const leaMatches = batches.flatMap(({ matches }) => matches.filter(({ userId }) => userId === lea));
  expect(leaMatches.map(({ listing }) => listing.listing.id)).toEqual(recent.slice(-50));
  expect(wishedIds(batches)).toEqual([]);

  const id = market.publish();
  await until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([id]);
});

test("an edited filter shows the last hour's listings that it newly holds, and buys none of them", async () => {
  const cap = (priceCapEur: number) => ({ categoryIds: [221], isAutobuy: true, priceCapEur });
  const lea = await person("lea", cap(20));
  const { batches, events } = await start();
  await pass(500);
  const cheap = market.publishMany(2, { totalPriceCents: 1_500 });
  const dear = market.publishMany(60, { totalPriceCents: 3_000 });
  await until(() => matchedIds(batches).length >= 2);
  await pass(1_000);
  const [known] = await opened.store.filters.activeOf(lea);
  if (known === undefined) throw new Error("the filter is there");
  await replaceFilter(opened.store.filters, { ...known, priceCapEur: 40 }, clock.nowMs());
  await events.publish({ kind: "filters_changed", userId: known.userId, filterIds: [] });
  await until(() => matchedIds(batches).length >= 52);
  await pass(1_000);
  expect(matchedIds(batches)).toEqual([...cheap, ...dear.slice(-50)]);
  expect(wishedIds(batches)).toEqual(cheap);
  const id = market.publish({ totalPriceCents: 3_000 });
  await until(() => wishedIds(batches).length > 2);
  expect(wishedIds(batches).at(-1)).toBe(id);
});

test("a filter that held nothing buys none of the last hour's listings once its price is raised", async () => {
  await person("tom", { categoryIds: [221] });
  const lea = await person("lea", { categoryIds: [221], isAutobuy: true, priceCapEur: 0 });
  const { batches, events } = await start();
  await pass(500);
  const recent = market.publishMany(5, { totalPriceCents: 2_000 });
  await until(() => matchedIds(batches).length >= 5);
  await pass(60_000);
  const raiseTo = async (priceCapEur: number) => {
    const [known] = await opened.store.filters.activeOf(lea);
    if (known === undefined) throw new Error("the filter is there");
    await replaceFilter(opened.store.filters, { ...known, priceCapEur }, clock.nowMs());
    await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
  };
  await raiseTo(30);
  await until(() => matchedIds(batches).length >= 10);
  await raiseTo(0);
  await pass(1_000);
  await raiseTo(40);
  await pass(1_000);
  expect(new Set(matchedIds(batches))).toEqual(new Set(recent));
  expect(wishedIds(batches)).toEqual([]);
  const id = market.publish({ totalPriceCents: 2_000 });
  await until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([id]);
});

test("a narrower filter gets up to fifty listings of the last hour as their category is proven", async () => {
  await person("tom", { categoryIds: [4] });
  market.publishMany(40, { photoTakenAtUnixS: Math.floor(startMs / 1_000) - 7_200 });
  const { batches, events } = await start();
  await pass(500);
  const recent = market.publishMany(60);
  await until(() => matchedIds(batches).length >= 60);
  await secondIsOver();
  const lea = await person("lea", { categoryIds: [221], isAutobuy: true });
  await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
  await pass(3_000);
  const shown = batches
    .flatMap(({ matches }) => matches.filter(({ userId }) => userId === lea))
    .map(({ listing }) => listing.listing.id);
  expect(shown).toHaveLength(50);
  expect(new Set(shown)).toEqual(new Set(shown).intersection(new Set(recent)));
  expect(wishedIds(batches)).toEqual([]);
  const id = market.publish();
  await until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([id]);
});

test("an edited filter buys nothing that was on the market before the edit", async () => {
  const lea = await person("lea", { categoryIds: [4], isAutobuy: true, priceCapEur: 20 });
  const { batches, events } = await start();
  await pass(500);
  // One is known by its wider category only; the slice of the other was never read.
  const known = market.publish({ totalPriceCents: 3_500 });
  const unread = market.publish({ leafId: 1_242, totalPriceCents: 3_500 });
  await pass(2_000);
  expect(matchedIds(batches)).toEqual([]);
  const [filter] = await opened.store.filters.activeOf(lea);
  if (filter === undefined) throw new Error("the filter is there");
  const edited = { ...filter, categoryIds: [221, 1_242], priceCapEur: 40 };
  await replaceFilter(opened.store.filters, edited, clock.nowMs());
  await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
  await until(() => matchedIds(batches).length >= 2);
  await pass(1_000);
  expect(new Set(matchedIds(batches))).toEqual(new Set([known, unread]));
  expect(wishedIds(batches)).toEqual([]);
  market.edit(known, { totalPriceCents: 3_400 });
  await until(() => wishedIds(batches).length > 0);
  expect(wishedIds(batches)).toEqual([known]);
});

test("the first reading of a slice neither shows nor buys old listings", async () => {
  market.publishMany(40, { photoTakenAtUnixS: Math.floor(startMs / 1_000) - 7_200 });
  const recent = market.publishMany(5, { photoTakenAtUnixS: Math.floor(startMs / 1_000) - 600 });
  await person("lea", { categoryIds: [221], isAutobuy: true });
  const { batches } = await start();
  await until(() => batches.length > 0);
  await pass(2_000);
  expect([matchedIds(batches), wishedIds(batches)]).toEqual([recent, []]);
});

test("a listing is published to filters with a category once its category is proven", async () => {
  await person("anybody", {});
  await person("lea", { categoryIds: [221], isAutobuy: true });
  await person("red", { categoryIds: [221], colourName: "Bred" });
  const { batches } = await start();
  await pass(2_000);
  const id = market.publish({ leafId: 221, colourIds: [1, 7] });
  const black = market.publish({ leafId: 221, colourIds: [1] });
  await pass(3_000);
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
  await person("lea", { categoryIds: [221], isAutobuy: true, priceCapEur: 20 });
  const { batches } = await start();
  await pass(500);
  const id = market.publish({ totalPriceCents: 3_000 });
  await pass(1_000);
  expect(batches).toEqual([]);
  market.edit(id, { totalPriceCents: 1_999 });
  await until(() => batches.length > 0);
  expect([matchedIds(batches), wishedIds(batches)]).toEqual([[id], [id]]);
});

test("a price that rose is used in every replay, although the listing is not sent again", async () => {
  const lea = await person("lea", { categoryIds: [221] });
  const { feed, batches, events } = await start();
  const risen: ProductEvent[] = [];
  events.subscribe((event) => {
    if (event.kind === "price_rose") risen.push(event);
  });
  await pass(500);
  const id = market.publish({ totalPriceCents: 2_460 });
  await until(() => batches.length > 0);
  market.edit(id, { totalPriceCents: 2_695 });
  const replayed = async () => (await feed.replay(lea, null)).map(({ listing }) => listing.listing);
  await until(() => risen.length > 0);
  expect(await replayed()).toMatchObject([{ id, totalPriceCents: 2_695 }]);
  expect(risen).toMatchObject([{ kind: "price_rose", listingId: id, totalPriceCents: 2_695 }]);
  expect(matchedIds(batches)).toEqual([id]);
  const [recent] = await opened.store.listings.recentMatches(lea, 1);
  expect(recent?.listing.listing.totalPriceCents).toBe(2_695);
});

test("the pause of a 429 is exact, shown, and survives a restart", async () => {
  await person("lea", { categoryIds: [221] });
  const first = await start();
  await pass(1_000);
  market.failNext(new MarketplaceError("rate_limited", { status: 429, retryAfterMs: 60_000 }));
  await until(() => first.feed.state().kind === "paused");
  const state = first.feed.state();
  if (state.kind !== "paused" || state.reason !== "rate_limited")
    throw new Error("the marketplace asked the feed to wait");
  expect(state.untilMs - (market.requests.at(-1)?.atMs ?? 0)).toBe(60_000);
  const count = market.requests.length;
  await pass(5_000);
  await stop(first.feed);

  const second = await start();
  await pass(10_000);
  expect(market.requests.length).toBe(count);
  expect(second.feed.state()).toMatchObject({ kind: "paused", reason: "rate_limited" });
  await until(() => market.requests.length > count);
  expect(market.requests[count]?.atMs).toBeGreaterThanOrEqual(state.untilMs);
  await until(() => second.feed.state().kind === "live");
});

test("an empty market pauses the feed until the first listing appears", async () => {
  await person("lea", {});
  market.publishMany(30);
  const { feed } = await start();
  await pass(1_000);
  market.isEmptied = true;
  await until(() => feed.state().kind === "paused");
  expect(feed.state()).toMatchObject({ reason: "empty" });
  market.isEmptied = false;
  await until(() => feed.state().kind === "live");
});

test("the number of requests does not depend on the number of people", async () => {
  const WINDOW_S = 60;
  const { listings, calls } = observed(opened.store.listings);
  /** The clock stands still while the store answers, so that the pace does not depend on the machine's speed. */
  const passTimelessly = async (durationMs: number): Promise<void> => {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
      await pass(50);
      while (calls.size > 0) await Promise.allSettled(calls);
    }
  };
  const requestsFor = async (people: number): Promise<number> => {
    for (let index = 0; index < people; index += 1)
      await person(`p${people}-${index}`, { categoryIds: [221] }, { sizeIds: [4] });
    const { feed } = await start(listings);
    await passTimelessly(1_000);
    const before = market.requests.length;
    await passTimelessly(WINDOW_S * 1_000);
    const count = market.requests.length - before;
    await stop(feed);
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
  const lea = await person("lea", { categoryIds: [221] });
  await person("tom", { categoryIds: [1_242] });
  const { feed, events } = await start();
  await pass(1_000);
  const readsOf = (leafId: number): number =>
    market.requests.filter(({ query }) => query.leafIds.includes(leafId)).length;
  for (let leaf = 0; leaf < 30; leaf += 1) await person(`other-${leaf}`, { categoryIds: [530 + leaf] });
  for (const { id } of await opened.store.users.all()) {
    await events.publish({ kind: "filters_changed", userId: id, filterIds: [] });
  }
  const stopWatching = feed.watch(lea);
  const watchedBefore = readsOf(221);
  const unwatchedBefore = readsOf(1_242);
  await pass(20_000);
  expect(readsOf(221) - watchedBefore).toBeGreaterThan(1.5 * (readsOf(1_242) - unwatchedBefore));
  stopWatching();
  stopWatching();
});
