import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { LaneRate, RequestBudget, RequestLane } from "#marketplace/request-budget.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import type { SharedPace } from "./shared-pace.ts";

/** While nobody counts for all, each node keeps to this share of the whole: up to ten together stay within it. */
const SHARE_ALONE = 0.1;
/**
 * Longer than all that our nodes can have under way at once. Redis says so once somebody else wrote there: who slept
 * for it would sleep on when Redis is ours again.
 */
const LONGEST_WAIT_MS = 5 * 60_000;

/** One budget towards the marketplace for all nodes together. */
export function createSharedBudget(
  clock: Clock,
  pace: SharedPace,
  rates: Readonly<Record<RequestLane, LaneRate>>,
): RequestBudget {
  const alone = createRequestBudget(clock, { read: ofShare(rates.read), buy: ofShare(rates.buy) });
  return {
    async take(lane) {
      const { perSecond, burst } = rates[lane];
      if (perSecond === Infinity) return;
      let waitMs: number;
      try {
        waitMs = await pace.take(`market ${lane}`, { everyMs: 1_000 / perSecond, burst, isStrict: false });
      } catch {
        await alone.take(lane);
        return;
      }
      // What is no number waits for nobody either.
      if (!(waitMs <= LONGEST_WAIT_MS)) {
        await alone.take(lane);
        return;
      }
      // Timers count whole milliseconds: rounding down would leave early.
      if (waitMs > 0) await sleep(clock, Math.ceil(waitMs));
    },
  };
}

function ofShare({ perSecond }: LaneRate): LaneRate {
  return { perSecond: perSecond * SHARE_ALONE, burst: 1 };
}
