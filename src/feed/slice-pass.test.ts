import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ListingId } from "#domain/ids.ts";
import { FakeClock } from "#testing/fake-clock.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { MarketInMemory } from "./market-in-memory.suite.ts";
import { takePage, type News, type PageReading } from "./ingest.ts";
import { Scout } from "./scout.ts";
import { SeenListings } from "./seen-listings.ts";
import { SliceBook, type SliceState } from "./slice-book.ts";
import { PAGE_SIZE, readSlice, type PassOutcome } from "./slice-pass.ts";
import { sliceOf } from "./slice.ts";

/** Less than a page: the first reading sees all of it. */
const STOCK = 60;

const A_DAY_MS = 24 * 3_600_000;

/** One slice of a market, and all that its readings told. */
class Reading {
  readonly clock = new FakeClock();
  readonly market = new MarketInMemory(this.clock);
  readonly memory = new SeenListings({ maxEntries: 10_000, maxAgeMs: A_DAY_MS });
  readonly log = createQuietLog();
  readonly scout: Scout;
  readonly state: SliceState;
  readonly news: News[] = [];
  readonly published: PageReading[] = [];
  mayGoOn = true;
  /** What a pass that publishes waits for. */
  telling: Promise<unknown> = Promise.resolve();
  /** Between two readings: so long that each begins with a whole page, unless a test says otherwise. */
  intervalMs = 6_000;

  /** Between what the market saw when it answered and the answer being there. */
  onTheWay: () => Promise<void> = async () => undefined;

  constructor() {
    const book = new SliceBook();
    book.follow([sliceOf([221], null, "rest")], this.clock.nowMs());
    this.state = onlyStateOf(book);
    this.scout = new Scout({ book, memory: this.memory, interestIn: () => 0 });
  }

  async pass(): Promise<PassOutcome> {
    const outcome = await readSlice(this.state, {
      catalogue: {
        searchNewest: async (query) => {
          const page = await this.market.searchNewest(query);
          await this.onTheWay();
          return { ...page, receivedAtMs: this.clock.nowMs() };
        },
      },
      memory: this.memory,
      clock: this.clock,
      log: this.log,
      takeTurn: async () => this.mayGoOn,
      scout: this.scout,
      recall: async () => undefined,
      publish: async (reading) => {
        this.#publish(reading);
        await this.telling;
      },
      publishAside: (reading) => this.#publish(reading),
    });
    await this.clock.advance(this.intervalMs);
    return outcome;
  }

  #publish(reading: PageReading): void {
    this.published.push(reading);
    this.news.push(...reading.news);
  }

  get told(): readonly ListingId[] {
    return this.news.map(({ entry }) => entry.seen.listing.id);
  }

  newsOf(id: ListingId): readonly News[] {
    return this.news.filter(({ entry }) => entry.seen.listing.id === id);
  }
}

test("the first reading takes stock: nothing of it is certainly new", async () => {
  const reading = new Reading();
  reading.market.publishMany(5, { photoTakenAtUnixS: 1 });
  await reading.pass();
  expect(reading.news.map(({ kind }) => kind)).toEqual(["past", "past", "past", "past", "past"]);
  expect(reading.state.mark?.highestListingId).toBe(1_004);
});

test("what appears after a reading is new, told once, the oldest first", async () => {
  const reading = new Reading();
  reading.market.publish();
  await reading.pass();
  const sentAtMs = reading.state.mark?.sentAtMs;
  const [first, second] = reading.market.publishMany(2);
  await reading.pass();
  await reading.pass();
  expect(reading.told.slice(1)).toEqual([first, second]);
  expect(reading.news[1]).toMatchObject({ kind: "new", before: null, entry: { appearedAfterMs: sentAtMs } });
});

test("a burst of three pages between two readings loses nothing", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const burst = reading.market.publishMany(3 * 96);
  await reading.pass();
  expect(pagesOf(reading)).toEqual([1, 1, 2, 3, 4]);
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
  expect(reading.news.slice(STOCK).every(({ kind }) => kind === "new")).toBe(true);
});

test("a page is told before the next one is asked for", async () => {
  const reading = new Reading();
  await reading.pass();
  reading.market.publishMany(150);
  const publishedAtRequest: number[] = [];
  reading.market.beforeAnswer = () => {
    publishedAtRequest.push(reading.published.length);
    reading.market.publish();
  };
  await reading.pass();
  expect(publishedAtRequest).toEqual([1, 2]);
});

test("a slice that was read a moment ago is asked for a short page, and for a whole one after three seconds", async () => {
  const reading = new Reading();
  reading.market.publishMany(200, { photoTakenAtUnixS: 1 });
  await reading.pass();
  reading.intervalMs = 1_250;
  for (let round = 0; round < 5; round += 1) {
    await reading.pass();
    const [id] = reading.market.publishMany(1);
    await reading.pass();
    expect(reading.told.at(-1)).toBe(id);
  }
  expect(lengthsOf(reading)).toEqual([96, 96, 24, 24, 96, 24, 24, 96, 24, 24, 96]);
});

test("what turns up late, below a short page, is found on the next whole one", async () => {
  const reading = new Reading();
  const late = reading.market.publishMany(96, { photoTakenAtUnixS: 1 })[40] ?? raise();
  reading.market.hide(late);
  await reading.pass();
  await reading.pass();
  reading.market.show(late);
  reading.intervalMs = 1_250;
  for (let round = 0; round < 6; round += 1) await reading.pass();
  expect(reading.newsOf(late).map(({ kind }) => kind)).toEqual(["new"]);
});

/** A slice whose next page is a short one. */
async function readMomentAgo(): Promise<Reading> {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  reading.intervalMs = 700;
  await reading.pass();
  return reading;
}

test("more than a short page holds is told from a whole one, in the market's order", async () => {
  const reading = await readMomentAgo();
  const burst = reading.market.publishMany(80);
  await reading.pass();
  expect(lengthsOf(reading)).toEqual([96, 24, 96]);
  expect(reading.told.slice(STOCK)).toEqual(burst);
});

test("a short page that nothing follows is told, and the rest by the next reading", async () => {
  const reading = await readMomentAgo();
  const burst = reading.market.publishMany(40);
  reading.mayGoOn = false;
  // Neither the end of a pass nor a refusal waits for what is told.
  reading.telling = new Promise(() => undefined);
  expect(await reading.pass()).toBe("interrupted");
  expect(reading.told.slice(STOCK)).toEqual(burst.slice(-24));
  reading.mayGoOn = true;
  const more = reading.market.publishMany(30);
  reading.market.beforeAnswer = ({ perPage }) => {
    if (perPage === 96) reading.market.failNext(new MarketplaceError("broken_connection"));
  };
  await expect(reading.pass()).rejects.toThrow(MarketplaceError);
  expect(reading.told.slice(STOCK)).toEqual([...burst.slice(-24), ...more.slice(-24)]);
  reading.telling = Promise.resolve();
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(reading.told).toHaveLength(STOCK + 70);
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set([...burst, ...more]));
});

test("a short page is told where the whole one comes back empty, and proves no overlap", async () => {
  for (const isAllEmpty of [true, false]) {
    const reading = await readMomentAgo();
    const burst = reading.market.publishMany(200);
    reading.market.beforeAnswer = ({ perPage }) => {
      reading.market.isEmptied = isAllEmpty ? perPage !== 24 : perPage === 96;
    };
    expect(await reading.pass()).toBe(isAllEmpty ? "suspiciously_empty" : "read");
    expect(reading.told.slice(STOCK)).toEqual(burst.slice(-24));
    reading.market.beforeAnswer = () => undefined;
    reading.market.isEmptied = false;
    for (let round = 0; round < 6; round += 1) await reading.pass();
    expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
    expect(reading.news.slice(STOCK).every(({ kind }) => kind === "new")).toBe(true);
  }
});

test("a short page between two empty readings keeps them from being believed", async () => {
  const reading = await readMomentAgo();
  const lies = { isEmptied: false };
  reading.market.beforeAnswer = ({ leafIds, perPage }) => {
    reading.market.isEmptied = leafIds.length > 0 && (lies.isEmptied || perPage === 96);
  };
  lies.isEmptied = true;
  await reading.pass();
  lies.isEmptied = false;
  const burst = reading.market.publishMany(200);
  await reading.pass();
  const { mark } = reading.state;
  lies.isEmptied = true;
  await reading.pass();
  expect(reading.state.mark).toBe(mark);
  reading.market.beforeAnswer = () => undefined;
  reading.market.isEmptied = false;
  for (let round = 0; round < 6; round += 1) await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
});

test("short and whole pages without anything are doubted, where a moment ago they were full", async () => {
  const reading = await readMomentAgo();
  reading.market.isEmptied = true;
  reading.market.pagesWhenEmpty = 3;
  expect(await reading.pass()).toBe("suspiciously_empty");
});

test("what lies below a further page that comes back empty is found by the next reading", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const burst = reading.market.publishMany(250);
  reading.market.beforeAnswer = ({ page }) => {
    reading.market.isEmptied = page > 1;
  };
  await reading.pass();
  expect(reading.told.slice(STOCK)).toEqual(burst.slice(-96));
  reading.market.beforeAnswer = () => undefined;
  reading.market.isEmptied = false;
  await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
});

test("a first reading without anything is not believed before a second one: what it did not show may be old", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK, { photoTakenAtUnixS: 1 });
  reading.market.isEmptied = true;
  await reading.pass();
  reading.market.isEmptied = false;
  await reading.pass();
  expect(new Set(reading.news.map(({ kind }) => kind))).toEqual(new Set(["past"]));
  const [id = raise()] = reading.market.publishMany(1, { photoTakenAtUnixS: 1 });
  await reading.pass();
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
});

test("what comes to a slice without anything is new, once it was seen to be so twice", async () => {
  const reading = new Reading();
  await reading.pass();
  await reading.pass();
  const [id = raise()] = reading.market.publishMany(1, { photoTakenAtUnixS: 1 });
  await reading.pass();
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
});

test("the more comes in, the longer the page", async () => {
  const reading = new Reading();
  reading.market.publishMany(200, { photoTakenAtUnixS: 1 });
  await reading.pass();
  reading.intervalMs = 700;
  for (const [perSecond, length] of [
    [10, 24],
    [20, 48],
    [40, 96],
  ] as const) {
    await reading.clock.advance(6_000);
    await reading.pass();
    reading.state.arrivalsPerMs = perSecond / 1_000;
    await reading.pass();
    expect(lengthsOf(reading).at(-1)).toBe(length);
  }
});

test("a listing that slips between two pages while others are sold is found by a look across their edge", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const burst = reading.market.publishMany(400);
  let isSold = false;
  reading.market.beforeAnswer = ({ page }) => {
    if (page !== 4 || isSold) return;
    isSold = true;
    burst.slice(-20).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
  await reading.pass();
  expect(reading.market.requests.at(-1)?.query.page).toBe(1);
});

test("what slips further than a look across the edge of a page is found by the next reading", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const burst = reading.market.publishMany(500);
  const sold = burst.slice(-180);
  const slipped = burst.slice(0, -180);
  reading.market.beforeAnswer = ({ page }) => {
    // Before the fourth page, and again before the look across its upper edge.
    if (page === 4) sold.splice(-90).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  expect(slipped.filter((id) => !reading.told.includes(id)).length).toBeGreaterThan(0);
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(slipped.filter((id) => !reading.told.includes(id))).toEqual([]);
  await reading.pass();
  expect(reading.market.requests.at(-1)?.query.page).toBe(1);
});

test("pages that overlap left no gap between them: one such reading is enough", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  reading.market.publishMany(3 * 96);
  reading.market.beforeAnswer = () => reading.market.publishMany(10);
  await reading.pass();
  const requestsBefore = reading.market.requests.length;
  await reading.pass();
  expect(reading.market.requests.slice(requestsBefore).map(({ query }) => query.page)).toEqual([1]);
});

test("what another slice showed while an answer was on its way is no overlap", async () => {
  const reading = new Reading();
  const { clock, market, memory } = reading;
  market.publishMany(STOCK);
  await reading.pass();
  const book = new SliceBook();
  book.follow([sliceOf([], null, "rest")], clock.nowMs());
  const burst: ListingId[] = [];
  reading.onTheWay = async () => {
    await clock.advance(20);
    burst.push(...market.publishMany(100));
    const page = await market.searchNewest({ leafIds: [], marketplaceColourIds: [], page: 1, perPage: 96 });
    takePage(page, onlyStateOf(book), memory);
    await clock.advance(20);
  };
  await reading.pass();
  expect(reading.told).toHaveLength(STOCK);
  reading.onTheWay = async () => undefined;
  await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
});

test("a promoted listing that stands on every page is no overlap", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const burst = reading.market.publishMany(400);
  const [promoted = raise()] = burst;
  reading.market.promoted = promoted;
  reading.market.isPromotedOnEveryPage = true;
  reading.market.beforeAnswer = ({ page }) => {
    if (page === 4) burst.slice(-20).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
});

test("a reading that fails half-way leaves the mark, and the next one covers the same ground", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const { mark } = reading.state;
  const burst = reading.market.publishMany(200);
  reading.market.beforeAnswer = ({ page }) => {
    if (page === 2) reading.market.failNext(new MarketplaceError("server_error"));
  };
  await expect(reading.pass()).rejects.toThrow("server_error");
  expect(reading.state.mark).toBe(mark);
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
  expect(reading.told).toHaveLength(STOCK + 200);
});

test("a pause between two pages ends the reading without moving the mark", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const { mark } = reading.state;
  reading.market.publishMany(100);
  reading.mayGoOn = false;
  expect(await reading.pass()).toBe("interrupted");
  expect(reading.state.mark).toBe(mark);
});

test("old stock that moves up as others are sold is no news that anybody would buy", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(200, { photoTakenAtUnixS: 1 });
  await reading.pass();
  stock.slice(-10).forEach((id) => reading.market.sell(id));
  await reading.pass();
  expect(reading.news.slice(96).map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => "past"));
});

test("a listing that turns up late, below newer ones, is new all the same", async () => {
  const reading = new Reading();
  reading.market.publish();
  const late = reading.market.publish();
  reading.market.hide(late);
  reading.market.publish();
  await reading.pass();
  reading.market.publish();
  await reading.pass();
  reading.market.show(late);
  await reading.pass();
  expect(reading.newsOf(late).map(({ kind }) => kind)).toEqual(["new"]);
});

test("one absurd id does not blind a slice to what comes after it", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  const absurd = reading.market.publish({ id: Number.MAX_SAFE_INTEGER });
  await reading.pass();
  reading.market.sell(absurd);
  const burst = reading.market.publishMany(250);
  await reading.pass();
  expect(new Set(reading.told.slice(STOCK + 1))).toEqual(new Set(burst));
  await reading.pass();
  await reading.pass();
  const later = reading.market.publish();
  await reading.pass();
  expect(reading.news.at(-1)).toMatchObject({ kind: "new", entry: { seen: { listing: { id: later } } } });
});

test("while memory is incomplete, only what stands above the mark is new", async () => {
  const reading = new Reading();
  reading.market.publish();
  const forgotten = reading.market.publish();
  reading.market.hide(forgotten);
  reading.market.publish();
  await reading.pass();
  reading.memory.markIncomplete(forgotten);
  reading.market.show(forgotten);
  const fresh = reading.market.publish();
  await reading.pass();
  expect(reading.newsOf(forgotten).map(({ kind }) => kind)).toEqual(["past"]);
  expect(reading.newsOf(fresh).map(({ kind }) => kind)).toEqual(["new"]);
});

test("a promoted listing at the top neither ends a reading nor counts as new", async () => {
  const reading = new Reading();
  const [old] = reading.market.publishMany(300, { photoTakenAtUnixS: 1 });
  await reading.pass();
  const burst = reading.market.publishMany(100);
  reading.market.promoted = old ?? null;
  await reading.pass();
  expect(new Set(reading.told.slice(96))).toEqual(new Set([...burst, old]));
  expect(reading.newsOf(old ?? raise()).map(({ kind }) => kind)).toEqual(["past"]);
});

test("a promoted listing that is known is no overlap: what is below it may be new", async () => {
  const reading = new Reading();
  const known = reading.market.publishMany(96, { photoTakenAtUnixS: 1 }).at(-1);
  await reading.pass();
  const burst = reading.market.publishMany(100);
  reading.market.promoted = known ?? null;
  await reading.pass();
  expect(new Set(reading.told.slice(96))).toEqual(new Set(burst));
});

test("a price drop is news, an unchanged listing is none, a rise is only a change", async () => {
  const reading = new Reading();
  const id = reading.market.publish({ totalPriceCents: 2_000 });
  await reading.pass();
  reading.market.edit(id, { totalPriceCents: 1_500 });
  await reading.pass();
  await reading.pass();
  reading.market.edit(id, { totalPriceCents: 1_900 });
  await reading.pass();
  expect(reading.newsOf(id).map(({ kind }) => kind)).toEqual(["past", "cheaper", "changed"]);
  expect(reading.newsOf(id).at(-1)?.entry.seen.firstSeenAtMs).toBe(
    reading.newsOf(id)[0]?.entry.seen.firstSeenAtMs,
  );
});

test("what is still on sale is recorded again after an hour, and is no news", async () => {
  const reading = new Reading();
  reading.market.publish();
  await reading.pass();
  await reading.pass();
  expect(reading.published.at(-1)?.toRecord).toEqual([]);
  await reading.clock.advance(3_600_000);
  await reading.pass();
  expect(reading.published.at(-1)?.toRecord).toHaveLength(1);
  expect(reading.published.at(-1)?.news).toEqual([]);
});

test("a slice that was full and answers nothing is doubted when the whole market does too", async () => {
  const reading = new Reading();
  const ids = reading.market.publishMany(20);
  await reading.pass();
  reading.market.isEmptied = true;
  expect(await reading.pass()).toBe("suspiciously_empty");
  reading.market.isEmptied = false;
  expect(await reading.pass()).toBe("read");
  ids.forEach((id) => reading.market.sell(id));
  reading.market.publish({ leafId: 1_242 });
  expect(await reading.pass()).toBe("read");
  expect(reading.market.requests.at(-1)?.query).toMatchObject({ leafIds: [], page: 1 });
});

test("a slice without a mark is read back to when somebody began to want it", async () => {
  const reading = new Reading();
  reading.market.publishMany(200, { photoTakenAtUnixS: Math.floor(reading.clock.nowMs() / 1_000) - 60 });
  const burst = reading.market.publishMany(200);
  await reading.pass();
  expect(reading.told).toEqual(expect.arrayContaining([...burst]));
  expect(pagesOf(reading)).toEqual([1, 2, 3]);
});

test("more than the marketplace's ten pages is said in the log", async () => {
  const reading = new Reading();
  reading.market.publishMany(50);
  await reading.pass();
  reading.market.publishMany(1_200);
  await reading.pass();
  expect(pagesOf(reading)).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(reading.log.lines.map(({ message }) => message)).toContain(
    "more came in than the marketplace's pages hold",
  );
});

// As long as it is not more than the marketplace's ten pages show.
test("nothing that stays on sale is ever skipped, whatever is published and sold between and within readings", async () => {
  const burst = fc.record({
    published: fc.integer({ min: 0, max: 25 }),
    sold: fc.array(fc.nat(), { maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(500),
      fc.array(burst, { minLength: 4, maxLength: 15 }),
      fc.constantFrom(700, 6_000),
      async (atOnce, bursts, intervalMs) => {
        const reading = new Reading();
        reading.intervalMs = intervalMs;
        reading.market.publishMany(STOCK);
        await reading.pass();
        const stock = new Set(reading.market.ids);
        reading.market.publishMany(atOnce);
        const queue = [...bursts];
        reading.market.beforeAnswer = () => {
          const next = queue.shift();
          if (next === undefined) return;
          reading.market.publishMany(next.published);
          const { ids } = reading.market;
          for (const draw of next.sold)
            if (ids.length > 0) reading.market.sell(ids[draw % ids.length] ?? raise());
        };
        while (queue.length > 0) await reading.pass();
        reading.intervalMs = 6_000;
        for (let calm = 0; calm < 3; calm += 1) await reading.pass();
        const told = new Set(reading.told);
        expect(reading.market.ids.filter((id) => !stock.has(id) && !told.has(id))).toEqual([]);
        const firstSights = reading.news.filter(({ before }) => before === null);
        expect(new Set(firstSights.map(({ entry }) => entry)).size).toBe(firstSights.length);
      },
    ),
    { numRuns: 60 },
  );
});

/** Without the looks across the edges of pages. */
function pagesOf({ market }: Reading): readonly number[] {
  const whole = market.requests.filter(({ query }) => query.perPage === PAGE_SIZE);
  return whole.map(({ query }) => query.page);
}

function lengthsOf({ market }: Reading): readonly number[] {
  return market.requests.map(({ query }) => query.perPage);
}

function onlyStateOf(book: SliceBook): SliceState {
  const [state] = [...book.states];
  if (state === undefined) throw new Error("the book lost its slice");
  return state;
}

function raise(): never {
  throw new Error("nothing is there");
}
