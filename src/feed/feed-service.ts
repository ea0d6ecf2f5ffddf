/**
 * The feed: reads the market once for all people, within one request budget, and publishes each person's
 * matches. It does not depend on purchases or sockets. Its three parts (reading, matching, serving) run in
 * one process or on several nodes; the queue between them hides the difference.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock, Random } from "#domain/clock.ts";
import { BackgroundTasks } from "#domain/concurrency.ts";
import type { AutobuyWish, UserMatch } from "#domain/market/match.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { EventBus } from "#domain/events.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import type { Service } from "#domain/service.ts";
import type { MarketArchivist, MarketMemory } from "#market/market-memory.ts";
import type { Catalogue } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import type { FeedSliceMark, ListingStore } from "#store/market-store.ts";
import { type FactsStore, MatchFacts, type MatchFactsOptions } from "./facts/match-facts.ts";
import {
  createLocalQueue,
  type FanOutResult,
  type FeedQueue,
  type FeedQueueHandlers,
  type Found,
} from "./feed-queue.ts";
import type { Feed, FeedState, KnownBackground, MatchBatch } from "./feed.ts";
import { type ActiveFilter, ActiveFilters } from "./publish/active-filters.ts";
import { findPastMatches } from "./publish/backfill.ts";
import { CursorSource } from "./publish/cursors.ts";
import { FanOut } from "./publish/fan-out.ts";
import { newestWishes, thunderFirst } from "./publish/wishes.ts";
import { FilterSync, type FilterSyncParts } from "./publish/filter-sync.ts";
import { Recorder } from "./publish/recorder.ts";
import { StateBoard, Subscribers } from "./publish/subscribers.ts";
import { UserFeeds } from "./publish/user-feed.ts";
import type { News, PageReading } from "./read/ingest.ts";
import { type FeedOptions, MarketReader } from "./read/market-reader.ts";
import { SliceDemand } from "./schedule/slice-demand.ts";

export interface FeedDeps {
  readonly catalogue: Catalogue;
  readonly store: FeedStore;
  readonly events: EventBus;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly options: FeedOptions;
  readonly facts: MatchFactsOptions;
  /** Whether a failure is transient, as on a full disk, although the store may answer other calls. */
  readonly isStoreAway: (error: unknown) => boolean;
  /** Archives what is read and adds usual prices; absent: neither is done. */
  readonly memory?: Pick<MarketMemory, "beginReading">;
  /** Which parts run on this node and how they reach the others; absent: all of them run here. */
  readonly node?: FeedNode;
}

/** The part of the store that the feed uses. */
export interface FeedStore extends Pick<FilterSyncParts, "filters" | "users" | "sellers">, FactsStore {
  readonly listings: Pick<
    ListingStore,
    "record" | "sliceMarks" | "seenSince" | "byIds" | "matchesAfter" | "matchesBetween"
  >;
}

export interface FeedNode {
  readonly queue: FeedQueue;
  /** Whether this node keeps all filters in memory, because it reads the market or matches. */
  readonly hasFilters: boolean;
  /** Elects the one node that reads; null: this node never reads. */
  readonly leadership: ((lead: () => Promise<() => Promise<void>>) => ReadingLead) | null;
}

interface ReadingLead extends Service {
  isLeading(): boolean;
}

const NOTHING_FOUND: Found = { matches: [], held: [] };

const REFRESH_MS = 15_000;
/** With several nodes events may be lost: everything is reloaded this often, and after each interruption of the queue. */
const RELOAD_MS = 5 * 60_000;
/** A person's matches that are read to find what an edited filter has shown; older ones it may show again. */
const MAX_PUBLISHED = 2_000;
/** As old as a wish may be. */
const OFFERED_AGAIN_MS = 30_000;
/** Listings whose matches are read together, to be offered again. */
const OFFERED_PAGE = 2_000;
/** Half of what the queue of wishes holds (purchasing/queue/dispatcher.ts): new ones need room too. */
const MAX_OFFERED_AGAIN = { inAll: 2_500, perPerson: 250 };

/** The marketplace refuses requests: sellers must not be looked up either. */
function isRefused(state: FeedState): boolean {
  return state.kind === "paused" && (state.reason === "blocked" || state.reason === "rate_limited");
}

export function createFeed(deps: FeedDeps): Feed {
  return new FeedService(deps);
}

class FeedService implements Feed {
  readonly #deps: FeedDeps;
  readonly #queue: FeedQueue;
  readonly #lead: ReadingLead | null;
  readonly #batches: Subscribers<MatchBatch>;
  readonly #board: StateBoard;
  readonly #recorder: Recorder;
  readonly #userFeeds: UserFeeds;
  readonly #active: ActiveFilters;
  readonly #fanOut: FanOut;
  readonly #sync: FilterSync;
  readonly #facts: MatchFacts;
  readonly #backgrounds: Subscribers<KnownBackground>;
  readonly #demand = new SliceDemand();
  readonly #watchers = new Map<UserId, number>();
  readonly #background = new BackgroundTasks((error, task) => {
    this.#deps.log.error({ task, ...describeError(error) }, "a background task of the feed failed");
  });
  #reading: MarketReader | null = null;
  #archivist: MarketArchivist | null = null;
  #cancelRefresh: () => void = () => undefined;
  #unsubscribe: () => void = () => undefined;
  #reloadAtMs = Infinity;
  #isStopping = false;

  constructor(deps: FeedDeps) {
    const { store, clock, log, node, isStoreAway } = deps;
    const index = createCubeIndex();
    this.#deps = deps;
    this.#queue = node?.queue ?? createLocalQueue();
    this.#lead = node?.leadership?.(async () => await this.#beginReading()) ?? null;
    this.#batches = new Subscribers(log);
    this.#board = new StateBoard(log);
    this.#backgrounds = new Subscribers(log);
    this.#recorder = new Recorder(store.listings, clock, log, {
      hold: async (held) => await this.#facts.hold(held),
      isStoreAway,
    });
    this.#userFeeds = new UserFeeds(store, clock);
    this.#active = new ActiveFilters(index, this.#demand);
    const cursors = new CursorSource();
    this.#fanOut = new FanOut({
      index,
      filters: this.#active,
      demand: this.#demand,
      cursors,
      log,
      sellerOf: (sellerId) => this.#facts.sellerOf(sellerId),
    });
    this.#facts = new MatchFacts({
      ...deps,
      options: deps.facts,
      listings: store.listings,
      filters: this.#active,
      holds: (held) => this.#fanOut.holds(held, clock.nowMs()),
      batchOf: (seen, allowed) => this.#fanOut.released(seen, allowed, clock.nowMs()),
      publish: async (batch) => await this.#queue.publish(batch),
      record: async (matches) => await this.#recorder.write({ listings: [], matches, marks: [] }),
      isMarketPaused: () => isRefused(this.#board.state),
    });
    this.#sync = new FilterSync({
      filters: store.filters,
      users: store.users,
      sellers: store.sellers,
      events: deps.events,
      clock,
      active: this.#active,
      onStarted: (started) => this.#background.start("backfill", () => this.#backfill(started)),
      onChange: () => this.#reading?.wake(),
      onLoading: (share) => this.#board.show({ kind: "loading", percent: Math.floor(share * 10) * 10 }),
    });
  }

  async run(): Promise<void> {
    const { node } = this.#deps;
    if (node === undefined || node.hasFilters) await this.#sync.start();
    if (this.#board.state.kind === "loading") this.#board.show({ kind: "idle" });
    this.#unsubscribe = this.#deps.events.subscribe((event) => {
      if (event.kind === "price_rose") this.#userFeeds.priceRose(event);
      for (const known of this.#userFeeds.learn(event)) this.#backgrounds.notify(known);
    });
    await this.#queue.open(this.#handlers());
    if (node === undefined || node.hasFilters) await this.#facts.start();
    if (node === undefined) {
      await this.#offerAgain();
      await this.#beginReading();
    } else {
      this.#reloadAtMs = this.#deps.clock.nowMs() + RELOAD_MS;
      await this.#lead?.run();
    }
    this.#refreshLater();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRefresh();
    this.#unsubscribe();
    await Promise.all([this.#reading?.stop(), this.#lead?.stop(), this.#sync.stop(), this.#facts.stop()]);
    await this.#queue.close();
    await this.#background.settled();
    await this.#recorder.stop();
    await this.#archivist?.end();
    this.#archivist = null;
  }

  state(): FeedState {
    return this.#board.state;
  }

  onBatch(listener: (batch: MatchBatch) => void): () => void {
    return this.#batches.subscribe(listener);
  }

  onBackground(listener: (known: KnownBackground) => void): () => void {
    return this.#backgrounds.subscribe(listener);
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

  #handlers(): FeedQueueHandlers {
    const { store, clock } = this.#deps;
    return {
      fanOut: (news) => {
        const batch = this.#fanOut.batch(news, clock.nowMs());
        this.#facts.note(batch);
        return batch;
      },
      record: async ({ matches, held }) => {
        if (held.length > 0) await this.#facts.hold(held);
        await store.listings.record({ listings: [], matches, marks: [] });
      },
      deliver: (batch) => {
        this.#userFeeds.add(batch.matches);
        if (batch.wishes.length > 0 || batch.matches.length > 0) this.#batches.notify(batch);
      },
      showState: (state) => this.#board.show(state),
      setWatching: (userId, isWatching) => {
        this.#active.setWatching(userId, isWatching);
        // Without it the preview would only begin with the next refresh.
        if (this.#active.size === 0) this.#reading?.wake();
      },
      reload: () => this.#reload(),
    };
  }

  /**
   * Offers the purchases that the previous process may not have begun before it ended. Across nodes the queue
   * delivers their wishes again.
   */
  async #offerAgain(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const wishes = await this.#wishesBetween(nowMs - OFFERED_AGAIN_MS, nowMs);
    if (wishes.length > 0) this.#batches.notify({ wishes, matches: [] });
  }

  /** Of too many the newest, which have the most time left; where two pages meet, some are repeated. */
  async #wishesBetween(sinceMs: number, untilMs: number): Promise<readonly AutobuyWish[]> {
    const { listings } = this.#deps.store;
    let wishes: readonly AutobuyWish[] = [];
    let fromMs = sinceMs;
    let pageSize = OFFERED_PAGE;
    for (;;) {
      const { matches, nextMs } = await listings.matchesBetween(fromMs, untilMs, pageSize);
      wishes = newestWishes([...wishes, ...this.#fanOut.wishesOf(matches, untilMs)], MAX_OFFERED_AGAIN);
      if (nextMs === null) return thunderFirst(wishes);
      // A millisecond with more matches than a page holds needs a larger page.
      pageSize = nextMs === fromMs ? pageSize * 2 : OFFERED_PAGE;
      fromMs = nextMs;
    }
  }

  /** @returns stops reading */
  async #beginReading(): Promise<() => Promise<void>> {
    const { store, clock, memory } = this.#deps;
    const archivist = (await memory?.beginReading()) ?? null;
    const reading = new MarketReader({
      ...this.#deps,
      listings: store.listings,
      demand: this.#demand,
      mayRead: () => this.#lead?.isLeading() ?? true,
      isHeldUp: () => this.#recorder.isFull,
      publish: async (page, mark, isDue) => await this.#publish(page, mark, isDue),
      interestIn: (listing, leafId, colourIds) => this.#fanOut.interestIn(listing, leafId, colourIds),
      interestOf: (news) => this.#fanOut.interestOf(news, clock.nowMs()),
      showState: (state) => this.#queue.publishState(state),
      archivist,
    });
    try {
      await reading.restore();
    } catch (error) {
      // The next attempt begins another one.
      await archivist?.end();
      throw error;
    }
    this.#reading = reading;
    if (!this.#isStopping) reading.start();
    // Filters that became active while no node was reading have not had their backfill yet.
    if (this.#lead !== null)
      this.#background.start("backfill", () =>
        this.#backfill(this.#active.activatedSince(clock.nowMs() - RELOAD_MS)),
      );
    this.#archivist = archivist;
    return async () => {
      this.#reading = null;
      await reading.stop();
      await this.#recorder.settled();
      this.#archivist = null;
      await archivist?.end();
      this.#queue.publishState(null);
    };
  }

  /** Publishes before persisting, so that a purchase never waits for the disk. */
  async #publish(page: PageReading, mark: FeedSliceMark | null, isDue: boolean): Promise<void> {
    const found = await this.#publishNews(page.news);
    if (!isDue && found.matches.length === 0 && found.held.length === 0) return;
    // Lets purchases send their requests before a large write occupies the event loop.
    await yieldToEventLoop();
    await this.#recorder.take({
      listings: page.toRecord,
      ...found,
      marks: mark === null ? [] : [mark],
      ...(page.archive === undefined ? {} : { archive: [page.archive] }),
    });
    for (const { entry, before } of page.news)
      if (before !== null) this.#announceRise(before.listing, entry.seen);
  }

  #announceRise(before: Listing, { listing, seenAtMs, standing = null }: SeenListing): void {
    const { id: listingId, totalPriceCents } = listing;
    if (totalPriceCents <= before.totalPriceCents) return;
    this.#background.start("price rise", () =>
      this.#deps.events.publish({ kind: "price_rose", listingId, totalPriceCents, seenAtMs, standing }),
    );
  }

  /** @returns what must be recorded with the news */
  async #publishNews(news: readonly News[]): Promise<Found> {
    if (news.length === 0) return NOTHING_FOUND;
    const isShared = this.#deps.node !== undefined;
    // Only this node counts how many past listings each filter has shown.
    const past = isShared ? news.filter(({ kind }) => kind === "past") : [];
    const rest = isShared ? news.filter(({ kind }) => kind !== "past") : news;
    const matched = rest.length === 0 ? null : await this.#queue.match(rest);
    if (past.length === 0) return matched ?? NOTHING_FOUND;
    const { matches, held } = await this.#publishHere(this.#fanOut.batch(past, this.#deps.clock.nowMs()));
    return {
      matches: [...(matched?.matches ?? []), ...matches],
      held: [...(matched?.held ?? []), ...held],
    };
  }

  /** Publishes what this node itself has matched. */
  async #publishHere(batch: FanOutResult): Promise<Found> {
    this.#facts.note(batch);
    return { matches: await this.#queue.publish(batch), held: batch.held };
  }

  async #backfill(started: readonly ActiveFilter[]): Promise<void> {
    const { clock } = this.#deps;
    const reading = this.#reading;
    if (reading === null || started.length === 0) return;
    const past = await findPastMatches(started, {
      memory: reading.memory,
      demand: this.#demand,
      clock,
      published: async (active, sinceMs) => await this.#publishedTo(active, sinceMs),
    });
    const found = await this.#publishHere(this.#fanOut.pastBatch(past, clock.nowMs()));
    if (found.matches.length === 0 && found.held.length === 0) return;
    await this.#recorder.take({ listings: [], ...found, marks: [] });
  }

  async #publishedTo({ filter, owner }: ActiveFilter, sinceMs: number): Promise<ReadonlySet<ListingId>> {
    // As far as it is recorded, in which it lags by one write.
    await this.#recorder.settled();
    const after = { cursor: null, sinceMs, limit: MAX_PUBLISHED };
    const matches = await this.#deps.store.listings.matchesAfter(owner.userId, after);
    const own = matches.filter(({ filterIds }) => filterIds.includes(filter.id));
    return new Set(own.map(({ listing }) => listing.listing.id));
  }

  #reload(): void {
    this.#reloadAtMs = this.#deps.clock.nowMs() + RELOAD_MS;
    this.#userFeeds.reset();
    this.#reloadFilters();
  }

  #reloadFilters(): void {
    if (this.#deps.node?.hasFilters !== true) return;
    this.#background.start("filters", async () => {
      try {
        await this.#sync.reload();
      } catch (error) {
        // Retry with the next refresh instead of after a whole interval.
        this.#reloadAtMs = 0;
        throw error;
      }
    });
  }

  #refresh(): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#active.refresh(nowMs);
    this.#userFeeds.sweep();
    this.#reading?.sweep();
    this.#reading?.wake();
    if (nowMs < this.#reloadAtMs) return;
    this.#reloadAtMs = nowMs + RELOAD_MS;
    this.#reloadFilters();
  }

  #countWatchers(userId: UserId, change: 1 | -1): void {
    const before = this.#watchers.get(userId) ?? 0;
    const count = before + change;
    if (count > 0) this.#watchers.set(userId, count);
    else this.#watchers.delete(userId);
    if (before === 0 || count === 0) this.#queue.setWatching(userId, count > 0);
  }

  #refreshLater(): void {
    this.#cancelRefresh = this.#deps.clock.schedule(REFRESH_MS, () => {
      this.#refresh();
      if (!this.#isStopping) this.#refreshLater();
    });
  }
}
