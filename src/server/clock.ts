import type { Clock } from "#domain/clock.ts";

/** The maximum of setTimeout: a longer delay would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How fast time passes while the machine's time, which was set back, catches up: for twice as long as the step. */
const CATCHING_UP = 0.5;

/**
 * The machine's time, except that it never goes back: everything that is due by it would wait for as long as the step.
 * A machine often corrects its time a while after its start, by hours if its hardware clock is in local time.
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

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
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
