/** Lengths of time. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Injected time: real in production, simulated in tests and simulations. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /**
   * Milliseconds of a monotonic clock with an arbitrary origin: for durations that a step of the system time must not
   * shorten.
   */
  monotonicMs(): number;
  /** Calls `action` once after `delayMs`. @returns cancels it */
  schedule(delayMs: number, action: () => void): () => void;
}

export function sleep(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(durationMs, resolve);
  });
}

/**
 * The promise's result, or `late` if it has not settled after `timeoutMs`. What the promise stands for goes on then, and
 * its failure is ignored.
 */
export async function withTimeout<Result, Late>(
  clock: Pick<Clock, "schedule">,
  timeoutMs: number,
  promise: Promise<Result>,
  late: Late,
): Promise<Result | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<Late>();
  const cancel = clock.schedule(Math.max(0, timeoutMs), () => resolve(late));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    cancel();
  }
}

/** Options of lru-cache: lifetimes by this clock, to the millisecond. */
export function lifetimesBy(clock: Pick<Clock, "nowMs">) {
  return { ttlResolution: 0, perf: { now: () => clock.nowMs() } } as const;
}

/** Injected randomness, so that a run can be replayed from a seed. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A UUID version 7 for this moment, sortable by creation time. */
  uuid(nowMs: number): string;
}
