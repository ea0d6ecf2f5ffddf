import { afterEach, expect, test } from "vitest";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { recordArrivals } from "../schedule/planner.ts";
import { SliceDemand } from "../schedule/slice-demand.ts";
import { type SliceState, SliceStates } from "../schedule/slice-states.ts";
import { MarketPauses, type Pause, PAUSES_OUTSIDE } from "./market-pauses.ts";
import { ReadLoops } from "./read-loops.ts";
import type { PassOutcome } from "./slice-pages.ts";

/** Only the loops: the test decides the outcome of each reading, and the start of each is recorded. */
class Loops {
  readonly clock = new FakeClock(0);
  readonly demand = new SliceDemand();
  readonly pauses = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  readonly log = createQuietLog();
  readonly readAtMs: number[] = [];
  readonly began: Pause[] = [];
  read: (state: SliceState) => Promise<PassOutcome> = async () => "read";
  readonly reader: ReadLoops;

  constructor(readsPerSecond: number) {
    this.reader = new ReadLoops({
      slices: new SliceStates(),
      demand: this.demand,
      pauses: this.pauses,
      isHeldUp: () => false,
      budget: createRequestBudget(this.clock, {
        read: { perSecond: readsPerSecond, burst: 1 },
        buy: { perSecond: Infinity, burst: 1 },
      }),
      clock: this.clock,
      log: this.log,
      plannerOptions: {
        readsPerSecond,
        minIntervalMs: 150,
        maxStalenessMs: 60_000,
        pageSize: 96,
        maxPages: 10,
      },
      readSlice: async (state) => {
        this.readAtMs.push(this.clock.nowMs());
        const outcome = await this.read(state);
        recordArrivals(state, 0, this.clock.nowMs());
        return outcome;
      },
      onProgress: () => undefined,
      onPause: (pause) => this.began.push(pause),
    });
    running.add(this);
  }

  want(...leafIds: readonly number[]): void {
    for (const leafId of leafIds) {
      this.demand.put(leafId, { leafSets: [[leafId]], marketplaceColourIds: [], rank: "rest" });
    }
    this.reader.wake();
  }
}

const running = new Set<Loops>();

afterEach(async () => {
  await Promise.all(
    Array.from(running, async (loops) => {
      const stopped = loops.reader.stop();
      await loops.clock.advance(120_000);
      await stopped;
    }),
  );
  running.clear();
});

test("without demand nothing is read, and reading starts as soon as there is any", async () => {
  const loops = new Loops(20);
  loops.reader.start(2);
  await loops.clock.advance(10_000);
  expect(loops.readAtMs).toEqual([]);
  loops.want(221);
  await loops.clock.advance(10);
  expect(loops.readAtMs).toEqual([10_000]);
});

test("the budget holds, however many slices wait", async () => {
  const loops = new Loops(1);
  loops.want(...Array.from({ length: 50 }, (_, index) => index + 1));
  loops.reader.start(2);
  await loops.clock.advance(60_000);
  expect(loops.readAtMs.length).toBeGreaterThanOrEqual(59);
  expect(loops.readAtMs.length).toBeLessThanOrEqual(61);
});

test("a lone slice is not read more often than every 150 ms", async () => {
  const loops = new Loops(20);
  loops.want(221);
  loops.reader.start(2);
  await loops.clock.advance(1_500);
  expect(loops.readAtMs).toEqual(Array.from({ length: 11 }, (_, index) => index * 150));
});

test("after a 429 nothing is sent before the time that the marketplace named, then one probe", async () => {
  const loops = new Loops(20);
  loops.want(1, 2, 3, 4, 5, 6);
  loops.read = async () => {
    throw new MarketplaceError("rate_limited", { status: 429, retryAfterMs: 5_000 });
  };
  loops.reader.start(2);
  await loops.clock.advance(4_900);
  const before = loops.readAtMs.length;
  expect(before).toBeLessThanOrEqual(2);
  const lastMs = loops.readAtMs.at(-1) ?? 0;
  let release: (outcome: PassOutcome) => void = () => undefined;
  loops.read = async () => await new Promise((resolve) => (release = resolve));
  await loops.clock.advance(5_000);
  expect(loops.readAtMs.length).toBe(before + 1);
  expect(loops.readAtMs.at(-1)).toBeGreaterThanOrEqual(lastMs + 5_000);
  loops.read = async () => "read";
  release("read");
  await loops.clock.advance(1_000);
  expect(loops.readAtMs.length).toBeGreaterThan(before + 5);
  expect(loops.pauses.shown).toBeNull();
});

test("consecutive failures are retried less and less often, and each is reported", async () => {
  const loops = new Loops(20);
  loops.want(1);
  loops.read = async () => {
    throw new MarketplaceError("server_error", { status: 500 });
  };
  loops.reader.start(2);
  await loops.clock.advance(300_000);
  const gaps = loops.readAtMs.slice(1).map((atMs, index) => atMs - (loops.readAtMs[index] ?? 0));
  expect(gaps.length).toBeLessThan(16);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(45_000);
  expect(loops.began.every(({ reason }) => reason === "unreachable")).toBe(true);
  expect(loops.began.length).toBe(loops.readAtMs.length);
});

test("an interrupted reading does not end the probing", async () => {
  const loops = new Loops(20);
  loops.want(1);
  loops.read = async () => {
    throw new MarketplaceError("server_error", { status: 500 });
  };
  loops.reader.start(2);
  await loops.clock.advance(10);
  loops.read = async () => "interrupted";
  await loops.clock.advance(10_000);
  expect(loops.readAtMs.length).toBeGreaterThan(2);
  expect(loops.pauses.shown).not.toBeNull();
});

test("a slice that is always suspiciously empty does not delay the others", async () => {
  const loops = new Loops(20);
  loops.want(1, 2, 3);
  const doubtedAtMs: number[] = [];
  loops.read = async ({ slice }) => {
    if (!slice.leafIds.includes(1)) return "read";
    doubtedAtMs.push(loops.clock.nowMs());
    return "suspiciously_empty";
  };
  loops.reader.start(2);
  await loops.clock.advance(600_000);
  expect(doubtedAtMs.length).toBeGreaterThan(3);
  expect(doubtedAtMs.length).toBeLessThan(15);
  expect(loops.readAtMs.length - doubtedAtMs.length).toBeGreaterThan(1_000);
});

test("a bug pauses reading too, and is logged as an error", async () => {
  const loops = new Loops(20);
  loops.want(1);
  loops.read = async () => {
    throw new TypeError("a bug");
  };
  loops.reader.start(1);
  await loops.clock.advance(30_000);
  expect(loops.readAtMs.length).toBeLessThan(6);
  expect(loops.log.lines.some(({ level }) => level === "error")).toBe(true);
});

test("one slow answer does not delay the other slices", async () => {
  const loops = new Loops(20);
  loops.want(1, 2, 3);
  loops.read = async (state) => {
    if (state.slice.leafIds.includes(1))
      await new Promise((resolve) => loops.clock.schedule(9_000, () => resolve(null)));
    return "read";
  };
  loops.reader.start(2);
  await loops.clock.advance(5_000);
  expect(loops.readAtMs.length).toBeGreaterThan(30);
});

test("stop() waits for the request in flight, and nothing is sent after it", async () => {
  const loops = new Loops(20);
  loops.want(1, 2);
  let isAnswered = false;
  loops.read = async () => {
    await new Promise((resolve) => loops.clock.schedule(500, () => resolve(null)));
    isAnswered = true;
    return "read";
  };
  loops.reader.start(2);
  await loops.clock.advance(10);
  let isStopped = false;
  const stopping = loops.reader.stop().then(() => (isStopped = true));
  await loops.clock.advance(400);
  expect(isStopped).toBe(false);
  await loops.clock.advance(1_000);
  await stopping;
  const count = loops.readAtMs.length;
  await loops.clock.advance(10_000);
  expect(isAnswered).toBe(true);
  expect(loops.readAtMs.length).toBe(count);
});
