import { sleep, type Clock } from "#domain/clock.ts";

/**
 * read: the market, for all people. buy: calls in a person's session. look_up: sellers; counts in `read` too.
 */
export type RequestLane = "read" | "buy" | "look_up";

export type LaneRates = Readonly<Record<"read" | "buy", LaneRate>> & {
  /** Absent: the rate of `read`. */
  readonly look_up?: LaneRate;
};

/**
 * Rate limit of all calls to the marketplace's host. The lanes `read` and `buy` are independent: reading
 * never delays a purchase.
 */
export interface RequestBudget {
  /** Settles when one call may be sent in this lane, in order of arrival. Never rejects. */
  take(lane: RequestLane): Promise<void>;
}

export interface LaneRate {
  /** Sustained calls per second; Infinity: no limit. */
  readonly perSecond: number;
  /** Calls that may be sent together after an idle time, at least 1. */
  readonly burst: number;
}

/** A token bucket per lane, initially full. */
export function createRequestBudget(clock: Clock, rates: LaneRates): RequestBudget {
  const buckets = {
    read: createBucket(rates.read),
    buy: createBucket(rates.buy),
    look_up: createBucket(rates.look_up ?? rates.read),
  };
  return {
    async take(lane) {
      const waitMs = buckets[lane](clock.nowMs());
      if (waitMs > 0) await sleep(clock, waitMs);
      if (lane !== "look_up") return;
      const readWaitMs = buckets.read(clock.nowMs());
      if (readWaitMs > 0) await sleep(clock, readWaitMs);
    },
  };
}

/** Reserves one call. @returns how long it must wait */
type Bucket = (nowMs: number) => number;

function createBucket({ perSecond, burst }: LaneRate): Bucket {
  if (perSecond === Infinity) return () => 0;
  if (!(perSecond > 0) || burst < 1) throw new RangeError("a lane needs a positive rate and a burst of 1");
  const spacingMs = 1_000 / perSecond;
  const creditMs = (burst - 1) * spacingMs;
  // The theoretical arrival time (GCRA), the only state of a token bucket.
  let fullAtMs = -Infinity;
  return (nowMs) => {
    const startMs = Math.max(nowMs, fullAtMs);
    fullAtMs = startMs + spacingMs;
    // Timers have whole milliseconds; rounding down would send too early.
    return Math.max(0, Math.ceil(startMs - creditMs - nowMs));
  };
}
