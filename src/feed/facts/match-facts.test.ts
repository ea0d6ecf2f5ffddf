import { setImmediate as otherWork } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Clock, sleep } from "#domain/clock.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, type ListingId, type UserId } from "#domain/ids.ts";
import { ANY_SELLER, type SellerCondition, type SellerFacts } from "#domain/market/seller.ts";
import { MINUTE_MS } from "#domain/time.ts";
import { closingPiece } from "#market/market-memory.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { createEventBus } from "#server/events.ts";
import { heldMatches } from "#store/schema/tables.ts";
import { createPricedMemory } from "#verify/simulation/usual-prices.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aStanding } from "#verify/testing/a-listing.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createFeed, type FeedDeps } from "../feed-service.ts";
import type { Feed, KnownBackground, MatchBatch } from "../feed.ts";
import { factsFrom, MarketInMemory } from "../market-in-memory.suite.ts";
import { PAUSES_OUTSIDE } from "../read/market-pauses.ts";
import type { FactsStore, MatchFactsOptions } from "./match-facts.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

const READS_PER_SECOND = 20;
/** In all more than may wait for the store, by less than the marketplace's ten pages hold. */
const OUTAGE_S = 18;
const PUBLISHED_PER_S = 300;
const GOOD: SellerFacts = { rating: 4.9, reviewCount: 120, countryCode: "FR" };
const POOR: SellerFacts = { rating: 3.1, reviewCount: 8, countryCode: "FR" };
const rated: SellerCondition = { ...ANY_SELLER, minRating: 4.5 };
const ratedOrUnknown: SellerCondition = { ...rated, ifUnknown: "pass" };

let opened: TestStore;
let clock: FakeClock;
let market: MarketInMemory;
let startMs = Date.UTC(2027, 10, 20, 11);
let sellerCount = 0;
const running = new Set<Feed>();

beforeAll(async () => {
  opened = await openTestStore();
});

beforeEach(async () => {
  startMs += 7 * 24 * 60 * MINUTE_MS;
  clock = new FakeClock(startMs);
  market = new MarketInMemory(clock);
  await opened.store.listings.prune(startMs, closingPiece);
  await opened.store.db.delete(heldMatches);
});

afterEach(async () => {
  for (const feed of running) await stop(feed);
  for (const { id } of await opened.store.users.all()) await opened.store.users.erase(id);
});

afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

interface Running {
  readonly feed: Feed;
  readonly batches: MatchBatch[];
  readonly backgrounds: KnownBackground[];
  readonly events: ReturnType<typeof createEventBus>;
}

interface NodeOptions {
  readonly store?: FactsStore;
  readonly filters?: TestStore["store"]["filters"];
  readonly listings?: FeedDeps["store"]["listings"];
  readonly clock?: Clock;
}

async function start(
  facts: Partial<MatchFactsOptions> = {},
  { store = timelessFacts(opened.store), clock: own = clock, ...others }: NodeOptions = {},
): Promise<Running> {
  const { filters = opened.store.filters, listings = timeless(opened.store.listings) } = others;
  const events = createEventBus(createQuietLog());
  const feed = createFeed({
    isStoreAway: () => false,
    catalogue: market,
    store: { ...opened.store, ...store, filters, listings },
    events,
    budget: createRequestBudget(own, {
      read: { perSecond: READS_PER_SECOND, burst: 5 },
      buy: { perSecond: Infinity, burst: 1 },
      look_up: { perSecond: 2, burst: 1 },
    }),
    clock: own,
    random: createFakeRandom(),
    log: createQuietLog(),
    options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_OUTSIDE },
    facts: { ...factsFrom(market), ...facts },
    memory: usualPrices,
  });
  const batches: MatchBatch[] = [];
  const backgrounds: KnownBackground[] = [];
  feed.onBatch((batch) => batches.push(batch));
  feed.onBackground((known) => backgrounds.push(known));
  running.add(feed);
  await feed.run();
  await pass(500);
  return { feed, batches, backgrounds, events };
}

/** Up to 20 EUR a price is a very good one, up to 22 EUR a good one. */
const usualPrices: NonNullable<FeedDeps["memory"]> = {
  beginReading: async () => {
    const archivist = await createPricedMemory(1).beginReading();
    const rankOf = (cents: number): number => (cents <= 2_000 ? 95 : cents <= 2_200 ? 80 : 30);
    return {
      ...archivist,
      appraise: (sightings) =>
        archivist.appraise(sightings).map((appraisal) => ({
          ...appraisal,
          standing: aStanding({ rank: rankOf(appraisal.version.totalPriceCents) }),
        })),
    };
  },
};

async function stop(feed: Feed): Promise<void> {
  running.delete(feed);
  let isStopped = false;
  const stopping = feed.stop().then(() => (isStopped = true));
  await until(() => isStopped);
  await stopping;
}

const storeCalls = new Set<Promise<unknown>>();

async function counted<Result>(call: Promise<Result>): Promise<Result> {
  storeCalls.add(call);
  try {
    return await call;
  } finally {
    storeCalls.delete(call);
  }
}

/** The clock stands still during the calls: what takes how long does not depend on the machine's speed. */
function timeless<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) =>
        await counted(Reflect.apply(method, target, args) as Promise<unknown>);
    },
  });
}

function timelessFacts({ held, sellerFacts, relists }: TestStore["store"]): FactsStore {
  return { held: timeless(held), sellerFacts: timeless(sellerFacts), relists: timeless(relists) };
}

/** The calls reject while the outage is on. */
function awayDuring<Part extends object>(outage: { readonly isOn: boolean }, part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) => {
        if (outage.isOn) throw new Error("the store is away");
        return await (Reflect.apply(method, target, args) as Promise<unknown>);
      };
    },
  });
}

async function pass(durationMs: number, stepMs = 50): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
    for (let calls = [...storeCalls]; calls.length > 0; calls = [...storeCalls])
      await Promise.allSettled(calls);
  }
}

/** As `pass`, with the turns of the event loop in which the reader learns from whole pages of news. */
async function passWhileLearning(durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
    await pass(50);
    for (let turns = 0; turns < 30; turns += 1) await otherWork();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 400 && !isTrue(); attempt += 1) await pass(50);
  expect(isTrue()).toBe(true);
}

async function person(login: string, ...filters: readonly Partial<Filter>[]): Promise<UserId> {
  const { user } = await opened.store.users.signIn(aUser({ login, providerId: login }), clock.nowMs());
  await opened.store.users.setPlan(user.id, "thunder", null);
  for (const [index, filter] of filters.entries()) {
    const activatedAtMs = clock.nowMs();
    const id = asFilterId(`${login}-${index}`);
    const times = { activatedAtMs, createdAtMs: activatedAtMs + index };
    await opened.store.filters.add(aFilter({ id, userId: user.id, ...times, ...filter }), 200);
  }
  return user.id;
}

async function change(userId: UserId, changes: Partial<Filter>): Promise<void> {
  const ids = (await opened.store.filters.ofUser(userId)).map(({ id }) => id);
  const changed = (filter: Filter) => ({ ...filter, ...changes });
  await opened.store.filters.change(userId, ids, changed, { nowMs: Date.now() });
}

/** A seller who was never looked up. */
function aSeller(facts?: SellerFacts) {
  sellerCount += 1;
  const id = 1_000 + sellerCount;
  if (facts !== undefined) market.sellers.set(id, facts);
  return { id, login: `vendeuse-${id}`, photoUrl: null };
}

const matched = (batches: readonly MatchBatch[]): readonly string[] =>
  batches.flatMap(({ matches }) =>
    matches.map(({ listing, filterIds }) => `${listing.listing.id} ${filterIds.join("+")}`),
  );
const wished = (batches: readonly MatchBatch[]): readonly ListingId[] =>
  batches.flatMap(({ wishes }) => wishes.map(({ listingId }) => listingId));
const heldCount = async (): Promise<number> => await opened.store.db.$count(heldMatches);

describe("a filter that asks for a seller's rating", () => {
  test("shows and buys a listing once the seller is known to be good, and never one of a poor seller", async () => {
    await person("lea", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    const good = market.publish({ seller: aSeller(GOOD) });
    market.publish({ seller: aSeller(POOR) });
    await until(() => batches.length > 0);
    await pass(2_000);
    expect([matched(batches), wished(batches)]).toEqual([[`${good} lea-0`], [good]]);
    expect(batches[0]?.matches[0]?.listing.background?.seller).toEqual(GOOD);
    await expect.poll(heldCount).toBe(0);
  });

  test("delays no plain match, whether look-ups answer or not", async () => {
    await person("lea", { isAutobuy: true, seller: rated });
    await person("tom", { isAutobuy: true });
    const { batches } = await start();
    market.beforeSeller = async () => await new Promise(() => undefined);
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => batches.length > 0);
    const delayMs = clock.nowMs() - startMs;
    await pass(6_000);
    expect([matched(batches), wished(batches)]).toEqual([[`${id} tom-0`], [id]]);
    expect(delayMs).toBeLessThan(1_000);
    expect(market.asked).toHaveLength(1);
  });

  test("of a person who also has a plain filter is added to the match already shown", async () => {
    await person("lea", {}, { seller: rated }, { seller: { ...rated, minRating: 5 } });
    const { batches } = await start();
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => batches.length === 2);
    await pass(1_000);
    expect(matched(batches)).toEqual([`${id} lea-0`, `${id} lea-0+lea-1`]);
  });

  test("looks up a seller once for all listings and people, and only for listings that it holds", async () => {
    await person("lea", { seller: rated, priceCapEur: 20 });
    await person("tom", { seller: rated, priceCapEur: 20 });
    const { batches } = await start();
    const seller = aSeller(GOOD);
    const ids = [market.publish({ seller }), market.publish({ seller })];
    market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_001 });
    await until(() => matched(batches).length === 4);
    ids.push(market.publish({ seller }));
    await until(() => matched(batches).length === 6);
    expect(new Set(matched(batches).map((one) => Number(one.split(" ")[0])))).toEqual(new Set(ids));
    expect(market.asked.map(({ sellerId }) => sellerId)).toEqual([seller.id]);
  });

  test("looks up the seller of the newest listing first", async () => {
    await person("lea", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    for (let n = 0; n < 20; n += 1) market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length > 0);
    await pass(1_000);
    const fresh = market.publish({ seller: aSeller(GOOD) });
    await until(() => wished(batches).includes(fresh));
    expect(market.asked.length).toBeLessThan(12);
  });

  test("looks up a seller once across all nodes, however far the clock of one is ahead", async () => {
    await person("lea", { seller: rated });
    const first = await start({ isShared: true });
    const ahead: Clock = {
      nowMs: () => clock.nowMs() + 5 * MINUTE_MS,
      monotonicMs: () => clock.monotonicMs(),
      schedule: (delayMs, action) => clock.schedule(delayMs, action),
    };
    const second = await start({ isShared: true }, { clock: ahead });
    const answer = Promise.withResolvers<void>();
    market.beforeSeller = async () => await answer.promise;
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length > 0);
    await pass(4_000);
    answer.resolve();
    await until(() => first.batches.length > 0 && second.batches.length > 0);
    expect([market.asked.length, matched(first.batches), matched(second.batches)]).toEqual([
      1,
      [`${id} lea-0`],
      [`${id} lea-0`],
    ]);
  });

  test.each<{ readonly reason: string; readonly act: (lea: UserId, id: ListingId) => Promise<unknown> }>([
    {
      reason: "it is switched off",
      act: async (lea) => await change(lea, { isActive: false, activatedAtMs: null }),
    },
    {
      reason: "its limit is lower than the price",
      act: async (lea) => await change(lea, { priceCapEur: 15 }),
    },
    {
      reason: "the price rose above its limit",
      act: async (_, id) => market.edit(id, { totalPriceCents: 2_100 }),
    },
    {
      reason: "its person blocked the seller",
      act: async (lea) =>
        await opened.store.sellers.block(lea, [{ sellerId: 1_000 + sellerCount, login: "vendeuse" }], {
          nowMs: clock.nowMs(),
          limit: 10,
        }),
    },
  ])("looks up no seller any more once $reason", async ({ act }) => {
    const lea = await person("lea", { seller: rated, priceCapEur: 20 });
    const { events } = await start();
    market.beforeSeller = async () => {
      throw new MarketplaceError("timeout");
    };
    const id = market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_000 });
    await until(() => market.asked.length === 1);
    await act(lea, id);
    await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
    await pass(60_000, 500);
    expect(market.asked).toHaveLength(1);
  });

  test("and for a good price looks up no seller any more once the risen price is none, and does while it is one", async () => {
    await person("lea", { seller: rated, bargainPercent: 25 });
    const { batches } = await start();
    market.beforeSeller = async () => {
      throw new MarketplaceError("timeout");
    };
    const dear = market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_000 });
    const good = market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_000 });
    await until(() => market.asked.length === 2);
    market.edit(dear, { totalPriceCents: 2_300 });
    market.edit(good, { totalPriceCents: 2_100 });
    await pass(2_000);
    market.beforeSeller = async () => undefined;
    await pass(60_000, 500);
    expect([market.asked.length, matched(batches)]).toEqual([3, [`${good} lea-0`]]);
  });

  test("and for a good price buys nothing above it if the latest version cannot be read", async () => {
    await person("lea", { seller: rated, bargainPercent: 25, isAutobuy: true });
    const gate = Promise.withResolvers<void>();
    market.beforeSeller = async () => await gate.promise;
    let readings = 0;
    const byIds: FeedDeps["store"]["listings"]["byIds"] = async () => {
      readings += 1;
      throw new Error("the store is away");
    };
    const { batches } = await start({}, { listings: { ...opened.store.listings, byIds } });
    const seller = aSeller(GOOD);
    const risen = market.publish({ seller, totalPriceCents: 2_000 });
    const other = market.publish({ seller, totalPriceCents: 2_000 });
    await until(() => market.asked.length === 1);
    market.edit(risen, { totalPriceCents: 2_300 });
    await pass(2_000);
    gate.resolve();
    await until(() => readings > 0);
    await pass(1_000);
    expect(wished(batches)).toEqual([other]);
    await expect.poll(heldCount).toBe(0);
  });

  test("deletes its held match later if the store was unavailable", async () => {
    await person("lea", { seller: rated });
    const store = timelessFacts(opened.store);
    let refused = 0;
    const end: FactsStore["held"]["end"] = async (keys) => {
      refused += 1;
      if (refused <= 2) throw new Error("the store is away");
      await store.held.end(keys);
    };
    const { batches } = await start({}, { store: { ...store, held: { ...store.held, end } } });
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => refused > 2);
    expect(matched(batches)).toEqual([`${id} lea-0`]);
    await expect.poll(heldCount).toBe(0);
  });

  test("checks a seller against the filter as it is when the answer arrives", async () => {
    const lea = await person("lea", { seller: { ...ANY_SELLER, minRating: 3 } });
    const { batches, events } = await start();
    const gate = Promise.withResolvers<void>();
    market.beforeSeller = async () => await gate.promise;
    market.publish({ seller: aSeller({ ...GOOD, rating: 3.5 }) });
    await until(() => market.asked.length === 1);
    const stricter = (filter: Filter) => ({ ...filter, seller: rated });
    await opened.store.filters.change(lea, [asFilterId("lea-0")], stricter, { nowMs: Date.now() });
    await events.publish({ kind: "filters_changed", userId: lea, filterIds: [asFilterId("lea-0")] });
    gate.resolve();
    await pass(2_000);
    expect(matched(batches)).toEqual([]);
    await expect.poll(heldCount).toBe(0);
  });

  test("deletes a held match once: a second deletion could hit the same match, held again", async () => {
    await person("lea", { seller: rated });
    const store = timelessFacts(opened.store);
    const gate = Promise.withResolvers<void>();
    let ends = 0;
    const end: FactsStore["held"]["end"] = async (keys) => {
      ends += 1;
      await gate.promise;
      await store.held.end(keys);
    };
    await start({}, { store: { ...store, held: { ...store.held, end } } });
    market.publish({ seller: aSeller(GOOD) });
    await until(() => ends === 1);
    await pass(5_000);
    expect(ends).toBe(1);
    gate.resolve();
    await expect.poll(heldCount).toBe(0);
  });

  test("goes on after a crash, and buys what was seen half a minute ago at most", async () => {
    await person("lea", { isAutobuy: true, seller: rated });
    const first = await start();
    market.beforeSeller = async () => await new Promise(() => undefined);
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length === 1);
    await expect.poll(heldCount).toBe(1);
    await stop(first.feed);
    market.beforeSeller = async () => undefined;
    const second = await start();
    await until(() => second.batches.length > 0);
    expect([first.batches, matched(second.batches), wished(second.batches)]).toEqual([
      [],
      [`${id} lea-0`],
      [id],
    ]);
    await expect.poll(heldCount).toBe(0);

    const late = market.publish({ seller: aSeller(GOOD) });
    market.beforeSeller = async () => {
      market.beforeSeller = async () => undefined;
      throw new MarketplaceError("timeout");
    };
    // Sold: the catalogue does not show it again.
    await until(() => market.asked.length === 3);
    market.sell(late);
    await pass(4_000);
    expect(wished(second.batches)).toEqual([id]);
    await until(() => wished(second.batches).length === 2);
    await stop(second.feed);
  });

  test("a listing whose seller becomes known too late is shown and not bought", async () => {
    await person("lea", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    let failures = 0;
    market.beforeSeller = async () => {
      failures += 1;
      if (failures <= 2) throw new MarketplaceError("timeout");
    };
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => failures === 1);
    market.sell(id);
    await pass(45_000, 100);
    expect([matched(batches), wished(batches), failures]).toEqual([[`${id} lea-0`], [], 3]);
  });

  test("edited in that alone shows what it refused in the last hour, buys none of it and repeats nothing", async () => {
    const lea = await person("lea", { isAutobuy: true, seller: rated });
    const { batches, events } = await start();
    const edit = async (seller: SellerCondition): Promise<void> => {
      await change(lea, { seller });
      await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
      await pass(3_000);
    };
    const good = market.publish({ seller: aSeller(GOOD) });
    const poor = market.publish({ seller: aSeller(POOR) });
    const poorest = market.publish({ seller: aSeller({ ...POOR, rating: 1 }) });
    await until(() => market.asked.length === 3);
    await pass(2_000);
    expect(matched(batches)).toEqual([`${good} lea-0`]);
    await edit({ ...rated, minRating: 3 });
    expect(matched(batches)).toEqual([`${good} lea-0`, `${poor} lea-0`]);
    await edit({ ...rated, minRating: 4 });
    expect(matched(batches)).toHaveLength(2);
    await edit(ANY_SELLER);
    expect(matched(batches).slice(2)).toEqual([`${poorest} lea-0`]);
    await edit(rated);
    expect([matched(batches).length, wished(batches), market.asked.length]).toEqual([3, [good], 3]);
    await expect.poll(heldCount).toBe(0);
  });

  test("keeps its held match while its person's filters cannot be read", async () => {
    const lea = await person("lea", { isAutobuy: true, seller: rated });
    let isAway = false;
    const filters = {
      ...opened.store.filters,
      activeOf: async (userId: UserId) => {
        if (isAway) throw new Error("the store is away");
        return await opened.store.filters.activeOf(userId);
      },
    };
    const { batches, events } = await start({}, { filters });
    const gate = Promise.withResolvers<void>();
    market.beforeSeller = async () => await gate.promise;
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length === 1);
    isAway = true;
    await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
    gate.resolve();
    await pass(3_000);
    expect([batches, await heldCount()]).toEqual([[], 1]);
    isAway = false;
    await until(() => batches.length > 0);
    expect([matched(batches), wished(batches)]).toEqual([[`${id} lea-0`], [id]]);
    await expect.poll(heldCount).toBe(0);
  });

  test("loses no held match to an outage of the store, however many come in meanwhile", async () => {
    await person("lea", { seller: rated });
    const outage = { isOn: false };
    const { held, sellerFacts, relists } = timelessFacts(opened.store);
    const facts = {
      held: awayDuring(outage, held),
      sellerFacts: awayDuring(outage, sellerFacts),
      relists: awayDuring(outage, relists),
    };
    const listings = awayDuring(outage, opened.store.listings);
    const { feed, batches } = await start({}, { store: facts, listings });
    const seller = aSeller(GOOD);
    outage.isOn = true;
    for (let second = 0; second < OUTAGE_S; second += 1) {
      for (let n = 0; n < PUBLISHED_PER_S; n += 1) market.publish({ seller });
      await passWhileLearning(1_000);
    }
    expect(feed.state()).toEqual({ kind: "paused", reason: "store", untilMs: null });
    const requestCount = market.requests.length;
    await pass(5_000);
    expect([market.requests.length, batches]).toEqual([requestCount, []]);
    outage.isOn = false;
    await until(() => matched(batches).length === OUTAGE_S * PUBLISHED_PER_S);
    expect(feed.state()).toEqual({ kind: "live" });
    await pass(1_000);
    expect(new Set(matched(batches)).size).toBe(OUTAGE_S * PUBLISHED_PER_S);
    await expect.poll(heldCount).toBe(0);
  });

  test("buys nothing that was held before its automatic buying began", async () => {
    const lea = await person("lea", { isAutobuy: true, isSimulation: true, seller: rated });
    const tom = await person("tom", { seller: rated });
    const mia = await person("mia", { isAutobuy: true, seller: rated });
    const { batches, events } = await start();
    const gate = Promise.withResolvers<void>();
    market.beforeSeller = async () => await gate.promise;
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length === 1);
    await pass(1_000);
    const switchOn = async (userId: UserId, changes: Partial<Filter>): Promise<void> => {
      const [known] = await opened.store.filters.activeOf(userId);
      if (known === undefined) throw new Error("the filter is there");
      await replaceFilter(opened.store.filters, { ...known, ...changes }, clock.nowMs());
      await events.publish({ kind: "filters_changed", userId, filterIds: [] });
    };
    await switchOn(lea, { isSimulation: false });
    await switchOn(tom, { isAutobuy: true, autobuySinceMs: clock.nowMs() });
    gate.resolve();
    await until(() => matched(batches).length === 3);
    expect(batches.flatMap(({ wishes }) => wishes)).toMatchObject([{ userId: mia, listingId: id }]);
  });

  test("drops a held match once it is switched off, or the price rose above its limit", async () => {
    const lea = await person("lea", { seller: rated, priceCapEur: 20 });
    const { batches, events } = await start();
    const gate = Promise.withResolvers<void>();
    market.beforeSeller = async () => await gate.promise;
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length === 1);
    market.edit(id, { totalPriceCents: 2_500 });
    await pass(2_000);
    const off = market.publish({ seller: aSeller(GOOD), totalPriceCents: 1_000 });
    await pass(1_000);
    expect(off).toBeGreaterThan(id);
    const pause = (filter: Filter) => ({ ...filter, isActive: false, activatedAtMs: null });
    await opened.store.filters.change(lea, [asFilterId("lea-0")], pause, { nowMs: Date.now() });
    await events.publish({ kind: "filters_changed", userId: lea, filterIds: [] });
    gate.resolve();
    await pass(2_000);
    expect(batches).toEqual([]);
    await expect.poll(heldCount).toBe(0);
  });
});

test("stalled look-ups add nothing to the mean delay of plain matches, in simulated time", async () => {
  const meanDelayMs = async (login: string, looksUpSellers: boolean): Promise<number> => {
    await person(`${login}-asks`, { isAutobuy: true, seller: rated });
    await person(login, { isAutobuy: true });
    const { feed, batches } = await start({ looksUpSellers });
    market.beforeSeller = async () => await new Promise(() => undefined);
    const publishedAtMs = new Map<number, number>();
    let totalMs = 0;
    feed.onBatch(({ matches }) => {
      for (const { listing } of matches)
        totalMs += clock.nowMs() - (publishedAtMs.get(listing.listing.id) ?? 0);
    });
    for (let index = 0; index < 40; index += 1) {
      publishedAtMs.set(market.publish({ seller: aSeller(GOOD) }), clock.nowMs());
      await pass(400, 20);
    }
    await until(() => matched(batches).length === 40);
    await stop(feed);
    for (const { id } of await opened.store.users.all()) await opened.store.users.erase(id);
    return totalMs / 40;
  };
  const [off, stalled] = [await meanDelayMs("off", false), await meanDelayMs("stalled", true)];
  expect(stalled / off).toBeCloseTo(1, 2);
});

describe("an unknown seller", () => {
  test("passes within five seconds or is dropped after ten minutes, as the filter says", async () => {
    await person("lea", { isAutobuy: true, seller: ratedOrUnknown });
    await person("tom", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    market.beforeSeller = async () => await new Promise(() => undefined);
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length === 1);
    expect(batches).toEqual([]);
    await pass(4_600);
    expect([matched(batches), wished(batches)]).toEqual([[`${id} lea-0`], [id]]);
    await pass(9 * MINUTE_MS, 5_000);
    expect(await heldCount()).toBe(1);
    await pass(2 * MINUTE_MS, 5_000);
    await expect.poll(heldCount).toBe(0);
    expect(matched(batches)).toHaveLength(1);
  });

  test("without reviews counts as unrated at once", async () => {
    await person("lea", { seller: ratedOrUnknown });
    await person("tom", { seller: rated });
    const { batches } = await start();
    const id = market.publish({ seller: aSeller({ rating: null, reviewCount: 0, countryCode: "FR" }) });
    await until(() => batches.length > 0);
    await pass(500);
    expect(matched(batches)).toEqual([`${id} lea-0`]);
    await expect.poll(heldCount).toBe(0);
  });

  test("passes at once when look-ups are switched off", async () => {
    await person("lea", { seller: ratedOrUnknown });
    const { batches } = await start({ looksUpSellers: false });
    const id = market.publish({ seller: aSeller(GOOD) });
    await until(() => batches.length > 0);
    expect(clock.nowMs() - startMs).toBeLessThan(2_000);
    expect([matched(batches), market.asked]).toEqual([[`${id} lea-0`], []]);
  });

  test("is looked up again after 5, 30 and 120 seconds, and then no more", async () => {
    await person("lea", { seller: rated });
    await start();
    market.beforeSeller = async () => {
      throw new MarketplaceError("server_error", { status: 500 });
    };
    market.publish({ seller: aSeller(GOOD) });
    await until(() => market.asked.length === 1);
    await pass(3 * MINUTE_MS, 200);
    await pass(8 * MINUTE_MS, 5_000);
    const [first = 0, ...later] = market.asked.map(({ atMs }) => Math.round(atMs / 1_000));
    expect(later).toHaveLength(3);
    for (const [index, afterS] of [5, 35, 155].entries())
      expect((later[index] ?? 0) - first).toBeCloseTo(afterS, -1);
  });
});

test("a refusal pauses look-ups alone, for ten minutes", async () => {
  await person("lea", { seller: ratedOrUnknown });
  const { batches, feed } = await start();
  market.beforeSeller = async () => {
    throw new MarketplaceError("blocked", { status: 403 });
  };
  const first = market.publish({ seller: aSeller(GOOD) });
  await until(() => batches.length === 1);
  const second = market.publish({ seller: aSeller(GOOD) });
  await until(() => batches.length === 2);
  expect(matched(batches)).toEqual([`${first} lea-0`, `${second} lea-0`]);
  expect([market.asked.length, feed.state().kind]).toEqual([1, "live"]);
  expect(await opened.store.sellerFacts.pausedUntil(clock.nowMs())).toBeGreaterThan(startMs + 10 * MINUTE_MS);
  market.beforeSeller = async () => undefined;
  await pass(11 * MINUTE_MS, 5_000);
  market.publish({ seller: aSeller(GOOD) });
  await until(() => market.asked.length === 2);
});

describe("a listing that its seller had listed before", () => {
  test("is reported as a relist after publishing, and skipped by filters that ignore relists unless it is cheaper", async () => {
    await person("lea", { ignoresRelists: true });
    await person("tom", {});
    const { batches, backgrounds } = await start();
    const seller = aSeller();
    const listed = async (totalPriceCents: number): Promise<ListingId> => {
      const id = market.publish({ seller, title: "Manteau long", totalPriceCents });
      await until(() => matched(batches).includes(`${id} tom-0`));
      await pass(500);
      return id;
    };
    const [first, second, third] = [await listed(4_500), await listed(4_500), await listed(3_800)];
    await until(() => matched(batches).includes(`${third} lea-0`));
    expect(new Set(matched(batches))).toEqual(
      new Set([first, second, third].map((id) => `${id} tom-0`).concat([`${first} lea-0`, `${third} lea-0`])),
    );
    expect(backgrounds.map(({ listingId, background }) => [listingId, background.relist])).toEqual([
      [second, expect.objectContaining({ earlierCount: 1, firstPriceCents: 4_500 })],
      [third, expect.objectContaining({ earlierCount: 2, lowestPriceCents: 4_500 })],
    ]);
    expect(market.asked).toEqual([]);
  });

  test("is recognised by its title, whatever the case and accents, its size, brand and seller", async () => {
    await person("tom", {});
    const { batches, backgrounds } = await start();
    const article = { seller: aSeller(), title: "Ciré d'été", sizeTitle: "M", brandTitle: "Aigle" };
    const others = [
      { title: "Ciré d'hiver" },
      { sizeTitle: "L" },
      { brandTitle: "Zara" },
      { seller: aSeller() },
    ];
    let relisted = 0;
    for (const change of [{}, ...others, { title: "CIRE D'ETE" }]) {
      relisted = market.publish({ ...article, ...change });
      await until(() => matched(batches).includes(`${relisted} tom-0`));
      await pass(500);
    }
    await until(() => backgrounds.length > 0);
    expect(backgrounds.map(({ listingId }) => listingId)).toEqual([relisted]);
  });

  test("is skipped if it is no longer cheaper once its seller is known", async () => {
    await person("lea", { ignoresRelists: true, seller: rated, isAutobuy: true });
    await person("tom", {});
    const { batches } = await start();
    const gate = Promise.withResolvers<void>();
    market.beforeSeller = async () => await gate.promise;
    const seller = aSeller(GOOD);
    const listed = async (totalPriceCents: number): Promise<ListingId> => {
      const id = market.publish({ seller, title: "Parka longue", totalPriceCents });
      await until(() => matched(batches).includes(`${id} tom-0`));
      await pass(500);
      return id;
    };
    const [first, second, third] = [await listed(4_500), await listed(3_800), await listed(3_000)];
    market.edit(second, { totalPriceCents: 4_500 });
    await pass(2_000);
    gate.resolve();
    await until(() => matched(batches).includes(`${third} lea-0`));
    await pass(1_000);
    const shown = matched(batches).filter((one) => one.endsWith("lea-0"));
    expect(new Set(shown)).toEqual(new Set([`${first} lea-0`, `${third} lea-0`]));
    expect(wished(batches)).not.toContain(second);
    await expect.poll(heldCount).toBe(0);
  });

  test.each([
    // The shown match and the held one are looked up one after the other: after 200 ms.
    { answers: "within 250 ms", afterMs: 100, isKnown: true },
    { answers: "later", afterMs: 300, isKnown: false },
    { answers: "with a failure", afterMs: null, isKnown: false },
  ])(
    "passes without a hint unless the store answers in time: $answers",
    async ({ answers, afterMs, isKnown }) => {
      await person("lea", { ignoresRelists: true });
      await person("tom", {});
      const store = timelessFacts(opened.store);
      let isSlow = false;
      const note: FactsStore["relists"]["note"] = async (articles, apartMs) => {
        if (isSlow && afterMs === null) throw new Error("the store is unavailable");
        if (isSlow) await sleep(clock, afterMs ?? 0);
        return await store.relists.note(articles, apartMs);
      };
      const relists = { ...store.relists, note };
      const { batches, backgrounds } = await start({}, { store: { ...store, relists } });
      const seller = aSeller();
      const list = async (): Promise<ListingId> => {
        const id = market.publish({ seller, title: `Cape ${answers}`, totalPriceCents: 4_500 });
        await until(() => matched(batches).includes(`${id} tom-0`));
        return id;
      };
      const first = await list();
      await until(() => matched(batches).includes(`${first} lea-0`));
      isSlow = true;
      const second = await list();
      await pass(1_000);
      expect(matched(batches).includes(`${second} lea-0`)).toBe(!isKnown);
      expect(backgrounds.map(({ listingId }) => listingId)).toEqual(isKnown ? [second] : []);
    },
  );
});

test("pages receive facts of a seller whose listings they show", async () => {
  await person("lea", { seller: rated });
  const tom = await person("tom", {});
  const { backgrounds, feed, batches } = await start();
  const seller = aSeller(GOOD);
  const id = market.publish({ seller });
  await until(() => backgrounds.length > 0);
  expect(backgrounds).toEqual([{ listingId: id, background: { relist: null, seller: GOOD } }]);
  const [replayed] = await feed.replay(tom, null);
  expect(replayed?.listing.background?.seller).toEqual(GOOD);
  const next = market.publish({ seller });
  await until(() => matched(batches).includes(`${next} tom-0`));
  const plain = batches.flatMap(({ matches }) => matches).find(({ listing }) => listing.listing.id === next);
  expect(plain?.listing.background?.seller).toEqual(GOOD);
});
