import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "#domain/clock.ts";
import { FakeClock } from "#testing/fake-clock.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { openBooks, type Books } from "../books/books.ts";
import type { MarketListing } from "../market/listing.ts";
import { createMarket, type Market } from "../market/market.ts";
import { createClockwork, type Clockwork } from "./clockwork.ts";

let folder: string;
let clock: FakeClock;
/** Time that can leap: whatever is due after a leap runs once, as on a machine that was asleep. */
let sleepyClock: Clock & { leap(durationMs: number): void };
let books: Books;
let market: Market;
let world: Clockwork;

const HOUR_MS = 3_600_000;

function open(listingsPerSecond: number, seed = 1, time: Clock = clock): void {
  books = openBooks(folder);
  market = createMarket({ books, clock: time, seed });
  world = createClockwork({ market, clock: time, log: createQuietLog(), seed, listingsPerSecond });
  world.start();
}

function close(): void {
  world.stop();
  market[Symbol.dispose]();
  books[Symbol.dispose]();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbox-world-"));
  clock = new FakeClock();
  sleepyClock = createSleepyClock(clock.nowMs());
});

afterEach(() => {
  close();
  rmSync(folder, { recursive: true, force: true });
});

function createSleepyClock(startMs: number): typeof sleepyClock {
  let nowMs = startMs;
  let waiting: readonly { readonly atMs: number; readonly action: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    schedule(delayMs, action) {
      const entry = { atMs: nowMs + delayMs, action };
      waiting = [...waiting, entry];
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
    leap(durationMs) {
      nowMs += durationMs;
      const due = waiting.filter(({ atMs }) => atMs <= nowMs);
      waiting = waiting.filter((entry) => !due.includes(entry));
      for (const { action } of due) action();
    },
  };
}

/** A leap, and then turns enough for all that became due. */
function leap(durationMs: number): void {
  sleepyClock.leap(durationMs);
  for (let turn = 0; turn < 20; turn += 1) sleepyClock.leap(250);
}

const stock = (): readonly MarketListing[] => [...market.shelf.all()];

describe("the starting stock", () => {
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

  test("does not exist at pace 0, and nothing happens by itself", async () => {
    open(0);
    await clock.advance(HOUR_MS);
    expect(stock()).toEqual([]);
    expect(clock.pendingCount).toBe(0);
  });

  test("is not put up again by a restart within the hour", () => {
    open(2);
    const before = stock().map(({ id }) => id);
    close();
    open(2);
    expect(stock().map(({ id }) => id)).toEqual(before);
  });
});

test("the same seed makes the same market again, another one another", () => {
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

test("the stream goes on where it stopped: no listing comes twice, none is skipped", async () => {
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

test("two hundred a second is no trouble", async () => {
  open(0);
  world.setListingsPerSecond(200);
  await clock.advance(20_000);
  expect(stock().length / 20 / 200).toBeGreaterThan(0.9);
});

test("after a long sleep the world goes on from now", () => {
  open(10, 1, sleepyClock);
  const before = stock().length;
  leap(8 * HOUR_MS);
  const published = stock().filter(({ publishedAtMs }) => publishedAtMs > sleepyClock.nowMs() - 8 * HOUR_MS);
  expect(published.length).toBeGreaterThan(50);
  expect(published.length).toBeLessThan(300);
  expect(before).toBeGreaterThan(0);
});

describe("fates", () => {
  test("rivals buy, sellers withdraw and lower prices", () => {
    open(2, 1, sleepyClock);
    const before = new Map(stock().map((listing) => [listing.id, listing]));
    leap(6 * HOUR_MS);
    const now = [...before.keys()].map((id) => market.stock.byId(id));
    const states = now.map((listing) => listing?.state);
    expect(states.filter((state) => state === "sold").length).toBeGreaterThan(60);
    expect(states.filter((state) => state === "withdrawn").length).toBeGreaterThan(5);
    const lowered = now.filter(
      (listing) => listing !== null && listing.priceCents < (before.get(listing.id)?.priceCents ?? 0),
    );
    expect(lowered.length).toBeGreaterThan(5);
  });

  test("never touch what was published by hand", () => {
    open(2, 1, sleepyClock);
    const [first] = stock();
    if (first === undefined) throw new Error("the market is empty");
    const [byHand] = market.stock.publish([{ facts: { ...first, fate: null }, serial: null }]);
    leap(30 * HOUR_MS);
    expect(market.stock.byId(byHand?.id ?? 0)).toEqual(byHand);
  });

  test("leave alone what one of ours has reserved or bought", () => {
    open(2, 1, sleepyClock);
    const doomed = stock().find(
      ({ fate }) => fate?.kind === "rival" && fate.atMs < sleepyClock.nowMs() + 5 * HOUR_MS,
    );
    if (doomed === undefined) throw new Error("nobody wants anything");
    market.stock.setState(doomed.id, "reserved");
    leap(6 * HOUR_MS);
    expect(market.stock.byId(doomed.id)?.state).toBe("reserved");
  });

  test("stand still at pace 0", () => {
    open(2, 1, sleepyClock);
    world.setListingsPerSecond(0);
    const before = stock();
    leap(6 * HOUR_MS);
    expect(stock()).toEqual(before);
  });
});

test("what is older than a day is forgotten, unless an order names it or a person published it", () => {
  open(0, 1, sleepyClock);
  world.setListingsPerSecond(1);
  leap(10_000);
  const [kept, ...others] = stock();
  const gone = others[0];
  if (kept === undefined || gone === undefined) throw new Error("the market is empty");
  const [byHand] = market.stock.publish([{ facts: { ...kept, fate: null }, serial: null }]);
  const account = books.accounts.open("garde");
  market.trade.openTransaction(account, { listingId: kept.id, sellerId: kept.seller.id });
  leap(25 * HOUR_MS);
  expect(market.stock.byId(gone.id)).toBeNull();
  expect(market.stock.byId(kept.id)).not.toBeNull();
  expect(market.stock.byId(byHand?.id ?? 0)).not.toBeNull();
});
