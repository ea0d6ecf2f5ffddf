import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { steadyTime, systemClock } from "./clock.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("schedule() waits longer than a single timer can", async () => {
  const action = vi.fn<() => void>();
  systemClock.schedule(40 * DAY_MS, action);
  await vi.advanceTimersByTimeAsync(40 * DAY_MS - 1);
  expect(action).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(action).toHaveBeenCalledTimes(1);
});

test("a scheduled action can be taken back, also after its first timer ended", async () => {
  const action = vi.fn<() => void>();
  const cancel = systemClock.schedule(40 * DAY_MS, action);
  await vi.advanceTimersByTimeAsync(30 * DAY_MS);
  cancel();
  await vi.advanceTimersByTimeAsync(30 * DAY_MS);
  expect(action).not.toHaveBeenCalled();
});

test("time that the machine sets back goes on, slower, until the machine's time has caught up", () => {
  let [machineMs, ticksMs] = [1_000_000, 0];
  const now = steadyTime(
    () => machineMs,
    () => ticksMs,
  );
  const after = (ms: number): number => {
    machineMs += ms;
    ticksMs += ms;
    return now();
  };
  expect(now()).toBe(1_000_000);
  expect(after(500)).toBe(1_000_500);
  machineMs -= 10_000;
  expect(now()).toBe(1_000_500);
  expect(after(1_000)).toBe(1_001_000);
  expect(after(9_000)).toBe(1_005_500);
  expect(after(9_000)).toBe(machineMs + 500);
  // Catching up takes twice as long as the step.
  expect(after(1_000)).toBe(machineMs);
  expect(after(5_000)).toBe(machineMs);
  machineMs += 60_000;
  expect(now()).toBe(machineMs);
});
