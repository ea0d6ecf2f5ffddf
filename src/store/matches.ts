import { and, desc, eq, gt, gte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { UserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/match.ts";
import type { Db } from "./engines/db.ts";
import { seenListingOf } from "./listing-rows.ts";
import { preparedRead, type Slot } from "./prepared-read.ts";
import { matches, seenListings } from "./schema.ts";

const MAX_BIGINT = 2n ** 63n - 1n;
/** Before any cursor. */
const LEAST_BIGINT = -(2n ** 63n);

const later = alias(matches, "later");

const isLatest = sql`not exists (
  select 1 from ${matches} as later
  where ${later.userId} = ${matches.userId} and ${later.listingId} = ${matches.listingId}
    and ${later.cursor} > ${matches.cursor}
)`;

const latestAfter = preparedRead((db, slot: Slot<"userId" | "sinceMs" | "cursor" | "limit">) =>
  db
    .select({ match: matches, seen: seenListings })
    .from(matches)
    .innerJoin(seenListings, eq(seenListings.id, matches.listingId))
    .where(
      and(
        eq(matches.userId, slot("userId")),
        gte(matches.matchedAtMs, slot("sinceMs")),
        gt(matches.cursor, slot("cursor")),
        isLatest,
      ),
    )
    .orderBy(desc(matches.cursor))
    .limit(slot("limit")),
);

/**
 * The person's matches after a cursor and not before a moment, newest first. A listing comes once, as it was
 * last seen and where its latest match stands: of several prices only the last one can still be bought.
 */
export async function matchesAfter(
  db: Db,
  userId: UserId,
  after: { readonly cursor: string | null; readonly sinceMs: number; readonly limit: number },
): Promise<readonly UserMatch[]> {
  const { sinceMs, limit } = after;
  const cursor = String(parseCursor(after.cursor) ?? LEAST_BIGINT);
  const rows = await latestAfter(db, { userId, sinceMs, cursor, limit });
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
