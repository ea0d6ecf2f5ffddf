import { asc, desc, eq, gte, sql, type Param, and, gt } from "drizzle-orm";
import type { ListingId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { Db } from "../engines/db.ts";
import { isOneOfNumbers, deleteInChunks, inOneStatement } from "../sql/rows.ts";
import { matches, seenListings, sliceMarks, type ListingDocument } from "../schema/tables.ts";
import type { ListingStore, FeedSliceMark } from "../store.ts";
import type { UserMatch } from "#domain/match.ts";
import { alias } from "drizzle-orm/pg-core";

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

/**
 * Writes a batch of the feed in few statements: each column is one array parameter, unnested by the server.
 * Measured: hundreds of matches in one such statement cost as much as ten single inserts. The writes of a batch touch
 * different tables, so they can run as CTEs of one statement.
 */

/** Bounds what one statement makes the server hold in memory. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/** One insert of a batch: its kind, and the values of its rows, column by column. */
interface RowsWrite {
  readonly kind: keyof typeof insertsOf;
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

/** An older version never overwrites a newer one; the first sighting stays the earliest. */
function listingWrites(seen: readonly SeenListing[]): readonly RowsWrite[] {
  // A statement may touch a row only once; sorted by key, so that two concurrent batches cannot deadlock.
  const newest = new Map(
    seen.toSorted((a, b) => a.seenAtMs - b.seenAtMs).map((one) => [one.listing.id, one]),
  );
  const rows = [...newest.values()].toSorted((a, b) => a.listing.id - b.listing.id);
  return chunksOf(rows).map((part) => ({
    kind: "listings",
    values: {
      id: part.map(({ listing }) => listing.id),
      document: part.map(documentOf),
      firstSeenAtMs: part.map(({ firstSeenAtMs }) => firstSeenAtMs),
      seenAtMs: part.map(({ seenAtMs }) => seenAtMs),
    },
  }));
}

/**
 * One row per person, listing and price. A repeated match (by another filter) replaces the row's filters and keeps its
 * cursor, that is its place in the stream.
 */
function matchWrites(found: readonly UserMatch[]): readonly RowsWrite[] {
  const byKey = new Map(found.map((match) => [keyOf(match), match]));
  const rows = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, match]) => match);
  return chunksOf(rows).map((part) => ({
    kind: "matches",
    values: {
      userId: part.map(({ userId }) => userId),
      listingId: part.map(({ listing }) => listing.listing.id),
      totalPriceCents: part.map(({ listing }) => listing.listing.totalPriceCents),
      cursor: part.map(({ cursor }) => cursor),
      filterIds: part.map(({ filterIds }) => JSON.stringify(filterIds)),
      matchedAtMs: part.map(({ matchedAtMs }) => matchedAtMs),
    },
  }));
}

/** A mark never moves backwards. */
function markWrites(marks: readonly FeedSliceMark[]): readonly RowsWrite[] {
  return chunksOf(marks).map((part) => ({
    kind: "marks",
    values: {
      key: part.map(({ key }) => key),
      lastReadAtMs: part.map(({ lastReadAtMs }) => lastReadAtMs),
      highestListingId: part.map(({ highestListingId }) => highestListingId),
    },
  }));
}

/** The array of a column's values, by the name of the column. */
type Column = (name: string) => Param;

const insertsOf = {
  listings: (column: Column) => sql`
    insert into ${seenListings} (id, document, first_seen_at_ms, seen_at_ms)
    select id, document::json, first_seen_at_ms, seen_at_ms
    from unnest(
      ${column("id")}::bigint[],
      ${column("document")}::text[],
      ${column("firstSeenAtMs")}::bigint[],
      ${column("seenAtMs")}::bigint[]
    ) as batch (id, document, first_seen_at_ms, seen_at_ms)
    on conflict (id) do update set
      document = excluded.document,
      first_seen_at_ms = least(${seenListings.firstSeenAtMs}, excluded.first_seen_at_ms),
      seen_at_ms = excluded.seen_at_ms
    where excluded.seen_at_ms >= ${seenListings.seenAtMs}`,
  matches: (column: Column) => sql`
    insert into ${matches} (user_id, listing_id, total_price_cents, cursor, filter_ids, matched_at_ms)
    select user_id, listing_id, total_price_cents, cursor, filter_ids::json, matched_at_ms
    from unnest(
      ${column("userId")}::text[],
      ${column("listingId")}::bigint[],
      ${column("totalPriceCents")}::integer[],
      ${column("cursor")}::bigint[],
      ${column("filterIds")}::text[],
      ${column("matchedAtMs")}::bigint[]
    ) as batch (user_id, listing_id, total_price_cents, cursor, filter_ids, matched_at_ms)
    on conflict (user_id, listing_id, total_price_cents) do update set filter_ids = excluded.filter_ids`,
  marks: (column: Column) => sql`
    insert into ${sliceMarks} (key, last_read_at_ms, highest_listing_id)
    select key, max(last_read_at_ms), max(highest_listing_id)
    from unnest(
      ${column("key")}::text[],
      ${column("lastReadAtMs")}::bigint[],
      ${column("highestListingId")}::bigint[]
    ) as batch (key, last_read_at_ms, highest_listing_id)
    group by key
    on conflict (key) do update set
      last_read_at_ms = greatest(${sliceMarks.lastReadAtMs}, excluded.last_read_at_ms),
      highest_listing_id = greatest(${sliceMarks.highestListingId}, excluded.highest_listing_id)`,
};

/** Runs writes of different kinds in one statement. */
async function writeRows(db: Db, writes: readonly RowsWrite[]): Promise<void> {
  await db.execute(
    inOneStatement(writes.map(({ kind, values }) => insertsOf[kind]((name) => sql.param(values[name])))),
  );
}

function seenListingOf(row: typeof seenListings.$inferSelect): SeenListing {
  const { id, document, firstSeenAtMs, seenAtMs } = row;
  return { listing: { id, ...document.listing }, facts: document.facts, firstSeenAtMs, seenAtMs };
}

function documentOf(seen: SeenListing): string {
  const { id: _, ...listing } = seen.listing;
  const document: ListingDocument = { listing, facts: seen.facts };
  return JSON.stringify(document);
}

function keyOf({ userId, listing }: UserMatch): string {
  return `${userId} ${listing.listing.id} ${listing.listing.totalPriceCents}`;
}

function chunksOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const count = Math.ceil(rows.length / MAX_ROWS_PER_STATEMENT);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * MAX_ROWS_PER_STATEMENT, (index + 1) * MAX_ROWS_PER_STATEMENT),
  );
}

const MAX_BIGINT = 2n ** 63n - 1n;
/** Before any cursor. */
const LEAST_BIGINT = -(2n ** 63n);

const later = alias(matches, "later");

const isLatest = sql`not exists (
  select 1 from ${matches} as later
  where ${later.userId} = ${matches.userId} and ${later.listingId} = ${matches.listingId}
    and ${later.cursor} > ${matches.cursor}
)`;

/**
 * The person's matches after a cursor and not before a moment, newest first. A listing comes once, as it was
 * last seen and where its latest match stands: of several prices only the last one can still be bought.
 */
async function matchesAfter(
  db: Db,
  userId: UserId,
  after: { readonly cursor: string | null; readonly sinceMs: number; readonly limit: number },
): Promise<readonly UserMatch[]> {
  const { sinceMs, limit } = after;
  const rows = await db
    .select({ match: matches, seen: seenListings })
    .from(matches)
    .innerJoin(seenListings, eq(seenListings.id, matches.listingId))
    .where(
      and(
        eq(matches.userId, userId),
        gte(matches.matchedAtMs, sinceMs),
        gt(matches.cursor, parseCursor(after.cursor) ?? LEAST_BIGINT),
        isLatest,
      ),
    )
    .orderBy(desc(matches.cursor))
    .limit(limit);
  return rows.map(({ match, seen }) => ({
    userId: match.userId,
    listing: seenListingOf(seen),
    filterIds: match.filterIds,
    cursor: String(match.cursor),
    matchedAtMs: match.matchedAtMs,
  }));
}

/** Cursors come back from browsers: a malformed one counts as absent. */
function parseCursor(cursor: string | null): bigint | null {
  if (cursor === null || !/^\d{1,19}$/.test(cursor)) return null;
  const value = BigInt(cursor);
  return value <= MAX_BIGINT ? value : null;
}
