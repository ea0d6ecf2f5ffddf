import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { LaneRate, RequestBudget, RequestLane } from "#marketplace/request-budget.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import type { SharedPace } from "./shared-pace.ts";

/** Without Redis each node limits itself to this share, so up to ten nodes together stay within the budget. */
const SHARE_ALONE = 0.1;
/**
 * Longer than any wait that the nodes' own requests can cause. A longer one comes from a corrupted key; sleeping for it
 * would go on after the key is repaired.
 */
const LONGEST_WAIT_MS = 5 * 60_000;

/** One request budget towards the marketplace for all nodes together. */
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
      // Also true for NaN.
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
