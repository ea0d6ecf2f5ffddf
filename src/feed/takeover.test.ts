import { expect, test } from "vitest";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { createEventBus } from "#server/events.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { createLocalQueue } from "./feed-queue.ts";
import { createFeed } from "./feed-service.ts";
import { factsFrom, MarketInMemory } from "./market-in-memory.suite.ts";
import { PAUSES_OUTSIDE } from "./read/market-pauses.ts";
import { aMarketMemory } from "#verify/testing/archived.ts";

test("a takeover that fails leaves no reading of the archive behind", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const [clock, log] = [new FakeClock(), createQuietLog()];
  const market = new MarketInMemory(clock);
  const { archive } = store;
  const memory = aMarketMemory({ archive, clock, log });
  const steps: string[] = [];
  let isAway = true;
  const lead: { take?: () => Promise<() => Promise<void>> } = {};
  let resign = async (): Promise<void> => undefined;
  const feed = createFeed({
    isStoreAway: () => false,
    catalogue: market,
    store: {
      ...store,
      listings: {
        ...store.listings,
        seenSince: async (sinceMs, limit) => {
          if (isAway) throw new Error("the store is away");
          return await store.listings.seenSince(sinceMs, limit);
        },
      },
    },
    events: createEventBus(log),
    budget: createRequestBudget(clock, {
      read: { perSecond: 1, burst: 1 },
      buy: { perSecond: 1, burst: 1 },
    }),
    clock,
    random: createFakeRandom(),
    log,
    options: { readsPerSecond: 1, pauses: PAUSES_OUTSIDE },
    facts: factsFrom(market),
    memory: {
      beginReading: async () => {
        const archivist = await memory.beginReading();
        steps.push("begun");
        return {
          ...archivist,
          end: async () => {
            await archivist.end();
            steps.push("ended");
          },
        };
      },
    },
    node: {
      queue: createLocalQueue(),
      hasFilters: true,
      leadership: (take) => {
        lead.take = take;
        return { isLeading: () => true, run: async () => undefined, stop: async () => await resign() };
      },
    },
  });
  await feed.run();
  await expect(lead.take?.()).rejects.toThrow("the store is away");
  expect(steps).toEqual(["begun", "ended"]);
  isAway = false;
  resign = (await lead.take?.()) ?? resign;
  expect(steps).toEqual(["begun", "ended", "begun"]);
  await feed.stop();
  expect(steps).toEqual(["begun", "ended", "begun", "ended"]);
  await memory.stop();
});
