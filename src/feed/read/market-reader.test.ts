import { expect, test } from "vitest";
import type { ListingId } from "#domain/ids.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { SearchPage, SearchQuery } from "#marketplace/marketplace.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import type { FeedSliceMark } from "#store/market-store.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { MarketInMemory } from "../market-in-memory.suite.ts";
import { SliceDemand } from "../schedule/slice-demand.ts";
import { sliceOf } from "../schedule/slice.ts";
import { PAUSES_SANDBOX } from "./market-pauses.ts";
import { MarketReader, type ReadingDeps } from "./market-reader.ts";
import { PAGE_SIZE } from "./slice-pages.ts";

const READS_PER_SECOND = 20;
const STARTS_AT_MS = Date.UTC(2026, 10, 20, 11);

class MarketRead {
  readonly clock = new FakeClock(STARTS_AT_MS);
  readonly market = new MarketInMemory(this.clock);
  readonly reading: MarketReader;
  readonly newsIds: ListingId[] = [];
  /** Transforms the market's answer. */
  answer: (query: SearchQuery, page: SearchPage) => SearchPage = (_query, page) => page;

  constructor(
    overrides: Partial<ReadingDeps>,
    {
      leafIds,
      marks,
    }: { readonly leafIds: readonly number[] | null; readonly marks: readonly FeedSliceMark[] } = {
      leafIds: null,
      marks: [],
    },
  ) {
    const { clock, market } = this;
    const demand = new SliceDemand();
    for (const leafId of leafIds ?? [0])
      demand.put(leafId, {
        leafSets: leafIds === null ? null : [[leafId]],
        marketplaceColourIds: [],
        rank: "rest",
      });
    this.reading = new MarketReader({
      catalogue: { searchNewest: async (query) => this.answer(query, await market.searchNewest(query)) },
      listings: {
        record: async () => undefined,
        sliceMarks: async () => marks,
        seenSince: async () => [],
        byIds: async () => [],
      },
      budget: createRequestBudget(clock, {
        read: { perSecond: READS_PER_SECOND, burst: 1 },
        buy: { perSecond: Infinity, burst: 1 },
      }),
      clock,
      random: createFakeRandom(),
      log: createQuietLog(),
      options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_SANDBOX },
      demand,
      mayRead: () => true,
      isHeldUp: () => false,
      archivist: null,
      showState: () => undefined,
      publish: async ({ news }) => {
        this.newsIds.push(...news.map(({ entry }) => entry.seen.listing.id));
      },
      interestIn: () => 0,
      interestOf: () => 0,
      ...overrides,
    });
  }

  async until(isThere: () => boolean): Promise<void> {
    for (let turn = 0; !isThere(); turn += 1) {
      expect(turn).toBeLessThan(10_000);
      await this.clock.advance(1);
    }
  }

  async stop(): Promise<void> {
    const stopped = this.reading.stop();
    await this.clock.advance(60_000);
    await stopped;
  }
}

test("a page is published before the scout learns from it, and learning yields to other work", async () => {
  const steps: string[] = [];
  const read = new MarketRead({
    publish: async ({ news }) => {
      if (news.length === 0) return;
      steps.push(`published ${news.length}`);
      setImmediate(() => steps.push("an answer"));
    },
    interestIn: () => {
      steps.push("guessed");
      return 0;
    },
    interestOf: (news) => {
      steps.push(`weighed ${news.length}`);
      return 0;
    },
  });
  // Listings from before the first reading are not news.
  read.market.publish();
  read.reading.start();
  await read.until(() => steps.includes("weighed 1"));
  steps.length = 0;
  read.market.publishMany(9);
  await read.until(() => steps.length === 12);
  const four = Array.from({ length: 4 }, () => "guessed");
  expect(steps.slice(0, 2)).toEqual(["published 9", "an answer"]);
  expect(steps.slice(2)).toEqual(["weighed 4", ...four, ...four, "guessed"]);
  await read.stop();
});

test("the mark of several pages is recorded with the last one, even if it has no news", async () => {
  const written: { readonly mark: FeedSliceMark | null; readonly newsCount: number }[] = [];
  const read = new MarketRead({
    publish: async ({ news }, mark, isDue) => {
      if (isDue) written.push({ mark, newsCount: news.length });
    },
  });
  read.market.publishMany(PAGE_SIZE, { photoTakenAtUnixS: 1 });
  read.reading.start();
  await read.until(() => written.length === 1);
  const newest = read.market.publishMany(PAGE_SIZE).at(-1);
  await read.until(() => written.length === 3);
  expect(written.slice(1)).toMatchObject([
    { newsCount: PAGE_SIZE },
    { newsCount: 0, mark: { highestListingId: newest } },
  ]);
  await read.stop();
});

const TEN_MINUTES_MS = 10 * 60_000;

/** Answers that keep one slice from ever being read completely. */
const faultyAnswers: Readonly<Record<string, MarketRead["answer"]>> = {
  "is never read": ({ leafIds }, page) => (leafIds[0] === 1 ? fail("unreadable") : page),
  "has one listing, which nobody can read": ({ leafIds }, page) =>
    leafIds[0] === 1 ? { ...page, listings: [], droppedCount: 1 } : page,
  "breaks at its second page": ({ leafIds, page: pageNumber }, page) =>
    leafIds[0] === 1 && pageNumber === 2 ? fail("server_error") : page,
};

test.each(Object.entries(faultyAnswers))(
  "a slice that %s does not delay the others",
  async (_name, answer) => {
    const leafIds = [1, 2, 3, 4];
    for (const breaksLater of [false, true]) {
      const read = new MarketRead({}, { leafIds, marks: [] });
      const go = async (ms: number): Promise<void> => {
        for (let passedMs = 0; passedMs < ms; passedMs += 50) await read.clock.advance(50);
      };
      if (!breaksLater) read.answer = answer;
      read.reading.start();
      await go(30_000);
      read.answer = answer;
      read.market.publishMany(200, { leafId: 1 });
      await go(TEN_MINUTES_MS);
      const others = leafIds.slice(1).map((leafId) => read.market.publish({ leafId }));
      await go(60_000);
      const newsIds = new Set(read.newsIds);
      await read.stop();
      expect(others.filter((id) => !newsIds.has(id))).toEqual([]);
    }
  },
);

test("a stored mark from a clock that was ahead loses no listing", async () => {
  for (const aheadMs of [0, 1_000, 20_000]) {
    const { key } = sliceOf([1], null, "rest");
    const lastReadAtMs = STARTS_AT_MS - 100 + aheadMs;
    const read = new MarketRead({}, { leafIds: [1], marks: [{ key, lastReadAtMs, highestListingId: 999 }] });
    const burst = read.market.publishMany(250, { leafId: 1 });
    let failures = 1;
    read.answer = ({ page: pageNumber }, page) => {
      if (pageNumber === 2 && failures-- > 0) fail("server_error");
      return page;
    };
    await read.reading.restore();
    read.reading.start();
    await read.until(() => read.market.requests.length > 20);
    const newsIds = new Set(read.newsIds);
    await read.stop();
    expect(burst.filter((id) => !newsIds.has(id))).toEqual([]);
  }
});

function fail(code: MarketplaceErrorCode): never {
  throw new MarketplaceError(code);
}
