import { type Clock, sleep } from "#domain/clock.ts";
import {
  createRequestBudget,
  type LaneRate,
  type LaneRates,
  type RequestBudget,
  type RequestLane,
} from "#marketplace/request-budget.ts";
import { createRedisScript, type Redis } from "./redis.ts";

/** One rate limit over all nodes: a burst, then one per interval. */
export interface SharedPace {
  /**
   * Counts one request and returns how long it must wait, in milliseconds. With `isStrict` a request that would have to
   * wait is not counted. Throws when Redis does not answer in time.
   */
  take(key: string, rate: Pace): Promise<number>;
}

interface Pace {
  readonly everyMs: number;
  readonly burst: number;
  readonly isStrict: boolean;
}

/** GCRA by Redis's clock: a key holds its theoretical arrival time. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local every = tonumber(ARGV[1])
local arrival = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local wait = math.max(0, arrival - now - every * (ARGV[2] - 1))
if ARGV[3] == '1' and wait > 0.000001 then return tostring(wait) end
arrival = arrival + every
redis.call('SET', KEYS[1], string.format('%.6f', arrival), 'PX', math.ceil(arrival - now) + 1000)
return tostring(wait)
`;
const PREFIX = "synapse:1:pace:";
const TIMEOUT_MS = 250;

export function createSharedPace({ client }: Redis): SharedPace {
  const script = createRedisScript({ client: client.withCommandOptions({ timeout: TIMEOUT_MS }) }, TAKE);
  return {
    async take(key, { everyMs, burst, isStrict }) {
      const values = [String(everyMs), String(burst), isStrict ? "1" : "0"];
      return Number(await script.run([`${PREFIX}${key}`], values));
    },
  };
}

/** Without Redis each node limits itself to this share, so up to ten nodes together stay within the budget. */
const SHARE_ALONE = 0.1;

/** One request budget towards the marketplace for all nodes together. */
export function createSharedBudget(clock: Clock, pace: SharedPace, rates: LaneRates): RequestBudget {
  const lookUpRate = rates.look_up ?? rates.read;
  const alone = createRequestBudget(clock, {
    read: ofShare(rates.read),
    buy: ofShare(rates.buy),
    look_up: ofShare(lookUpRate),
  });
  return {
    async take(lane) {
      try {
        if (lane === "look_up") await takeShared(lane, lookUpRate);
        const total = lane === "look_up" ? "read" : lane;
        await takeShared(total, rates[total]);
      } catch {
        await alone.take(lane);
      }
    },
  };

  /** @throws when Redis does not answer in time */
  async function takeShared(lane: RequestLane, { perSecond, burst }: LaneRate): Promise<void> {
    if (perSecond === Infinity) return;
    const waitMs = await pace.take(`market ${lane}`, { everyMs: 1_000 / perSecond, burst, isStrict: false });
    // Timers have millisecond resolution: rounding down would be too early.
    if (waitMs > 0) await sleep(clock, Math.ceil(waitMs));
  }
}

function ofShare({ perSecond }: LaneRate): LaneRate {
  return { perSecond: perSecond * SHARE_ALONE, burst: 1 };
}
