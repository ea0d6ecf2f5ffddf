/* oxlint-disable typescript/no-unsafe-type-assertion -- this is the parser: what it reads was written beside it */
import type { AutobuyWish, UserMatch } from "#domain/match.ts";
import type { FeedState } from "#feed/feed.ts";
import type { News } from "#feed/read/ingest.ts";

/**
 * What crosses between the feed's parts, as text. Whoever wrote it is a node of the same shape (the bus sees to that),
 * so it is read as it was written.
 */

/** A listing stands once, however many people it matched. */
interface TalliedMatches {
  readonly listing: UserMatch["listing"];
  readonly matchedAtMs: number;
  readonly people: readonly (readonly [UserMatch["userId"], UserMatch["filterIds"]])[];
}

/** In the order in which `readMatches` gives them back. */
export function writeMatches(matches: readonly UserMatch[]): {
  readonly text: string;
  readonly inOrder: readonly UserMatch[];
} {
  const byListing = [...Map.groupBy(matches, (match) => match.listing).values()];
  const tallied = byListing.flatMap((own): readonly TalliedMatches[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { listing, matchedAtMs } = first;
    return [{ listing, matchedAtMs, people: own.map(({ userId, filterIds }) => [userId, filterIds]) }];
  });
  return { text: JSON.stringify(tallied), inOrder: byListing.flat() };
}

/** @param firstPlace of the first of them; each further one stands one later */
export function readMatches(text: string, firstPlace: bigint): readonly UserMatch[] {
  let place = firstPlace;
  return (JSON.parse(text) as readonly TalliedMatches[]).flatMap(({ listing, matchedAtMs, people }) =>
    people.map(([userId, filterIds]) => {
      const cursor = place.toString();
      place += 1n;
      return { userId, listing, filterIds, cursor, matchedAtMs };
    }),
  );
}

export function placedFrom(matches: readonly UserMatch[], firstPlace: bigint): readonly UserMatch[] {
  return matches.map((match, index) => ({ ...match, cursor: (firstPlace + BigInt(index)).toString() }));
}

export const writeNews = (news: readonly News[]): string => JSON.stringify(news);
export const readNews = (text: string): readonly News[] => JSON.parse(text) as readonly News[];

export const writeWishes = (wishes: readonly AutobuyWish[]): string => JSON.stringify(wishes);
export const readWishes = (text: string): readonly AutobuyWish[] =>
  JSON.parse(text) as readonly AutobuyWish[];

export const writeState = (state: FeedState): string => JSON.stringify(state);
export const readState = (text: string): FeedState => JSON.parse(text) as FeedState;
