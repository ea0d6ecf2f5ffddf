import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notInArray,
  or,
  sql,
} from "drizzle-orm";
import { batchLookups } from "#domain/concurrency.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Db } from "../engines/db.ts";
import { FREED_AT_MS, type PurchaseKey, type PurchaseRecord } from "../purchase-facts.ts";
import type { JournalEntry, PurchaseStore } from "../purchase-store.ts";
import { budgets, purchases } from "../schema/purchase-tables.ts";
import { auditEntries, filters, marketplaceAccounts } from "../schema/tables.ts";
import { isOneOfNumbers, isOneOfTexts, isStorable } from "../sql/values.ts";
import { holdingStops, NOTHING_SPENT, stopOfEntry } from "./operations.ts";
import { attemptsOf, NEWEST_FIRST, recordsWhere } from "./rows.ts";

const MAX_BATCH = 200;

/** Rows per statement, so that other work can run in between. */
const JOURNAL_PAGE_SIZE = 5_000;

/** Final unless a command changes them. */
export const SETTLED: readonly PurchaseState[] = ["confirmed", "cancelled", "failed"];

/** An attempt that failed before the marketplace's checkout is only in the journal, not in the list. */
const isInList = and(
  eq(purchases.isHidden, false),
  or(ne(purchases.state, "failed"), eq(purchases.reachedCheckout, true)),
);

/** Nothing is bought, or no longer. */
export const isOver = inArray(purchases.state, ["failed", "cancelled"]);

const isOf = (userId: UserId) => eq(purchases.userId, userId);

/** Reads outside of decisions. */
export function createReads(db: Db) {
  /** Every open page reads a changed purchase, and each catalogue page may begin many: reads are batched. */
  const recordOf = batchLookups(
    (ids: readonly PurchaseId[]) => recordsWhere(db, isOneOfTexts(purchases.id, ids), ids.length),
    ({ id }) => id,
    MAX_BATCH,
  );
  const find: PurchaseStore["find"] = async (id) => (isStorable(id) ? await recordOf(id) : null);

  return {
    find,
    async record({ id, userId }) {
      const record = await find(id);
      return record?.userId === userId ? record : null;
    },
    async list(userId, limit, before) {
      if (before !== undefined && !isStorable(before)) return [];
      return await recordsWhere(db, and(isOf(userId), isInList, isOlderThan(userId, before)), limit);
    },
    async journal(userId, limit) {
      const entries: JournalEntry[] = [];
      let pageSize: number;
      let records: readonly PurchaseRecord[];
      do {
        pageSize = Math.min(JOURNAL_PAGE_SIZE, limit - entries.length);
        const isNext = and(isOf(userId), isOlderThan(userId, entries.at(-1)?.purchase.id));
        records = await recordsWhere(db, isNext, pageSize);
        const attempts = await attemptsOf(db, records);
        for (const purchase of records) entries.push({ purchase, attempts: attempts(purchase.id) });
      } while (records.length === pageSize && entries.length < limit);
      return entries;
    },
    async byTransaction(userId, transactionId) {
      const isIt = and(isOf(userId), eq(purchases.transactionId, transactionId));
      // The order may have been booked after its purchase was over: the booked one counts then.
      return (await recordsWhere(db, isIt, 1, [asc(isOver), ...NEWEST_FIRST]))[0] ?? null;
    },
    due: (nowMs, limit) => recordsWhere(db, lte(purchases.dueAtMs, nowMs), limit, [asc(purchases.dueAtMs)]),
    unpublished: (movedBeforeMs, limit) =>
      recordsWhere(
        db,
        and(eq(purchases.isPublished, false), lte(purchases.updatedAtMs, movedBeforeMs)),
        limit,
        [asc(purchases.updatedAtMs)],
      ),
    async openCount(userId) {
      const isOpen = notInArray(purchases.state, [...SETTLED]);
      const [open] = await db
        .select({ n: count() })
        .from(purchases)
        .where(and(isOf(userId), isOpen));
      return open?.n ?? 0;
    },
    totals: (userId, period) => totalsOf(db, userId, period),
    ownersOfTransactions: (userId, transactionIds) => ownersOf(db, userId, transactionIds),
    stopsOf: (key) => stopsOf(db, key),
    endForeignLeases: (owner, nowMs) => endForeignLeases(db, owner, nowMs),
    async userIdsWithOpenPurchases() {
      const { userId, dueAtMs } = purchases;
      const rows = await db.selectDistinct({ userId }).from(purchases).where(isNotNull(dueAtMs));
      return rows.map((row) => row.userId);
    },
    userIdsWithAutobuy: () => userIdsWithAutobuy(db),
  } satisfies Partial<PurchaseStore>;
}

export type Reads = ReturnType<typeof createReads>;

/** Older than the given purchase of the person. */
function isOlderThan(userId: UserId, before: PurchaseId | undefined) {
  if (before === undefined) return undefined;
  return sql`(${purchases.decidedAtMs}, ${purchases.id}) < (
    select mark.decided_at_ms, mark.id from ${purchases} as mark where mark.id = ${before} and mark.user_id = ${userId}
  )`;
}

async function totalsOf(db: Db, userId: UserId, period: string): ReturnType<PurchaseStore["totals"]> {
  const { heldCents, capturedCents, extraCents, purchases: counted } = budgets;
  const [row] = await db
    .select({ heldCents, capturedCents, extraCents, purchases: counted })
    .from(budgets)
    .where(and(eq(budgets.userId, userId), eq(budgets.period, period)));
  return row ?? NOTHING_SPENT;
}

async function ownersOf(
  db: Db,
  userId: UserId,
  transactionIds: readonly number[],
): ReturnType<PurchaseStore["ownersOfTransactions"]> {
  if (transactionIds.length === 0) return [];
  const { id, state, transactionId, attemptTransactionId, hadUnknownOutcome, filterId, groupId } = purchases;
  const namesOne = or(
    isOneOfNumbers(transactionId, transactionIds),
    isOneOfNumbers(attemptTransactionId, transactionIds),
  );
  return await db
    .select({ id, state, transactionId, attemptTransactionId, hadUnknownOutcome, filterId, groupId })
    .from(purchases)
    .where(and(isOf(userId), namesOne));
}

async function stopsOf(db: Db, { id, userId }: PurchaseKey): ReturnType<PurchaseStore["stopsOf"]> {
  const isOfPurchase = sql`${auditEntries.details} ->> 'purchaseId' = ${id}`;
  const rows = await db
    .select({ details: auditEntries.details })
    .from(auditEntries)
    .where(and(eq(auditEntries.userId, userId), eq(auditEntries.kind, "autobuy.stopped"), isOfPurchase))
    .orderBy(asc(auditEntries.id));
  const stops = rows.map(({ details }) => stopOfEntry(details, userId)).filter((stop) => stop !== null);
  if (stops.length === 0) return [];
  const filterIds = stops.flatMap((stop) => stop.filterIds);
  const ended = await db
    .select({ id: filters.id, reason: filters.endReason })
    .from(filters)
    .where(
      and(eq(filters.userId, userId), eq(filters.isAutobuy, false), isOneOfTexts(filters.id, filterIds)),
    );
  const ends = new Map(ended.map(({ id, reason }) => [id, reason]));
  return holdingStops(stops, (id) => ends.get(id));
}

async function endForeignLeases(db: Db, owner: string, nowMs: number): Promise<number> {
  await db
    .update(marketplaceAccounts)
    .set({ refreshOwner: null, refreshUntilMs: 0 })
    .where(ne(marketplaceAccounts.refreshOwner, owner));
  const ended = await db
    .update(purchases)
    .set({ dueAtMs: FREED_AT_MS })
    .where(
      and(or(isNull(purchases.leaseOwner), ne(purchases.leaseOwner, owner)), gt(purchases.dueAtMs, nowMs)),
    )
    .returning({ id: purchases.id });
  return ended.length;
}

async function userIdsWithAutobuy(db: Db): Promise<readonly UserId[]> {
  const rows = await db
    .selectDistinct({ userId: filters.userId })
    .from(filters)
    .innerJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, filters.userId))
    .where(and(filters.isActive, filters.isAutobuy, eq(marketplaceAccounts.state, "connected")));
  return rows.map((row) => row.userId);
}
