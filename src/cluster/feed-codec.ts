/* oxlint-disable typescript/no-unsafe-type-assertion -- this is the parser: what it reads was written beside it */
import type { AutobuyWish, UserMatch } from "#domain/match.ts";
import type { FeedState } from "#feed/feed.ts";
import type { News } from "#feed/read/ingest.ts";

/**
 * The messages between the feed's parts, as JSON. The bus delivers only messages of nodes with the same schema, so they
 * are parsed without validation.
 */

/** Each listing is written once, however many people it matched. */
interface ListingMatches {
  readonly listing: UserMatch["listing"];
  readonly matchedAtMs: number;
  readonly people: readonly (readonly [UserMatch["userId"], UserMatch["filterIds"]])[];
}

/** `inOrder` is the order in which `readMatches` returns them. */
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
