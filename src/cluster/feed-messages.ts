/* oxlint-disable typescript/no-unsafe-type-assertion -- this is the parser: what it reads was written beside it */
import type { AutobuyWish, UserMatch } from "#domain/market/match.ts";
import type { FeedState } from "#feed/feed.ts";
import type { News } from "#feed/read/ingest.ts";
import { keyOf } from "./bus.ts";
import { createRedisScript, type Redis } from "./redis.ts";
import { CURSOR_FIELD, MESSAGE_FIELD } from "./stream-consumer.ts";

/**
 * The messages between the feed's parts, as JSON. They are not validated, since the bus delivers only
 * messages of nodes with the same schema.
 */

/** Each listing is written once, however many people it matched. */
interface ListingMatches {
  readonly listing: UserMatch["listing"];
  readonly matchedAtMs: number;
  readonly people: readonly (readonly [UserMatch["userId"], UserMatch["filterIds"]])[];
}

/** @returns `inOrder`: the matches in the order in which `readMatches` returns them */
export function writeMatches(matches: readonly UserMatch[]): {
  readonly text: string;
  readonly inOrder: readonly UserMatch[];
} {
  const byListing = [...Map.groupBy(matches, (match) => match.listing).values()];
  const perListing = byListing.flatMap((own): readonly ListingMatches[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { listing, matchedAtMs } = first;
    return [{ listing, matchedAtMs, people: own.map(({ userId, filterIds }) => [userId, filterIds]) }];
  });
  return { text: JSON.stringify(perListing), inOrder: byListing.flat() };
}

/** @param firstCursor the cursor of the first match; each further one is one later */
export function readMatches(text: string, firstCursor: bigint): readonly UserMatch[] {
  let next = firstCursor;
  return (JSON.parse(text) as readonly ListingMatches[]).flatMap(({ listing, matchedAtMs, people }) =>
    people.map(([userId, filterIds]) => {
      const cursor = next.toString();
      next += 1n;
      return { userId, listing, filterIds, cursor, matchedAtMs };
    }),
  );
}

export function withCursors(matches: readonly UserMatch[], firstCursor: bigint): readonly UserMatch[] {
  return matches.map((match, index) => ({ ...match, cursor: (firstCursor + BigInt(index)).toString() }));
}

export const writeNews = (news: readonly News[]): string => JSON.stringify(news);
export const readNews = (text: string): readonly News[] => JSON.parse(text) as readonly News[];

export const writeWishes = (wishes: readonly AutobuyWish[]): string => JSON.stringify(wishes);
export const readWishes = (text: string): readonly AutobuyWish[] =>
  JSON.parse(text) as readonly AutobuyWish[];

export const writeState = (state: FeedState): string => JSON.stringify(state);
export const readState = (text: string): FeedState => JSON.parse(text) as FeedState;

/** The topic of matches for all nodes; each message carries the cursor of its first match. */
export const MATCHES_TOPIC = "matches";

const PUBLISHED_FOR_MS = 300_000;
/** The rate of a single process (feed/publish/cursors.ts): cursors also grow after a change of mode. */
const CURSORS_PER_MS = 4_096;
/**
 * Assigns cursors to a batch of matches and publishes it atomically, so cursors grow in the order of publication on all
 * nodes. Numbers stay below 2^53 until the year 2039.
 */
const PUBLISH_WITH_CURSORS = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
local first = math.max(last + 1, now_ms * ${CURSORS_PER_MS})
local first_text = string.format('%.0f', first)
redis.call('SET', KEYS[2], string.format('%.0f', first + ARGV[1] - 1))
redis.call('XADD', KEYS[1], 'MINID', '~', string.format('%.0f', now_ms - ${PUBLISHED_FOR_MS}), '*', '${MESSAGE_FIELD}', ARGV[2], '${CURSOR_FIELD}', first_text)
return first_text
`;

/** Publishes `count` matches, serialised as one text, and returns the cursor of the first. */
export type PublishWithCursors = (count: number, text: string) => Promise<bigint>;

export function createPublishWithCursors(redis: Redis): PublishWithCursors {
  const script = createRedisScript(redis, PUBLISH_WITH_CURSORS);
  return async (count, text) => {
    const first = await script.run([keyOf(MATCHES_TOPIC), keyOf("last-place")], [String(count), text]);
    if (typeof first !== "string") throw new TypeError("Redis returned no cursor");
    return BigInt(first);
  };
}
