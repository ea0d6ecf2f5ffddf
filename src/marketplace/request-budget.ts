import { sleep, type Clock } from "#domain/clock.ts";

/** Reading the market for everybody, or anything done in one person's session. */
export type RequestLane = "read" | "buy";

/**
 * How often the whole product may call the marketplace's host, all people together.
 * The lanes do not share: reading can never slow a purchase.
 */
export interface RequestBudget {
  /** Settles when one call may leave in this lane; first come, first served. Never fails. */
  take(lane: RequestLane): Promise<void>;
}

export interface LaneRate {
  /** Calls a second over any longer time; Infinity: no limit. */
  readonly perSecond: number;
  /** Calls that may leave at once after a quiet time, at least 1. */
  readonly burst: number;
}

/** A token bucket for each lane; the buckets start full. */
export function createRequestBudget(
  clock: Clock,
  rates: Readonly<Record<RequestLane, LaneRate>>,
): RequestBudget {
  const buckets = { read: createBucket(rates.read), buy: createBucket(rates.buy) };
  return {
    async take(lane) {
      const waitMs = buckets[lane](clock.nowMs());
      if (waitMs > 0) await sleep(clock, waitMs);
    },
  };
}

/** Answers how long the call must wait, and counts it as made then. */
type Bucket = (nowMs: number) => number;

function createBucket({ perSecond, burst }: LaneRate): Bucket {
  if (perSecond === Infinity) return () => 0;
  if (!(perSecond > 0) || burst < 1) throw new RangeError("a lane needs a positive rate and a burst of 1");
  const spacingMs = 1_000 / perSecond;
  const creditMs = (burst - 1) * spacingMs;
  // When the bucket would be full again: the only state that a token bucket needs.
  let fullAtMs = -Infinity;
  return (nowMs) => {
    const startMs = Math.max(nowMs, fullAtMs);
    fullAtMs = startMs + spacingMs;
    // Timers count whole milliseconds: rounding down would leave early.
    return Math.max(0, Math.ceil(startMs - creditMs - nowMs));
  };
}
