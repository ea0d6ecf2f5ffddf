import type { Redis } from "./redis.ts";
import { createRedisScript } from "./redis-script.ts";

/**
 * Places run ahead of Redis's clock for a moment when many are taken at once, or when it was set back. What stands
 * further ahead was written by somebody else: it would stop everybody's stream for good.
 */
export const BELIEVED_AHEAD_MS = 3_600_000;

/**
 * Redis gives each entry a place behind all before: one at the last place of all lets no other in, one far ahead is
 * never old enough to go, and a value of another kind takes none. Nobody could say anything there until the key is
 * gone; what stands in it is minutes old at most, and whoever spoiled it could have deleted it as well.
 */
const DROP_IF_SPOILT = `
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 0 end
if kind == 'stream' then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  local last = '0-0'
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = info[i + 1] end end
  local time = redis.call('TIME')
  local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
  if tonumber(string.match(last, '^%d+')) <= now_ms + ${BELIEVED_AHEAD_MS} then return 0 end
end
redis.call('DEL', KEYS[1])
return 1
`;

/** Drops a stream that somebody else spoilt, by Redis's own clock; true when it was. Throws what Redis refused. */
export type RepairStream = (key: string) => Promise<boolean>;

export function createRepairStream(redis: Pick<Redis, "client">): RepairStream {
  const script = createRedisScript(redis, DROP_IF_SPOILT);
  return async (key) => (await script.run([key], [])) === 1;
}

/** Whether no stream of ours can have come to this place by `nowMs`. */
export function isFarAhead(id: string, nowMs: number): boolean {
  return momentOf(id) > nowMs + BELIEVED_AHEAD_MS;
}

/** When something came to this place of a stream, in milliseconds of Redis's clock. */
export function momentOf(id: string): number {
  return Number(id.split("-")[0]);
}
