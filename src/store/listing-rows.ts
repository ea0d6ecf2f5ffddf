import { sql, type Placeholder } from "drizzle-orm";
import type { SeenListing } from "#domain/listing.ts";
import type { UserMatch } from "#domain/match.ts";
import { atOnce } from "./at-once.ts";
import type { Db } from "./engines/db.ts";
import { preparedWrite } from "./prepared-write.ts";
import type { ListingDocument } from "./schema.ts";
import { matches, seenListings, sliceMarks } from "./schema.ts";
import type { FeedSliceMark } from "./store.ts";

/**
 * Writes a batch of the feed in few statements: each column is one array parameter, unnested by the server.
 * Measured: hundreds of matches in one such statement cost as much as ten single inserts. The writes of a batch touch
 * different tables, so they can run as CTEs of one statement.
 */

/** Bounds what one statement makes the server hold in memory. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/** One insert of a batch: its kind, and the values of its rows, column by column. */
export interface RowsWrite {
  readonly kind: keyof typeof rowsWords;
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

/** An older version never overwrites a newer one; the first sighting stays the earliest. */
export function listingWrites(seen: readonly SeenListing[]): readonly RowsWrite[] {
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
export function matchWrites(found: readonly UserMatch[]): readonly RowsWrite[] {
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
export function markWrites(marks: readonly FeedSliceMark[]): readonly RowsWrite[] {
  return chunksOf(marks).map((part) => ({
    kind: "marks",
    values: {
      key: part.map(({ key }) => key),
      lastReadAtMs: part.map(({ lastReadAtMs }) => lastReadAtMs),
      highestListingId: part.map(({ highestListingId }) => highestListingId),
    },
  }));
}

/** The placeholder of a column's array of values, by the name of the column. */
type Column = (name: string) => Placeholder;

const rowsWords = {
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

/** Runs writes of different kinds in one statement; its SQL is generated once per combination of kinds. */
export async function writeRows(db: Db, writes: readonly RowsWrite[]): Promise<void> {
  const kinds = writes.map(({ kind }) => kind);
  const values = writes.flatMap(({ values: columns }, n) =>
    Object.entries(columns).map(([name, cells]) => [`${n}.${name}`, cells] as const),
  );
  await batchWrite(db, kinds, Object.fromEntries(values));
}

const batchWrite = preparedWrite((kinds: readonly RowsWrite["kind"][], slot) =>
  atOnce(kinds.map((kind, n) => rowsWords[kind]((name) => slot(`${n}.${name}`)))),
);

export function seenListingOf(row: typeof seenListings.$inferSelect): SeenListing {
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
