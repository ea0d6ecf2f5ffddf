import type { Redis } from "./redis.ts";
import { createRedisScript } from "./redis.ts";

/**
 * Ids and cursors run ahead of Redis's clock when many are assigned in one moment, or after the clock was set back. One
 * further ahead than this is corrupt and would block the stream permanently.
 */
export const MAX_AHEAD_MS = 3_600_000;

/**
 * Redis assigns each entry an id above all earlier ones: the highest possible id admits no other, an id far in the future
 * is never trimmed, and a key of another type accepts no entry. Nothing can be published until the key is deleted. Its
 * entries are minutes old at most, and its corruption needed the same access as a deletion.
 */
const DELETE_IF_CORRUPTED = `
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 0 end
if kind == 'stream' then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  local last = '0-0'
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = info[i + 1] end end
  local time = redis.call('TIME')
  local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
  if tonumber(string.match(last, '^%d+')) <= now_ms + ${MAX_AHEAD_MS} then return 0 end
end
redis.call('DEL', KEYS[1])
return 1
`;

/** Deletes a corrupted stream, judged by Redis's clock; true if it was corrupted. Throws Redis's error. */
export type RepairStream = (key: string) => Promise<boolean>;

export function createRepairStream(redis: Pick<Redis, "client">): RepairStream {
  const script = createRedisScript(redis, DELETE_IF_CORRUPTED);
  return async (key) => (await script.run([key], [])) === 1;
}

/** Whether no node can have produced this id by `nowMs`. */
export function isFarAhead(id: string, nowMs: number): boolean {
  return momentOf(id) > nowMs + MAX_AHEAD_MS;
}

/** The time in an entry's id, in milliseconds of Redis's clock. */
export function momentOf(id: string): number {
  return Number(id.split("-")[0]);
}
