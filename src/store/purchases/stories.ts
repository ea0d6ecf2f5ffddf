import {
  type SQL,
  and,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  lt,
  ne,
  not,
  notExists,
  or,
  sql,
} from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { FailureReason, PurchaseState } from "#domain/purchase.ts";
import type { MissedWish, PurchaseStory, PurchaseSums } from "#domain/story.ts";
import { autobuyLaneNow } from "#domain/user.ts";
import { isOneOfTexts, isStorable } from "../sql/values.ts";
import type { Db, Tx } from "../engines/db.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { attemptsOf, recordsWhere, sellerColumns } from "./rows.ts";
import { blockedSellers, missedWishes, purchaseOrigins, users } from "../schema/tables.ts";
import type { StoryStore } from "../store.ts";

/**
 * Upper bound per person, so that a very broad filter cannot fill the store. Those that await the person's decision have
 * the same bound of their own: what is missed after them must not delete them.
 */
export const MAX_MISSED_WISHES = 500;

export function createStoryStore(db: Db): StoryStore {
  return {
    recordMiss: (miss) => recordMiss(db, miss),
    async misses(userId, limit) {
      const rows = await db
        .select()
        .from(missedWishes)
        .where(and(eq(missedWishes.userId, userId), notExists(purchaseThatSettles(db))))
        .orderBy(desc(missedWishes.missedAtMs), desc(missedWishes.listingId))
        .limit(limit);
      return rows.map(({ listingId, listing, ...miss }) => ({
        ...miss,
        listing: { ...listing, id: listingId },
      }));
    },
    async story({ id, userId }) {
      if (!isStorable(id)) return null;
      const isIt = and(eq(purchases.id, id), eq(purchases.userId, userId));
      return (await newestStories(db, isIt, 1))[0] ?? null;
    },
    bought: (userId, limit) => newestStories(db, and(eq(purchases.userId, userId), isBoughtHere), limit),
    sums: (userId) => sumsOf(db, userId),
    bareAttempts: (userId, limit) =>
      newestStories(db, and(eq(purchases.userId, userId), isBareAttempt), limit),
    attemptsSince: (userId, sinceMs) => attemptsSince(db, userId, sinceMs),
    async pruneMisses(beforeMs) {
      await db.delete(missedWishes).where(lt(missedWishes.missedAtMs, beforeMs));
    },
  };
}

/** The person's purchase of a missed wish's listing, unless it failed and may be tried again. */
function purchaseThatSettles(db: Db) {
  const { userId, listingId, mode, state, failureReason } = purchases;
  return db
    .select({ id: purchases.id })
    .from(purchases)
    .where(
      and(
        eq(userId, missedWishes.userId),
        eq(listingId, missedWishes.listingId),
        eq(mode, "live"),
        or(ne(state, "failed"), inArray(failureReason, ["sold", "withdrawn"])),
      ),
    );
}

/** Failure reasons of purchases that another buyer won. */
const TOO_LATE: readonly FailureReason[] = ["sold", "withdrawn", "stale"];

async function attemptsSince(
  db: Db,
  userId: UserId,
  sinceMs: number,
): Promise<{ readonly won: number; readonly lost: number }> {
  const rows = await db
    .select({ state: purchases.state, reason: purchases.failureReason, count: count() })
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, userId),
        eq(purchases.mode, "live"),
        eq(purchases.source, "auto"),
        gte(purchases.decidedAtMs, sinceMs),
      ),
    )
    .groupBy(purchases.state, purchases.failureReason);
  const sumOf = (isCounted: (row: (typeof rows)[number]) => boolean): number =>
    rows.reduce((sum, row) => sum + (isCounted(row) ? row.count : 0), 0);
  return {
    won: sumOf(({ state }) => BOUGHT.includes(state)),
    lost: sumOf(({ state, reason }) => state === "failed" && reason !== null && TOO_LATE.includes(reason)),
  };
}

const isBareAttempt = and(
  eq(purchases.mode, "live"),
  eq(purchases.state, "failed"),
  eq(purchases.reachedCheckout, false),
);

/** Paid and not refunded. */
const BOUGHT: readonly PurchaseState[] = ["confirmed", "cancelling", "cancel_unknown"];

/** Decided here: no order of the person's own. A payment may have been found late, as an order (isLatePayment). */
const isOfSynapse = or(
  ne(purchases.source, "external"),
  isNotNull(purchases.filterId),
  isNotNull(purchases.attemptTransactionId),
);

const isBoughtHere = and(eq(purchases.mode, "live"), isOfSynapse, inArray(purchases.state, [...BOUGHT]));

const WEEK = sql<string>`to_char(date_trunc('week', ${purchases.dayKey}::date), 'YYYY-MM-DD')`;

/**
 * The amount charged, or the price if it is unknown. Extracted as text, since JSON operators fail on a
 * document whose title contains U+0000; a title cannot imitate the key, because its quotes are escaped.
 */
const CHARGED = sql<number>`sum(coalesce(
  ${purchases.chargedCents},
  substring(${purchases.listing}::text from '"totalPriceCents":([0-9]+)')::bigint
))`;

const WAS_BOUGHT = sql<boolean>`${purchases.state} <> 'failed'`;

/** Recorded as failed, but its payment took effect after all and is a row of its own. */
const isPaidLate = sql`(${purchases.state} = 'failed' and exists (
  select from ${purchases} as late
  where late.user_id = ${purchases.userId} and late.source = 'external'
    and (late.filter_id is not null or late.attempt_transaction_id is not null)
    and late.transaction_id in (${purchases.transactionId}, ${purchases.attemptTransactionId})
))`;

async function sumsOf(db: Db, userId: UserId): Promise<PurchaseSums> {
  const isTheirs = and(eq(purchases.userId, userId), eq(purchases.mode, "live"));
  const spending = await db
    .select({
      monthKey: purchases.monthKey,
      weekKey: WEEK.as("week_key"),
      chargedCents: CHARGED.mapWith(Number),
      count: count(),
    })
    .from(purchases)
    .where(and(isTheirs, inArray(purchases.state, [...BOUGHT])))
    .groupBy(purchases.monthKey, sql`week_key`)
    .orderBy(desc(sql`week_key`), desc(purchases.monthKey));
  const outcomes = await db
    .select({ isBought: WAS_BOUGHT.as("is_bought"), reason: purchases.failureReason, count: count() })
    .from(purchases)
    .where(and(isTheirs, isOfSynapse, inArray(purchases.state, [...BOUGHT, "failed"]), not(isPaidLate)))
    .groupBy(sql`is_bought`, purchases.failureReason);
  return {
    spending,
    boughtCount: outcomes.reduce((sum, { isBought, count: n }) => sum + (isBought ? n : 0), 0),
    failures: outcomes.flatMap(({ isBought, reason, count: n }) => (isBought ? [] : [{ reason, count: n }])),
  };
}

async function newestStories(
  db: Db,
  which: SQL | undefined,
  limit: number,
): Promise<readonly PurchaseStory[]> {
  const records = await recordsWhere(db, which, limit);
  if (records.length === 0) return [];
  const attempts = await attemptsOf(db, records);
  const ids = records.map(({ id }) => id);
  const origins = await db
    .select()
    .from(purchaseOrigins)
    .where(isOneOfTexts(purchaseOrigins.purchaseId, ids));
  const originOf = new Map(
    origins.map(({ usualCents, usualSample, ...origin }) => {
      const isKnown = usualCents !== null && usualSample !== null;
      const usual = isKnown ? { medianCents: usualCents, sampleSize: usualSample } : null;
      return [origin.purchaseId, { ...origin, usual }];
    }),
  );
  return records.map((purchase) => ({
    purchase,
    origin: originOf.get(purchase.id) ?? null,
    attempts: attempts(purchase.id),
  }));
}

async function recordMiss(db: Db, { listing: { id, ...listing }, ...miss }: MissedWish): Promise<boolean> {
  const place = and(eq(missedWishes.userId, miss.userId), eq(missedWishes.listingId, id));
  return await db.transaction(async (tx) => {
    // A purchase has its own history entry.
    const [bought] = await tx
      .select({ id: purchases.id })
      .from(purchases)
      .where(and(eq(purchases.userId, miss.userId), eq(purchases.listingId, id), eq(purchases.mode, "live")))
      .limit(1);
    if (bought !== undefined || !(await isWanted(tx, miss, listing.seller))) return false;
    const { reason, matchedAtMs, missedAtMs } = missedWishes;
    const [known] = await tx.select({ reason, matchedAtMs, missedAtMs }).from(missedWishes).where(place);
    // A wish that was refused may be delivered again, too late: its refusal stays.
    const isRepeated = known !== undefined && known.matchedAtMs >= miss.matchedAtMs;
    if (isRepeated && miss.reason === "stale" && known.reason !== "stale") return false;
    // The person was asked to confirm, and may answer while the listing is stored.
    const isAsked = known?.reason === "too_good" && miss.reason !== "too_good" && miss.reason !== "taken";
    const again = await tx
      .update(missedWishes)
      .set(isAsked ? { listing } : { ...miss, listing })
      .where(place)
      .returning({ listingId: missedWishes.listingId });
    // At the same time it is this very wish, repeated since the answer to its commit was lost.
    const isNews = known?.reason !== miss.reason || known.missedAtMs === miss.missedAtMs;
    if (again.length > 0) return isNews && !isAsked;
    const inserted = await tx
      .insert(missedWishes)
      .values({ ...miss, listing, listingId: id })
      .onConflictDoNothing()
      .returning({ listingId: missedWishes.listingId });
    await dropOldest(tx, miss);
    return inserted.length > 0;
  });
}

/** False: meanwhile the person was erased, has lost the plan that buys automatically or has blocked the seller. */
async function isWanted(
  tx: Tx,
  { userId, missedAtMs }: Omit<MissedWish, "listing">,
  seller: Listing["seller"],
): Promise<boolean> {
  const { sellerId, sellerLogin } = sellerColumns({ seller });
  const { sellerId: blockedId, foldedLogin } = blockedSellers;
  const { plan, planEndsAtMs, isSuspended } = users;
  const isBlocked = sql<boolean>`exists (
    select from ${blockedSellers} where ${blockedSellers.userId} = ${userId}
      and (${blockedId} = ${sellerId} or (${blockedId} is null and ${foldedLogin} = ${sellerLogin})))`;
  const [owner] = await tx
    .select({ plan, planEndsAtMs, isSuspended, isBlocked })
    .from(users)
    .where(eq(users.id, userId));
  return owner !== undefined && !owner.isBlocked && autobuyLaneNow(owner, missedAtMs) !== null;
}

async function dropOldest(
  tx: Pick<Db, "select" | "delete">,
  { userId, reason }: Pick<MissedWish, "userId" | "reason">,
): Promise<void> {
  const { listingId, missedAtMs } = missedWishes;
  const isAsked = eq(missedWishes.reason, "too_good");
  const isOfKind = and(eq(missedWishes.userId, userId), reason === "too_good" ? isAsked : not(isAsked));
  const oldest = tx
    .select({ listingId })
    .from(missedWishes)
    .where(isOfKind)
    .orderBy(desc(missedAtMs), desc(listingId))
    .offset(MAX_MISSED_WISHES);
  await tx.delete(missedWishes).where(and(isOfKind, inArray(listingId, oldest)));
}
