import { expect, test } from "vitest";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { FakeClock } from "#testing/fake-clock.ts";
import { createFakeRandom } from "#testing/fake-random.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { MarketInMemory } from "./market-in-memory.suite.ts";
import { PAUSES_OUTSIDE } from "./market-pauses.ts";
import { MarketReading } from "./market-reading.ts";
import { SliceDemand } from "./slice-demand.ts";

const READS_PER_SECOND = 20;

test("what a page brings is told before anything is guessed from it, and guessing lets other work through", async () => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 11));
  const market = new MarketInMemory(clock);
  const demand = new SliceDemand();
  demand.put(1, { leafSets: null, marketplaceColourIds: [], rank: "rest" });
  const steps: string[] = [];
  const reading = new MarketReading({
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
    showState: () => undefined,
  });
  const until = async (isThere: () => boolean): Promise<void> => {
    for (let turn = 0; !isThere(); turn += 1) {
      expect(turn).toBeLessThan(10_000);
      await clock.advance(1);
    }
  };
  // What was there before the first reading is no news to anybody.
  market.publish();
  reading.start();
  await until(() => steps.includes("weighed 1"));
  steps.length = 0;
  market.publishMany(9);
  await until(() => steps.length === 12);
  const four = Array.from({ length: 4 }, () => "guessed");
  expect(steps.slice(0, 2)).toEqual(["told 9", "an answer"]);
  expect(steps.slice(2)).toEqual(["weighed 4", ...four, ...four, "guessed"]);
  const stopped = reading.stop();
  await clock.advance(60_000);
  await stopped;
});
