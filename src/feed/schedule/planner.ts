/**
 * Chooses the slice to read next. Pure.
 *
 * The budget is fixed, so reading one slice more often means reading another less. The weighted waiting time
 * is minimal when each slice is read in proportion to the square root of weight times arrival rate (Cho and
 * Garcia-Molina, "Effective page refresh policies for web crawlers"). Three bounds take precedence: a slice
 * is not read before it can contain anything new, nor later than the staleness bound, nor after its first
 * page overflows. One that once exceeded all pages of the marketplace is read sooner from then on, because
 * listings beyond the last page are lost. Only a slice that fails alone waits longer (slice-backoff.ts).
 */
import { preferNotFailed } from "./slice-backoff.ts";
import type { SliceState } from "./slice-states.ts";
import { RANK_WEIGHTS } from "./slice.ts";

export interface PlannerOptions {
  readonly readsPerSecond: number;
  /** Minimum time between two readings of one slice. */
  readonly minIntervalMs: number;
  /**
   * Upper bound between two readings of a slice, but clamped to between three and ten rounds of all slices at
   * the budget's rate.
   */
  readonly maxStalenessMs: number;
  readonly pageSize: number;
  /** The marketplace serves no page beyond this one. */
  readonly maxPages: number;
}

export type Plan =
  | { readonly kind: "read"; readonly state: SliceState }
  /** Nothing may be read before this moment. */
  | { readonly kind: "wait"; readonly untilMs: number }
  /** There is no demand, or every slice is being read. */
  | { readonly kind: "nothing" };

/** A slice is read again before this share of its first page is new: a second page costs two requests. */
const FULL_SHARE = 0.7;

/** Urgency levels: above any multiple of an interval, and far enough apart that no weight reorders them. */
const STALE = 1e9;
const FULL = 1e12;
const NEVER_READ = 1e15;

/** Lower bound of `fitsWithinMs`. */
const MIN_FITS_MS = 1_000;
const LATER_BY = 1.1;

/** At most this share of the budget goes to slices that exceed all pages. */
const OVERFLOW_SHARE = 0.5;

/** Time constant of the smoothed arrival rate. */
const ARRIVALS_MEMORY_MS = 300_000;

/** After this many listings, older ones count half in a slice's interest. */
const INTEREST_MEMORY = 400;

const FIRST_GUESS_LISTINGS = 10;
const FIRST_GUESS_SHARE = 0.1;
const LEAST_ARRIVALS_PER_MS = 1e-7;

/** Lower bound of the staleness bound, in rounds of all slices: a small budget cannot keep a shorter one. */
const LEAST_ROUNDS = 3;
/**
 * Upper bound of the staleness bound, in rounds: at most a tenth of the budget goes to slices where nothing
 * is expected, so that a market that becomes active is noticed.
 */
const MOST_ROUNDS = 10;

/** As often as the page reads its preview of the market again. */
const PREVIEW_INTERVAL_MS = 15_000;

/** Share of all waiting that a reading of the whole market shortens (measured: npm run bench -- feed). */
const SCOUTED_SHARE = 0.5;

/** Cost: two passes over all slices. */
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
  // If the market exceeds the budget, avoiding full pages must not starve any slice.
  const fullPagesPerSecond = (arrivalsPerMs * 1_000) / (options.pageSize * FULL_SHARE);
  const avoidsFullPages = fullPagesPerSecond < options.readsPerSecond / 2;
  const overflowStretch = Math.max(1, overflowPagesPerSecond / (options.readsPerSecond * OVERFLOW_SHARE));
  const plan = { nowMs, staleMs, total, interest, avoidsFullPages, overflowStretch, options };
  const urgency = (state: SliceState): number => urgencyOf(state, plan);
  return {
    kind: "read",
    state: preferNotFailed(due).reduce((best, state) => (urgency(state) > urgency(best) ? state : best)),
  };
}

/** Records a reading: `arrivedCount` listings arrived since the reading before. */
export function recordArrivals(state: SliceState, arrivedCount: number, nowMs: number): void {
  if (state.lastReadAtMs !== null && nowMs > state.lastReadAtMs) {
    const elapsedMs = nowMs - state.lastReadAtMs;
    const observed = arrivedCount / elapsedMs;
    const trust = 1 - Math.exp(-elapsedMs / ARRIVALS_MEMORY_MS);
    state.arrivalsPerMs += trust * (observed - state.arrivalsPerMs);
  }
  state.lastReadAtMs = nowMs;
}

/**
 * Records how many pages a reading needed; call it before `recordArrivals`. A slice that was cut off at the
 * last page is read twice as often; while half of the pages suffice, the interval grows slowly.
 */
export function recordDepth(
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

/** Records the interest in what the slice proved. */
export function recordInterest(state: SliceState, provenCount: number, interest: number): void {
  state.provenCount += provenCount;
  state.interest += interest;
  if (state.provenCount < INTEREST_MEMORY) return;
  state.provenCount /= 2;
  state.interest /= 2;
}

function earliestAtMs({ slice, lastReadAtMs, backoff }: SliceState, options: PlannerOptions): number {
  const intervalMs = slice.isPreview ? PREVIEW_INTERVAL_MS : options.minIntervalMs;
  return Math.max(lastReadAtMs === null ? -Infinity : lastReadAtMs + intervalMs, backoff.pausedUntilMs);
}

/**
 * Weight of the people waiting for what arrives, per millisecond: the learned interest per listing, before
 * that a tenth of the most urgent rank. Never zero, so that an empty slice keeps a small share.
 */
function interestPerMs({ slice, arrivalsPerMs, provenCount, interest }: SliceState): number {
  const presumed = FIRST_GUESS_LISTINGS * FIRST_GUESS_SHARE * RANK_WEIGHTS[slice.rank];
  const perListing = (interest + presumed) / (provenCount + FIRST_GUESS_LISTINGS);
  return Math.max(arrivalsPerMs, LEAST_ARRIVALS_PER_MS) * perListing;
}

/**
 * How much waiting a reading now would end: the square of the elapsed share of the slice's interval, plus,
 * for listings expected there, the interval that they would otherwise wait. Slices that were never read come
 * first, then those near overflow, then those beyond the staleness bound.
 */
function urgencyOf(
  state: SliceState,
  plan: {
    readonly nowMs: number;
    readonly staleMs: number;
    readonly total: number;
    readonly interest: number;
    readonly avoidsFullPages: boolean;
    /** Factor on the interval of overflowing slices that keeps them within their share of the budget. */
    readonly overflowStretch: number;
    readonly options: PlannerOptions;
  },
): number {
  const weight = RANK_WEIGHTS[state.slice.rank];
  if (state.lastReadAtMs === null) return NEVER_READ * weight;
  const waitedMs = plan.nowMs - state.lastReadAtMs;
  const fullness = (waitedMs * state.arrivalsPerMs) / (plan.options.pageSize * FULL_SHARE);
  if (fullness >= 1 && plan.avoidsFullPages) return FULL * fullness;
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
