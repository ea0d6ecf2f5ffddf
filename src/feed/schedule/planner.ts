/**
 * Which slice to read next. Pure.
 *
 * The budget is fixed, so reading one slice more often means reading another less. Waiting is least, weighed by who
 * waits, when a slice is read in proportion to the square root of weight times arrivals (Cho and Garcia-Molina,
 * "Effective page refresh policies for web crawlers"). Three bounds stand above that rule: no slice is read before
 * it can have anything new, none waits longer than the staleness bound, and none so long that a page overflows. What
 * once held more than all of the marketplace's pages is read sooner from then on: what falls out of them is lost. Only
 * one that fails alone waits longer (slice-troubles.ts).
 */
import { RANK_WEIGHTS } from "./slice.ts";
import type { SliceState } from "./slice-states.ts";
import { withoutFailed } from "./slice-backoff.ts";

export interface PlannerOptions {
  readonly readsPerSecond: number;
  /** The least time between two readings of one slice. */
  readonly minIntervalMs: number;
  /**
   * Every slice is read within this; within three rounds of all slices where the budget needs longer, within ten where
   * that is sooner.
   */
  readonly maxStalenessMs: number;
  readonly pageSize: number;
  /** The marketplace serves no page beyond this one. */
  readonly maxPages: number;
}

export type Plan =
  | { readonly kind: "read"; readonly state: SliceState }
  /** Nothing may be read before then. */
  | { readonly kind: "wait"; readonly untilMs: number }
  /** Nobody asks for anything, or all that is asked for is being read. */
  | { readonly kind: "nothing" };

/** A page is read again before it is this full of new listings: a second page costs two more readings. */
const FULL_SHARE = 0.7;

/** Far above any multiple of an interval, and above one another whatever the weight. */
const STALE = 1e9;
const FULL = 1e12;
const NEVER_READ = 1e15;

/** No page comes sooner than this after the one before. */
const MIN_FITS_MS = 1_000;
const LATER_BY = 1.1;

/** Of the budget at most this much goes to slices that would hold more than all pages. */
const OVERFLOW_SHARE = 0.5;

/** How fast the estimate of arrivals follows what is seen. */
const ARRIVALS_MEMORY_MS = 300_000;

/** Listings after which older ones count half for what a slice is worth. */
const INTEREST_MEMORY = 400;

const FIRST_GUESS_LISTINGS = 10;
const FIRST_GUESS_SHARE = 0.1;
const LEAST_ARRIVALS_PER_MS = 1e-7;

/** Where the budget is small for all slices, none waits longer than so many rounds of all of them. */
const LEAST_ROUNDS = 3;
/** A tenth of the budget at most goes to slices where nothing is expected: a market that wakes up is noticed. */
const MOST_ROUNDS = 10;

/** How much of all waiting ends sooner for a look at the whole market (measured: npm run bench -- feed). */
const SCOUTED_SHARE = 0.5;

/** Cost: two looks at every slice. */
export function planNext(states: Iterable<SliceState>, nowMs: number, options: PlannerOptions): Plan {
  const idle: SliceState[] = [];
  let total = 0;
  let interest = 0;
  let arrivalsPerMs = 0;
  let count = 0;
  let overflowPagesPerSecond = 0;
  for (const state of states) {
    count += 1;
    overflowPagesPerSecond += (options.maxPages * 1_000) / state.fitsWithinMs;
    total += Math.sqrt(interestPerMs(state));
    interest += interestPerMs(state);
    arrivalsPerMs += state.arrivalsPerMs;
    if (!state.isBeingRead) idle.push(state);
  }
  const due = idle.filter((state) => earliestAtMs(state, options) <= nowMs);
  if (due.length === 0) {
    if (idle.length === 0) return { kind: "nothing" };
    return { kind: "wait", untilMs: Math.min(...idle.map((state) => earliestAtMs(state, options))) };
  }
  const roundMs = (count / options.readsPerSecond) * 1_000;
  const staleMs = clamp(options.maxStalenessMs, LEAST_ROUNDS * roundMs, MOST_ROUNDS * roundMs);
  // In a market that overruns the budget nobody may starve for the sake of full pages.
  const fullPagesPerSecond = (arrivalsPerMs * 1_000) / (options.pageSize * FULL_SHARE);
  const mindsFullPages = fullPagesPerSecond < options.readsPerSecond / 2;
  const overflowStretch = Math.max(1, overflowPagesPerSecond / (options.readsPerSecond * OVERFLOW_SHARE));
  const plan = { nowMs, staleMs, total, interest, mindsFullPages, overflowStretch, options };
  const urgency = (state: SliceState): number => urgencyOf(state, plan);
  return {
    kind: "read",
    state: withoutFailed(due).reduce((best, state) => (urgency(state) > urgency(best) ? state : best)),
  };
}

/** Takes in what a reading brought: `arrivedCount` listings that came since the reading before. */
export function noteArrivals(state: SliceState, arrivedCount: number, nowMs: number): void {
  if (state.lastReadAtMs !== null && nowMs > state.lastReadAtMs) {
    const elapsedMs = nowMs - state.lastReadAtMs;
    const observed = arrivedCount / elapsedMs;
    const trust = 1 - Math.exp(-elapsedMs / ARRIVALS_MEMORY_MS);
    state.arrivalsPerMs += trust * (observed - state.arrivalsPerMs);
  }
  state.lastReadAtMs = nowMs;
}

/**
 * Takes in how deep a reading went, before `noteArrivals` takes in that it took place. One that was cut off at the
 * last page must come twice as soon; while half of the pages are enough, it may come a little later each time.
 */
export function noteDepth(
  state: SliceState,
  reading: { readonly pages: number; readonly isCutOff: boolean; readonly maxPages: number },
  nowMs: number,
): void {
  if (state.lastReadAtMs === null) return;
  const waitedMs = nowMs - state.lastReadAtMs;
  if (reading.isCutOff) state.fitsWithinMs = Math.max(MIN_FITS_MS, waitedMs / 2);
  else if (reading.pages * 2 <= reading.maxPages && waitedMs * 2 > state.fitsWithinMs)
    state.fitsWithinMs *= LATER_BY;
}

/** Takes in how much people care for what the slice proved. */
export function noteInterest(state: SliceState, provenCount: number, interest: number): void {
  state.provenCount += provenCount;
  state.interest += interest;
  if (state.provenCount < INTEREST_MEMORY) return;
  state.provenCount /= 2;
  state.interest /= 2;
}

function earliestAtMs({ lastReadAtMs, trouble }: SliceState, { minIntervalMs }: PlannerOptions): number {
  return Math.max(lastReadAtMs === null ? -Infinity : lastReadAtMs + minIntervalMs, trouble.restsUntilMs);
}

/**
 * The weight of those who are told of what comes in, by millisecond: of each listing as much as was learned, and
 * before anything was, one tenth of the most urgent who waits. Where nothing ever comes it keeps a little.
 */
function interestPerMs({ slice, arrivalsPerMs, provenCount, interest }: SliceState): number {
  const presumed = FIRST_GUESS_LISTINGS * FIRST_GUESS_SHARE * RANK_WEIGHTS[slice.rank];
  const perListing = (interest + presumed) / (provenCount + FIRST_GUESS_LISTINGS);
  return Math.max(arrivalsPerMs, LEAST_ARRIVALS_PER_MS) * perListing;
}

/**
 * How much waiting a reading now would end, in units of what it ends when each slice is read at its own interval:
 * the square of the elapsed share of that interval, and for what is expected for certain the interval that it would
 * otherwise wait. What was never read goes first, then what is stale beyond the bound, in both cases by weight.
 */
function urgencyOf(
  state: SliceState,
  plan: {
    readonly nowMs: number;
    readonly staleMs: number;
    readonly total: number;
    readonly interest: number;
    readonly mindsFullPages: boolean;
    /** By how much overflowing slices must wait longer than they should, for the budget's sake. */
    readonly overflowStretch: number;
    readonly options: PlannerOptions;
  },
): number {
  const weight = RANK_WEIGHTS[state.slice.rank];
  if (state.lastReadAtMs === null) return NEVER_READ * weight;
  const waitedMs = plan.nowMs - state.lastReadAtMs;
  const fullness = (waitedMs * state.arrivalsPerMs) / (plan.options.pageSize * FULL_SHARE);
  if (fullness >= 1 && plan.mindsFullPages) return FULL * fullness;
  const overflow = waitedMs / (state.fitsWithinMs * plan.overflowStretch);
  if (overflow >= 1) return FULL * overflow;
  if (waitedMs >= plan.staleMs) return STALE * weight + waitedMs;
  const readsPerMs = plan.options.readsPerSecond / 1_000;
  const own = interestPerMs(state) + (isWholeMarket(state) ? SCOUTED_SHARE * plan.interest : 0);
  const intervalMs = plan.total / (readsPerMs * Math.sqrt(own));
  return (waitedMs / intervalMs) ** 2 + (2 * expectedIn(state)) / (own * intervalMs);
}

function isWholeMarket({ slice }: SliceState): boolean {
  return slice.leafIds.length === 0 && slice.marketplaceColourIds.length === 0;
}

function expectedIn({ expected }: SliceState): number {
  let total = 0;
  for (const interest of expected.values()) total += interest;
  return total;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
