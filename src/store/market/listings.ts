import { asc, desc, eq, gte, lte, sql, type SQL, type SQLWrapper, and, gt } from "drizzle-orm";
import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { Db } from "../engines/db.ts";
import { batchOf, CHUNK_SIZE, deleteInChunks, inChunks, isOneOfNumbers } from "../sql/values.ts";
import {
  archiveTail,
  filters,
  matchEvents,
  seenListings,
  sliceMarks,
  users,
  type ListingDocument,
} from "../schema/tables.ts";
import type { ArchivePiece, DroppedListing, FeedSliceMark, ListingStore } from "../market-store.ts";

export function createListingStore(db: Db): ListingStore {
  return {
    async record({ listings, matches, marks, archive = [] }) {
      const writes = [
        ...chunksOf(newestOf(listings)).map(listingInsert),
        ...chunksOf(eventsOf(matches), (event) => event.length).map(matchInsert),
        ...(marks.length === 0 ? [] : [markInsert(marks)]),
        ...(archive.length === 0 ? [] : [archiveInsert(archive)]),
      ];
      if (writes.length > MAX_AT_ONCE)
        await db.transaction(async (tx) => {
          for (const write of writes) await tx.execute(write);
        });
      else if (writes.length > 0) await db.execute(inOneStatement(writes));
    },
    // An id outside the column's range is an unknown listing, not an SQL error.
    byId: async (id) => (Number.isSafeInteger(id) ? ((await seenAmong(db, [id]))[0] ?? null) : null),
    byIds: (ids) => seenAmong(db, ids.filter(Number.isSafeInteger)),
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
      await inChunks(CHUNK_SIZE, () => closeSome(db, beforeMs, closing));
      await deleteInChunks(db, sliceMarks, sql`${sliceMarks.lastReadAtMs} < ${beforeMs}`);
    },
  };
}

/** Deletes some old listings and archives when each was last seen. @returns how many */
async function closeSome(
  db: Db,
  beforeMs: number,
  closing: (dropped: readonly DroppedListing[]) => ArchivePiece,
): Promise<number> {
  return await db.transaction(async (tx) => {
    const expired = sql`select ctid from ${seenListings} where ${seenListings.seenAtMs} < ${beforeMs} limit ${CHUNK_SIZE}`;
    const rows = await tx
      .delete(seenListings)
      .where(sql`ctid = any(array(${expired}))`)
      .returning();
    const dropped = rows.map(({ id, document, firstSeenAtMs, seenAtMs }) => {
      const { leafIds } = document.facts;
      return { id, leafIds, firstSeenAtMs, seenAtMs };
    });
    if (dropped.length > 0) await tx.insert(archiveTail).values(closing(dropped));
    return rows.length;
  });
}

async function seenAmong(db: Db, ids: readonly ListingId[]): Promise<readonly SeenListing[]> {
  if (ids.length === 0) return [];
  const rows = await db.select().from(seenListings).where(isOneOfNumbers(seenListings.id, ids));
  return rows.map(seenListingOf);
}

/** One chunk of listings and of matches, marks and archive: more would exceed the memory bound of one statement. */
const MAX_AT_ONCE = 4;

/** As CTEs of one statement, since the writes touch different tables: each statement costs as much as a small commit. */
function inOneStatement(writes: readonly SQL[]): SQL {
  const parts = writes.map((write, n) => sql`${sql.identifier(`write_${n}`)} as (${write})`);
  return sql`with ${sql.join(parts, sql`, `)} select`;
}

/** A statement may touch a row only once; sorted by key, so that two concurrent batches cannot deadlock. */
function newestOf(seen: readonly SeenListing[]): readonly SeenListing[] {
  const newest = new Map(
    seen.toSorted((a, b) => a.seenAtMs - b.seenAtMs).map((one) => [one.listing.id, one]),
  );
  return [...newest.values()].toSorted((a, b) => a.listing.id - b.listing.id);
}

/** An older version never overwrites a newer one; the first sighting stays the earliest. */
function listingInsert(seen: readonly SeenListing[]): SQL {
  const batch = batchOf({
    id: ["bigint", seen.map(({ listing }) => listing.id)],
    document: ["text", seen.map(documentOf)],
    first_seen_at_ms: ["bigint", seen.map(({ firstSeenAtMs }) => firstSeenAtMs)],
    seen_at_ms: ["bigint", seen.map(({ seenAtMs }) => seenAtMs)],
  });
  return sql`
    insert into ${seenListings} (id, document, first_seen_at_ms, seen_at_ms)
    select id, document::json, first_seen_at_ms, seen_at_ms from ${batch}
    on conflict (id) do update set
      document = excluded.document,
      first_seen_at_ms = least(${seenListings.firstSeenAtMs}, excluded.first_seen_at_ms),
      seen_at_ms = excluded.seen_at_ms
    where excluded.seen_at_ms >= ${seenListings.seenAtMs}`;
}

/** The matches of one listing at one cursor. */
type MatchEvent = readonly [UserMatch, ...UserMatch[]];

function eventsOf(matches: readonly UserMatch[]): readonly MatchEvent[] {
  const byEvent = Map.groupBy(matches, ({ cursor, listing }) => `${cursor} ${listing.listing.id}`);
  return Array.from(byEvent.values()).flatMap(([first, ...others]): readonly MatchEvent[] =>
    first === undefined ? [] : [[first, ...others]],
  );
}

/** One row per listing and cursor, with everyone whom it matched. */
function matchInsert(events: readonly MatchEvent[]): SQL {
  const rows = batchOf({
    event: ["integer", events.map((_, n) => n)],
    cursor: ["bigint", events.map(([{ cursor }]) => cursor)],
    listing_id: ["bigint", events.map(([{ listing }]) => listing.listing.id)],
    matched_at_ms: ["bigint", events.map(([{ matchedAtMs }]) => matchedAtMs)],
  });
  return sql`
    insert into ${matchEvents} (cursor, listing_id, matched_at_ms, user_nos, filter_nos)
    select cursor, listing_id, matched_at_ms, people.nos, coalesce(held.nos, '{}')
    from ${rows}
    join (${numbersOf(users, events, ({ userId }) => [userId])}) as people using (event)
    left join (${numbersOf(filters, events, ({ filterIds }) => filterIds)}) as held using (event)
    order by cursor, listing_id
    on conflict (cursor, listing_id) do update set
      user_nos = ${matchEvents.userNos} || excluded.user_nos,
      filter_nos = ${matchEvents.filterNos} || excluded.filter_nos
    where not (${matchEvents.userNos} @> excluded.user_nos and ${matchEvents.filterNos} @> excluded.filter_nos)`;
}

/** The numbers of each event's people, or of their filters. */
function numbersOf(
  table: typeof users | typeof filters,
  events: readonly MatchEvent[],
  idsOf: (match: UserMatch) => readonly string[],
): SQL {
  const numbers: number[] = [];
  const ids: string[] = [];
  for (const [n, event] of events.entries())
    for (const match of event)
      for (const id of idsOf(match)) {
        numbers.push(n);
        ids.push(id);
      }
  const batch = batchOf({ event: ["integer", numbers], id: ["text", ids] });
  return sql`select event, array_agg(distinct no) as nos from ${batch} join ${table} using (id) group by event`;
}

/** A mark never moves backwards. */
function markInsert(marks: readonly FeedSliceMark[]): SQL {
  const batch = batchOf({
    key: ["text", marks.map(({ key }) => key)],
    last_read_at_ms: ["bigint", marks.map(({ lastReadAtMs }) => lastReadAtMs)],
    highest_listing_id: ["bigint", marks.map(({ highestListingId }) => highestListingId)],
  });
  return sql`
    insert into ${sliceMarks} (key, last_read_at_ms, highest_listing_id)
    select key, max(last_read_at_ms), max(highest_listing_id) from ${batch} group by key
    on conflict (key) do update set
      last_read_at_ms = greatest(${sliceMarks.lastReadAtMs}, excluded.last_read_at_ms),
      highest_listing_id = greatest(${sliceMarks.highestListingId}, excluded.highest_listing_id)`;
}

function archiveInsert(pieces: readonly ArchivePiece[]): SQL {
  const batch = batchOf({
    versions: ["integer", pieces.map(({ versions }) => versions)],
    data: ["text", pieces.map(({ data }) => Buffer.from(data).toString("base64"))],
  });
  return sql`insert into ${archiveTail} (versions, data) select versions, decode(data, 'base64') from ${batch}`;
}

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

/** Bounds what one statement makes the server hold in memory. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/** @param sizeOf the weight of a row towards the bound */
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

/** Whether the person is among the people of a match. */
export function isMatchOf(userId: UserId, userNos: SQLWrapper = matchEvents.userNos): SQL {
  return sql`${userNos} @> array[(select ${users.no} from ${users} where ${users.id} = ${userId})]`;
}

interface After {
  readonly cursor: string | null;
  readonly sinceMs: number;
  readonly limit: number;
}

/** How many of everyone's newest matches are read per wanted one: first ten, then a hundred. */
const NEWEST_PER_MATCH = [10, 100];
const MAX_NEWEST = 20_000;

/**
 * The person's matches after a cursor and not before a moment, newest first. A listing appears once, at its
 * latest match and as last seen: of several prices only the last one can still be bought.
 *
 * A wide filter may have 170,000 matches a day, of which the last ones are found among everyone's newest. For a
 * person with few matches these are read in vain, which costs little; then the index by person is used.
 */
async function matchesAfter(db: Db, userId: UserId, after: After): Promise<readonly UserMatch[]> {
  for (const perMatch of NEWEST_PER_MATCH) {
    const newest = Math.min(perMatch * after.limit, MAX_NEWEST);
    const matches = await latestMatches(db, userId, after, newest);
    if (matches.length >= after.limit) return matches;
    // As many were read as may be, or ten times as many would not be enough either.
    if (newest === MAX_NEWEST || 10 * matches.length < after.limit) break;
  }
  return await latestMatches(db, userId, after, null);
}

/** @param newest how many of the newest matches of all people are read; null: all matches of the person */
async function latestMatches(
  db: Db,
  userId: UserId,
  after: After,
  newest: number | null,
): Promise<readonly UserMatch[]> {
  const newer = db
    .select()
    .from(matchEvents)
    .where(gt(matchEvents.cursor, parseCursor(after.cursor) ?? LEAST_BIGINT))
    .$dynamic();
  const events = (newest === null ? newer : newer.orderBy(desc(matchEvents.cursor)).limit(newest)).as(
    "events",
  );
  const latest = db
    .selectDistinctOn([events.listingId])
    .from(events)
    .where(and(isMatchOf(userId, events.userNos), gte(events.matchedAtMs, after.sinceMs)))
    .orderBy(events.listingId, desc(events.cursor))
    .as("latest");
  const rows = await db
    .select({
      cursor: latest.cursor,
      matchedAtMs: latest.matchedAtMs,
      filterIds: filterIdsOf(sql`${userId}`, latest.filterNos),
      seen: seenListings,
    })
    .from(latest)
    .innerJoin(seenListings, eq(seenListings.id, latest.listingId))
    .orderBy(desc(latest.cursor))
    .limit(after.limit);
  return rows.map((row) => matchOf({ ...row, userId }));
}

/** The person's filters among those of a match. */
function filterIdsOf(userId: SQLWrapper, nos: SQLWrapper) {
  return sql<readonly FilterId[]>`array(
    select ${filters.id} from ${filters}
    where ${filters.userId} = ${userId} and ${filters.no} = any(${nos}) order by ${filters.no}
  )`;
}

function matchOf({
  cursor,
  seen,
  ...match
}: Pick<UserMatch, "userId" | "filterIds" | "matchedAtMs"> & {
  readonly cursor: bigint;
  readonly seen: typeof seenListings.$inferSelect;
}): UserMatch {
  return { ...match, cursor: String(cursor), listing: seenListingOf(seen) };
}

/** Everyone's matches of a period, both ends included. */
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
      filterIds: filterIdsOf(users.id, events.filterNos),
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
    matches: rows.map(matchOf),
    nextMs: n < limit ? null : atMs,
  };
}

/** Clients send cursors back: a malformed one counts as absent. */
function parseCursor(cursor: string | null): bigint | null {
  if (cursor === null || !/^\d{1,19}$/.test(cursor)) return null;
  const value = BigInt(cursor);
  return value <= MAX_BIGINT ? value : null;
}
