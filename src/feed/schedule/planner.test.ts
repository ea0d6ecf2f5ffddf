import * as fc from "fast-check";
import { expect, test } from "vitest";
import { recordArrivals, recordDepth, type PlannerOptions, planNext } from "./planner.ts";
import { type SliceState, SliceStates } from "./slice-states.ts";
import { SLICE_RANKS, sliceOf, type SliceRank } from "./slice.ts";

const options: PlannerOptions = {
  readsPerSecond: 1,
  minIntervalMs: 150,
  maxStalenessMs: 60_000,
  pageSize: 96,
  maxPages: 10,
};

function statesOf(ranks: readonly SliceRank[]): readonly SliceState[] {
  const slices = new SliceStates();
  slices.update(
    ranks.map((rank, index) => sliceOf([index + 1], null, rank)),
    0,
  );
  return [...slices.states];
}

/** Reads at the budget's rate; listings arrive evenly. */
function simulate(
  states: readonly SliceState[],
  arrivalsPerSecond: (state: SliceState) => number,
  settings: { readonly reads: number; readonly options: PlannerOptions },
): {
  readonly reads: Map<SliceState, number>;
  readonly longestWaitMs: Map<SliceState, number>;
  spentMs: number;
} {
  const reads = new Map(states.map((state) => [state, 0]));
  const longestWaitMs = new Map(states.map((state) => [state, 0]));
  let nowMs = 0;
  for (let read = 0; read < settings.reads; read += 1) {
    const plan = planNext(states, nowMs, settings.options);
    if (plan.kind === "nothing") throw new Error("there is always something to read");
    if (plan.kind === "wait") {
      nowMs = plan.untilMs;
      continue;
    }
    const { state } = plan;
    const waitedMs = nowMs - (state.lastReadAtMs ?? 0);
    longestWaitMs.set(state, Math.max(longestWaitMs.get(state) ?? 0, waitedMs));
    reads.set(state, (reads.get(state) ?? 0) + 1);
    recordArrivals(state, (waitedMs * arrivalsPerSecond(state)) / 1_000, nowMs);
    nowMs += 1_000 / settings.options.readsPerSecond;
  }
  return { reads, longestWaitMs, spentMs: nowMs };
}

test("a slice that exceeded all pages is read twice as often, and less often again while it is shallow", () => {
  const [busy, ...others] = statesOf(["rest", "thunder", "thunder", "thunder", "acquire"]);
  if (busy === undefined) throw new Error("no slice");
  for (const state of [busy, ...others]) recordArrivals(state, 0, 0);
  const cutOffAtMs = 40_000;
  recordDepth(busy, { pages: 10, isCutOff: true, maxPages: 10 }, cutOffAtMs);
  for (const state of [busy, ...others]) recordArrivals(state, 500, cutOffAtMs);
  const first = planNext([busy, ...others], cutOffAtMs + 19_000, options);
  expect(first).not.toMatchObject({ state: busy });
  expect(planNext([busy, ...others], cutOffAtMs + 20_001, options)).toMatchObject({ state: busy });
  recordDepth(busy, { pages: 6, isCutOff: false, maxPages: 10 }, cutOffAtMs + 20_000);
  expect(busy.fitsWithinMs).toBe(20_000);
  recordDepth(busy, { pages: 5, isCutOff: false, maxPages: 10 }, cutOffAtMs + 20_000);
  expect(busy.fitsWithinMs).toBe(22_000);
});

test("slices that exceed all pages get at most half of the budget", () => {
  const states = statesOf(["rest", "rest", "rest", "thunder", "acquire"]);
  for (const state of states.slice(0, 3)) state.fitsWithinMs = 2_000;
  const { reads } = simulate(states, () => 0.01, { reads: 1_000, options });
  const [one = 0, two = 0, three = 0] = states.map((state) => reads.get(state) ?? 0);
  // Each of their readings costs ten pages, so half of the budget allows one such reading in 20 seconds.
  expect(one + two + three).toBeLessThan(400);
  expect(Math.min(...reads.values())).toBeGreaterThan(10);
});

test("slices that were never read come first, by rank", () => {
  const states = statesOf(["rest", "thunder", "acquire", "watched"]);
  const order: SliceRank[] = [];
  for (let nowMs = 0; nowMs < 4; nowMs += 1) {
    const plan = planNext(states, nowMs, options);
    if (plan.kind !== "read") throw new Error("four slices wait to be read");
    order.push(plan.state.slice.rank);
    recordArrivals(plan.state, 0, nowMs);
  }
  expect(order).toEqual([...SLICE_RANKS]);
});

test("a slice is not read twice concurrently, nor before it can contain anything new", () => {
  const [state, ...others] = statesOf(["thunder"]);
  if (state === undefined || others.length > 0) throw new Error("one slice was asked for");
  state.isBeingRead = true;
  expect(planNext([state], 0, options)).toEqual({ kind: "nothing" });
  state.isBeingRead = false;
  recordArrivals(state, 0, 1_000);
  expect(planNext([state], 1_001, options)).toEqual({ kind: "wait", untilMs: 1_150 });
  expect(planNext([state], 1_150, options)).toEqual({ kind: "read", state });
  expect(planNext([], 0, options)).toEqual({ kind: "nothing" });
});

test("reading frequency follows the square root of the arrival rate", () => {
  const states = statesOf(Array.from({ length: 20 }, () => "rest"));
  const isBusy = (state: SliceState): boolean => states.indexOf(state) < 10;
  const { reads } = simulate(states, (state) => (isBusy(state) ? 0.16 : 0.01), { reads: 8_000, options });
  const sum = (wanted: boolean): number =>
    states
      .filter((state) => isBusy(state) === wanted)
      .reduce((all, state) => all + (reads.get(state) ?? 0), 0);
  const ratio = sum(true) / sum(false);
  expect(ratio).toBeGreaterThan(3.4);
  expect(ratio).toBeLessThan(4.6);
});

test("Thunder is read more often than Acquire, Acquire more often than what is only watched", () => {
  const states = statesOf(["rest", "watched", "acquire", "thunder"]);
  const { reads } = simulate(states, () => 0.05, { reads: 4_000, options });
  const [rest = 0, watched = 0, acquire = 0, thunder = 0] = states.map((state) => reads.get(state));
  expect(thunder).toBeGreaterThan(1.5 * acquire);
  expect(acquire).toBeGreaterThan(1.5 * watched);
  expect(watched).toBeGreaterThan(1.2 * rest);
});

test("a busy slice is read before its page overflows, whatever the others weigh", () => {
  const states = statesOf(["rest", ...Array.from({ length: 20 }, () => "thunder" as const)]);
  const [busy] = states;
  if (busy === undefined) throw new Error("slices were asked for");
  const { reads, spentMs } = simulate(states, (state) => (state === busy ? 5 : 0.05), {
    reads: 6_000,
    options,
  });
  const meanIntervalMs = spentMs / (reads.get(busy) ?? 1);
  expect(meanIntervalMs * 0.005).toBeLessThan(96);
});

test("no slice waits longer than the bound, however little it weighs", () => {
  const rank = fc.constantFrom(...SLICE_RANKS);
  fc.assert(
    fc.property(
      fc.array(rank, { minLength: 1, maxLength: 40 }),
      fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 40, maxLength: 40 }),
      (ranks, rates) => {
        const states = statesOf(ranks);
        const { longestWaitMs } = simulate(states, (state) => rates[states.indexOf(state)] ?? 0, {
          reads: 40 * ranks.length,
          options,
        });
        const boundMs = Math.max(options.maxStalenessMs, 3_000 * ranks.length) + 1_000 * ranks.length;
        expect(Math.max(...longestWaitMs.values())).toBeLessThanOrEqual(boundMs);
      },
    ),
    { numRuns: 60 },
  );
});

test("a market that becomes active is noticed in every slice within about ten rounds", () => {
  const states = statesOf(Array.from({ length: 24 }, () => "watched" as const));
  const wokeAtMs = 3_600_000;
  for (const state of states) for (const atMs of [0, wokeAtMs]) recordArrivals(state, 0, atMs);
  const ample = { ...options, readsPerSecond: 40 };
  const unread = new Set(states);
  let nowMs = wokeAtMs + 1_000;
  for (; unread.size > 0; nowMs += 25) {
    const plan = planNext(states, nowMs, ample);
    if (plan.kind !== "read") continue;
    unread.delete(plan.state);
    recordArrivals(plan.state, (nowMs - (plan.state.lastReadAtMs ?? 0)) * 0.008, nowMs);
  }
  const roundMs = (states.length / ample.readsPerSecond) * 1_000;
  expect(nowMs - wokeAtMs).toBeLessThan(12 * roundMs);
});
