/**
 * Checks that the feed neither loses nor repeats a listing: the real feed and store in simulated time, on a
 * market with bursts of three pages, promoted listings out of order, duplicates on a page, pages that shift
 * during a reading, empty answers, 429, 5xx, broken connections, restarts and crashes.
 */
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, type FilterId } from "#domain/ids.ts";
import { candidateIn, readListing } from "#matching/candidate.ts";
import { compileFilter, type FilterSpec, filterHolds } from "#matching/compile-filter.ts";
import { type Draws, drawsFor } from "#sandbox/world/draws.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { beginLife, type CutOff, type Life } from "./feed-life.suite.ts";
import { type ModelListing, ModelMarket } from "./model-market.suite.ts";
import { RealWork } from "./real-work.suite.ts";
import { TroubledMarket } from "./troubled-market.suite.ts";

export interface LosslessOutcome {
  readonly published: number;
  /** Pairs of a filter and a listing that it holds and that was on sale long enough to be found. */
  readonly matching: number;
  /** Of these pairs, those that were published. */
  readonly told: number;
  readonly lost: number;
  /** Published to a filter that does not hold it. */
  readonly wronglyTold: number;
  /** Published again by the same process, or by a later one although it was recorded when the previous one ended. */
  readonly toldTwice: number;
  /** Published again because the process was killed between publishing and recording, which is by design. */
  readonly toldAgainAfterDeath: number;
  readonly requests: number;
  readonly faults: number;
  readonly refused: number;
  /** Empty answers although there were listings. */
  readonly emptied: number;
  readonly deaths: number;
  readonly restarts: number;
  /** Maximum number of listings that arrived between two answers to one query. */
  readonly mostBetweenReadings: number;
  /** Readings that were cut off after ten pages. */
  readonly cutOff: number;
  /** Pairs that were not published because a reading was cut off; not counted as lost. */
  readonly outOfReach: number;
  readonly simulatedMs: number;
}

export interface LosslessOptions {
  readonly seed: number;
  readonly listings: number;
  /** Mean time to the next restart or crash. */
  readonly lifeMs: number;
}

interface ModelFilter {
  readonly id: FilterId;
  readonly spec: FilterSpec;
}

const LISTINGS_PER_SECOND = 8;
const BURST = 288;
const MEAN_BURST_EVERY_MS = 7_000;
const STEP_MS = 50;
/** Maximum age of matches that a killed process has not recorded: the write in flight and the next one. */
const UNWRITTEN_MS = 40;
const T_SHIRTS = 221;
/** Enough to read every slice once. */
const WARM_UP_MS = 10_000;
/** One listing in 1,400: the slice's first page reaches beyond the listings that a restart restores. */
const RARE_LEAF = 1_508;
/** Longer than any slice waits once the faults are over. */
const SETTLED_MS = 30_000;
/** Filters are older than every photo, so every listing is new to them. */
const ACTIVE_FOR_MS = 600_000;

/** Each filter has a person of its own, because a match names all matching filters of its person. */
const criteria: readonly Partial<Filter>[] = [
  { categoryIds: [T_SHIRTS] },
  { categoryIds: [4], conditionIds: [2] },
  { categoryIds: [5], sizeIds: [208, 209] },
  { brandIds: [12] },
  { categoryIds: [T_SHIRTS], colourName: "Black" },
  { categoryIds: [RARE_LEAF] },
];

export async function runLossless({ seed, listings, lifeMs }: LosslessOptions): Promise<LosslessOutcome> {
  await using opened = await openTestStore();
  const clock = new FakeClock();
  const startedAtMs = clock.nowMs();
  const market = new ModelMarket({
    clock,
    seed,
    listingsPerSecond: LISTINGS_PER_SECOND,
    answerMs: 40,
    stock: 1_000,
  });
  const backoff = new TroubledMarket(market, drawsFor(seed, "trouble"), clock);
  const filters = await savePeople(opened, clock.nowMs());
  const run = new LosslessRun({ opened, clock, market, backoff, lifeMs, draws: drawsFor(seed, "run") });
  await run.begin();
  await run.pass(WARM_UP_MS);
  const countedFrom = market.published.length;
  while (market.published.length - countedFrom < listings) await run.liveOn();
  backoff.isOver = true;
  const published = market.published.slice(countedFrom);
  await run.pass(SETTLED_MS);
  await run.end();
  return {
    published: published.length,
    ...compare(published, filters, run),
    cutOff: run.cutOffs.length,
    ...run.counts,
    requests: backoff.requestCount,
    faults: backoff.faultCount,
    refused: backoff.refusedCount,
    emptied: backoff.emptiedCount,
    mostBetweenReadings: backoff.mostBetweenAnswers,
    simulatedMs: clock.nowMs() - startedAtMs,
  };
}

interface LosslessRunParts {
  readonly opened: TestStore;
  readonly clock: FakeClock;
  readonly market: ModelMarket;
  readonly backoff: TroubledMarket;
  readonly draws: Draws;
  readonly lifeMs: number;
}

/** Successive processes on the same store and the same market. */
class LosslessRun {
  /** By filter and listing: the process that published it, and when. */
  readonly told = new Map<string, { readonly life: number; readonly atMs: number }>();
  readonly counts = { toldTwice: 0, toldAgainAfterDeath: 0, deaths: 0, restarts: 0 };
  readonly cutOffs: CutOff[] = [];
  readonly #parts: LosslessRunParts;
  readonly #work = new RealWork();
  #life: Life | undefined;
  #lives = 0;
  #diedAtMs = -Infinity;
  #nextBurstMs = 0;
  #endsAtMs = 0;

  constructor(parts: LosslessRunParts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    const { opened, backoff, clock } = this.#parts;
    this.#lives += 1;
    this.#life = await beginLife({
      store: opened.store,
      catalogue: backoff,
      clock,
      work: this.#work,
      tell: (key) => this.#tell(key),
    });
    this.#endsAtMs = clock.nowMs() + this.#about(this.#parts.lifeMs);
  }

  async pass(durationMs: number): Promise<void> {
    await this.#parts.clock.advance(durationMs, async () => await this.#work.done());
  }

  /** Advances one step: starts a burst when it is due, and ends the process when its life is over. */
  async liveOn(): Promise<void> {
    const { clock, market } = this.#parts;
    if (clock.nowMs() >= this.#nextBurstMs) {
      this.#burst(market);
      this.#nextBurstMs = clock.nowMs() + this.#about(MEAN_BURST_EVERY_MS);
    }
    if (clock.nowMs() < this.#endsAtMs) return await this.pass(STEP_MS);
    if (this.#lives % 2 === 0) await this.#kill();
    else {
      this.counts.restarts += 1;
      await this.end();
    }
    await this.begin();
  }

  async end(): Promise<void> {
    const stopping = { isOver: false };
    const stopped = this.#life?.stop().then(() => {
      stopping.isOver = true;
    });
    while (!stopping.isOver) await this.pass(STEP_MS);
    await stopped;
    this.#noteCutOffs();
  }

  /** Kills the process while it catches up with a burst, when published matches may not be recorded yet. */
  async #kill(): Promise<void> {
    const { clock, draws, market } = this.#parts;
    const life = this.#life;
    this.counts.deaths += 1;
    this.#burst(market);
    await this.pass(draws.whole(0, 8) * STEP_MS);
    clock.schedule(draws.next() * STEP_MS, () => {
      this.#diedAtMs = clock.nowMs();
      life?.die();
      this.#noteCutOffs();
    });
    await this.pass(STEP_MS);
  }

  #noteCutOffs(): void {
    this.cutOffs.push(...(this.#life?.cutOffs() ?? []));
  }

  #burst(market: ModelMarket): void {
    const { draws, clock } = this.#parts;
    const leafId = draws.chance(0.5) ? T_SHIRTS : undefined;
    market.grow();
    for (let count = 0; count < BURST; count += 1) market.publish(clock.nowMs(), leafId);
  }

  #tell(key: string): void {
    const before = this.told.get(key);
    const isUnwritten =
      before !== undefined &&
      before.life < this.#lives &&
      before.atMs <= this.#diedAtMs &&
      before.atMs > this.#diedAtMs - UNWRITTEN_MS;
    if (isUnwritten) this.counts.toldAgainAfterDeath += 1;
    else if (before !== undefined) this.counts.toldTwice += 1;
    this.told.set(key, { life: this.#lives, atMs: this.#parts.clock.nowMs() });
  }

  #about(meanMs: number): number {
    return meanMs * (0.5 + this.#parts.draws.next());
  }
}

async function savePeople({ store }: TestStore, nowMs: number): Promise<readonly ModelFilter[]> {
  const filters: ModelFilter[] = [];
  for (const [place, own] of criteria.entries()) {
    const { user } = await store.users.signIn(
      aUser({ login: `person-${place}`, providerId: `person-${place}` }),
      nowMs,
    );
    await store.users.setPlan(user.id, "thunder", null);
    const filter = aFilter({
      ...own,
      id: asFilterId(`filter-${place}`),
      userId: user.id,
      isAutobuy: true,
      priceCapEur: 100_000,
      createdAtMs: nowMs,
      activatedAtMs: nowMs - ACTIVE_FOR_MS,
    });
    await store.filters.add(filter, 100);
    const spec = compileFilter(filter);
    if (spec !== null) filters.push({ id: filter.id, spec });
  }
  return filters;
}

function compare(
  published: readonly ModelListing[],
  filters: readonly ModelFilter[],
  { told, cutOffs }: Pick<LosslessRun, "told" | "cutOffs">,
): Pick<LosslessOutcome, "matching" | "told" | "lost" | "outOfReach" | "wronglyTold"> {
  const counts = { matching: 0, told: 0, lost: 0, outOfReach: 0, wronglyTold: 0 };
  for (const { listing, leafId, colourIds, isGone, publishedAtMs } of published) {
    const isCutOff = cutOffs.some(
      ({ sinceMs, untilMs }) => publishedAtMs >= sinceMs && publishedAtMs <= untilMs,
    );
    const candidate = candidateIn(readListing(listing), leafId, colourIds);
    for (const { id, spec } of filters) {
      const isTold = told.has(`${id} ${listing.id}`);
      const isHeld = filterHolds(spec, candidate);
      if (isTold && !isHeld) counts.wronglyTold += 1;
      // Listings sold before any reading cannot be found.
      if (!isHeld || (isGone && !isTold)) continue;
      counts.matching += 1;
      if (isTold) counts.told += 1;
      else if (isCutOff) counts.outOfReach += 1;
      else counts.lost += 1;
    }
  }
  return counts;
}
