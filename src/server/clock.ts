import type { Clock } from "#domain/clock.ts";

/** The maximum of setTimeout: a longer delay would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
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
