/** One feed process in simulated time; it may be killed. */
import { type Clock, sleep } from "#domain/clock.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { MarketMemory } from "#market/market-memory.ts";
import type { Catalogue, SearchQuery } from "#marketplace/marketplace.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { createEventBus } from "#server/events.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog, type LoggedLine } from "#verify/testing/quiet-log.ts";
import { createFeed, type FeedStore } from "../feed-service.ts";
import { factsFrom } from "../market-in-memory.suite.ts";
import { PAUSES_SANDBOX } from "../read/market-pauses.ts";
import { CUT_OFF } from "../read/slice-pass.ts";
import type { RealWork } from "./real-work.suite.ts";

export interface FeedProcess {
  stop(): Promise<void>;
  /** Simulates kill -9: from now on the process has no effect. */
  kill(): void;
  /** Readings cut off at the last page: listings of that period may never have been on it. */
  cutOffs(): readonly CutOff[];
}

export interface CutOff {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface FeedProcessParts {
  readonly store: FeedStore;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  /** Tracks calls to the store, which take real time. */
  readonly work: RealWork;
  /** Called with "filter listing" for each published match. */
  readonly onMatch?: (key: string) => void;
  /** Called with matches once they are in the store. */
  readonly onRecorded?: (matches: readonly UserMatch[]) => void;
  /** Receives the process's clock, and a wrapper for its calls to the store. */
  readonly memory?: (own: { readonly clock: Clock; readonly stored: OwnCalls }) => MarketMemory;
}

const READS_PER_SECOND = 20;
/** Latency of a write in each direction; a process that dies in the first half has written nothing. */
const TO_STORE_MS = 10;

/** Wraps calls so that a dead process's calls never settle, and those not yet sent have no effect. */
export type OwnCalls = <Input extends readonly unknown[], Output>(
  call: (...input: Input) => Promise<Output>,
) => (...input: Input) => Promise<Output>;

export async function startFeedProcess(parts: FeedProcessParts): Promise<FeedProcess> {
  const { store, catalogue, clock, work } = parts;
  const state = { isKilled: false };
  const never = new Promise<never>(() => undefined);
  const untilKilled: OwnCalls =
    (call) =>
    async (...input) => {
      const answer = state.isKilled ? await never : await call(...input);
      return state.isKilled ? await never : answer;
    };
  const stored: OwnCalls = (call) => untilKilled(async (...input) => await work.of(call(...input)));
  const ownClock: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    schedule: (delayMs, action) =>
      clock.schedule(delayMs, () => {
        if (!state.isKilled) action();
      }),
  };
  const log = createQuietLog();
  const { listings } = store;
  const memory = parts.memory?.({ clock: ownClock, stored });
  const feed = createFeed({
    isStoreAway: () => false,
    ...(memory === undefined ? {} : { memory }),
    catalogue: {
      searchNewest: untilKilled(async (query: SearchQuery) => await catalogue.searchNewest(query)),
    },
    store: {
      filters: store.filters,
      users: store.users,
      sellers: store.sellers,
      listings: {
        record: untilKilled(async (batch) => {
          await sleep(ownClock, TO_STORE_MS);
          await work.of(listings.record(batch));
          parts.onRecorded?.(batch.matches);
          await sleep(ownClock, TO_STORE_MS);
        }),
        sliceMarks: stored(async () => await listings.sliceMarks()),
        seenSince: stored(async (sinceMs, limit) => await listings.seenSince(sinceMs, limit)),
        byIds: stored(async (ids) => await listings.byIds(ids)),
        matchesAfter: stored(async (userId, after) => await listings.matchesAfter(userId, after)),
        matchesBetween: stored(
          async (fromMs, toMs, limit) => await listings.matchesBetween(fromMs, toMs, limit),
        ),
      },
      // No filter of the model requires facts.
      held: store.held,
      sellerFacts: store.sellerFacts,
      relists: store.relists,
    },
    events: createEventBus(log),
    budget: createRequestBudget(ownClock, {
      read: { perSecond: READS_PER_SECOND, burst: 1 },
      buy: { perSecond: Infinity, burst: 1 },
    }),
    clock: ownClock,
    random: createFakeRandom(),
    log,
    options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_SANDBOX },
    facts: factsFrom({ seller: untilKilled(async () => await never) }),
  });
  feed.onBatch(({ matches }) => {
    if (state.isKilled) return;
    for (const { filterIds, listing } of matches)
      for (const filterId of filterIds) parts.onMatch?.(`${filterId} ${listing.listing.id}`);
  });
  await feed.run();
  return {
    stop: async () => {
      await feed.stop();
      await memory?.stop();
    },
    kill: () => {
      state.isKilled = true;
      void memory?.stop();
    },
    cutOffs: () => log.lines.filter(({ message }) => message === CUT_OFF).map(cutOffOf),
  };
}

function cutOffOf({ fields }: LoggedLine): CutOff {
  return { sinceMs: Number(fields["sinceMs"]), untilMs: Number(fields["untilMs"]) };
}
