import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "#domain/clock.ts";
import { createRequestBudget, type LaneRate } from "./request-budget.ts";

/** A clock that does not advance: it records each delay and runs the action immediately. */
function waitingRoom(): {
  readonly clock: Clock;
  readonly waitsMs: number[];
  readonly setNow: (nowMs: number) => void;
} {
  let nowMs = 0;
  const waitsMs: number[] = [];
  return {
    waitsMs,
    setNow: (value) => {
      nowMs = value;
    },
    clock: {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      schedule(delayMs, action) {
        waitsMs.push(delayMs);
        action();
        return () => undefined;
      },
    },
  };
}

const UNLIMITED: LaneRate = { perSecond: Infinity, burst: 1 };

test("a burst is sent at once, later calls are spaced out", async () => {
  const { clock, waitsMs } = waitingRoom();
  const budget = createRequestBudget(clock, { read: { perSecond: 10, burst: 3 }, buy: UNLIMITED });
  for (let call = 0; call < 6; call += 1) await budget.take("read");
  expect(waitsMs).toEqual([100, 200, 300]);
});

test("an idle time restores the burst and no more", async () => {
  const { clock, waitsMs, setNow } = waitingRoom();
  const budget = createRequestBudget(clock, { read: { perSecond: 1, burst: 1 }, buy: UNLIMITED });
  await budget.take("read");
  setNow(60_000);
  await budget.take("read");
  await budget.take("read");
  expect(waitsMs).toEqual([1_000]);
});

test("reading never slows buying", async () => {
  const { clock, waitsMs } = waitingRoom();
  const budget = createRequestBudget(clock, {
    read: { perSecond: 1, burst: 1 },
    buy: { perSecond: 10, burst: 1 },
  });
  for (let call = 0; call < 50; call += 1) await budget.take("read");
  waitsMs.length = 0;
  await budget.take("buy");
  expect(waitsMs).toEqual([]);
});

test("a look-up of a seller counts as a read too, and look-ups keep to their own share", async () => {
  const { clock, waitsMs, setNow } = waitingRoom();
  const budget = createRequestBudget(clock, {
    read: { perSecond: 10, burst: 1 },
    buy: UNLIMITED,
    look_up: { perSecond: 5, burst: 1 },
  });
  await budget.take("look_up");
  await budget.take("read");
  expect(waitsMs.splice(0)).toEqual([100]);
  // The share would allow another look-up after 200 ms, when the total is used up for 200 ms as well.
  await budget.take("look_up");
  expect(waitsMs.splice(0)).toEqual([200, 200]);
  setNow(60_000);
  await budget.take("read");
  await budget.take("read");
  await budget.take("look_up");
  expect(waitsMs.splice(0)).toEqual([100, 200]);
  await budget.take("buy");
  expect(waitsMs).toEqual([]);
});

test("a lane without limit never waits", async () => {
  const { clock, waitsMs } = waitingRoom();
  const budget = createRequestBudget(clock, { read: UNLIMITED, buy: UNLIMITED });
  for (let call = 0; call < 100; call += 1) await budget.take("buy");
  expect(waitsMs).toEqual([]);
});

test("an invalid rate is rejected", () => {
  const { clock } = waitingRoom();
  for (const perSecond of [0, -1, Number.NaN]) {
    expect(() => createRequestBudget(clock, { read: { perSecond, burst: 1 }, buy: UNLIMITED })).toThrow(
      RangeError,
    );
  }
});

test("no period contains more calls than the rate and the burst allow", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 }),
      async (perSecond, burst, gapsMs) => {
        const { clock, waitsMs, setNow } = waitingRoom();
        const budget = createRequestBudget(clock, { read: { perSecond, burst }, buy: UNLIMITED });
        const leftAtMs: number[] = [];
        let nowMs = 0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          setNow(nowMs);
          waitsMs.length = 0;
          await budget.take("read");
          leftAtMs.push(nowMs + (waitsMs[0] ?? 0));
        }
        for (let first = 0; first < leftAtMs.length; first += 1) {
          for (let last = first; last < leftAtMs.length; last += 1) {
            const spanMs = (leftAtMs[last] ?? 0) - (leftAtMs[first] ?? 0);
            expect(last - first + 1).toBeLessThanOrEqual(burst + Math.ceil((spanMs * perSecond) / 1_000));
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
