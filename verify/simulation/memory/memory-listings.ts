import type { ListingStore } from "#store/store.ts";
import { pairKey, type MemoryTables } from "./memory-tables.ts";

type KnownListings = Pick<
  ListingStore,
  "record" | "byId" | "byIds" | "sliceMarks" | "seenSince" | "recentMatches" | "matchesAfter"
>;

/** What the feed has seen, and whom it matched. */
export function createMemoryListings({ listings, matches, marks, transaction }: MemoryTables): KnownListings {
  const matchesAfter: KnownListings["matchesAfter"] = async (userId, { cursor, sinceMs, limit }) =>
    [...matches.rows()]
      .filter((match) => match.userId === userId && match.matchedAtMs >= sinceMs)
      .filter((match) => cursor === null || BigInt(match.cursor) > BigInt(cursor))
      .toSorted((one, other) => (BigInt(one.cursor) < BigInt(other.cursor) ? 1 : -1))
      .slice(0, limit);
  return {
    byId: async (id) => listings.get(id) ?? null,
    byIds: async (ids) =>
      Array.from(new Set(ids), (id) => listings.get(id)).filter((seen) => seen !== undefined),
    async record(batch) {
      transaction(() => {
        for (const seen of batch.listings) {
          const firstSeenAtMs = listings.get(seen.listing.id)?.firstSeenAtMs ?? seen.firstSeenAtMs;
          listings.put(seen.listing.id, { ...seen, firstSeenAtMs });
        }
        for (const match of batch.matches)
          matches.put(pairKey(match.userId, match.listing.listing.id), match);
        for (const { key, lastReadAtMs, highestListingId } of batch.marks) {
          const before = marks.get(key);
          marks.put(key, {
            key,
            lastReadAtMs: Math.max(lastReadAtMs, before?.lastReadAtMs ?? 0),
            highestListingId: Math.max(highestListingId, before?.highestListingId ?? 0),
          });
        }
      });
    },
    sliceMarks: async () => [...marks.rows()].toSorted((one, other) => (one.key < other.key ? -1 : 1)),
    seenSince: async (sinceMs, limit) =>
      [...listings.rows()]
        .filter(({ seenAtMs }) => seenAtMs >= sinceMs)
        .toSorted((one, other) => other.seenAtMs - one.seenAtMs || other.listing.id - one.listing.id)
        .slice(0, limit),
    recentMatches: async (userId, limit) => matchesAfter(userId, { cursor: null, sinceMs: 0, limit }),
    matchesAfter,
  };
}
