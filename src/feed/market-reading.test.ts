import { expect, test } from "vitest";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { FakeClock } from "#testing/fake-clock.ts";
import type { FeedSliceMark } from "#store/store.ts";
import { createFakeRandom } from "#testing/fake-random.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { MarketInMemory } from "./market-in-memory.suite.ts";
import { PAUSES_OUTSIDE } from "./market-pauses.ts";
import { MarketReading, type ReadingDeps } from "./market-reading.ts";
import { SliceDemand } from "./slice-demand.ts";
import { PAGE_SIZE } from "./slice-pages.ts";

const READS_PER_SECOND = 20;

class MarketRead {
  readonly clock = new FakeClock(Date.UTC(2026, 10, 20, 11));
  readonly market = new MarketInMemory(this.clock);
  readonly reading: MarketReading;

  constructor(told: Pick<ReadingDeps, "publish" | "interestIn" | "interestOf">) {
    const { clock, market } = this;
    const demand = new SliceDemand();
    demand.put(1, { leafSets: null, marketplaceColourIds: [], rank: "rest" });
    this.reading = new MarketReading({
      catalogue: market,
      listings: {
        record: async () => undefined,
        sliceMarks: async () => [],
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
      options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_OUTSIDE },
      demand,
      mayRead: () => true,
      showState: () => undefined,
      ...told,
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

test("what a page brings is told before anything is guessed from it, and guessing lets other work through", async () => {
  const steps: string[] = [];
  const read = new MarketRead({
    publish: async ({ news }) => {
      if (news.length === 0) return;
      steps.push(`told ${news.length}`);
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
  // What was there before the first reading is no news to anybody.
  read.market.publish();
  read.reading.start();
  await read.until(() => steps.includes("weighed 1"));
  steps.length = 0;
  read.market.publishMany(9);
  await read.until(() => steps.length === 12);
  const four = Array.from({ length: 4 }, () => "guessed");
  expect(steps.slice(0, 2)).toEqual(["told 9", "an answer"]);
  expect(steps.slice(2)).toEqual(["weighed 4", ...four, ...four, "guessed"]);
  await read.stop();
});

test("how far several pages were read is written with the last of them, though that one tells nothing", async () => {
  const written: { readonly mark: FeedSliceMark | null; readonly newsCount: number }[] = [];
  const read = new MarketRead({
    publish: async ({ news }, mark, isDue) => {
      if (isDue) written.push({ mark, newsCount: news.length });
    },
    interestIn: () => 0,
    interestOf: () => 0,
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
