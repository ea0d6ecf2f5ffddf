/**
 * The feed: reads the market once for everybody, within one budget, and tells who gets what.
 * Knows the marketplace, the store and the clock only as ports; nothing of purchases or sockets. Its three parts,
 * reading, matching and serving, run in one process or on several nodes: the lines between them know which.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { Clock } from "#domain/clock.ts";
import { describeError } from "#domain/error-fields.ts";
import type { EventBus } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import type { UserMatch } from "#domain/match.ts";
import type { Random } from "#domain/random.ts";
import type { Service } from "#domain/service.ts";
import type { Catalogue } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import type { FeedSliceMark, ListingStore } from "#store/store.ts";
import { ActiveFilters, type ActiveFilter } from "./active-filters.ts";
import { findPastMatches } from "./back-match.ts";
import { BatchOutlet } from "./batch-outlet.ts";
import { CursorSource } from "./cursor-source.ts";
import { FanOut } from "./fan-out.ts";
import { createLocalLines, type FeedEnds, type FeedLines } from "./feed-lines.ts";
import { StateBoard } from "./feed-state.ts";
import type { Feed, FeedState, MatchBatch } from "./feed.ts";
import { FilterSync, type FilterSyncParts } from "./filter-sync.ts";
import type { News, PageReading } from "./ingest.ts";
import { MarketReading, type FeedOptions } from "./market-reading.ts";
import { Recorder } from "./recorder.ts";
import { SliceDemand } from "./slice-demand.ts";
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
  /** Which parts this node has, and how they reach the others; absent: all of them, here. */
  readonly node?: FeedNode;
}

/** All that the feed asks of the store. */
export interface FeedStore extends Pick<FilterSyncParts, "filters" | "users"> {
  readonly listings: Pick<ListingStore, "record" | "sliceMarks" | "seenSince" | "byIds" | "matchesAfter">;
}

export interface FeedNode {
  readonly lines: FeedLines;
  /** Whether this node keeps everybody's filters: to read what they ask for, or to match. */
  readonly hasFilters: boolean;
  /** Lets one node at a time read; null: this one never does. */
  readonly leadership: ((lead: () => Promise<() => Promise<void>>) => ReadingLead) | null;
}

export interface ReadingLead extends Service {
  isLeading(): boolean;
}

const REFRESH_MS = 15_000;
/** Where events may be missed, everything is read again this often, and after each break of the lines. */
const READ_AGAIN_MS = 5 * 60_000;

export function createFeed(deps: FeedDeps): Feed {
  return new FeedService(deps);
}

class FeedService implements Feed {
  readonly #deps: FeedDeps;
  readonly #lines: FeedLines;
  readonly #lead: ReadingLead | null;
  readonly #outlet: BatchOutlet;
  readonly #board: StateBoard;
  readonly #recorder: Recorder;
  readonly #userFeeds: UserFeeds;
  readonly #active: ActiveFilters;
  readonly #fanOut: FanOut;
  readonly #sync: FilterSync;
  readonly #demand = new SliceDemand();
  readonly #watchers = new Map<UserId, number>();
  readonly #background = new Set<Promise<void>>();
  #reading: MarketReading | null = null;
  #cancelRefresh: () => void = () => undefined;
  #readAgainAtMs = Infinity;
  #isStopping = false;

  constructor(deps: FeedDeps) {
    const { store, clock, log, node } = deps;
    const index = createCubeIndex();
    this.#deps = deps;
    this.#lines = node?.lines ?? createLocalLines();
    this.#lead = node?.leadership?.(async () => await this.#beginReading()) ?? null;
    this.#outlet = new BatchOutlet(log);
    this.#board = new StateBoard(log);
    this.#recorder = new Recorder(store.listings, clock, log);
    this.#userFeeds = new UserFeeds(store.listings, clock);
    this.#active = new ActiveFilters(index, this.#demand);
    const cursors = new CursorSource();
    this.#fanOut = new FanOut({ index, filters: this.#active, demand: this.#demand, cursors, log });
    this.#sync = new FilterSync({
      filters: store.filters,
      users: store.users,
      events: deps.events,
      clock,
      active: this.#active,
      onBegun: (begun) => this.#inBackground(this.#showPast(begun)),
      onChange: () => this.#reading?.ring(),
      onLoading: (share) => this.#board.show({ kind: "loading", percent: Math.floor(share * 10) * 10 }),
    });
  }

  async run(): Promise<void> {
    const { node } = this.#deps;
    if (node === undefined || node.hasFilters) await this.#sync.start();
    if (this.#board.state.kind === "loading") this.#board.show({ kind: "idle" });
    await this.#lines.open(this.#ends());
    if (node === undefined) await this.#beginReading();
    else {
      this.#readAgainAtMs = this.#deps.clock.nowMs() + READ_AGAIN_MS;
      await this.#lead?.run();
    }
    this.#refreshLater();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRefresh();
    await Promise.all([this.#reading?.stop(), this.#lead?.stop(), this.#sync.stop()]);
    await this.#lines.close();
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

  #ends(): FeedEnds {
    const { store, clock } = this.#deps;
    return {
      fanOut: (news) => this.#fanOut.batch(news, clock.nowMs()),
      record: async (matches) => await store.listings.record({ listings: [], matches, marks: [] }),
      deliver: (batch) => {
        this.#userFeeds.add(batch.matches);
        this.#outlet.tell(batch);
      },
      showState: (state) => this.#board.show(state),
      setWatching: (userId, isWatching) => this.#active.setWatching(userId, isWatching),
      readAgain: () => this.#readAgain(),
    };
  }

  /** The answer ends it. */
  async #beginReading(): Promise<() => Promise<void>> {
    const { store, clock } = this.#deps;
    const reading = new MarketReading({
      ...this.#deps,
      listings: store.listings,
      demand: this.#demand,
      mayRead: () => this.#lead?.isLeading() ?? true,
      publish: async (page, mark, isDue) => await this.#publish(page, mark, isDue),
      interestIn: (listing, leafId, colourIds) => this.#fanOut.interestIn(listing, leafId, colourIds),
      interestOf: (news) => this.#fanOut.interestOf(news, clock.nowMs()),
      showState: (state) => this.#lines.tellState(state),
    });
    await reading.recall();
    this.#reading = reading;
    if (!this.#isStopping) reading.start();
    // Filters that became active while nobody read have not been shown what was there before them.
    if (this.#lead !== null)
      this.#inBackground(this.#showPast(this.#active.activatedSince(clock.nowMs() - READ_AGAIN_MS)));
    return async () => {
      this.#reading = null;
      await reading.stop();
      this.#lines.tellState(null);
    };
  }

  /** First told, then recorded: between an answer and a purchase stands no disk of ours. */
  async #publish(page: PageReading, mark: FeedSliceMark | null, isDue: boolean): Promise<void> {
    const matches = await this.#tellNews(page.news);
    if (!isDue && matches.length === 0) return;
    // What is bought of it leaves the process before so much is written.
    await otherWork();
    await this.#recorder.take({ listings: page.toRecord, matches, marks: mark === null ? [] : [mark] });
  }

  /** What is left to be recorded with the news. */
  async #tellNews(news: readonly News[]): Promise<readonly UserMatch[]> {
    if (news.length === 0) return [];
    const isShared = this.#deps.node !== undefined;
    // How much of the past a filter has been shown is known here alone.
    const past = isShared ? news.filter(({ kind }) => kind === "past") : [];
    const rest = isShared ? news.filter(({ kind }) => kind !== "past") : news;
    const matched = rest.length === 0 ? null : await this.#lines.match(rest);
    if (past.length === 0) return matched ?? [];
    const told = await this.#lines.tell(this.#fanOut.batch(past, this.#deps.clock.nowMs()));
    return [...(matched ?? []), ...told];
  }

  async #showPast(begun: readonly ActiveFilter[]): Promise<void> {
    const { clock } = this.#deps;
    const reading = this.#reading;
    if (reading === null || begun.length === 0) return;
    const past = await findPastMatches(begun, { memory: reading.memory, demand: this.#demand, clock });
    const matches = await this.#lines.tell(this.#fanOut.pastBatch(past, clock.nowMs()));
    if (matches.length === 0) return;
    await this.#recorder.take({ listings: [], matches, marks: [] });
  }

  #readAgain(): void {
    this.#readAgainAtMs = this.#deps.clock.nowMs() + READ_AGAIN_MS;
    this.#userFeeds.beginAgain();
    this.#readFiltersAgain();
  }

  #readFiltersAgain(): void {
    if (this.#deps.node?.hasFilters !== true) return;
    const reading = async (): Promise<void> => {
      try {
        await this.#sync.readAgain();
      } catch (error) {
        // Not in five minutes, but with the next refresh.
        this.#readAgainAtMs = 0;
        throw error;
      }
    };
    this.#inBackground(reading());
  }

  #refresh(): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#active.refresh(nowMs);
    this.#userFeeds.sweep();
    this.#reading?.sweep();
    this.#reading?.ring();
    if (nowMs < this.#readAgainAtMs) return;
    this.#readAgainAtMs = nowMs + READ_AGAIN_MS;
    this.#readFiltersAgain();
  }

  #countWatchers(userId: UserId, change: 1 | -1): void {
    const before = this.#watchers.get(userId) ?? 0;
    const count = before + change;
    if (count > 0) this.#watchers.set(userId, count);
    else this.#watchers.delete(userId);
    if (before === 0 || count === 0) this.#lines.setWatching(userId, count > 0);
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
