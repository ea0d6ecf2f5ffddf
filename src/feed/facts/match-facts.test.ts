import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Clock, sleep, MINUTE_MS } from "#domain/clock.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import { ANY_SELLER, type SellerCondition, type SellerFacts } from "#domain/market/seller.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { heldMatches } from "#store/schema/tables.ts";
import { createPricedMemory } from "#verify/simulation/usual-prices.ts";
import { aStanding } from "#verify/testing/a-listing.ts";
import {
  eraseEverybody,
  feedWorldForAll,
  type RunningFeed,
  type StartOptions,
  wishedIds,
  wrapped,
} from "../feed-world.suite.ts";
import type { FeedDeps } from "../feed-service.ts";
import type { MatchBatch } from "../feed.ts";
import type { FactsStore } from "./match-facts.ts";

/** In all more than may wait for the store, by less than the marketplace's ten pages hold. */
const OUTAGE_S = 18;
const PUBLISHED_PER_S = 300;
const GOOD: SellerFacts = { rating: 4.9, reviewCount: 120, countryCode: "FR" };
const POOR: SellerFacts = { rating: 3.1, reviewCount: 8, countryCode: "FR" };
const rated: SellerCondition = { ...ANY_SELLER, minRating: 4.5 };
const ratedOrUnknown: SellerCondition = { ...rated, ifUnknown: "pass" };

const world = feedWorldForAll();
let sellerCount = 0;

async function start(options: StartOptions = {}): Promise<RunningFeed> {
  const running = await world.start({ memory: usualPrices, ...options });
  await world.pass(500);
  return running;
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

/** The calls reject while the outage is on. */
function awayDuring<Part extends object>(outage: { readonly isOn: boolean }, part: Part): Part {
  return wrapped(part, async (call) => {
    if (outage.isOn) throw new Error("the store is away");
    return await call();
  });
}

/** As `pass`, with the turns of the event loop in which the reader learns from whole pages of news. */
async function passWhileLearning(durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
    await world.pass(50);
    for (let turns = 0; turns < 30; turns += 1) await yieldToEventLoop();
  }
}

/** A seller who was never looked up. */
function aSeller(facts?: SellerFacts) {
  sellerCount += 1;
  const id = 1_000 + sellerCount;
  if (facts !== undefined) world.market.sellers.set(id, facts);
  return { id, login: `vendeuse-${id}`, photoUrl: null };
}

const matched = (batches: readonly MatchBatch[]): readonly string[] =>
  batches.flatMap(({ matches }) =>
    matches.map(({ listing, filterIds }) => `${listing.listing.id} ${filterIds.join("+")}`),
  );
const heldCount = async (): Promise<number> => await world.store.db.$count(heldMatches);

describe("a filter that asks for a seller's rating", () => {
  test("shows and buys a listing once the seller is known to be good, and never one of a poor seller", async () => {
    await world.person("lea", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    const good = world.market.publish({ seller: aSeller(GOOD) });
    world.market.publish({ seller: aSeller(POOR) });
    await world.until(() => batches.length > 0);
    await world.pass(2_000);
    expect([matched(batches), wishedIds(batches)]).toEqual([[`${good} lea-0`], [good]]);
    expect(batches[0]?.matches[0]?.listing.background?.seller).toEqual(GOOD);
    await expect.poll(heldCount).toBe(0);
  });

  test("delays no plain match, whether look-ups answer or not", async () => {
    await world.person("lea", { isAutobuy: true, seller: rated });
    await world.person("tom", { isAutobuy: true });
    const { batches } = await start();
    world.market.beforeSeller = async () => await new Promise(() => undefined);
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => batches.length > 0);
    const delayMs = world.clock.nowMs() - world.startMs;
    await world.pass(6_000);
    expect([matched(batches), wishedIds(batches)]).toEqual([[`${id} tom-0`], [id]]);
    expect(delayMs).toBeLessThan(1_000);
    expect(world.market.asked).toHaveLength(1);
  });

  test("of a person who also has a plain filter is added to the match already shown", async () => {
    await world.person("lea", {}, { seller: rated }, { seller: { ...rated, minRating: 5 } });
    const { batches } = await start();
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => batches.length === 2);
    await world.pass(1_000);
    expect(matched(batches)).toEqual([`${id} lea-0`, `${id} lea-0+lea-1`]);
  });

  test("looks up a seller once for all listings and people, and only for listings that it holds", async () => {
    await world.person("lea", { seller: rated, priceCapEur: 20 });
    await world.person("tom", { seller: rated, priceCapEur: 20 });
    const { batches } = await start();
    const seller = aSeller(GOOD);
    const ids = [world.market.publish({ seller }), world.market.publish({ seller })];
    world.market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_001 });
    await world.until(() => matched(batches).length === 4);
    ids.push(world.market.publish({ seller }));
    await world.until(() => matched(batches).length === 6);
    expect(new Set(matched(batches).map((one) => Number(one.split(" ")[0])))).toEqual(new Set(ids));
    expect(world.market.asked.map(({ sellerId }) => sellerId)).toEqual([seller.id]);
  });

  test("looks up the seller of the newest listing first", async () => {
    await world.person("lea", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    for (let n = 0; n < 20; n += 1) world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length > 0);
    await world.pass(1_000);
    const fresh = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => wishedIds(batches).includes(fresh));
    expect(world.market.asked.length).toBeLessThan(12);
  });

  test("looks up a seller once across all nodes, however far the clock of one is ahead", async () => {
    await world.person("lea", { seller: rated });
    const first = await start({ facts: { isShared: true } });
    const ahead: Clock = {
      nowMs: () => world.clock.nowMs() + 5 * MINUTE_MS,
      monotonicMs: () => world.clock.monotonicMs(),
      schedule: (delayMs, action) => world.clock.schedule(delayMs, action),
    };
    const second = await start({ facts: { isShared: true }, clock: ahead });
    const answer = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await answer.promise;
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length > 0);
    await world.pass(4_000);
    answer.resolve();
    await world.until(() => first.batches.length > 0 && second.batches.length > 0);
    expect([world.market.asked.length, matched(first.batches), matched(second.batches)]).toEqual([
      1,
      [`${id} lea-0`],
      [`${id} lea-0`],
    ]);
  });

  test.each<{ readonly reason: string; readonly act: (lea: UserId, id: ListingId) => Promise<unknown> }>([
    {
      reason: "it is switched off",
      act: async (lea) => await world.change(lea, { isActive: false, activatedAtMs: null }),
    },
    {
      reason: "its limit is lower than the price",
      act: async (lea) => await world.change(lea, { priceCapEur: 15 }),
    },
    {
      reason: "the price rose above its limit",
      act: async (_, id) => world.market.edit(id, { totalPriceCents: 2_100 }),
    },
    {
      reason: "its person blocked the seller",
      act: async (lea) =>
        await world.store.sellers.block(lea, [{ sellerId: 1_000 + sellerCount, login: "vendeuse" }], {
          nowMs: world.clock.nowMs(),
          limit: 10,
        }),
    },
  ])("looks up no seller any more once $reason", async ({ act }) => {
    const lea = await world.person("lea", { seller: rated, priceCapEur: 20 });
    const { announce } = await start();
    world.market.beforeSeller = async () => {
      throw new MarketplaceError("timeout");
    };
    const id = world.market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_000 });
    await world.until(() => world.market.asked.length === 1);
    await act(lea, id);
    await announce(lea);
    await world.pass(60_000, 500);
    expect(world.market.asked).toHaveLength(1);
  });

  test("and for a good price looks up no seller any more once the risen price is none, and does while it is one", async () => {
    await world.person("lea", { seller: rated, bargainPercent: 25 });
    const { batches } = await start();
    world.market.beforeSeller = async () => {
      throw new MarketplaceError("timeout");
    };
    const dear = world.market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_000 });
    const good = world.market.publish({ seller: aSeller(GOOD), totalPriceCents: 2_000 });
    await world.until(() => world.market.asked.length === 2);
    world.market.edit(dear, { totalPriceCents: 2_300 });
    world.market.edit(good, { totalPriceCents: 2_100 });
    await world.pass(2_000);
    world.market.beforeSeller = async () => undefined;
    await world.pass(60_000, 500);
    expect([world.market.asked.length, matched(batches)]).toEqual([3, [`${good} lea-0`]]);
  });

  test("and for a good price buys nothing above it if the latest version cannot be read", async () => {
    await world.person("lea", { seller: rated, bargainPercent: 25, isAutobuy: true });
    const gate = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await gate.promise;
    let readings = 0;
    const byIds: FeedDeps["store"]["listings"]["byIds"] = async () => {
      readings += 1;
      throw new Error("the store is away");
    };
    const { batches } = await start({ store: { listings: { ...world.store.listings, byIds } } });
    const seller = aSeller(GOOD);
    const risen = world.market.publish({ seller, totalPriceCents: 2_000 });
    const other = world.market.publish({ seller, totalPriceCents: 2_000 });
    await world.until(() => world.market.asked.length === 1);
    world.market.edit(risen, { totalPriceCents: 2_300 });
    await world.pass(2_000);
    gate.resolve();
    await world.until(() => readings > 0);
    await world.pass(1_000);
    expect(wishedIds(batches)).toEqual([other]);
    await expect.poll(heldCount).toBe(0);
  });

  test("deletes its held match later if the store was unavailable", async () => {
    await world.person("lea", { seller: rated });
    const { held } = world.timelessStore();
    let refused = 0;
    const end: FactsStore["held"]["end"] = async (keys) => {
      refused += 1;
      if (refused <= 2) throw new Error("the store is away");
      await held.end(keys);
    };
    const { batches } = await start({ store: { held: { ...held, end } } });
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => refused > 2);
    expect(matched(batches)).toEqual([`${id} lea-0`]);
    await expect.poll(heldCount).toBe(0);
  });

  test("checks a seller against the filter as it is when the answer arrives", async () => {
    const lea = await world.person("lea", { seller: { ...ANY_SELLER, minRating: 3 } });
    const { batches, announce } = await start();
    const gate = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await gate.promise;
    world.market.publish({ seller: aSeller({ ...GOOD, rating: 3.5 }) });
    await world.until(() => world.market.asked.length === 1);
    await world.change(lea, { seller: rated });
    await announce(lea);
    gate.resolve();
    await world.pass(2_000);
    expect(matched(batches)).toEqual([]);
    await expect.poll(heldCount).toBe(0);
  });

  test("deletes a held match once: a second deletion could hit the same match, held again", async () => {
    await world.person("lea", { seller: rated });
    const { held } = world.timelessStore();
    const gate = Promise.withResolvers<void>();
    let ends = 0;
    const end: FactsStore["held"]["end"] = async (keys) => {
      ends += 1;
      await gate.promise;
      await held.end(keys);
    };
    await start({ store: { held: { ...held, end } } });
    world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => ends === 1);
    await world.pass(5_000);
    expect(ends).toBe(1);
    gate.resolve();
    await expect.poll(heldCount).toBe(0);
  });

  test("goes on after a crash, and buys what was seen half a minute ago at most", async () => {
    await world.person("lea", { isAutobuy: true, seller: rated });
    const first = await start();
    world.market.beforeSeller = async () => await new Promise(() => undefined);
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length === 1);
    await expect.poll(heldCount).toBe(1);
    await world.stop(first.feed);
    world.market.beforeSeller = async () => undefined;
    const second = await start();
    await world.until(() => second.batches.length > 0);
    expect([first.batches, matched(second.batches), wishedIds(second.batches)]).toEqual([
      [],
      [`${id} lea-0`],
      [id],
    ]);
    await expect.poll(heldCount).toBe(0);

    const late = world.market.publish({ seller: aSeller(GOOD) });
    world.market.beforeSeller = async () => {
      world.market.beforeSeller = async () => undefined;
      throw new MarketplaceError("timeout");
    };
    // Sold: the catalogue does not show it again.
    await world.until(() => world.market.asked.length === 3);
    world.market.sell(late);
    await world.pass(4_000);
    expect(wishedIds(second.batches)).toEqual([id]);
    await world.until(() => wishedIds(second.batches).length === 2);
    await world.stop(second.feed);
  });

  test("a listing whose seller becomes known too late is shown and not bought", async () => {
    await world.person("lea", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    let failures = 0;
    world.market.beforeSeller = async () => {
      failures += 1;
      if (failures <= 2) throw new MarketplaceError("timeout");
    };
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => failures === 1);
    world.market.sell(id);
    await world.pass(45_000, 100);
    expect([matched(batches), wishedIds(batches), failures]).toEqual([[`${id} lea-0`], [], 3]);
  });

  test("edited in that alone shows what it refused in the last hour, buys none of it and repeats nothing", async () => {
    const lea = await world.person("lea", { isAutobuy: true, seller: rated });
    const { batches, announce } = await start();
    const edit = async (seller: SellerCondition): Promise<void> => {
      await world.change(lea, { seller });
      await announce(lea);
      await world.pass(3_000);
    };
    const good = world.market.publish({ seller: aSeller(GOOD) });
    const poor = world.market.publish({ seller: aSeller(POOR) });
    const poorest = world.market.publish({ seller: aSeller({ ...POOR, rating: 1 }) });
    await world.until(() => world.market.asked.length === 3);
    await world.pass(2_000);
    expect(matched(batches)).toEqual([`${good} lea-0`]);
    await edit({ ...rated, minRating: 3 });
    expect(matched(batches)).toEqual([`${good} lea-0`, `${poor} lea-0`]);
    await edit({ ...rated, minRating: 4 });
    expect(matched(batches)).toHaveLength(2);
    await edit(ANY_SELLER);
    expect(matched(batches).slice(2)).toEqual([`${poorest} lea-0`]);
    await edit(rated);
    expect([matched(batches).length, wishedIds(batches), world.market.asked.length]).toEqual([3, [good], 3]);
    await expect.poll(heldCount).toBe(0);
  });

  test("keeps its held match while its person's filters cannot be read", async () => {
    const lea = await world.person("lea", { isAutobuy: true, seller: rated });
    let isAway = false;
    const filters = {
      ...world.store.filters,
      activeOf: async (userId: UserId) => {
        if (isAway) throw new Error("the store is away");
        return await world.store.filters.activeOf(userId);
      },
    };
    const { batches, announce } = await start({ store: { filters } });
    const gate = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await gate.promise;
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length === 1);
    isAway = true;
    await announce(lea);
    gate.resolve();
    await world.pass(3_000);
    expect([batches, await heldCount()]).toEqual([[], 1]);
    isAway = false;
    await world.until(() => batches.length > 0);
    expect([matched(batches), wishedIds(batches)]).toEqual([[`${id} lea-0`], [id]]);
    await expect.poll(heldCount).toBe(0);
  });

  test("loses no held match to an outage of the store, however many come in meanwhile", async () => {
    await world.person("lea", { seller: rated });
    const outage = { isOn: false };
    const { held, sellerFacts, relists } = world.timelessStore();
    const { listings } = world.store;
    const store = {
      held: awayDuring(outage, held),
      sellerFacts: awayDuring(outage, sellerFacts),
      relists: awayDuring(outage, relists),
      listings: awayDuring(outage, listings),
    };
    const { feed, batches } = await start({ store });
    const seller = aSeller(GOOD);
    outage.isOn = true;
    for (let second = 0; second < OUTAGE_S; second += 1) {
      for (let n = 0; n < PUBLISHED_PER_S; n += 1) world.market.publish({ seller });
      await passWhileLearning(1_000);
    }
    expect(feed.state()).toEqual({ kind: "paused", reason: "store", untilMs: null });
    const requestCount = world.market.requests.length;
    await world.pass(5_000);
    expect([world.market.requests.length, batches]).toEqual([requestCount, []]);
    outage.isOn = false;
    await world.until(() => matched(batches).length === OUTAGE_S * PUBLISHED_PER_S);
    expect(feed.state()).toEqual({ kind: "live" });
    await world.pass(1_000);
    expect(new Set(matched(batches)).size).toBe(OUTAGE_S * PUBLISHED_PER_S);
    await expect.poll(heldCount).toBe(0);
  });

  test("buys nothing that was held before its automatic buying began", async () => {
    const lea = await world.person("lea", { isAutobuy: true, isSimulation: true, seller: rated });
    const tom = await world.person("tom", { seller: rated });
    const mia = await world.person("mia", { isAutobuy: true, seller: rated });
    const { batches, announce } = await start();
    const gate = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await gate.promise;
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length === 1);
    await world.pass(1_000);
    await world.change(lea, { isSimulation: false });
    await world.change(tom, { isAutobuy: true, autobuySinceMs: world.clock.nowMs() });
    for (const userId of [lea, tom]) await announce(userId);
    gate.resolve();
    await world.until(() => matched(batches).length === 3);
    expect(batches.flatMap(({ wishes }) => wishes)).toMatchObject([{ userId: mia, listingId: id }]);
  });

  test("drops a held match once it is switched off, or the price rose above its limit", async () => {
    const lea = await world.person("lea", { seller: rated, priceCapEur: 20 });
    const { batches, announce } = await start();
    const gate = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await gate.promise;
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length === 1);
    world.market.edit(id, { totalPriceCents: 2_500 });
    await world.pass(2_000);
    const off = world.market.publish({ seller: aSeller(GOOD), totalPriceCents: 1_000 });
    await world.pass(1_000);
    expect(off).toBeGreaterThan(id);
    await world.change(lea, { isActive: false, activatedAtMs: null });
    await announce(lea);
    gate.resolve();
    await world.pass(2_000);
    expect(batches).toEqual([]);
    await expect.poll(heldCount).toBe(0);
  });
});

test("stalled look-ups add nothing to the mean delay of plain matches, in simulated time", async () => {
  const meanDelayMs = async (login: string, looksUpSellers: boolean): Promise<number> => {
    await world.person(`${login}-asks`, { isAutobuy: true, seller: rated });
    await world.person(login, { isAutobuy: true });
    const { feed, batches } = await start({ facts: { looksUpSellers } });
    world.market.beforeSeller = async () => await new Promise(() => undefined);
    const publishedAtMs = new Map<number, number>();
    let totalMs = 0;
    feed.onBatch(({ matches }) => {
      for (const { listing } of matches)
        totalMs += world.clock.nowMs() - (publishedAtMs.get(listing.listing.id) ?? 0);
    });
    for (let index = 0; index < 40; index += 1) {
      publishedAtMs.set(world.market.publish({ seller: aSeller(GOOD) }), world.clock.nowMs());
      await world.pass(400, 20);
    }
    await world.until(() => matched(batches).length === 40);
    await world.stop(feed);
    await eraseEverybody(world.store);
    return totalMs / 40;
  };
  const [off, stalled] = [await meanDelayMs("off", false), await meanDelayMs("stalled", true)];
  expect(stalled / off).toBeCloseTo(1, 2);
});

describe("an unknown seller", () => {
  test("passes within five seconds or is dropped after ten minutes, as the filter says", async () => {
    await world.person("lea", { isAutobuy: true, seller: ratedOrUnknown });
    await world.person("tom", { isAutobuy: true, seller: rated });
    const { batches } = await start();
    world.market.beforeSeller = async () => await new Promise(() => undefined);
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length === 1);
    expect(batches).toEqual([]);
    await world.pass(4_600);
    expect([matched(batches), wishedIds(batches)]).toEqual([[`${id} lea-0`], [id]]);
    await world.pass(9 * MINUTE_MS, 5_000);
    expect(await heldCount()).toBe(1);
    await world.pass(2 * MINUTE_MS, 5_000);
    await expect.poll(heldCount).toBe(0);
    expect(matched(batches)).toHaveLength(1);
  });

  test("without reviews counts as unrated at once", async () => {
    await world.person("lea", { seller: ratedOrUnknown });
    await world.person("tom", { seller: rated });
    const { batches } = await start();
    const id = world.market.publish({ seller: aSeller({ rating: null, reviewCount: 0, countryCode: "FR" }) });
    await world.until(() => batches.length > 0);
    await world.pass(500);
    expect(matched(batches)).toEqual([`${id} lea-0`]);
    await expect.poll(heldCount).toBe(0);
  });

  test("passes at once when look-ups are switched off", async () => {
    await world.person("lea", { seller: ratedOrUnknown });
    const { batches } = await start({ facts: { looksUpSellers: false } });
    const id = world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => batches.length > 0);
    expect(world.clock.nowMs() - world.startMs).toBeLessThan(2_000);
    expect([matched(batches), world.market.asked]).toEqual([[`${id} lea-0`], []]);
  });

  test("is looked up again after 5, 30 and 120 seconds, and then no more", async () => {
    await world.person("lea", { seller: rated });
    await start();
    world.market.beforeSeller = async () => {
      throw new MarketplaceError("server_error", { status: 500 });
    };
    world.market.publish({ seller: aSeller(GOOD) });
    await world.until(() => world.market.asked.length === 1);
    await world.pass(3 * MINUTE_MS, 200);
    await world.pass(8 * MINUTE_MS, 5_000);
    const [first = 0, ...later] = world.market.asked.map(({ atMs }) => Math.round(atMs / 1_000));
    expect(later).toHaveLength(3);
    for (const [index, afterS] of [5, 35, 155].entries())
      expect((later[index] ?? 0) - first).toBeCloseTo(afterS, -1);
  });
});

test("a refusal pauses look-ups alone, for ten minutes", async () => {
  await world.person("lea", { seller: ratedOrUnknown });
  const { batches, feed } = await start();
  world.market.beforeSeller = async () => {
    throw new MarketplaceError("blocked", { status: 403 });
  };
  const first = world.market.publish({ seller: aSeller(GOOD) });
  await world.until(() => batches.length === 1);
  const second = world.market.publish({ seller: aSeller(GOOD) });
  await world.until(() => batches.length === 2);
  expect(matched(batches)).toEqual([`${first} lea-0`, `${second} lea-0`]);
  expect([world.market.asked.length, feed.state().kind]).toEqual([1, "live"]);
  expect(await world.store.sellerFacts.pausedUntil(world.clock.nowMs())).toBeGreaterThan(
    world.startMs + 10 * MINUTE_MS,
  );
  world.market.beforeSeller = async () => undefined;
  await world.pass(11 * MINUTE_MS, 5_000);
  world.market.publish({ seller: aSeller(GOOD) });
  await world.until(() => world.market.asked.length === 2);
});

describe("a listing that its seller had listed before", () => {
  test("is reported as a relist after publishing, and skipped by filters that ignore relists unless it is cheaper", async () => {
    await world.person("lea", { ignoresRelists: true });
    await world.person("tom", {});
    const { batches, backgrounds } = await start();
    const seller = aSeller();
    const listed = async (totalPriceCents: number): Promise<ListingId> => {
      const id = world.market.publish({ seller, title: "Manteau long", totalPriceCents });
      await world.until(() => matched(batches).includes(`${id} tom-0`));
      await world.pass(500);
      return id;
    };
    const [first, second, third] = [await listed(4_500), await listed(4_500), await listed(3_800)];
    await world.until(() => matched(batches).includes(`${third} lea-0`));
    expect(new Set(matched(batches))).toEqual(
      new Set([first, second, third].map((id) => `${id} tom-0`).concat([`${first} lea-0`, `${third} lea-0`])),
    );
    expect(backgrounds.map(({ listingId, background }) => [listingId, background.relist])).toEqual([
      [second, expect.objectContaining({ earlierCount: 1, firstPriceCents: 4_500 })],
      [third, expect.objectContaining({ earlierCount: 2, lowestPriceCents: 4_500 })],
    ]);
    expect(world.market.asked).toEqual([]);
  });

  test("is recognised by its title, whatever the case and accents, its size, brand and seller", async () => {
    await world.person("tom", {});
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
      relisted = world.market.publish({ ...article, ...change });
      await world.until(() => matched(batches).includes(`${relisted} tom-0`));
      await world.pass(500);
    }
    await world.until(() => backgrounds.length > 0);
    expect(backgrounds.map(({ listingId }) => listingId)).toEqual([relisted]);
  });

  test("is skipped if it is no longer cheaper once its seller is known", async () => {
    await world.person("lea", { ignoresRelists: true, seller: rated, isAutobuy: true });
    await world.person("tom", {});
    const { batches } = await start();
    const gate = Promise.withResolvers<void>();
    world.market.beforeSeller = async () => await gate.promise;
    const seller = aSeller(GOOD);
    const listed = async (totalPriceCents: number): Promise<ListingId> => {
      const id = world.market.publish({ seller, title: "Parka longue", totalPriceCents });
      await world.until(() => matched(batches).includes(`${id} tom-0`));
      await world.pass(500);
      return id;
    };
    const [first, second, third] = [await listed(4_500), await listed(3_800), await listed(3_000)];
    world.market.edit(second, { totalPriceCents: 4_500 });
    await world.pass(2_000);
    gate.resolve();
    await world.until(() => matched(batches).includes(`${third} lea-0`));
    await world.pass(1_000);
    const shown = matched(batches).filter((one) => one.endsWith("lea-0"));
    expect(new Set(shown)).toEqual(new Set([`${first} lea-0`, `${third} lea-0`]));
    expect(wishedIds(batches)).not.toContain(second);
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
      await world.person("lea", { ignoresRelists: true });
      await world.person("tom", {});
      const { relists } = world.timelessStore();
      let isSlow = false;
      const note: FactsStore["relists"]["note"] = async (articles, apartMs) => {
        if (isSlow && afterMs === null) throw new Error("the store is unavailable");
        if (isSlow) await sleep(world.clock, afterMs ?? 0);
        return await relists.note(articles, apartMs);
      };
      const { batches, backgrounds } = await start({ store: { relists: { ...relists, note } } });
      const seller = aSeller();
      const list = async (): Promise<ListingId> => {
        const id = world.market.publish({ seller, title: `Cape ${answers}`, totalPriceCents: 4_500 });
        await world.until(() => matched(batches).includes(`${id} tom-0`));
        return id;
      };
      const first = await list();
      await world.until(() => matched(batches).includes(`${first} lea-0`));
      isSlow = true;
      const second = await list();
      await world.pass(1_000);
      expect(matched(batches).includes(`${second} lea-0`)).toBe(!isKnown);
      expect(backgrounds.map(({ listingId }) => listingId)).toEqual(isKnown ? [second] : []);
    },
  );
});

test("pages receive facts of a seller whose listings they show", async () => {
  await world.person("lea", { seller: rated });
  const tom = await world.person("tom", {});
  const { backgrounds, feed, batches } = await start();
  const seller = aSeller(GOOD);
  const id = world.market.publish({ seller });
  await world.until(() => backgrounds.length > 0);
  expect(backgrounds).toEqual([{ listingId: id, background: { relist: null, seller: GOOD } }]);
  const [replayed] = await feed.replay(tom, null);
  expect(replayed?.listing.background?.seller).toEqual(GOOD);
  const next = world.market.publish({ seller });
  await world.until(() => matched(batches).includes(`${next} tom-0`));
  const plain = batches.flatMap(({ matches }) => matches).find(({ listing }) => listing.listing.id === next);
  expect(plain?.listing.background?.seller).toEqual(GOOD);
});
