import { asc, desc, eq, gte, sql } from "drizzle-orm";
import type { ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { Db } from "./engines/db.ts";
import { listingWrites, markWrites, matchWrites, seenListingOf, writeRows } from "./listing-rows.ts";
import { matchesAfter } from "./matches.ts";
import { isOneOfNumbers } from "./one-of.ts";
import { deleteInChunks } from "./pruning.ts";
import { matches, seenListings, sliceMarks } from "./schema.ts";
import type { ListingStore } from "./store.ts";

export function createListingStore({ db }: { db: Db }): ListingStore {
  return {
    async record({ listings, matches: found, marks }) {
      const writes = [...listingWrites(listings), ...matchWrites(found), ...markWrites(marks)];
      if (writes.length > MAX_AT_ONCE)
        await db.transaction(async (tx) => {
          for (const write of writes) await writeRows(tx, [write]);
        });
      else if (writes.length > 0) await writeRows(db, writes);
    },
    byId: (id) => seenById(db, id),
    async byIds(ids) {
      const known = ids.filter((id) => Number.isSafeInteger(id));
      if (known.length === 0) return [];
      const rows = await db.select().from(seenListings).where(isOneOfNumbers(seenListings.id, known));
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
  // An id outside the column's range is an unknown listing, not an SQL error.
  if (!Number.isSafeInteger(id)) return null;
  const [row] = await db.select().from(seenListings).where(eq(seenListings.id, id));
  return row === undefined ? null : seenListingOf(row);
}

/** One chunk each of listings, matches and marks: more would exceed the memory bound of one statement. */
const MAX_AT_ONCE = 3;
