/**
 * Reads the market: slices, schedule, budget, pauses and the memory of seen listings. One node at a time runs
 * it. It publishes what it finds and does not depend on people.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock, Random } from "#domain/clock.ts";
import { BackgroundTasks } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { MarketArchivist } from "#market/market-memory.ts";
import type { Catalogue, SearchPage } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { FeedSliceMark, ListingStore } from "#store/market-store.ts";
import type { FeedState } from "../feed.ts";
import { recordInterest } from "../schedule/planner.ts";
import { Scout, type ScoutParts } from "../schedule/scout.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import { type ReadMark, type SliceState, SliceStates } from "../schedule/slice-states.ts";
import { isNewlyProven, type News, type PageReading } from "./ingest.ts";
import {
  FrozenFeedDetector,
  MarketPauses,
  type PausePolicy,
  savePause,
  restorePause,
} from "./market-pauses.ts";
import { parallelReads, plannerOptionsFor, ReadLoops } from "./read-loops.ts";
import { loadForgotten, newSinceMs, restoreSeen, SeenListings } from "./seen-listings.ts";
import { readSlice } from "./slice-pass.ts";

export interface ReadingDeps {
  readonly catalogue: Catalogue;
  readonly listings: Pick<ListingStore, "record" | "sliceMarks" | "seenSince" | "byIds">;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly options: FeedOptions;
  readonly demand: SliceDemand;
  /** Whether this node may still read; checked before each request. */
  readonly mayRead: () => boolean;
  /** Whether so much waits for the store that nothing may be read until it is back. */
  readonly isHeldUp: () => boolean;
  /** Publishes news and, if due, records them with the mark; settles when the next page may be read. */
  readonly publish: (reading: PageReading, mark: FeedSliceMark | null, isDue: boolean) => Promise<void>;
  readonly interestIn: ScoutParts["interestIn"];
  /** Total weight of the people for whom newly proven listings are news. */
  readonly interestOf: (news: readonly News[]) => number;
  readonly showState: (state: FeedState) => void;
  /** Adds usual prices to news and archives them; null: neither is done. */
  readonly archivist: MarketArchivist | null;
}

export interface FeedOptions {
  /** Rate of the budget's read lane, which the planner divides among the slices. */
  readonly readsPerSecond: number;
  /** PAUSES_OUTSIDE or PAUSES_SANDBOX. */
  readonly pauses: PausePolicy;
}

/** Listings kept in memory, about 1 kB each. */
const MAX_REMEMBERED = 100_000;
const REMEMBERED_MS = 24 * 3_600_000;

/** Listings per event-loop turn: learning from one costs up to nine matches. */
const LEARN_CHUNK = 4;

/** The interest in a slice is sampled from this many listings of a page, because each is matched once more. */
const WEIGHED_PER_PAGE = 4;

/** A mark is recorded again after this time even if nothing arrived. */
const MARK_RECORD_MS = 10_000;

export class MarketReader {
  readonly #deps: ReadingDeps;
  readonly #pauses: MarketPauses;
  readonly #loops: ReadLoops;
  readonly #slices = new SliceStates();
  readonly #scout: Scout;
  readonly #frozenFeed = new FrozenFeedDetector();
  readonly #background = new BackgroundTasks((error, task) => {
    this.#deps.log.error({ task, ...describeError(error) }, "a background task of the feed failed");
  });
  #isStopping = false;
  readonly memory = new SeenListings({ maxEntries: MAX_REMEMBERED, maxAgeMs: REMEMBERED_MS });

  constructor(deps: ReadingDeps) {
    this.#deps = deps;
    this.#pauses = new MarketPauses(deps.options.pauses, deps.random);
    this.#scout = new Scout({ slices: this.#slices, memory: this.memory, interestIn: deps.interestIn });
    this.#loops = this.#createReader();
  }

  /** Restores the marks, the pause and the seen listings that an earlier reader stored. */
  async restore(): Promise<void> {
    const { listings, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const marks = await listings.sliceMarks();
    this.#slices.restore(new Map(marks.map((mark) => [mark.key, readMarkOf(mark, nowMs)])));
    restorePause(marks, this.#pauses, nowMs);
    await restoreSeen(listings, this.memory, { sinceMs: nowMs - REMEMBERED_MS, marks });
  }

  start(): void {
    this.#loops.start(parallelReads(this.#deps.options.readsPerSecond));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loops.stop();
    await this.#background.settled();
  }

  /** Call it when the demand or the time has changed. */
  wake(): void {
    this.#loops.wake();
  }

  /** Drops expired state. */
  sweep(): void {
    this.#scout.sweep();
  }

  #createReader(): ReadLoops {
    const { catalogue, budget, clock, log, options, demand, isHeldUp } = this.#deps;
    const mayGoOn = (): boolean => !this.#isStopping && this.#deps.mayRead();
    const takeTurn = async (): Promise<boolean> => {
      await budget.take("read");
      return mayGoOn() && !isHeldUp() && this.#pauses.current(clock.nowMs()) === null;
    };
    const passParts = {
      catalogue,
      takeTurn,
      memory: this.memory,
      clock,
      log,
      scout: this.#scout,
      loadForgotten: async (page: SearchPage) => await loadForgotten(this.#deps.listings, this.memory, page),
      publish: async (reading: PageReading, state: SliceState) => await this.#publish(reading, state),
    };
    return new ReadLoops({
      slices: this.#slices,
      demand,
      pauses: this.#pauses,
      isHeldUp,
      budget,
      clock,
      log,
      plannerOptions: plannerOptionsFor(options.readsPerSecond),
      readSlice: async (state) => (mayGoOn() ? await readSlice(state, passParts) : "interrupted"),
      onProgress: () => this.#showState(),
      onPause: () =>
        this.#background.start("pause", () => savePause(this.#deps.listings, this.#pauses, clock.nowMs())),
    });
  }

  async #publish(read: PageReading, state: SliceState): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const { archivist } = this.#deps;
    const { leafIds, marketplaceColourIds, isScout } = state.slice;
    if (!isScout) archivist?.covered(leafIds, marketplaceColourIds, nowMs);
    const reading = archivist === null ? read : withPrices(read, archivist);
    if (reading.newCount > 0) this.#frozenFeed.arrived(reading.newCount, this.#slices.arrivalsPerMs(), nowMs);
    const mark = state.mark === null ? null : storedMarkOf(state.slice.key, state.mark);
    const isDue = reading.toRecord.length > 0 || isMarkDue(state, nowMs);
    if (isDue) state.recorded = { atMs: nowMs, highestListingId: mark?.highestListingId ?? 0 };
    await this.#deps.publish(reading, mark, isDue);
    await this.#learn(reading.news, state);
  }

  /** Learns after publishing, a few listings at a time, to delay neither matches nor the next answer. */
  async #learn(news: readonly News[], state: SliceState): Promise<void> {
    const proven = news.filter(isNewlyProven);
    for (let start = 0; start < proven.length; start += LEARN_CHUNK) {
      await yieldToEventLoop();
      const some = proven.slice(start, start + LEARN_CHUNK);
      if (start < WEIGHED_PER_PAGE) recordInterest(state, some.length, this.#deps.interestOf(some));
      this.#scout.learn(some, state);
    }
  }

  #showState(): void {
    const frozenUntilMs = this.#frozenFeed.frozenUntilMs(this.#deps.clock.nowMs());
    const pause = this.#pauses.shown;
    const { demand, showState, isHeldUp } = this.#deps;
    if (!demand.isNeeded) showState({ kind: "idle" });
    else if (isHeldUp()) showState({ kind: "paused", reason: "store", untilMs: null });
    else if (pause !== null) showState({ kind: "paused", ...pause });
    else if (frozenUntilMs === null) showState({ kind: "live" });
    else showState({ kind: "paused", reason: "frozen", untilMs: frozenUntilMs });
  }
}

/** The news with their usual prices, in the order of arrival. */
function withPrices(reading: PageReading, archivist: MarketArchivist): PageReading {
  const { news, toRecord } = reading;
  if (news.length === 0) return reading;
  const appraisals = archivist.appraise(
    news.map(({ entry, before, kind }) => ({
      seen: entry.seen,
      before,
      kind,
      newSinceMs: newSinceMs(entry),
    })),
  );
  for (const [index, { entry }] of news.entries()) {
    const { standing = null, isRelist = false } = appraisals[index] ?? {};
    entry.seen = { ...entry.seen, standing, isRelist };
  }
  const appraised = new Map(news.map(({ entry: { seen } }) => [seen.listing.id, seen]));
  const archive = archivist.pieceOf(appraisals.map(({ version }) => version));
  return {
    ...reading,
    toRecord: toRecord.map((seen) => appraised.get(seen.listing.id) ?? seen),
    ...(archive === null ? {} : { archive }),
  };
}

/** The last of several pages may contain no news; the mark that moved over all of them must still be recorded. */
function isMarkDue({ mark, recorded }: SliceState, nowMs: number): boolean {
  if (recorded === null || nowMs - recorded.atMs >= MARK_RECORD_MS) return true;
  return mark !== null && mark.highestListingId > recorded.highestListingId;
}

/**
 * The store keeps when the reading began, so that no later listing counts as known. The clock that wrote it
 * may be ahead of this one.
 */
function readMarkOf({ lastReadAtMs, highestListingId }: FeedSliceMark, nowMs: number): ReadMark {
  const sentAtMs = Math.min(lastReadAtMs, nowMs);
  return { sentAtMs, receivedAtMs: sentAtMs, highestListingId };
}

function storedMarkOf(key: string, { sentAtMs, highestListingId }: ReadMark): FeedSliceMark {
  return { key, lastReadAtMs: sentAtMs, highestListingId };
}
