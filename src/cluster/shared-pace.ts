import { createRedisScript } from "./redis.ts";
import type { Redis } from "./redis.ts";

/** One rate limit over all nodes: a burst, then one per interval. */
export interface SharedPace {
  /**
   * Counts one request and returns how long it must wait, in milliseconds. With `isStrict` a request that would have to
   * wait is not counted. Throws when Redis does not answer in time.
   */
  take(key: string, rate: Pace): Promise<number>;
}

export interface Pace {
  readonly everyMs: number;
  readonly burst: number;
  readonly isStrict: boolean;
}

/** Longer than any queue that the nodes' own requests can build up. */
const LONGEST_QUEUE_MS = 3_600_000;

/**
 * GCRA by Redis's clock: a key holds its theoretical arrival time. A value that is not a number, or further ahead than
 * the nodes can cause, would block people permanently; the key is then reset.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local every = tonumber(ARGV[1])
local kept = redis.pcall('GET', KEYS[1])
local paid = type(kept) == 'string' and tonumber(kept) or 0
local queue = ARGV[3] == '1' and every * ARGV[2] or ${LONGEST_QUEUE_MS}
if not (paid <= now + queue + 1) then paid = 0 end
paid = math.max(paid, now)
local wait = math.max(0, paid - now - every * (ARGV[2] - 1))
if ARGV[3] == '1' and wait > 0.000001 then return tostring(wait) end
paid = paid + every
redis.call('SET', KEYS[1], string.format('%.6f', paid), 'PX', math.ceil(paid - now) + 1000)
return tostring(wait)
`;
const PREFIX = "synapse:1:pace:";
const PATIENCE_MS = 250;

export function createSharedPace({ client }: Redis): SharedPace {
  const script = createRedisScript({ client: client.withCommandOptions({ timeout: PATIENCE_MS }) }, TAKE);
  return {
    async take(key, { everyMs, burst, isStrict }) {
      const values = [String(everyMs), String(burst), isStrict ? "1" : "0"];
      return Number(await script.run([`${PREFIX}${key}`], values));
    },
  };
}
