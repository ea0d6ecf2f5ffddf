/**
 * The feed: reads the market once for everybody, within one budget, and tells who gets what.
 * Knows the marketplace, the store and the clock only as ports; nothing of purchases or sockets.
 */
import type { Clock } from "#domain/clock.ts";
import { describeError } from "#domain/error-fields.ts";
import type { EventBus } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import type { UserMatch } from "#domain/match.ts";
import type { Random } from "#domain/random.ts";
import type { Catalogue } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import type { FeedSliceMark, ListingStore } from "#store/store.ts";
import { ActiveFilters, type ActiveFilter } from "./active-filters.ts";
import { Alarm } from "./alarm.ts";
import { findPastMatches } from "./back-match.ts";
import { BatchOutlet } from "./batch-outlet.ts";
import { CursorSource } from "./cursor-source.ts";
import { FanOut } from "./fan-out.ts";
import { StateBoard } from "./feed-state.ts";
import type { Feed, FeedState, MatchBatch } from "./feed.ts";
import { FilterSync, type FilterSyncParts } from "./filter-sync.ts";
import { isNewlyProven, type PageReading } from "./ingest.ts";
import { MarketPauses, type PausePolicy } from "./market-pauses.ts";
import { MarketReader } from "./market-reader.ts";
import { rememberPause, resumePause } from "./pause-memory.ts";
import { noteInterest } from "./planner.ts";
import { parallelReads, readingPace } from "./reading-pace.ts";
import { Recorder } from "./recorder.ts";
import { restoreSeen } from "./restore-seen.ts";
import { Scout } from "./scout.ts";
import { SeenListings } from "./seen-listings.ts";
import { SliceBook, type ReadMark, type SliceState } from "./slice-book.ts";
import { SliceDemand } from "./slice-demand.ts";
import { readSlice } from "./slice-pass.ts";
import { Stillness } from "./stillness.ts";
import { UserFeeds } from "./user-feed.ts";

export interface FeedDeps {
  readonly catalogue: Catalogue;
  readonly store: FeedStore;
  readonly events: EventBus;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly options: FeedOptions;
}

/** All that the feed asks of the store. */
export interface FeedStore extends Pick<FilterSyncParts, "filters" | "users"> {
  readonly listings: Pick<ListingStore, "record" | "sliceMarks" | "seenSince" | "matchesAfter">;
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

/** A mark is written again after this long though nothing came in. */
const MARK_RECORD_MS = 10_000;

const REFRESH_MS = 15_000;

export function createFeed(deps: FeedDeps): Feed {
  return new FeedService(deps);
}

class FeedService implements Feed {
  readonly #deps: FeedDeps;
  readonly #alarm: Alarm;
  readonly #outlet: BatchOutlet;
  readonly #board: StateBoard;
  readonly #pauses: MarketPauses;
  readonly #recorder: Recorder;
  readonly #userFeeds: UserFeeds;
  readonly #active: ActiveFilters;
  readonly #fanOut: FanOut;
  readonly #scout: Scout;
  readonly #reader: MarketReader;
  readonly #sync: FilterSync;
  readonly #demand = new SliceDemand();
  readonly #book = new SliceBook();
  readonly #stillness = new Stillness();
  readonly #memory = new SeenListings({ maxEntries: MAX_REMEMBERED, maxAgeMs: REMEMBERED_MS });
  readonly #watchers = new Map<UserId, number>();
  readonly #background = new Set<Promise<void>>();
  #cancelRefresh: () => void = () => undefined;
  #isStopping = false;

  constructor(deps: FeedDeps) {
    const { store, clock, log } = deps;
    const index = createCubeIndex();
    this.#deps = deps;
    this.#alarm = new Alarm(clock);
    this.#outlet = new BatchOutlet(log);
    this.#board = new StateBoard(log);
    this.#pauses = new MarketPauses(deps.options.pauses, deps.random);
    this.#recorder = new Recorder(store.listings, clock, log);
    this.#userFeeds = new UserFeeds(store.listings, clock);
    this.#active = new ActiveFilters(index, this.#demand);
    this.#fanOut = new FanOut({
      index,
      filters: this.#active,
      demand: this.#demand,
      cursors: new CursorSource(),
      log,
    });
    this.#scout = new Scout({
      book: this.#book,
      memory: this.#memory,
      interestIn: (listing, leafId, colourIds) => this.#fanOut.interestIn(listing, leafId, colourIds),
    });
    this.#reader = this.#createReader();
    this.#sync = new FilterSync({
      filters: store.filters,
      users: store.users,
      events: deps.events,
      clock,
      active: this.#active,
      onBegun: (begun) => this.#inBackground(this.#showPast(begun)),
      onChange: () => this.#alarm.ring(),
    });
  }

  async run(): Promise<void> {
    const { store, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const marks = await store.listings.sliceMarks();
    this.#book.recall(new Map(marks.map((mark) => [mark.key, readMarkOf(mark)])));
    resumePause(marks, this.#pauses, nowMs);
    await restoreSeen(store.listings, this.#memory, nowMs - REMEMBERED_MS);
    await this.#sync.start();
    this.#reader.start(parallelReads(this.#deps.options.readsPerSecond));
    this.#refreshLater();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRefresh();
    await Promise.all([this.#reader.stop(), this.#sync.stop()]);
    await Promise.all(this.#background);
    await this.#recorder.settled();
  }

  state(): FeedState {
    return this.#board.state;
  }

  onBatch(listener: (batch: MatchBatch) => void): () => void {
    return this.#outlet.subscribe(listener);
  }

  onState(listener: (state: FeedState) => void): () => void {
    return this.#board.onChange(listener);
  }

  async replay(userId: UserId, afterCursor: string | null): Promise<readonly UserMatch[]> {
    return await this.#userFeeds.replay(userId, afterCursor);
  }

  watch(userId: UserId): () => void {
    this.#countWatchers(userId, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#countWatchers(userId, -1);
      isOpen = false;
    };
  }

  #createReader(): MarketReader {
    const { catalogue, budget, clock, log, options } = this.#deps;
    const takeTurn = async (): Promise<boolean> => {
      await budget.take("read");
      return !this.#isStopping && this.#pauses.current(clock.nowMs()) === null;
    };
    const passParts = {
      catalogue,
      takeTurn,
      memory: this.#memory,
      clock,
      log,
      scout: this.#scout,
      publish: async (reading: PageReading, state: SliceState) => await this.#publish(reading, state),
    };
    return new MarketReader({
      book: this.#book,
      demand: this.#demand,
      pauses: this.#pauses,
      alarm: this.#alarm,
      budget,
      clock,
      log,
      plannerOptions: readingPace(options.readsPerSecond),
      readSlice: async (state) => await readSlice(state, passParts),
      onProgress: () => this.#showState(),
      onPause: () =>
        this.#inBackground(rememberPause(this.#deps.store.listings, this.#pauses, clock.nowMs())),
    });
  }

  /** First told, then recorded: between an answer and a purchase stands no disk of ours. */
  async #publish(reading: PageReading, state: SliceState): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const batch = this.#fanOut.batch(reading.news, nowMs);
    this.#tell(batch);
    noteInterest(state, reading.news.filter(isNewlyProven).length, batch.interest);
    this.#scout.takeReading(reading, state);
    if (reading.newCount > 0) this.#stillness.arrived(reading.newCount, this.#book.arrivalsPerMs(), nowMs);
    const isMarkDue = nowMs - state.markRecordedAtMs >= MARK_RECORD_MS;
    if (reading.toRecord.length === 0 && batch.matches.length === 0 && !isMarkDue) return;
    state.markRecordedAtMs = nowMs;
    const mark = state.mark === null ? null : storedMarkOf(state.slice.key, state.mark);
    await this.#recorder.take({ listings: reading.toRecord, matches: batch.matches, mark });
  }

  async #showPast(begun: readonly ActiveFilter[]): Promise<void> {
    const { clock } = this.#deps;
    const past = await findPastMatches(begun, { memory: this.#memory, demand: this.#demand, clock });
    const batch = this.#fanOut.pastBatch(past, clock.nowMs());
    this.#tell(batch);
    if (batch.matches.length === 0) return;
    await this.#recorder.write({ listings: [], matches: batch.matches, mark: null });
  }

  #tell(batch: MatchBatch): void {
    this.#userFeeds.add(batch.matches);
    this.#outlet.tell(batch);
  }

  #showState(): void {
    const frozenUntilMs = this.#stillness.frozenUntilMs(this.#deps.clock.nowMs());
    const pause = this.#pauses.shown;
    if (this.#book.size === 0) this.#board.show({ kind: "idle" });
    else if (pause !== null) this.#board.show({ kind: "paused", ...pause });
    else if (frozenUntilMs === null) this.#board.show({ kind: "live" });
    else this.#board.show({ kind: "paused", reason: "frozen", untilMs: frozenUntilMs });
  }

  #refresh(): void {
    this.#active.refresh(this.#deps.clock.nowMs());
    this.#userFeeds.sweep();
    this.#scout.sweep();
    this.#alarm.ring();
  }

  #countWatchers(userId: UserId, change: 1 | -1): void {
    const count = (this.#watchers.get(userId) ?? 0) + change;
    if (count > 0) this.#watchers.set(userId, count);
    else this.#watchers.delete(userId);
    this.#active.setWatching(userId, count > 0);
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

  #refreshLater(): void {
    this.#cancelRefresh = this.#deps.clock.schedule(REFRESH_MS, () => {
      this.#refresh();
      if (!this.#isStopping) this.#refreshLater();
    });
  }
}

/** What stands in the store is the beginning of the reading, so that nothing after it counts as known. */
function readMarkOf({ lastReadAtMs, highestListingId }: FeedSliceMark): ReadMark {
  return { sentAtMs: lastReadAtMs, receivedAtMs: lastReadAtMs, highestListingId };
}

function storedMarkOf(key: string, { sentAtMs, highestListingId }: ReadMark): FeedSliceMark {
  return { key, lastReadAtMs: sentAtMs, highestListingId };
}
