/**
 * The reading of the market: slices, schedule, budget, pauses, and what was seen. One at a time over all nodes.
 * What it finds it hands on; it knows no person.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { Clock } from "#domain/clock.ts";
import { describeError } from "#domain/error-fields.ts";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/random.ts";
import type { Catalogue, SearchPage } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { FeedSliceMark, ListingStore } from "#store/store.ts";
import { Alarm } from "./alarm.ts";
import type { FeedState } from "../feed.ts";
import { isNewlyProven, type News, type PageReading } from "./ingest.ts";
import { MarketPauses, type PausePolicy } from "./market-pauses.ts";
import { ReadLoops } from "./read-loops.ts";
import { rememberPause, resumePause } from "./pause-memory.ts";
import { noteInterest } from "../schedule/planner.ts";
import { parallelReads, readingPace } from "./reading-pace.ts";
import { recallSeen } from "./recall-seen.ts";
import { restoreSeen } from "./restore-seen.ts";
import { Scout, type ScoutParts } from "../schedule/scout.ts";
import { SeenListings } from "./seen-listings.ts";
import { SliceStates, type ReadMark, type SliceState } from "../schedule/slice-states.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import { readSlice } from "./slice-pass.ts";
import { FrozenFeedDetector } from "./frozen-feed.ts";

export interface ReadingDeps {
  readonly catalogue: Catalogue;
  readonly listings: Pick<ListingStore, "record" | "sliceMarks" | "seenSince" | "byIds">;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly options: FeedOptions;
  readonly demand: SliceDemand;
  /** Whether this node may still read: asked before each request. */
  readonly mayRead: () => boolean;
  /** Has news told and recorded, with the mark where it is due; settles when they are durable. */
  readonly publish: (reading: PageReading, mark: FeedSliceMark | null, isDue: boolean) => Promise<void>;
  readonly interestIn: ScoutParts["interestIn"];
  /** The weight of all to whom something newly proven is news. */
  readonly interestOf: (news: readonly News[]) => number;
  readonly showState: (state: FeedState) => void;
}

export interface FeedOptions {
  /** The read lane's rate in the budget: the planner divides it among the slices. */
  readonly readsPerSecond: number;
  /** PAUSES_OUTSIDE or PAUSES_SANDBOX. */
  readonly pauses: PausePolicy;
}

/** Listings kept in memory: about a kilobyte each. */
const MAX_REMEMBERED = 100_000;
const REMEMBERED_MS = 24 * 3_600_000;

/** Guessing where a listing lies matches it up to nine times. */
const LEARNED_AT_ONCE = 4;

/** How much people care for what a slice brings, which is matched once more for it, is learned from so many of a page. */
const WEIGHED_OF_A_PAGE = 4;

/** A mark is written again after this long though nothing came in. */
const MARK_RECORD_MS = 10_000;

export class MarketReader {
  readonly #deps: ReadingDeps;
  readonly #alarm: Alarm;
  readonly #pauses: MarketPauses;
  readonly #reader: ReadLoops;
  readonly #book = new SliceStates();
  readonly #scout: Scout;
  readonly #frozenFeed = new FrozenFeedDetector();
  readonly #background = new Set<Promise<void>>();
  /** Settles when all that is told beside the passes is, or has failed, which is logged. */
  #toldAside: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  readonly memory = new SeenListings({ maxEntries: MAX_REMEMBERED, maxAgeMs: REMEMBERED_MS });

  constructor(deps: ReadingDeps) {
    this.#deps = deps;
    this.#alarm = new Alarm(deps.clock);
    this.#pauses = new MarketPauses(deps.options.pauses, deps.random);
    this.#scout = new Scout({ book: this.#book, memory: this.memory, interestIn: deps.interestIn });
    this.#reader = this.#createReader();
  }

  /** Goes on where an earlier reading, of this or another process, has left its marks. */
  async recall(): Promise<void> {
    const { listings, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const marks = await listings.sliceMarks();
    this.#book.recall(new Map(marks.map((mark) => [mark.key, readMarkOf(mark, nowMs)])));
    resumePause(marks, this.#pauses, nowMs);
    await restoreSeen(listings, this.memory, { sinceMs: nowMs - REMEMBERED_MS, marks });
  }

  start(): void {
    this.#reader.start(parallelReads(this.#deps.options.readsPerSecond));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#reader.stop();
    await Promise.all(this.#background);
  }

  /** What is asked for, or the time, has changed. */
  ring(): void {
    this.#alarm.ring();
  }

  /** Forgets what is past its time. */
  sweep(): void {
    this.#scout.sweep();
  }

  #createReader(): ReadLoops {
    const { catalogue, budget, clock, log, options, demand } = this.#deps;
    const mayGoOn = (): boolean => !this.#isStopping && this.#deps.mayRead();
    const takeTurn = async (): Promise<boolean> => {
      await budget.take("read");
      return mayGoOn() && this.#pauses.current(clock.nowMs()) === null;
    };
    const passParts = {
      catalogue,
      takeTurn,
      memory: this.memory,
      clock,
      log,
      scout: this.#scout,
      recall: async (page: SearchPage) => await recallSeen(this.#deps.listings, this.memory, page),
      publish: async (reading: PageReading, state: SliceState) => {
        // A mark is never recorded before what stands below it.
        await this.#toldAside;
        await this.#publish(reading, state);
      },
      publishAside: (reading: PageReading, state: SliceState) => {
        const told = this.#publish(reading, state);
        this.#toldAside = Promise.allSettled([this.#toldAside, told]);
        this.#inBackground(told);
      },
    };
    return new ReadLoops({
      book: this.#book,
      demand,
      pauses: this.#pauses,
      alarm: this.#alarm,
      budget,
      clock,
      log,
      plannerOptions: readingPace(options.readsPerSecond),
      readSlice: async (state) => (mayGoOn() ? await readSlice(state, passParts) : "interrupted"),
      onProgress: () => this.#showState(),
      onPause: () => this.#inBackground(rememberPause(this.#deps.listings, this.#pauses, clock.nowMs())),
    });
  }

  async #publish(reading: PageReading, state: SliceState): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    if (reading.newCount > 0) this.#frozenFeed.arrived(reading.newCount, this.#book.arrivalsPerMs(), nowMs);
    const mark = state.mark === null ? null : storedMarkOf(state.slice.key, state.mark);
    const isDue = reading.toRecord.length > 0 || isMarkDue(state, nowMs);
    if (isDue) state.recorded = { atMs: nowMs, highestListingId: mark?.highestListingId ?? 0 };
    await this.#deps.publish(reading, mark, isDue);
    await this.#learn(reading.news, state);
  }

  /** Told first, learned from then, a few listings at a time: people wait for the one and for the answers meanwhile. */
  async #learn(news: readonly News[], state: SliceState): Promise<void> {
    const proven = news.filter(isNewlyProven);
    for (let start = 0; start < proven.length; start += LEARNED_AT_ONCE) {
      await otherWork();
      const some = proven.slice(start, start + LEARNED_AT_ONCE);
      if (start < WEIGHED_OF_A_PAGE) noteInterest(state, some.length, this.#deps.interestOf(some));
      this.#scout.takeNews(some, state);
    }
  }

  #showState(): void {
    const frozenUntilMs = this.#frozenFeed.frozenUntilMs(this.#deps.clock.nowMs());
    const pause = this.#pauses.shown;
    const { showState } = this.#deps;
    if (this.#book.size === 0) showState({ kind: "idle" });
    else if (pause !== null) showState({ kind: "paused", ...pause });
    else if (frozenUntilMs === null) showState({ kind: "live" });
    else showState({ kind: "paused", reason: "frozen", untilMs: frozenUntilMs });
  }

  /** Lets a piece of work run beside the reading; its failure is logged, and stopping waits for it. */
  #inBackground(work: Promise<void>): void {
    const { log } = this.#deps;
    const watched = work
      .catch((error: unknown) => {
        log.error(describeError(error), "work of the feed failed");
      })
      .finally(() => this.#background.delete(watched));
    this.#background.add(watched);
  }
}

/** The last page of several may tell nothing: then the mark that moved over all of them is what there is to write. */
function isMarkDue({ mark, recorded }: SliceState, nowMs: number): boolean {
  if (recorded === null || nowMs - recorded.atMs >= MARK_RECORD_MS) return true;
  return mark !== null && mark.highestListingId > recorded.highestListingId;
}

/**
 * What stands in the store is the beginning of the reading, so that nothing after it counts as known; the clock that it
 * was written by may be ahead of this one.
 */
function readMarkOf({ lastReadAtMs, highestListingId }: FeedSliceMark, nowMs: number): ReadMark {
  const sentAtMs = Math.min(lastReadAtMs, nowMs);
  return { sentAtMs, receivedAtMs: sentAtMs, highestListingId };
}

function storedMarkOf(key: string, { sentAtMs, highestListingId }: ReadMark): FeedSliceMark {
  return { key, lastReadAtMs: sentAtMs, highestListingId };
}
