import { and, count, countDistinct, desc, eq, inArray, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Db } from "../engines/db.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { filters, matchEvents, seenListings } from "../schema/tables.ts";
import type { FilterActivity } from "../store.ts";
import { wasGotBy } from "./listings.ts";

/** Bounds what one read costs: a filter that wants everything matches more than this in some hours. */
const MAX_COUNTED_MATCHES = 10_000;

/** What each of a person's filters found since a moment and bought in all: one statement, however many filters. */
export async function filterActivity(
  db: Db,
  userId: UserId,
  sinceMs: number,
): Promise<{ readonly filters: readonly FilterActivity[]; readonly isPartial: boolean }> {
  const recent = recentMatches(db, userId);
  const finds = findsIn(db, recent, { userId, sinceMs });
  const bought = boughtBy(db, userId);
  const rows = await db
    .with(recent, finds, bought)
    .select({
      filterId: filters.id,
      foundCount: finds.foundCount,
      latestAtMs: sql<number | null>`(${finds.latest})[1]`.mapWith(Number),
      listingId: seenListings.id,
      document: seenListings.document,
      purchaseCount: bought.purchaseCount,
      recentCount: sql<number>`(select count(*) from ${recent})`.mapWith(Number),
    })
    .from(filters)
    .leftJoin(finds, eq(finds.filterId, filters.id))
    .leftJoin(seenListings, eq(seenListings.id, sql`(${finds.latest})[2]`))
    .leftJoin(bought, eq(bought.filterId, filters.id))
    .where(eq(filters.userId, userId))
    .orderBy(desc(filters.createdAtMs), desc(filters.id));
  return {
    filters: rows.map(({ filterId, foundCount, purchaseCount, latestAtMs, listingId, document }) => ({
      filterId,
      foundCount: foundCount ?? 0,
      latest:
        latestAtMs === null || listingId === null || document === null
          ? null
          : { listingId, title: document.listing.title, foundAtMs: latestAtMs },
      purchaseCount: purchaseCount ?? 0,
    })),
    isPartial: (rows[0]?.recentCount ?? 0) >= MAX_COUNTED_MATCHES,
  };
}

function recentMatches(db: Db, userId: UserId) {
  const { listingId, filterNos, matchedAtMs } = matchEvents;
  return db
    .$with("recent")
    .as(
      db
        .select({ listingId, filterNos, matchedAtMs })
        .from(matchEvents)
        .where(wasGotBy(userId))
        .orderBy(desc(matchEvents.cursor))
        .limit(MAX_COUNTED_MATCHES),
    );
}

/** A listing whose price fell matches once for each price, and is one find. */
function findsIn(db: Db, recent: ReturnType<typeof recentMatches>, at: { userId: UserId; sinceMs: number }) {
  const { listingId, filterNos, matchedAtMs } = recent;
  return db.$with("finds").as(
    db
      .select({
        filterId: filters.id,
        foundCount: countDistinct(sql`case when ${matchedAtMs} >= ${at.sinceMs} then ${listingId} end`).as(
          "found_count",
        ),
        latest: sql`max(array[${matchedAtMs}, ${listingId}])`.as("latest"),
      })
      .from(recent)
      .innerJoin(filters, and(eq(filters.userId, at.userId), sql`${filters.no} = any(${filterNos})`))
      .groupBy(filters.id),
  );
}

/** Accepted by the marketplace, as move.sql counts towards a filter's maximum: a purchase that may still fail does not. */
const ACCEPTED: readonly PurchaseState[] = [
  "awaiting",
  "confirmed",
  "cancelling",
  "cancel_unknown",
  "quarantine",
];

function boughtBy(db: Db, userId: UserId) {
  return db.$with("bought").as(
    db
      .select({ filterId: purchases.filterId, purchaseCount: count().as("purchase_count") })
      .from(purchases)
      .innerJoin(filters, eq(filters.id, purchases.filterId))
      .where(
        and(
          eq(filters.userId, userId),
          eq(purchases.mode, sql`case when ${filters.isSimulation} then 'simulation' else 'live' end`),
          inArray(purchases.state, [...ACCEPTED]),
        ),
      )
      .groupBy(purchases.filterId),
  );
}
