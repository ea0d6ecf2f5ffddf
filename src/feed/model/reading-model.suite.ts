/**
 * How long it takes to find a listing, in simulated time: the feed's planner, slices, passes and fan-out on a
 * generated market, compared with polling each filter in turn at the same request rate. No wall clock and no
 * randomness except the seed's.
 */
import type { FilterId } from "#domain/ids.ts";
import { autobuyLaneNow } from "#domain/user.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { candidateIn, readListing } from "#matching/candidate.ts";
import { compileFilter, type FilterSpec, filterHolds } from "#matching/compile-filter.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { ActiveFilters } from "../publish/active-filters.ts";
import { CursorSource } from "../publish/cursors.ts";
import { FanOut } from "../publish/fan-out.ts";
import { isNewlyProven, type PageReading } from "../read/ingest.ts";
import { MarketPauses, PAUSES_OUTSIDE } from "../read/market-pauses.ts";
import { parallelReads, plannerOptionsFor, ReadLoops } from "../read/read-loops.ts";
import { SeenListings } from "../read/seen-listings.ts";
import { readSlice } from "../read/slice-pass.ts";
import { recordInterest } from "../schedule/planner.ts";
import { Scout } from "../schedule/scout.ts";
import { SliceDemand } from "../schedule/slice-demand.ts";
import { type SliceState, SliceStates } from "../schedule/slice-states.ts";
import type { SliceRank } from "../schedule/slice.ts";
import { modelPeople, type ModelPerson } from "./model-filters.suite.ts";
import { type ModelListing, ModelMarket } from "./model-market.suite.ts";

export interface ReadingModelOptions {
  readonly seed: number;
  readonly filterCount: number;
  readonly readsPerSecond: number;
  readonly listingsPerSecond: number;
  readonly answerMs: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
  /** Time for the last listings to be found; longer than any slice may wait. */
  readonly tailMs: number;
}

/** A listing and a filter that holds it, with the time from its publication to its match. */
export interface Delay {
  readonly rank: SliceRank;
  readonly delayMs: number;
  readonly pollingDelayMs: number;
}

export interface ReadingOutcome {
  readonly delays: readonly Delay[];
  /** Pairs of filter and listing without a match. */
  readonly lostCount: number;
  readonly sliceCount: number;
  readonly requestsPerSecond: number;
  /** The longest interval between two readings of a slice, after the warm-up. */
  readonly worstStalenessMs: number;
}

interface ModelFilter {
  readonly id: FilterId;
  readonly place: number;
  readonly spec: FilterSpec;
  readonly rank: SliceRank;
}

export async function runReadingModel(options: ReadingModelOptions): Promise<ReadingOutcome> {
  const clock = new FakeClock();
  const startMs = clock.nowMs();
  const market = new ModelMarket({ ...options, clock, stock: 3_000 });
  const people = modelPeople(options.filterCount, { seed: options.seed, nowMs: startMs });
  const room = createRoom(people, market, { clock, options });
  const measuredFromMs = startMs + options.warmUpMs;
  const measuredToMs = measuredFromMs + options.measuredMs;
  room.reader.start(parallelReads(options.readsPerSecond));
  await clock.advance(options.warmUpMs);
  room.forgetStaleness();
  const requestsBefore = market.requestCount;
  await clock.advance(options.measuredMs);
  const requestCount = market.requestCount - requestsBefore;
  const sliceCount = room.slices.size;
  await clock.advance(options.tailMs);
  const stopping = room.reader.stop();
  await clock.advance(60_000);
  await stopping;
  const measured = market.published.filter(
    ({ publishedAtMs }) => publishedAtMs > measuredFromMs && publishedAtMs <= measuredToMs,
  );
  return {
    ...compare(measured, filtersOf(people, startMs), { deliveredAtMs: room.deliveredAtMs, startMs, options }),
    sliceCount,
    requestsPerSecond: (requestCount * 1_000) / options.measuredMs,
    worstStalenessMs: room.worstStalenessMs(),
  };
}

/** Requests per minute in a steady state. */
export async function requestsPerMinute(
  people: readonly ModelPerson[],
  options: Pick<ReadingModelOptions, "seed" | "readsPerSecond" | "listingsPerSecond" | "answerMs"> & {
    readonly measuredMs: number;
  },
): Promise<{ readonly requests: number; readonly slices: number }> {
  const clock = new FakeClock();
  const market = new ModelMarket({ ...options, clock, stock: 300 });
  const room = createRoom(people, market, { clock, options });
  room.reader.start(parallelReads(options.readsPerSecond));
  await clock.advance(60_000);
  const requestsBefore = market.requestCount;
  await clock.advance(options.measuredMs);
  const requests = ((market.requestCount - requestsBefore) * 60_000) / options.measuredMs;
  const slices = room.slices.size;
  const stopping = room.reader.stop();
  await clock.advance(60_000);
  await stopping;
  return { requests, slices };
}

/** The feed without its store: everything that decides what is read when, and what is published to whom. */
function createRoom(
  people: readonly ModelPerson[],
  market: ModelMarket,
  { clock, options }: { clock: FakeClock; options: Pick<ReadingModelOptions, "readsPerSecond"> },
) {
  const log = createQuietLog();
  const demand = new SliceDemand();
  const index = createCubeIndex();
  const active = new ActiveFilters(index, demand);
  for (const { user, filters, isWatching } of people) {
    active.put(user, filters, clock.nowMs());
    active.setWatching(user.id, isWatching);
  }
  const fanOut = new FanOut({
    index,
    filters: active,
    demand,
    cursors: new CursorSource(),
    log,
  });
  const slices = new SliceStates();
  const memory = new SeenListings({ maxEntries: 1_000_000, maxAgeMs: 24 * 3_600_000 });
  const scout = new Scout({
    slices,
    memory,
    interestIn: (listing, leafId, colourIds) => fanOut.interestIn(listing, leafId, colourIds),
  });
  const { readsPerSecond } = options;
  const budget = createRequestBudget(clock, {
    read: { perSecond: readsPerSecond, burst: 1 },
    buy: { perSecond: Infinity, burst: 1 },
  });
  const deliveredAtMs = new Map<string, number>();
  let worstMs = 0;
  const publish = (reading: PageReading, state: SliceState): void => {
    const batch = fanOut.batch(reading.news, clock.nowMs());
    const proven = reading.news.filter(isNewlyProven);
    recordInterest(state, proven.length, fanOut.interestOf(proven, clock.nowMs()));
    scout.learn(reading.news, state);
    for (const { listing, filterIds } of batch.matches)
      for (const filterId of filterIds) {
        const key = `${filterId} ${listing.listing.id}`;
        if (!deliveredAtMs.has(key)) deliveredAtMs.set(key, clock.nowMs());
      }
  };
  const passParts = {
    catalogue: market,
    memory,
    clock,
    log,
    takeTurn: async () => {
      await budget.take("read");
      return true;
    },
    scout,
    loadForgotten: async () => undefined,
    publish: async (reading: PageReading, state: SliceState) => publish(reading, state),
  };
  const reader = new ReadLoops({
    slices,
    demand,
    pauses: new MarketPauses(PAUSES_OUTSIDE, createFakeRandom()),
    isHeldUp: () => false,
    budget,
    clock,
    log,
    plannerOptions: plannerOptionsFor(readsPerSecond),
    readSlice: async (state: SliceState) => {
      if (state.lastReadAtMs !== null) worstMs = Math.max(worstMs, clock.nowMs() - state.lastReadAtMs);
      return await readSlice(state, passParts);
    },
    onProgress: () => undefined,
    onPause: () => undefined,
  });
  return {
    reader,
    slices,
    deliveredAtMs,
    worstStalenessMs: () => worstMs,
    forgetStaleness: () => {
      worstMs = 0;
    },
  };
}

function filtersOf(people: readonly ModelPerson[], nowMs: number): readonly ModelFilter[] {
  let place = 0;
  return people.flatMap(({ user, filters, isWatching }) =>
    filters.flatMap((filter) => {
      const spec = compileFilter(filter);
      const lane = filter.isAutobuy ? autobuyLaneNow(user, nowMs) : null;
      place += 1;
      return spec === null
        ? []
        : [{ id: filter.id, place: place - 1, spec, rank: lane ?? (isWatching ? "watched" : "rest") }];
    }),
  );
}

function compare(
  listings: readonly ModelListing[],
  filters: readonly ModelFilter[],
  run: { deliveredAtMs: ReadonlyMap<string, number>; startMs: number; options: ReadingModelOptions },
): Pick<ReadingOutcome, "delays" | "lostCount"> {
  const delays: Delay[] = [];
  let lostCount = 0;
  for (const { listing, leafId, colourIds, publishedAtMs } of listings) {
    const candidate = candidateIn(readListing(listing), leafId, colourIds);
    for (const filter of filters) {
      if (!filterHolds(filter.spec, candidate)) continue;
      const deliveredMs = run.deliveredAtMs.get(`${filter.id} ${listing.id}`);
      if (deliveredMs === undefined) lostCount += 1;
      else {
        const pollingDelayMs = polledAtMs(filter.place, publishedAtMs, run) - publishedAtMs;
        delays.push({ rank: filter.rank, delayMs: deliveredMs - publishedAtMs, pollingDelayMs });
      }
    }
  }
  return { delays, lostCount };
}

/** When polling each filter in turn would have received the listing. */
function polledAtMs(
  place: number,
  publishedAtMs: number,
  { startMs, options }: { startMs: number; options: ReadingModelOptions },
): number {
  const { filterCount, readsPerSecond, answerMs } = options;
  const roundMs = (filterCount * 1_000) / readsPerSecond;
  const firstAtMs = startMs + (place * 1_000) / readsPerSecond;
  const round = Math.ceil((publishedAtMs - answerMs / 2 - firstAtMs) / roundMs);
  return firstAtMs + Math.max(0, round) * roundMs + answerMs;
}
