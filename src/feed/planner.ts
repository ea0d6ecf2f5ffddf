/**
 * Which slice to read next. Pure.
 *
 * The budget is fixed, so reading one slice more often means reading another less. Waiting is least, weighed by who
 * waits, when a slice is read in proportion to the square root of weight times arrivals (Cho and Garcia-Molina,
 * "Effective page refresh policies for web crawlers"). Three bounds stand above that rule: no slice is read before
 * it can have anything new, none waits longer than the staleness bound, and none so long that a page overflows.
 */
import type { SliceRank } from "./slice.ts";
import type { SliceState } from "./slice-book.ts";

export interface PlannerOptions {
  readonly readsPerSecond: number;
  /** The least time between two readings of one slice. */
  readonly minIntervalMs: number;
  /** Every slice is read within this, or within three rounds of all slices where the budget needs longer. */
  readonly maxStalenessMs: number;
  readonly pageSize: number;
}

export type Plan =
  | { readonly kind: "read"; readonly state: SliceState }
  /** Nothing may be read before then. */
  | { readonly kind: "wait"; readonly untilMs: number }
  /** Nobody asks for anything, or all that is asked for is being read. */
  | { readonly kind: "nothing" };

const RANK_WEIGHTS: Readonly<Record<SliceRank, number>> = { thunder: 64, acquire: 16, watched: 4, rest: 1 };

/** A page is read again before it is this full of new listings, so that bursts still fit. */
const OVERFLOW_SHARE = 0.5;

/** Far above any multiple of an interval, and above one another whatever the weight. */
const STALE = 1e9;
const NEVER_READ = 1e15;

/** How fast the estimate of arrivals follows what is seen. */
const ARRIVALS_MEMORY_MS = 300_000;

/** Cost: two looks at every slice. */
export function planNext(states: Iterable<SliceState>, nowMs: number, options: PlannerOptions): Plan {
  const idle: SliceState[] = [];
  let total = 0;
  let count = 0;
  for (const state of states) {
    count += 1;
    total += shareOf(state);
    if (!state.isBeingRead) idle.push(state);
  }
  const due = idle.filter((state) => earliestAtMs(state, options) <= nowMs);
  if (due.length === 0) {
    if (idle.length === 0) return { kind: "nothing" };
    return { kind: "wait", untilMs: Math.min(...idle.map((state) => earliestAtMs(state, options))) };
  }
  const roundMs = (count / options.readsPerSecond) * 1_000;
  const staleMs = Math.max(options.maxStalenessMs, 3 * roundMs);
  const urgency = (state: SliceState): number => urgencyOf(state, { nowMs, staleMs, total, options });
  return {
    kind: "read",
    state: due.reduce((best, state) => (urgency(state) > urgency(best) ? state : best)),
  };
}

/** Takes in what a reading brought: `freshCount` listings that appeared since the reading before. */
export function noteArrivals(state: SliceState, freshCount: number, nowMs: number): void {
  if (state.lastReadAtMs !== null && nowMs > state.lastReadAtMs) {
    const elapsedMs = nowMs - state.lastReadAtMs;
    const observed = freshCount / elapsedMs;
    const trust = 1 - Math.exp(-elapsedMs / ARRIVALS_MEMORY_MS);
    state.arrivalsPerMs += trust * (observed - state.arrivalsPerMs);
  }
  state.lastReadAtMs = nowMs;
}

function earliestAtMs({ lastReadAtMs }: SliceState, { minIntervalMs }: PlannerOptions): number {
  return lastReadAtMs === null ? -Infinity : lastReadAtMs + minIntervalMs;
}

/** The square root of weight times arrivals; a slice where nothing ever comes keeps a little. */
function shareOf({ slice, arrivalsPerMs }: SliceState): number {
  return Math.sqrt(RANK_WEIGHTS[slice.rank] * Math.max(arrivalsPerMs, 1e-7));
}

/**
 * How far a slice is past its time, as a multiple of its own interval. What was never read goes first, then what
 * is stale beyond the bound, in both cases by weight.
 */
function urgencyOf(
  state: SliceState,
  plan: { nowMs: number; staleMs: number; total: number; options: PlannerOptions },
): number {
  const weight = RANK_WEIGHTS[state.slice.rank];
  if (state.lastReadAtMs === null) return NEVER_READ * weight;
  const waitedMs = plan.nowMs - state.lastReadAtMs;
  if (waitedMs >= plan.staleMs) return STALE * weight + waitedMs;
  const readsPerMs = (plan.options.readsPerSecond / 1_000) * (shareOf(state) / plan.total);
  const overflowsPerMs = state.arrivalsPerMs / (plan.options.pageSize * OVERFLOW_SHARE);
  return waitedMs * Math.max(readsPerMs, overflowsPerMs);
}
