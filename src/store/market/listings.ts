import { asc, desc, eq, gte, lte, sql, type Param, type SQL, and, gt } from "drizzle-orm";
import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { Db } from "../engines/db.ts";
import { isOneOfNumbers, deleteInChunks, inOneStatement } from "../sql/rows.ts";
import {
  archiveTail,
  filters,
  matchEvents,
  seenListings,
  sliceMarks,
  users,
  type ListingDocument,
} from "../schema/tables.ts";
import type { ArchivePiece, DroppedListing, FeedSliceMark, ListingStore } from "../store.ts";
import type { UserMatch } from "#domain/market/match.ts";

export function createListingStore({ db }: { db: Db }): ListingStore {
  return {
    async record({ listings, matches: found, marks, archive = [] }) {
      const writes = [
        ...listingWrites(listings),
        ...matchWrites(found),
        ...markWrites(marks),
        ...archiveWrites(archive),
      ];
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
    matchesBetween: (fromMs, toMs, limit) => matchesBetween(db, fromMs, toMs, limit),
    async prune(beforeMs, closing) {
      await deleteInChunks(db, matchEvents, sql`${matchEvents.matchedAtMs} < ${beforeMs}`);
      if (closing === undefined)
        await deleteInChunks(db, seenListings, sql`${seenListings.seenAtMs} < ${beforeMs}`);
      else while (await closeSome(db, beforeMs, closing));
      await deleteInChunks(db, sliceMarks, sql`${sliceMarks.lastReadAtMs} < ${beforeMs}`);
    },
  };
}

const CLOSED_AT_ONCE = 2_000;

/** Deletes some old listings and archives when each was last seen. @returns whether there may be more */
async function closeSome(
  db: Db,
  beforeMs: number,
  closing: (dropped: readonly DroppedListing[]) => ArchivePiece,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const doomed = sql`select ctid from ${seenListings} where ${seenListings.seenAtMs} < ${beforeMs} limit ${CLOSED_AT_ONCE}`;
    const rows = await tx
      .delete(seenListings)
      .where(sql`ctid = any(array(${doomed}))`)
      .returning();
    const dropped = rows.map(({ id, document, firstSeenAtMs, seenAtMs }) => {
      const { leafIds } = document.facts;
      return { id, leafIds, firstSeenAtMs, seenAtMs };
    });
    if (dropped.length > 0) await tx.insert(archiveTail).values(closing(dropped));
    return rows.length === CLOSED_AT_ONCE;
  });
}

async function seenById(db: Db, id: ListingId): Promise<SeenListing | null> {
  // An id outside the column's range is an unknown listing, not an SQL error.
  if (!Number.isSafeInteger(id)) return null;
  const [row] = await db.select().from(seenListings).where(eq(seenListings.id, id));
  return row === undefined ? null : seenListingOf(row);
}

/** One chunk each of listings, matches, marks and archive: more would exceed the memory bound of one statement. */
const MAX_AT_ONCE = 4;

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

/** One row per listing and cursor, with everybody who got it there. */
function matchWrites(found: readonly UserMatch[]): readonly RowsWrite[] {
  const byEvent = Map.groupBy(found, ({ cursor, listing }) => `${cursor} ${listing.listing.id}`);
  return chunksOf([...byEvent.values()], (event) => event.length).map((events) => ({
    kind: "matches",
    values: {
      cursor: events.map(([match]) => match?.cursor),
      listingId: events.map(([match]) => match?.listing.listing.id),
      matchedAtMs: events.map(([match]) => match?.matchedAtMs),
      userOf: events.flatMap((event, n) => event.map(() => n + 1)),
      userId: events.flatMap((event) => event.map(({ userId }) => userId)),
      filterOf: events.flatMap((event, n) => event.flatMap(({ filterIds }) => filterIds.map(() => n + 1))),
      filterId: events.flatMap((event) => event.flatMap(({ filterIds }) => filterIds)),
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

function archiveWrites(pieces: readonly ArchivePiece[]): readonly RowsWrite[] {
  return chunksOf(pieces).map((part) => ({
    kind: "archive",
    values: {
      versions: part.map(({ versions }) => versions),
      data: part.map(({ data }) => Buffer.from(data).toString("base64")),
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
    insert into ${matchEvents} (cursor, listing_id, matched_at_ms, user_nos, filter_nos)
    select cursor, listing_id, matched_at_ms, people.nos, coalesce(held.nos, '{}')
    from unnest(
      ${column("cursor")}::bigint[],
      ${column("listingId")}::bigint[],
      ${column("matchedAtMs")}::bigint[]
    ) with ordinality as batch (cursor, listing_id, matched_at_ms, event)
    join (
      select event, array_agg(distinct no) as nos
      from unnest(${column("userOf")}::integer[], ${column("userId")}::text[]) as one (event, id)
      join ${users} using (id) group by event
    ) as people using (event)
    left join (
      select event, array_agg(distinct no) as nos
      from unnest(${column("filterOf")}::integer[], ${column("filterId")}::text[]) as one (event, id)
      join ${filters} using (id) group by event
    ) as held using (event)
    order by cursor, listing_id
    on conflict (cursor, listing_id) do update set
      user_nos = ${matchEvents.userNos} || excluded.user_nos,
      filter_nos = ${matchEvents.filterNos} || excluded.filter_nos
    where not (${matchEvents.userNos} @> excluded.user_nos and ${matchEvents.filterNos} @> excluded.filter_nos)`,
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
  archive: (column: Column) => sql`
    insert into ${archiveTail} (versions, data)
    select versions, decode(data, 'base64')
    from unnest(${column("versions")}::integer[], ${column("data")}::text[]) as batch (versions, data)`,
};

/** Runs writes of different kinds in one statement. */
async function writeRows(db: Db, writes: readonly RowsWrite[]): Promise<void> {
  await db.execute(
    inOneStatement(writes.map(({ kind, values }) => insertsOf[kind]((name) => sql.param(values[name])))),
  );
}

/** A row as the domain has it. */
export function seenListingOf(row: typeof seenListings.$inferSelect): SeenListing {
  const { id, document, firstSeenAtMs, seenAtMs } = row;
  const { listing, ...rest } = document;
  return { listing: { id, ...listing }, ...rest, firstSeenAtMs, seenAtMs };
}

function documentOf(seen: SeenListing): string {
  const { id: _, ...listing } = seen.listing;
  const { facts, cheaperSinceMs, standing, isRelist } = seen;
  const document: ListingDocument = {
    listing,
    facts,
    ...(cheaperSinceMs === undefined ? {} : { cheaperSinceMs }),
    ...(standing === undefined || standing === null ? {} : { standing }),
    ...(isRelist === true ? { isRelist } : {}),
  };
  return JSON.stringify(document);
}

/** @param sizeOf what a row counts for towards the bound */
function chunksOf<Row>(
  rows: readonly Row[],
  sizeOf: (row: Row) => number = () => 1,
): readonly (readonly Row[])[] {
  const chunks: Row[][] = [];
  let left = 0;
  for (const row of rows) {
    if (left <= 0) {
      chunks.push([]);
      left = MAX_ROWS_PER_STATEMENT;
    }
    chunks.at(-1)?.push(row);
    left -= sizeOf(row);
  }
  return chunks;
}

const MAX_BIGINT = 2n ** 63n - 1n;
/** Before any cursor. */
const LEAST_BIGINT = -(2n ** 63n);

/** Whether the person is among those who got a match. */
export function wasGotBy(userId: UserId): SQL {
  return sql`${matchEvents.userNos} @> array[(select ${users.no} from ${users} where ${users.id} = ${userId})]`;
}

/**
 * The person's matches after a cursor and not before a moment, newest first. A listing comes once, as it was
 * last seen and where its latest match stands: of several prices only the last one can still be bought.
 */
async function matchesAfter(
  db: Db,
  userId: UserId,
  after: { readonly cursor: string | null; readonly sinceMs: number; readonly limit: number },
): Promise<readonly UserMatch[]> {
  const latest = db
    .selectDistinctOn([matchEvents.listingId])
    .from(matchEvents)
    .where(
      and(
        wasGotBy(userId),
        gte(matchEvents.matchedAtMs, after.sinceMs),
        gt(matchEvents.cursor, parseCursor(after.cursor) ?? LEAST_BIGINT),
      ),
    )
    .orderBy(matchEvents.listingId, desc(matchEvents.cursor))
    .as("latest");
  const rows = await db
    .select({
      cursor: latest.cursor,
      matchedAtMs: latest.matchedAtMs,
      filterIds: sql<readonly FilterId[]>`array(
        select ${filters.id} from ${filters}
        where ${filters.userId} = ${userId} and ${filters.no} = any(${latest.filterNos}) order by ${filters.no}
      )`,
      seen: seenListings,
    })
    .from(latest)
    .innerJoin(seenListings, eq(seenListings.id, latest.listingId))
    .orderBy(desc(latest.cursor))
    .limit(after.limit);
  return rows.map(({ cursor, matchedAtMs, filterIds, seen }) => ({
    userId,
    listing: seenListingOf(seen),
    filterIds,
    cursor: String(cursor),
    matchedAtMs,
  }));
}

/** Everybody's matches of the events of a stretch of time, both ends included. */
async function matchesBetween(
  db: Db,
  fromMs: number,
  toMs: number,
  limit: number,
): ReturnType<ListingStore["matchesBetween"]> {
  const events = db
    .select()
    .from(matchEvents)
    .where(and(gte(matchEvents.matchedAtMs, fromMs), lte(matchEvents.matchedAtMs, toMs)))
    .orderBy(asc(matchEvents.matchedAtMs), asc(matchEvents.cursor))
    .limit(limit)
    .as("events");
  const people = sql`lateral unnest(${events.userNos}) as person (no)`;
  const rows = await db
    .select({
      cursor: events.cursor,
      matchedAtMs: events.matchedAtMs,
      userId: users.id,
      filterIds: sql<readonly FilterId[]>`array(
        select ${filters.id} from ${filters}
        where ${filters.userId} = ${users.id} and ${filters.no} = any(${events.filterNos}) order by ${filters.no}
      )`,
      seen: seenListings,
    })
    .from(events)
    .innerJoin(seenListings, eq(seenListings.id, events.listingId))
    .innerJoin(people, sql`true`)
    .innerJoin(users, sql`${users.no} = person.no`)
    .orderBy(asc(events.matchedAtMs), asc(events.cursor));
  const counted = await db
    .select({ atMs: sql<number | null>`max(${events.matchedAtMs})::float8`, n: sql<number>`count(*)::int` })
    .from(events);
  const [{ atMs, n } = { atMs: null, n: 0 }] = counted;
  return {
    matches: rows.map(({ cursor, matchedAtMs, userId, filterIds, seen }) => ({
      userId,
      listing: seenListingOf(seen),
      filterIds,
      cursor: String(cursor),
      matchedAtMs,
    })),
    nextMs: n < limit ? null : atMs,
  };
}

/** Cursors come back from browsers: a malformed one counts as absent. */
function parseCursor(cursor: string | null): bigint | null {
  if (cursor === null || !/^\d{1,19}$/.test(cursor)) return null;
  const value = BigInt(cursor);
  return value <= MAX_BIGINT ? value : null;
}
