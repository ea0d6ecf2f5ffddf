import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;

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
