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
import { startFeedProcess, type CutOff, type FeedProcess } from "./feed-process.suite.ts";
import { type ModelListing, ModelMarket } from "./model-market.suite.ts";
import { RealWork } from "./real-work.suite.ts";
import { FaultyMarket } from "./faulty-market.suite.ts";

export interface LosslessOutcome {
  readonly published: number;
  /** Pairs of a filter and a listing that it holds and that was on sale long enough to be found. */
  readonly matching: number;
  /** Of these pairs, those that were published. */
  readonly delivered: number;
  readonly lost: number;
  /** Published to a filter that does not hold it. */
  readonly wronglyDelivered: number;
  /** Published again by the same process, or by a later one although it was recorded when the previous one ended. */
  readonly deliveredTwice: number;
  /** Published again because the process was killed between publishing and recording, which is by design. */
  readonly deliveredAgainAfterKill: number;
  readonly requests: number;
  readonly faults: number;
  readonly refused: number;
  /** Empty answers although there were listings. */
  readonly emptied: number;
  readonly kills: number;
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
  readonly meanLifetimeMs: number;
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
const UNRECORDED_MS = 40;
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

export async function runLossless({
  seed,
  listings,
  meanLifetimeMs,
}: LosslessOptions): Promise<LosslessOutcome> {
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
  const faultyMarket = new FaultyMarket(market, drawsFor(seed, "trouble"), clock);
  const filters = await savePeople(opened, clock.nowMs());
  const run = new LosslessRun({
    opened,
    clock,
    market,
    faultyMarket,
    meanLifetimeMs,
    draws: drawsFor(seed, "run"),
  });
  await run.begin();
  await run.pass(WARM_UP_MS);
  const countedFrom = market.published.length;
  while (market.published.length - countedFrom < listings) await run.step();
  faultyMarket.isOver = true;
  const published = market.published.slice(countedFrom);
  await run.pass(SETTLED_MS);
  await run.end();
  return {
    published: published.length,
    ...compare(published, filters, run),
    cutOff: run.cutOffs.length,
    ...run.counts,
    requests: faultyMarket.requestCount,
    faults: faultyMarket.faultCount,
    refused: faultyMarket.refusedCount,
    emptied: faultyMarket.emptiedCount,
    mostBetweenReadings: faultyMarket.mostBetweenAnswers,
    simulatedMs: clock.nowMs() - startedAtMs,
  };
}

interface LosslessRunParts {
  readonly opened: TestStore;
  readonly clock: FakeClock;
  readonly market: ModelMarket;
  readonly faultyMarket: FaultyMarket;
  readonly draws: Draws;
  readonly meanLifetimeMs: number;
}

/** Successive processes on the same store and the same market. */
class LosslessRun {
  /** By filter and listing: the process that published it, and when. */
  readonly delivered = new Map<string, { readonly processNumber: number; readonly atMs: number }>();
  readonly counts = { deliveredTwice: 0, deliveredAgainAfterKill: 0, kills: 0, restarts: 0 };
  readonly cutOffs: CutOff[] = [];
  readonly #parts: LosslessRunParts;
  readonly #work = new RealWork();
  #process: FeedProcess | undefined;
  #processCount = 0;
  #killedAtMs = -Infinity;
  #nextBurstMs = 0;
  #endsAtMs = 0;

  constructor(parts: LosslessRunParts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    const { opened, faultyMarket, clock } = this.#parts;
    this.#processCount += 1;
    this.#process = await startFeedProcess({
      store: opened.store,
      catalogue: faultyMarket,
      clock,
      work: this.#work,
      onMatch: (key) => this.#recordDelivery(key),
    });
    this.#endsAtMs = clock.nowMs() + this.#about(this.#parts.meanLifetimeMs);
  }

  async pass(durationMs: number): Promise<void> {
    await this.#parts.clock.advance(durationMs, async () => await this.#work.done());
  }

  /** Advances one step: starts a burst when it is due, and ends the process when its lifetime is over. */
  async step(): Promise<void> {
    const { clock, market } = this.#parts;
    if (clock.nowMs() >= this.#nextBurstMs) {
      this.#burst(market);
      this.#nextBurstMs = clock.nowMs() + this.#about(MEAN_BURST_EVERY_MS);
    }
    if (clock.nowMs() < this.#endsAtMs) return await this.pass(STEP_MS);
    if (this.#processCount % 2 === 0) await this.#kill();
    else {
      this.counts.restarts += 1;
      await this.end();
    }
    await this.begin();
  }

  async end(): Promise<void> {
    const stopping = { isOver: false };
    const stopped = this.#process?.stop().then(() => {
      stopping.isOver = true;
    });
    while (!stopping.isOver) await this.pass(STEP_MS);
    await stopped;
    this.#noteCutOffs();
  }

  /** Kills the process while it catches up with a burst, when published matches may not be recorded yet. */
  async #kill(): Promise<void> {
    const { clock, draws, market } = this.#parts;
    const killed = this.#process;
    this.counts.kills += 1;
    this.#burst(market);
    await this.pass(draws.whole(0, 8) * STEP_MS);
    clock.schedule(draws.next() * STEP_MS, () => {
      this.#killedAtMs = clock.nowMs();
      killed?.kill();
      this.#noteCutOffs();
    });
    await this.pass(STEP_MS);
  }

  #noteCutOffs(): void {
    this.cutOffs.push(...(this.#process?.cutOffs() ?? []));
  }

  #burst(market: ModelMarket): void {
    const { draws, clock } = this.#parts;
    const leafId = draws.chance(0.5) ? T_SHIRTS : undefined;
    market.grow();
    for (let count = 0; count < BURST; count += 1) market.publish(clock.nowMs(), leafId);
  }

  #recordDelivery(key: string): void {
    const before = this.delivered.get(key);
    const isUnrecorded =
      before !== undefined &&
      before.processNumber < this.#processCount &&
      before.atMs <= this.#killedAtMs &&
      before.atMs > this.#killedAtMs - UNRECORDED_MS;
    if (isUnrecorded) this.counts.deliveredAgainAfterKill += 1;
    else if (before !== undefined) this.counts.deliveredTwice += 1;
    this.delivered.set(key, { processNumber: this.#processCount, atMs: this.#parts.clock.nowMs() });
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
  { delivered, cutOffs }: Pick<LosslessRun, "delivered" | "cutOffs">,
): Pick<LosslessOutcome, "matching" | "delivered" | "lost" | "outOfReach" | "wronglyDelivered"> {
  const counts = { matching: 0, delivered: 0, lost: 0, outOfReach: 0, wronglyDelivered: 0 };
  for (const { listing, leafId, colourIds, isGone, publishedAtMs } of published) {
    const isCutOff = cutOffs.some(
      ({ sinceMs, untilMs }) => publishedAtMs >= sinceMs && publishedAtMs <= untilMs,
    );
    const candidate = candidateIn(readListing(listing), leafId, colourIds);
    for (const { id, spec } of filters) {
      const isDelivered = delivered.has(`${id} ${listing.id}`);
      const isHeld = filterHolds(spec, candidate);
      if (isDelivered && !isHeld) counts.wronglyDelivered += 1;
      // Listings sold before any reading cannot be found.
      if (!isHeld || (isGone && !isDelivered)) continue;
      counts.matching += 1;
      if (isDelivered) counts.delivered += 1;
      else if (isCutOff) counts.outOfReach += 1;
      else counts.lost += 1;
    }
  }
  return counts;
}
