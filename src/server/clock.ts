import type { Clock } from "#domain/clock.ts";

/** The maximum delay of setTimeout: a longer one would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The rate of time while a system clock that was set back catches up: for twice as long as the step. */
const CATCHING_UP = 0.5;

/**
 * The system time, made monotonic: if it were set back, everything due by it would wait for as long as the
 * step. Machines often correct their time after boot, by hours if the hardware clock is in local time.
 * @param tickMs a monotonic clock
 */
export function steadyTime(machineMs: () => number, tickMs: () => number): () => number {
  let latestMs = -Infinity;
  let latestTickMs = 0;
  return () => {
    const ticksMs = tickMs();
    latestMs = Math.max(machineMs(), latestMs + (ticksMs - latestTickMs) * CATCHING_UP);
    latestTickMs = ticksMs;
    return Math.trunc(latestMs);
  };
}

/** The system clock, never going back. */
export const systemClock: Clock = {
  nowMs: steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
  monotonicMs: () => performance.now(),
  schedule(delayMs, action) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(leftMs, 0), MAX_TIMER_MS);
      timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : action()), stepMs);
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};
