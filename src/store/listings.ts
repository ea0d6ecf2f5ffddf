import { asc, desc, eq, gte, inArray, sql } from "drizzle-orm";
import type { ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { Db, Tx } from "./engines/db.ts";
import { recordListings, recordMatches, seenListingOf } from "./listing-rows.ts";
import { matchesAfter } from "./matches.ts";
import { deleteInChunks } from "./pruning.ts";
import { matches, seenListings, sliceMarks } from "./schema.ts";
import type { FeedSliceMark, ListingStore } from "./store.ts";

export function createListingStore({ db }: { db: Db }): ListingStore {
  return {
    async record({ listings, matches: found, mark }) {
      await db.transaction(async (tx) => {
        await recordListings(tx, listings);
        await recordMatches(tx, found);
        if (mark !== null) await recordMark(tx, mark);
      });
    },
    byId: (id) => seenById(db, id),
    async byIds(ids) {
      const known = ids.filter((id) => Number.isSafeInteger(id));
      if (known.length === 0) return [];
      const rows = await db.select().from(seenListings).where(inArray(seenListings.id, known));
      return rows.map(seenListingOf);
    },
    async seenSince(sinceMs, limit) {
      const rows = await db
        .select()
        .from(seenListings)
        .where(gte(seenListings.seenAtMs, sinceMs))
        .orderBy(desc(seenListings.seenAtMs), desc(seenListings.id))
        .limit(limit);
      return rows.map(seenListingOf);
    },
    async sliceMarks() {
      return await db.select().from(sliceMarks).orderBy(asc(sliceMarks.key));
    },
    recentMatches: (userId, limit) => matchesAfter(db, userId, { cursor: null, sinceMs: 0, limit }),
    matchesAfter: (userId, after) => matchesAfter(db, userId, after),
    async prune(beforeMs) {
      await deleteInChunks(db, matches, sql`${matches.matchedAtMs} < ${beforeMs}`);
      await deleteInChunks(db, seenListings, sql`${seenListings.seenAtMs} < ${beforeMs}`);
      await deleteInChunks(db, sliceMarks, sql`${sliceMarks.lastReadAtMs} < ${beforeMs}`);
    },
  };
}

async function seenById(db: Db, id: ListingId): Promise<SeenListing | null> {
  // What is no integer that the column can hold is no listing, and never an error of SQL.
  if (!Number.isSafeInteger(id)) return null;
  const [row] = await db.select().from(seenListings).where(eq(seenListings.id, id));
  return row === undefined ? null : seenListingOf(row);
}

async function recordMark(tx: Tx, mark: FeedSliceMark): Promise<void> {
  await tx
    .insert(sliceMarks)
    .values(mark)
    .onConflictDoUpdate({
      target: sliceMarks.key,
      set: {
        lastReadAtMs: sql`greatest(${sliceMarks.lastReadAtMs}, excluded.last_read_at_ms)`,
        highestListingId: sql`greatest(${sliceMarks.highestListingId}, excluded.highest_listing_id)`,
      },
    });
}
