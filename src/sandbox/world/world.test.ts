import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, HOUR_MS } from "#domain/clock.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openMarketDatabase, type MarketDatabase } from "../database/market-database.ts";
import type { MarketListing } from "../market/listing.ts";
import { createMarket, type Market } from "../market/market.ts";
import { createWorld, type World } from "./world.ts";

let folder: string;
let clock: FakeClock;
/** A clock that can leap ahead; timers due after a leap run once, as after a system sleep. */
let manualClock: Clock & { advance(durationMs: number): void };
let database: MarketDatabase;
let market: Market;
let world: World;

function open(listingsPerSecond: number, seed = 1, time: Clock = clock): void {
  database = openMarketDatabase(folder);
  market = createMarket({ database, clock: time, seed });
  world = createWorld({ market, clock: time, log: createQuietLog(), seed, listingsPerSecond });
  world.start();
}

function close(): void {
  world.stop();
  market[Symbol.dispose]();
  database[Symbol.dispose]();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbox-world-"));
  clock = new FakeClock();
  manualClock = createSleepyClock(clock.nowMs());
});

afterEach(() => {
  close();
  rmSync(folder, { recursive: true, force: true });
});

function createSleepyClock(startMs: number): typeof manualClock {
  let nowMs = startMs;
  let waiting: readonly { readonly atMs: number; readonly action: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, action) {
      const entry = { atMs: nowMs + delayMs, action };
      waiting = [...waiting, entry];
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
    advance(durationMs) {
      nowMs += durationMs;
      const due = waiting.filter(({ atMs }) => atMs <= nowMs);
      waiting = waiting.filter((entry) => !due.includes(entry));
      for (const { action } of due) action();
    },
  };
}

/** Leaps ahead and ticks until all due events are processed. */
function advance(durationMs: number): void {
  manualClock.advance(durationMs);
  for (let turn = 0; turn < 20; turn += 1) manualClock.advance(250);
}

const stock = (): readonly MarketListing[] => [...market.searchIndex.all()];

describe("the initial stock", () => {
  test("fills the last hour, in the order of its ids", () => {
    open(2);
    const listings = stock();
    expect(listings.length).toBeGreaterThan(250);
    expect(listings.length).toBeLessThan(500);
    const moments = listings.map(({ publishedAtMs }) => publishedAtMs);
    expect(moments).toEqual(moments.toSorted((one, other) => one - other));
    expect(moments[0]).toBeGreaterThan(clock.nowMs() - HOUR_MS);
    expect(moments.at(-1)).toBeLessThanOrEqual(clock.nowMs());
  });

  test("is empty at pace 0, and nothing is published", async () => {
    open(0);
    await clock.advance(HOUR_MS);
    expect(stock()).toEqual([]);
    expect(clock.pendingCount).toBe(0);
  });

  test("is not repeated by a restart within the hour", () => {
    open(2);
    const before = stock().map(({ id }) => id);
    close();
    open(2);
    expect(stock().map(({ id }) => id)).toEqual(before);
  });
});

test("the market is determined by the seed", () => {
  open(2);
  const titles = stock().map(({ title }) => title);
  close();
  rmSync(folder, { recursive: true, force: true });
  open(2);
  expect(stock().map(({ title }) => title)).toEqual(titles);
  close();
  rmSync(folder, { recursive: true, force: true });
  open(2, 2);
  expect(stock().map(({ title }) => title)).not.toEqual(titles);
});

test("the stream resumes after a restart without gaps or duplicates", async () => {
  open(20);
  await clock.advance(5_000);
  const before = Math.max(...stock().map(({ serial }) => serial ?? 0));
  close();
  open(20);
  await clock.advance(5_000);
  const serials = stock().map(({ serial }) => serial ?? 0);
  expect(new Set(serials).size).toBe(serials.length);
  expect(Math.max(...serials)).toBeGreaterThan(before);
});

test("two hundred listings per second are published in time", async () => {
  open(0);
  world.setListingsPerSecond(200);
  await clock.advance(20_000);
  expect(stock().length / 20 / 200).toBeGreaterThan(0.9);
});

test("the world skips ahead after a long pause", () => {
  open(10, 1, manualClock);
  const before = stock().length;
  advance(8 * HOUR_MS);
  const published = stock().filter(({ publishedAtMs }) => publishedAtMs > manualClock.nowMs() - 8 * HOUR_MS);
  expect(published.length).toBeGreaterThan(50);
  expect(published.length).toBeLessThan(300);
  expect(before).toBeGreaterThan(0);
});

describe("fates", () => {
  test("competitors buy, sellers withdraw and lower prices", () => {
    open(2, 1, manualClock);
    const before = new Map(stock().map((listing) => [listing.id, listing]));
    advance(6 * HOUR_MS);
    const now = [...before.keys()].map((id) => market.stock.byId(id));
    const states = now.map((listing) => listing?.state);
    expect(states.filter((state) => state === "sold").length).toBeGreaterThan(60);
    expect(states.filter((state) => state === "withdrawn").length).toBeGreaterThan(5);
    const lowered = now.filter(
      (listing) => listing !== null && listing.priceCents < (before.get(listing.id)?.priceCents ?? 0),
    );
    expect(lowered.length).toBeGreaterThan(5);
  });

  test("sellers list unsold articles again, with the same words and picture", () => {
    open(2, 1, manualClock);
    const before = stock().filter(({ fate }) => fate?.kind === "relist");
    advance(6 * HOUR_MS);
    const looks = ({ seller, title, sizeTitle, photoSeed }: MarketListing): string =>
      [seller.id, title, sizeTitle, photoSeed].join(" ");
    const now = new Map(stock().map((listing) => [looks(listing), listing]));
    expect(before.length).toBeGreaterThan(5);
    for (const listing of before) {
      expect(market.stock.byId(listing.id)?.state).toBe("withdrawn");
      const again = now.get(looks(listing));
      expect(again?.id).toBeGreaterThan(listing.id);
      expect(again?.priceCents).toBeLessThanOrEqual(listing.priceCents);
    }
  });

  test("come the longest due first, at most the limit", () => {
    open(2, 1, manualClock);
    const nowMs = manualClock.nowMs() + 6 * HOUR_MS;
    const due = database.listings.withDueFate(nowMs, 1_000).map(({ fate }) => fate.atMs);
    const all = stock().flatMap(({ fate }) => (fate === null || fate.atMs > nowMs ? [] : [fate.atMs]));
    expect(due).toEqual(all.toSorted((one, other) => one - other));
    expect(database.listings.withDueFate(nowMs, 10)).toHaveLength(10);
  });

  test("come after a restart, and a price is lowered once", () => {
    open(2, 1, manualClock);
    const target = stock().find(({ fate }) => fate?.kind === "price");
    if (target === undefined) throw new Error("no seller lowers a price");
    close();
    open(2, 1, manualClock);
    advance((target.fate?.atMs ?? 0) - manualClock.nowMs());
    expect(market.stock.byId(target.id)).toMatchObject({ priceCents: target.fate?.priceCents, fate: null });
    market.stock.setPrice(target.id, 1);
    close();
    open(2, 1, manualClock);
    advance(10_000);
    expect(market.stock.byId(target.id)?.priceCents).toBe(1);
  });

  test("do not affect listings of control calls", () => {
    open(2, 1, manualClock);
    const [first] = stock();
    if (first === undefined) throw new Error("the market is empty");
    const [byHand] = market.stock.publish([{ facts: { ...first, fate: null }, serial: null }]);
    advance(30 * HOUR_MS);
    expect(market.stock.byId(byHand?.id ?? 0)).toEqual(byHand);
  });

  test("do not affect reserved or bought listings", () => {
    open(2, 1, manualClock);
    const target = stock().find(
      ({ fate }) => fate?.kind === "rival" && fate.atMs < manualClock.nowMs() + 5 * HOUR_MS,
    );
    if (target === undefined) throw new Error("nobody wants anything");
    market.stock.setState(target.id, "reserved");
    advance(6 * HOUR_MS);
    expect(market.stock.byId(target.id)?.state).toBe("reserved");
  });

  test("are paused at pace 0", () => {
    open(2, 1, manualClock);
    world.setListingsPerSecond(0);
    const before = stock();
    advance(6 * HOUR_MS);
    expect(stock()).toEqual(before);
  });
});

test("listings older than a day are deleted, except with orders or from control calls", () => {
  open(0, 1, manualClock);
  world.setListingsPerSecond(1);
  advance(10_000);
  const [kept, ...others] = stock();
  const gone = others[0];
  if (kept === undefined || gone === undefined) throw new Error("the market is empty");
  const [byHand] = market.stock.publish([{ facts: { ...kept, fate: null }, serial: null }]);
  const account = database.accounts.open("garde");
  market.checkouts.openTransaction(account, { listingId: kept.id, sellerId: kept.seller.id });
  advance(25 * HOUR_MS);
  expect(market.stock.byId(gone.id)).toBeNull();
  expect(market.stock.byId(kept.id)).not.toBeNull();
  expect(market.stock.byId(byHand?.id ?? 0)).not.toBeNull();
});

test("as many listings are deleted as a high pace publishes", () => {
  open(0, 1, manualClock);
  world.setListingsPerSecond(200);
  advance(10_000);
  expect(stock().length).toBeGreaterThan(2_000);
  world.setListingsPerSecond(1);
  advance(25 * HOUR_MS);
  const dayAgoMs = manualClock.nowMs() - 24 * HOUR_MS;
  expect(stock().filter(({ publishedAtMs }) => publishedAtMs < dayAgoMs)).toEqual([]);
});
