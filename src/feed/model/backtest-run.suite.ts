/**
 * Checks that a backtest finds exactly what was published to a person: the real feed, archive and store in
 * simulated time, on a market with faults, price changes, edits and relists, while processes are killed. Each
 * filter has a person of its own; some block sellers, some become active during the run.
 */
import { categoryPath } from "#catalogue/categories.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, type UserId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { HOUR_MS } from "#domain/clock.ts";
import { closingPiece } from "#market/market-memory.ts";
import { type Draws, drawsFor } from "#sandbox/world/draws.ts";
import type { ArchiveStore } from "#store/market-store.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import type { TestStore } from "#verify/testing/test-store.ts";
import { startFeedProcess, type FeedProcess, type OwnCalls } from "./feed-process.suite.ts";
import { drawCriteria } from "./model-filters.suite.ts";
import { type ModelListing, ModelMarket } from "./model-market.suite.ts";
import { RealWork } from "./real-work.suite.ts";
import { FaultyMarket } from "./faulty-market.suite.ts";
import { aMarketMemory } from "#verify/testing/archived.ts";

export interface BacktestOutcome {
  readonly listings: number;
  readonly filters: number;
  /** Pairs of a filter and a listing that was published for it since the filter was active. */
  readonly delivered: number;
  /** Of these pairs, those that the backtest does not find. */
  readonly missing: readonly string[];
  /** Pairs that only the backtest finds. */
  readonly surplus: readonly string[];
  readonly kills: number;
  readonly restarts: number;
  readonly edits: number;
  readonly relists: number;
  readonly versions: number;
  readonly faults: number;
}

export interface BacktestOptions {
  readonly seed: number;
  readonly listings: number;
  readonly filters: number;
  readonly kills: number;
}

const LISTINGS_PER_SECOND = 40;
const STEP_MS = 50;
const WARM_UP_MS = 20_000;
const SETTLED_MS = 60_000;
/** The first filters are older than every photo on the market. */
const ACTIVE_FOR_MS = 10 * 60_000;
/** Photos are either this old, which makes no listing new, or taken after the last filter became active. */
const OLD_PHOTO_MS = 2 * HOUR_MS;
const FRESH_PHOTO_MS = 5_000;
/** 23:40 in Paris: the day ends during the run, and its blocks are sorted. */
const EVENING_MS = Date.UTC(2026, 10, 20, 22, 40, 0);
const SELLERS = 400;
const RECENT = 120;

export async function runBacktest(opened: TestStore, options: BacktestOptions): Promise<BacktestOutcome> {
  const run = new BacktestRun(opened, options);
  await run.live();
  const compared = await run.compare();
  // Closing versions must not count as news.
  await opened.store.listings.prune(run.clock.nowMs() + HOUR_MS, closingPiece);
  const again = await run.compare();
  const closed = [...again.missing, ...again.surplus].filter(
    (pair) => !compared.missing.includes(pair) && !compared.surplus.includes(pair),
  );
  return { ...compared, surplus: [...compared.surplus, ...closed], ...run.counts() };
}

class BacktestRun {
  readonly clock = new FakeClock(EVENING_MS);
  readonly #opened: TestStore;
  readonly #options: BacktestOptions;
  readonly #draws: Draws;
  readonly #market: ModelMarket;
  readonly #faultyMarket: FaultyMarket;
  readonly #work = new RealWork();
  readonly #filters: Filter[] = [];
  readonly #blocked = new Map<UserId, readonly number[]>();
  /** Pairs "filter listing" of recorded matches whose version was seen since the filter was active. */
  readonly #delivered = new Set<string>();
  #process: FeedProcess | null = null;
  #lastActivatedAtMs = Infinity;
  #kills = 0;
  #restarts = 0;
  #edits = 0;
  #relists = 0;

  constructor(opened: TestStore, options: BacktestOptions) {
    const { clock } = this;
    const { seed } = options;
    this.#opened = opened;
    this.#options = options;
    this.#draws = drawsFor(seed, "backtest");
    this.#market = new ModelMarket({
      clock,
      seed,
      listingsPerSecond: LISTINGS_PER_SECOND,
      answerMs: 40,
      stock: 600,
      alter: (listing, publishedAtMs) => this.#ownListing(listing, publishedAtMs),
    });
    this.#faultyMarket = new FaultyMarket(this.#market, drawsFor(seed, "trouble"), clock);
  }

  /** From the first reading to the last. */
  async live(): Promise<void> {
    const { filters, listings, kills } = this.#options;
    const late = Math.floor(filters / 3);
    for (let place = 0; place < filters - late; place += 1)
      await this.#addFilter(this.clock.nowMs() - ACTIVE_FOR_MS);
    await this.#begin();
    await this.#pass(WARM_UP_MS);
    for (let each = 1; each <= kills; each += 1) {
      const until = Math.floor((listings * each) / kills);
      while (this.#market.published.length < until) await this.#step();
      if (each === Math.ceil(kills / 3)) await this.#addLateFilters(late);
      else await this.#kill();
      await this.#begin();
    }
    this.#faultyMarket.isOver = true;
    await this.#pass(SETTLED_MS);
    await this.#end();
  }

  counts(): Pick<BacktestOutcome, "kills" | "restarts" | "edits" | "relists" | "faults" | "listings"> {
    return {
      listings: this.#market.published.length,
      kills: this.#kills,
      restarts: this.#restarts,
      edits: this.#edits,
      relists: this.#relists,
      faults: this.#faultyMarket.faultCount,
    };
  }

  async compare(): Promise<
    Pick<BacktestOutcome, "filters" | "delivered" | "missing" | "surplus" | "versions">
  > {
    const memory = aMarketMemory({ archive: this.#opened.store.archive, clock: this.clock });
    const missing: string[] = [];
    const surplus: string[] = [];
    let versions = 0;
    for (const filter of this.#filters) {
      const { replay } = await memory.replay(
        {
          criteria: filter,
          sinceMs: filter.activatedAtMs ?? 0,
          blockedSellerIds: this.#blocked.get(filter.userId) ?? [],
          buyer: null,
        },
        new AbortController().signal,
      );
      versions = Math.max(versions, replay.examinedCount);
      const found = new Set(replay.ids.map((id) => `${filter.id} ${id}`));
      const delivered = [...this.#delivered].filter((pair) => pair.startsWith(`${filter.id} `));
      surplus.push(...[...found].filter((pair) => !this.#delivered.has(pair)));
      // A truncated result lists only the first articles, but counts all.
      if (!replay.isTruncated) missing.push(...delivered.filter((pair) => !found.has(pair)));
      else if (replay.articleCount !== delivered.length)
        missing.push(`${filter.id}: ${replay.articleCount} articles instead of ${delivered.length}`);
    }
    await memory.stop();
    return { filters: this.#filters.length, delivered: this.#delivered.size, missing, surplus, versions };
  }

  async #begin(): Promise<void> {
    this.#process = await startFeedProcess({
      store: this.#opened.store,
      catalogue: this.#faultyMarket,
      clock: this.clock,
      work: this.#work,
      onRecorded: (matches) => this.#recorded(matches),
      memory: ({ clock, stored }) =>
        aMarketMemory({ archive: ownArchive(this.#opened.store.archive, stored), clock }),
    });
  }

  async #addFilter(activatedAtMs: number): Promise<void> {
    const { store } = this.#opened;
    const name = `backtest-${this.#filters.length}`;
    const nowMs = this.clock.nowMs();
    const { user } = await store.users.signIn(aUser({ login: name, providerId: name }), nowMs);
    await store.users.setPlan(user.id, "thunder", null);
    const filter = aFilter({
      ...drawnCriteria(drawsFor(this.#options.seed, name)),
      id: asFilterId(name),
      userId: user.id,
      createdAtMs: nowMs,
      activatedAtMs,
    });
    await store.filters.add(filter, 100);
    this.#filters.push(filter);
    if (!this.#draws.chance(0.2)) return;
    const sellerIds = Array.from({ length: 20 }, () => this.#draws.whole(1, SELLERS));
    const sellers = [...new Set(sellerIds)].map((sellerId) => ({ sellerId, login: `seller-${sellerId}` }));
    await store.sellers.block(user.id, sellers, { nowMs, limit: 100 });
    this.#blocked.set(user.id, sellerIds);
  }

  async #addLateFilters(count: number): Promise<void> {
    this.#restarts += 1;
    await this.#end();
    for (let added = 0; added < count; added += 1) await this.#addFilter(this.clock.nowMs());
    this.#lastActivatedAtMs = this.clock.nowMs();
  }

  async #step(): Promise<void> {
    for (let count = this.#draws.whole(0, 2); count > 0; count -= 1) this.#edit();
    if (this.#draws.chance(0.2)) this.#offerAgain();
    await this.#pass(STEP_MS);
  }

  /** Kills the process at a random moment, often while a page is being stored. */
  async #kill(): Promise<void> {
    this.#kills += 1;
    this.clock.schedule(this.#draws.next() * 4 * STEP_MS, () => this.#process?.kill());
    await this.#pass(4 * STEP_MS);
  }

  async #end(): Promise<void> {
    const stopping = { isOver: false };
    const stopped = this.#process?.stop().then(() => {
      stopping.isOver = true;
    });
    while (!stopping.isOver) await this.#pass(STEP_MS);
    await stopped;
  }

  async #pass(durationMs: number): Promise<void> {
    await this.clock.advance(durationMs, async () => await this.#work.done());
  }

  #recorded(matches: readonly UserMatch[]): void {
    const activeSince = new Map(this.#filters.map(({ id, activatedAtMs }) => [id, activatedAtMs ?? 0]));
    for (const { filterIds, listing: seen } of matches)
      for (const id of filterIds)
        // When a filter becomes active, it also shows earlier listings.
        if (seen.seenAtMs >= (activeSince.get(id) ?? Infinity))
          this.#delivered.add(`${id} ${seen.listing.id}`);
  }

  #ownListing(listing: Listing, publishedAtMs: number): Listing {
    const sellerId = drawsFor(this.#options.seed, "seller", listing.id).whole(1, SELLERS);
    const isFresh = publishedAtMs - FRESH_PHOTO_MS > this.#lastActivatedAtMs;
    const photoAtMs = publishedAtMs - (isFresh ? FRESH_PHOTO_MS : OLD_PHOTO_MS);
    return {
      ...listing,
      seller: { id: sellerId, login: `seller-${sellerId}`, photoUrl: null },
      photoTakenAtUnixS: Math.floor(photoAtMs / 1_000),
    };
  }

  #recent(): ModelListing {
    return this.#draws.pick(this.#market.published.slice(-RECENT));
  }

  #edit(): void {
    const made = this.#recent();
    made.listing = edited(made.listing, this.#recent().listing, this.#draws);
    this.#edits += 1;
  }

  #offerAgain(): void {
    const { listing: before, leafId } = this.#recent();
    const made = this.#market.publish(this.clock.nowMs(), leafId);
    const { title, brandTitle, sizeTitle, conditionLabel, seller } = before;
    made.listing = { ...made.listing, title, brandTitle, sizeTitle, conditionLabel, seller };
    this.#relists += 1;
  }
}

/** @param other supplies the new title, brand or size */
function edited(listing: Listing, other: Listing, draws: Draws): Listing {
  const roll = draws.next();
  if (roll < 0.35) return priced(listing, 0.5 + 0.45 * draws.next());
  if (roll < 0.6) return priced(listing, 1.05 + draws.next());
  if (roll < 0.8) return { ...listing, title: draws.chance(0.5) ? other.title : `${listing.title} vintage` };
  if (roll < 0.9) return { ...listing, brandTitle: other.brandTitle };
  return { ...listing, sizeTitle: other.sizeTitle, conditionLabel: other.conditionLabel };
}

function priced(listing: Listing, factor: number): Listing {
  const totalPriceCents = Math.max(100, Math.round(listing.totalPriceCents * factor));
  return { ...listing, totalPriceCents, itemPriceCents: Math.round(totalPriceCents * 0.9) };
}

const WORDS = ["robe", "jean", "noir", "vintage", "neuf", "zara", "taille", "femme"];

function drawnCriteria(draws: Draws): Partial<Filter> {
  const drawn = drawCriteria(draws);
  const group = () => Array.from({ length: draws.whole(1, 3) }, () => draws.pick(WORDS));
  const words = (share: number): Filter["includeWords"] => (draws.chance(share) ? [group()] : []);
  const branch = drawn.categoryIds?.flatMap((id) => categoryPath(id).at(1)?.id ?? id) ?? [];
  const isOpen = draws.chance(0.3);
  return {
    ...drawn,
    // Most filters must find something.
    brandIds: draws.chance(0.2) ? (drawn.brandIds ?? []) : [],
    categoryIds: isOpen ? [] : draws.chance(0.6) ? branch : (drawn.categoryIds ?? []),
    sizeIds: draws.chance(0.3) ? (drawn.sizeIds ?? []) : [],
    priceCapEur: isOpen ? draws.whole(4, 12) : draws.whole(10, 60),
    bargainPercent: draws.pick([null, null, 25, 10, 5]),
    priceFloorEur: draws.chance(0.2) ? 3 : 0,
    includeWords: words(0.1),
    excludeWords: words(0.2),
  };
}

function ownArchive(archive: ArchiveStore, stored: OwnCalls): ArchiveStore {
  return {
    heads: stored(async (range) => await archive.heads(range)),
    tailData: stored(async (seqs) => await archive.tailData(seqs)),
    blockData: stored(async (ids) => await archive.blockData(ids)),
    change: stored(async (change) => await archive.change(change)),
    cover: stored(async (day, covered, merge) => await archive.cover(day, covered, merge)),
    coverage: stored(async (sinceDay) => await archive.coverage(sinceDay)),
    forgetCoverage: stored(async (beforeDay) => await archive.forgetCoverage(beforeDay)),
    secret: stored(async () => await archive.secret()),
    totals: stored(async () => await archive.totals()),
    erase: stored(async () => await archive.erase()),
  };
}
