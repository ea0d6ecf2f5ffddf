import { MESSAGE_FIELD, CURSOR_FIELD } from "./stream-consumer.ts";
import { keyOf } from "./bus.ts";
import { createRedisScript } from "./redis.ts";
import { MAX_AHEAD_MS } from "./stream-repair.ts";
import type { Redis } from "./redis.ts";
import type { Signatures } from "./signatures.ts";

/** The topic of matches for all nodes; each message carries the cursor of its first match. */
export const MATCHES_TOPIC = "matches";

const PUBLISHED_FOR_MS = 300_000;
/** As many per millisecond as in one process (feed/publish/cursors.ts), so that cursors also grow after a change of mode. */
const CURSORS_PER_MS = 4_096;
/**
 * Assigns cursors to a batch of matches and publishes it atomically, so cursors grow in the order of publication on all
 * nodes. Numbers stay below 2^53 until the year 2039.
 */
const PUBLISH_WITH_CURSORS = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.pcall('GET', KEYS[2])
local last = type(kept) == 'string' and tonumber(kept) or 0
if not (last <= (now_ms + ${MAX_AHEAD_MS}) * ${CURSORS_PER_MS}) then last = 0 end
local first = math.max(last + 1, now_ms * ${CURSORS_PER_MS})
local first_text = string.format('%.0f', first)
redis.call('SET', KEYS[2], string.format('%.0f', first + ARGV[1] - 1))
redis.call('XADD', KEYS[1], 'MINID', '~', string.format('%.0f', now_ms - ${PUBLISHED_FOR_MS}), '*', '${MESSAGE_FIELD}', ARGV[2], '${CURSOR_FIELD}', first_text)
return first_text
`;

/** Publishes `count` matches, serialised as one text, and returns the cursor of the first. */
export type PublishWithCursors = (count: number, text: string) => Promise<bigint>;

export function createPublishWithCursors(redis: Redis, signatures: Signatures): PublishWithCursors {
  const script = createRedisScript(redis, PUBLISH_WITH_CURSORS);
  return async (count, text) => {
    const signed = signatures.sign(MATCHES_TOPIC, text);
    const first = await script.run([keyOf(MATCHES_TOPIC), keyOf("last-place")], [String(count), signed]);
    if (typeof first !== "string") throw new TypeError("Redis returned no cursor");
    return BigInt(first);
  };
}

/**
 * The cursor of a message; null if it is impossible for the time of publication. Redis assigns cursors, so they are not
 * signed: a replayed message with a cursor years ahead would keep its readers there for years.
 */
export function readCursor(cursor: string | null, publishedAtMs: number): bigint | null {
  if (cursor === null || !/^\d{1,16}$/.test(cursor)) return null;
  return Number(cursor) <= (publishedAtMs + MAX_AHEAD_MS) * CURSORS_PER_MS ? BigInt(cursor) : null;
}
