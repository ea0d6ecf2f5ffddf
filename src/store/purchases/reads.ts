import { and, asc, count, desc, eq, gt, isNotNull, lte, ne, notInArray, or, sql } from "drizzle-orm";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { batchLookups } from "#domain/concurrency.ts";
import type { Db } from "../engines/db.ts";
import { isOneOfNumbers, isOneOfTexts } from "../sql/rows.ts";
import { budgets, purchaseAttempts, purchases } from "../schema/purchase-tables.ts";
import {
  FREED_AT_MS,
  type JournalEntry,
  type PurchaseRecord,
  type PurchaseStore,
} from "../purchase-store.ts";
import { NOTHING_SPENT, stopOfEntry } from "./books.ts";
import { toRecord } from "./rows.ts";
import { auditEntries, filters, marketplaceAccounts } from "../schema/tables.ts";
import { isStorable } from "../sql/storable-text.ts";

/** What is read without deciding anything. */
export type Reads = Pick<
  PurchaseStore,
  | "record"
  | "find"
  | "list"
  | "journal"
  | "openCount"
  | "totals"
  | "byTransaction"
  | "due"
  | "unpublished"
  | "stopsOf"
  | "endForeignLeases"
  | "ownersOfTransactions"
  | "userIdsWithOpenPurchases"
  | "userIdsWithAutobuy"
>;

const MAX_BATCH = 200;

/** An attempt that failed before the marketplace's checkout is the journal's, not the list's. */
const isInList = or(ne(purchases.state, "failed"), eq(purchases.reachedCheckout, true));

const newestFirst = [desc(purchases.decidedAtMs), desc(purchases.id)] as const;

/** The person's list, or what of it is older than one of their purchases. */
async function listOf(
  db: Db,
  userId: UserId,
  { limit, before }: { readonly limit: number; readonly before: PurchaseId | undefined },
): Promise<readonly PurchaseRecord[]> {
  const isOlder =
    before === undefined
      ? undefined
      : sql`(${purchases.decidedAtMs}, ${purchases.id}) < (
          select mark.decided_at_ms, mark.id from ${purchases} as mark
          where mark.id = ${before} and mark.user_id = ${userId}
        )`;
  const rows = await db
    .select()
    .from(purchases)
    .where(and(eq(purchases.userId, userId), eq(purchases.isHidden, false), isInList, isOlder))
    .orderBy(...newestFirst)
    .limit(limit);
  return rows.map(toRecord);
}

/** Reads outside of decisions, and the record of publications. */
export function createReads(db: Db): Reads {
  return { ...ofOnePerson(db), ...ofAllPeople(db), ...publications(db), totals: totalsIn(db) };
}

function totalsIn(db: Db): Reads["totals"] {
  return async (userId, period) => {
    const [row] = await db
      .select({
        heldCents: budgets.heldCents,
        capturedCents: budgets.capturedCents,
        extraCents: budgets.extraCents,
        purchases: budgets.purchases,
      })
      .from(budgets)
      .where(and(eq(budgets.userId, userId), eq(budgets.period, period)));
    return row ?? NOTHING_SPENT;
  };
}

function ofOnePerson(
  db: Db,
): Pick<Reads, "record" | "list" | "journal" | "openCount" | "byTransaction" | "ownersOfTransactions"> {
  /** Every open page reads a changed purchase, and a page of the market opens many: reads are batched. */
  const recordOf = batchLookups(
    async (ids: readonly PurchaseId[]) => {
      const rows = await db.select().from(purchases).where(isOneOfTexts(purchases.id, ids));
      return rows.map(toRecord);
    },
    ({ id }) => id,
    MAX_BATCH,
  );

  return {
    async record({ id, userId }) {
      const record = isStorable(id) ? await recordOf(id) : null;
      return record?.userId === userId ? record : null;
    },
    async list(userId, limit, before) {
      if (before !== undefined && !isStorable(before)) return [];
      return await listOf(db, userId, { limit, before });
    },
    async journal(userId, limit) {
      const rows = await db
        .select()
        .from(purchases)
        .where(eq(purchases.userId, userId))
        .orderBy(...newestFirst)
        .limit(limit);
      return await withAttempts(db, rows);
    },
    openCount: (userId) => openCount(db, userId),
    async byTransaction(userId, transactionId) {
      const [row] = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.userId, userId), eq(purchases.transactionId, transactionId)))
        .orderBy(...newestFirst)
        .limit(1);
      return row === undefined ? null : toRecord(row);
    },
    async ownersOfTransactions(userId, transactionIds) {
      if (transactionIds.length === 0) return [];
      return await db
        .select({
          id: purchases.id,
          state: purchases.state,
          transactionId: purchases.transactionId,
          attemptTransactionId: purchases.attemptTransactionId,
          listingId: purchases.listingId,
        })
        .from(purchases)
        .where(
          and(
            eq(purchases.userId, userId),
            or(
              isOneOfNumbers(purchases.transactionId, transactionIds),
              isOneOfNumbers(purchases.attemptTransactionId, transactionIds),
            ),
          ),
        );
    },
  };
}

/** These no longer change without a command. */
export const SETTLED: readonly PurchaseState[] = ["confirmed", "cancelled", "failed"];

async function openCount(db: Db, userId: UserId): Promise<number> {
  const isOpen = and(eq(purchases.userId, userId), notInArray(purchases.state, [...SETTLED]));
  const [open] = await db.select({ n: count() }).from(purchases).where(isOpen);
  return open?.n ?? 0;
}

async function withAttempts(
  db: Db,
  rows: readonly (typeof purchases.$inferSelect)[],
): Promise<readonly JournalEntry[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const attempts = await db
    .select()
    .from(purchaseAttempts)
    .where(isOneOfTexts(purchaseAttempts.purchaseId, ids))
    .orderBy(asc(purchaseAttempts.n));
  const byPurchase = Map.groupBy(attempts, (attempt) => attempt.purchaseId);
  return rows.map((row) => ({ purchase: toRecord(row), attempts: byPurchase.get(row.id) ?? [] }));
}

/** Changes that are to be published. */
function publications(db: Db): Pick<Reads, "unpublished" | "stopsOf"> {
  return {
    async stopsOf({ id, userId }) {
      const isOfPurchase = sql`${auditEntries.details} ->> 'purchaseId' = ${id}`;
      const rows = await db
        .select({ details: auditEntries.details })
        .from(auditEntries)
        .where(and(eq(auditEntries.userId, userId), eq(auditEntries.kind, "autobuy.stopped"), isOfPurchase))
        .orderBy(asc(auditEntries.id));
      return rows.map(({ details }) => stopOfEntry(details, userId)).filter((stop) => stop !== null);
    },
    async unpublished(movedBeforeMs, limit) {
      const rows = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.isPublished, false), lte(purchases.updatedAtMs, movedBeforeMs)))
        .orderBy(asc(purchases.updatedAtMs))
        .limit(limit);
      return rows.map(toRecord);
    },
  };
}

function ofAllPeople(
  db: Db,
): Pick<Reads, "find" | "due" | "endForeignLeases" | "userIdsWithOpenPurchases" | "userIdsWithAutobuy"> {
  return {
    async find(id) {
      if (!isStorable(id)) return null;
      const [row] = await db.select().from(purchases).where(eq(purchases.id, id));
      return row === undefined ? null : toRecord(row);
    },
    async due(nowMs, limit) {
      const rows = await db
        .select()
        .from(purchases)
        .where(lte(purchases.dueAtMs, nowMs))
        .orderBy(asc(purchases.dueAtMs))
        .limit(limit);
      return rows.map(toRecord);
    },
    async endForeignLeases(owner, nowMs) {
      await db
        .update(marketplaceAccounts)
        .set({ refreshOwner: null, refreshUntilMs: 0 })
        .where(ne(marketplaceAccounts.refreshOwner, owner));
      const ended = await db
        .update(purchases)
        .set({ dueAtMs: FREED_AT_MS })
        .where(
          and(isNotNull(purchases.leaseOwner), ne(purchases.leaseOwner, owner), gt(purchases.dueAtMs, nowMs)),
        )
        .returning({ id: purchases.id });
      return ended.length;
    },
    async userIdsWithOpenPurchases() {
      const rows = await db
        .selectDistinct({ userId: purchases.userId })
        .from(purchases)
        .where(isNotNull(purchases.dueAtMs));
      return rows.map((row) => row.userId);
    },
    async userIdsWithAutobuy() {
      const rows = await db
        .selectDistinct({ userId: filters.userId })
        .from(filters)
        .innerJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, filters.userId))
        .where(
          and(
            eq(filters.isActive, true),
            eq(filters.isAutobuy, true),
            eq(marketplaceAccounts.state, "connected"),
          ),
        );
      return rows.map((row) => row.userId);
    },
  };
}
