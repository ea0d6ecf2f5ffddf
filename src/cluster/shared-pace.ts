import { createRedisScript } from "./redis-script.ts";
import type { Redis } from "./redis.ts";

/** One pace over all nodes: so many at once, then one every so often. */
export interface SharedPace {
  /**
   * Counts one more and answers how long it must wait, in milliseconds. With `isStrict` one that would have to wait
   * is not counted. Throws when Redis does not answer in time.
   */
  take(key: string, rate: Pace): Promise<number>;
}

export interface Pace {
  readonly everyMs: number;
  readonly burst: number;
  readonly isStrict: boolean;
}

/** Longer than all that our nodes can have under way at once. */
const LONGEST_QUEUE_MS = 3_600_000;

/**
 * A generic cell rate by Redis's own clock: what is kept of a key is when it will have paid for all so far. Where
 * nobody of ours can have come so far, or no number stands, somebody else wrote it, and it would shut people out for
 * good: the key begins anew.
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
