import type { SQL } from "drizzle-orm";
import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { MissedWish, PurchaseOrigin, PurchaseStory } from "#domain/story.ts";
import { batchCalls } from "#domain/batch-calls.ts";
import { atOnce } from "./at-once.ts";
import type { Db } from "./engines/db.ts";
import { isOneOfTexts } from "./one-of.ts";
import { purchaseAttempts, purchases } from "./purchase-schema.ts";
import { toRecord } from "./purchases-rows.ts";
import { missedWishes, purchaseOrigins, users } from "./schema.ts";
import { isStorable } from "./storable-text.ts";
import type { StoryStore } from "./store.ts";

const MOST_ORIGINS_TOGETHER = 200;

/** Kept per person, so that a very broad filter cannot fill the store. */
export const MAX_MISSED_WISHES = 500;

export function createStoryStore({ db }: { readonly db: Db }): StoryStore {
  return {
    recordOrigin: batchCalls(async (origins) => {
      await recordOrigins(db, origins);
      return () => undefined;
    }, MOST_ORIGINS_TOGETHER),
    recordMiss: (miss) => recordMiss(db, miss),
    async misses(userId, limit) {
      const rows = await db
        .select()
        .from(missedWishes)
        .where(eq(missedWishes.userId, userId))
        .orderBy(desc(missedWishes.missedAtMs), desc(missedWishes.listingId))
        .limit(limit);
      return rows.map(({ listingId, listing, ...miss }) => ({
        ...miss,
        listing: { ...listing, id: listingId },
      }));
    },
    async story({ id, userId }) {
      if (!isStorable(id)) return null;
      const rows = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.id, id), eq(purchases.userId, userId)));
      const [story] = await withAll(db, rows);
      return story ?? null;
    },
    stories: (userId, limit) => newestStories(db, eq(purchases.userId, userId), limit),
    bareAttempts: (userId, limit) =>
      newestStories(db, and(eq(purchases.userId, userId), isBareAttempt), limit),
    async pruneMisses(beforeMs) {
      await db.delete(missedWishes).where(lt(missedWishes.missedAtMs, beforeMs));
    },
  };
}

async function recordOrigins(db: Db, origins: readonly PurchaseOrigin[]): Promise<void> {
  const ids = origins.map(({ purchaseId }) => purchaseId);
  const bought = db
    .select({ userId: purchases.userId, listingId: purchases.listingId })
    .from(purchases)
    .where(isOneOfTexts(purchases.id, ids));
  // Wishes that were recorded as missed and have been bought since.
  const missed = sql`(${missedWishes.userId}, ${missedWishes.listingId})`;
  const forgetting = db.delete(missedWishes).where(sql`${missed} in ${bought}`);
  // Nothing is written for an erased person; the row lock waits for an erasure in progress.
  const writing = sql`
    insert into ${purchaseOrigins} (purchase_id, user_id, first_seen_at_ms, leaf_ids)
    select batch.purchase_id, batch.user_id, batch.first_seen_at_ms, batch.leaf_ids::json
    from unnest(
      ${sql.param(ids)}::text[],
      ${sql.param(origins.map(({ userId }) => userId))}::text[],
      ${sql.param(origins.map(({ firstSeenAtMs }) => firstSeenAtMs))}::bigint[],
      ${sql.param(origins.map(({ leafIds }) => JSON.stringify(leafIds)))}::text[]
    ) as batch (purchase_id, user_id, first_seen_at_ms, leaf_ids)
    inner join ${users} on ${users.id} = batch.user_id
    for key share of ${users}
    on conflict do nothing`;
  await db.execute(atOnce([forgetting], writing));
}

const isBareAttempt = and(
  eq(purchases.mode, "live"),
  eq(purchases.state, "failed"),
  eq(purchases.reachedCheckout, false),
);

async function newestStories(
  db: Db,
  which: SQL | undefined,
  limit: number,
): Promise<readonly PurchaseStory[]> {
  const rows = await db
    .select()
    .from(purchases)
    .where(which)
    .orderBy(desc(purchases.decidedAtMs), desc(purchases.id))
    .limit(limit);
  return await withAll(db, rows);
}

async function recordMiss(db: Db, { listing: { id, ...listing }, ...miss }: MissedWish): Promise<void> {
  const place = and(eq(missedWishes.userId, miss.userId), eq(missedWishes.listingId, id));
  await db.transaction(async (tx) => {
    const [owner] = await tx.select({ id: users.id }).from(users).where(eq(users.id, miss.userId));
    // A purchase has a story of its own: this wish came twice, or was bought after all.
    const [bought] = await tx
      .select({ id: purchases.id })
      .from(purchases)
      .where(and(eq(purchases.userId, miss.userId), eq(purchases.listingId, id), eq(purchases.mode, "live")))
      .limit(1);
    if (owner === undefined || bought !== undefined) return;
    const again = await tx
      .update(missedWishes)
      .set({ ...miss, listing })
      .where(place)
      .returning({ listingId: missedWishes.listingId });
    if (again.length > 0) return;
    await tx
      .insert(missedWishes)
      .values({ ...miss, listing, listingId: id })
      .onConflictDoNothing();
    await dropOldest(tx, miss.userId);
  });
}

async function dropOldest(tx: Pick<Db, "execute">, userId: UserId): Promise<void> {
  await tx.execute(sql`
    delete from ${missedWishes}
    where ${missedWishes.userId} = ${userId} and ${missedWishes.listingId} in (
      select listing_id from ${missedWishes} as kept where kept.user_id = ${userId}
      order by kept.missed_at_ms desc, kept.listing_id desc offset ${MAX_MISSED_WISHES}
    )`);
}

async function withAll(
  db: Db,
  rows: readonly (typeof purchases.$inferSelect)[],
): Promise<readonly PurchaseStory[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const attempts = await db
    .select()
    .from(purchaseAttempts)
    .where(isOneOfTexts(purchaseAttempts.purchaseId, ids))
    .orderBy(asc(purchaseAttempts.n));
  const origins = await db
    .select()
    .from(purchaseOrigins)
    .where(isOneOfTexts(purchaseOrigins.purchaseId, ids));
  const byPurchase = Map.groupBy(attempts, (attempt) => attempt.purchaseId);
  const originOf = new Map(origins.map((origin) => [origin.purchaseId, origin]));
  return rows.map((row) => ({
    purchase: toRecord(row),
    origin: originOf.get(row.id) ?? null,
    attempts: (byPurchase.get(row.id) ?? []).map(({ n, startedAtMs, sentAtMs, endedAtMs }) => ({
      n,
      startedAtMs,
      sentAtMs,
      endedAtMs,
    })),
  }));
}
