import { MESSAGE_FIELD, PLACE_FIELD } from "./stream-ear.ts";
import { keyOf } from "./redis-bus.ts";
import { createRedisScript } from "./redis-script.ts";
import { BELIEVED_AHEAD_MS } from "./stream-repair.ts";
import type { Redis } from "./redis.ts";
import type { Signatures } from "./signatures.ts";

/** Where all nodes hear of matches, each message with the place of its first one. */
export const MATCHES_TOPIC = "matches";

const TOLD_FOR_MS = 300_000;
/** As many to the millisecond as in one process (feed/publish/cursors.ts), so that places grow across both. */
const PLACES_PER_MS = 4_096;
/**
 * Takes places for so many matches and tells them, at once: what is told later has the later places, whoever tells it.
 * Numbers stay below 2^53 until the year 2039.
 */
const TELL_WITH_PLACES = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.pcall('GET', KEYS[2])
local last = type(kept) == 'string' and tonumber(kept) or 0
if not (last <= (now_ms + ${BELIEVED_AHEAD_MS}) * ${PLACES_PER_MS}) then last = 0 end
local first = math.max(last + 1, now_ms * ${PLACES_PER_MS})
local first_text = string.format('%.0f', first)
redis.call('SET', KEYS[2], string.format('%.0f', first + ARGV[1] - 1))
redis.call('XADD', KEYS[1], 'MINID', '~', string.format('%.0f', now_ms - ${TOLD_FOR_MS}), '*', '${MESSAGE_FIELD}', ARGV[2], '${PLACE_FIELD}', first_text)
return first_text
`;

/** Tells so many matches, written as one text, and answers the place of the first. */
export type TellWithPlaces = (count: number, text: string) => Promise<bigint>;

export function createTellWithPlaces(redis: Redis, signatures: Signatures): TellWithPlaces {
  const script = createRedisScript(redis, TELL_WITH_PLACES);
  return async (count, text) => {
    const signed = signatures.sign(MATCHES_TOPIC, text);
    const first = await script.run([keyOf(MATCHES_TOPIC), keyOf("last-place")], [String(count), signed]);
    if (typeof first !== "string") throw new TypeError("Redis gave no place");
    return BigInt(first);
  };
}

/**
 * The place that a message was told with; null for what cannot be one by when it was told. Redis gives places, so
 * nobody signs them: a message of ours that is said again with a place of years ahead would set whoever hears it
 * ahead for years.
 */
export function readPlace(place: string | null, toldAtMs: number): bigint | null {
  if (place === null || !/^\d{1,16}$/.test(place)) return null;
  return Number(place) <= (toldAtMs + BELIEVED_AHEAD_MS) * PLACES_PER_MS ? BigInt(place) : null;
}
