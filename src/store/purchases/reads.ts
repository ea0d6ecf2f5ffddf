import { and, asc, count, desc, eq, gt, inArray, isNotNull, lte, ne, notInArray, or, sql } from "drizzle-orm";
import type { FilterId, PurchaseId, UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { batchLookups } from "#domain/concurrency.ts";
import type { Db } from "../engines/db.ts";
import { isOneOfNumbers, isOneOfTexts } from "../sql/rows.ts";
import { preparedRead, type Slot } from "../sql/prepared.ts";
import { budgets, purchaseAttempts, purchases } from "../schema/purchase-tables.ts";
import { FREED_AT_MS, type JournalEntry, type PurchaseStore } from "../purchase-store.ts";
import { NOTHING_SPENT } from "./facts.ts";
import { toRecord } from "./rows.ts";
import { auditEntries, filters, marketplaceAccounts } from "../schema/tables.ts";
import { isStorable } from "../sql/storable-text.ts";

type Reads = Pick<
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
  | "markPublished"
  | "endForeignLeases"
  | "ownersOfTransactions"
  | "userIdsWithOpenPurchases"
  | "userIdsWithAutobuy"
  | "hasReachedMaximum"
>;

const MAX_BATCH = 200;

/** An attempt that failed before the marketplace's checkout is the journal's, not the list's. */
const isInList = or(ne(purchases.state, "failed"), eq(purchases.reachedCheckout, true));

const newestFirst = [desc(purchases.decidedAtMs), desc(purchases.id)] as const;

const purchasesOf = preparedRead((db, slot: Slot<"ids">) =>
  db
    .select()
    .from(purchases)
    .where(isOneOfTexts(purchases.id, slot("ids"))),
);

const listOf = preparedRead((db, slot: Slot<"userId" | "limit">) =>
  db
    .select()
    .from(purchases)
    .where(and(eq(purchases.userId, slot("userId")), eq(purchases.isHidden, false), isInList))
    .orderBy(...newestFirst)
    .limit(slot("limit")),
);

const olderOf = preparedRead((db, slot: Slot<"userId" | "limit" | "before">) =>
  db
    .select()
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, slot("userId")),
        eq(purchases.isHidden, false),
        isInList,
        sql`(${purchases.decidedAtMs}, ${purchases.id}) < (
          select mark.decided_at_ms, mark.id from ${purchases} as mark
          where mark.id = ${slot("before")} and mark.user_id = ${slot("userId")}
        )`,
      ),
    )
    .orderBy(...newestFirst)
    .limit(slot("limit")),
);

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
      return (await purchasesOf(db, { ids })).map(toRecord);
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
      if (before === undefined) return (await listOf(db, { userId, limit })).map(toRecord);
      if (!isStorable(before)) return [];
      return (await olderOf(db, { userId, limit, before })).map(toRecord);
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
function publications(db: Db): Pick<Reads, "unpublished" | "markPublished"> {
  return {
    async unpublished(movedBeforeMs, limit) {
      const rows = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.isPublished, false), lte(purchases.updatedAtMs, movedBeforeMs)))
        .orderBy(asc(purchases.updatedAtMs))
        .limit(limit);
      return rows.map(toRecord);
    },
    async markPublished(published) {
      const records = published.map(({ record: { id, state, updatedAtMs } }) => ({ id, state, updatedAtMs }));
      const entries = published.flatMap(({ entry }) => (entry === null ? [] : [entry]));
      const ids = records.map(({ id }) => id);
      // The same SQL for any number of records keeps its plan cached. The list of ids is for the planner, which
      // estimates a record set at a hundred rows and would scan the whole table for it.
      await db.execute(sql`
        with written as (
          insert into ${auditEntries} (at_ms, kind, user_id, details)
          select "atMs", kind, "userId", details from json_to_recordset(${JSON.stringify(entries)}::json)
            as entry("atMs" bigint, kind text, "userId" text, details json)
        )
        update ${purchases} set is_told = true
        from json_to_recordset(${JSON.stringify(records)}::json) as published(id text, state text, "updatedAtMs" bigint)
        where ${isOneOfTexts(purchases.id, ids)} and ${purchases.id} = published.id and ${purchases.state} = published.state
          and ${purchases.updatedAtMs} = published."updatedAtMs"`);
    },
  };
}

function ofAllPeople(
  db: Db,
): Pick<
  Reads,
  | "find"
  | "due"
  | "endForeignLeases"
  | "userIdsWithOpenPurchases"
  | "userIdsWithAutobuy"
  | "hasReachedMaximum"
> {
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
    hasReachedMaximum: (filterId) => hasReachedMaximum(db, filterId),
  };
}

/** Accepted by the marketplace: a purchase that may still fail does not count towards a filter's maximum. */
export const ACCEPTED: readonly PurchaseState[] = [
  "awaiting",
  "confirmed",
  "cancelling",
  "cancel_unknown",
  "quarantine",
];

const acceptedOf = preparedRead((db, slot: Slot<"filterId">) =>
  db
    .select({ maximum: filters.maxPurchases, accepted: count(purchases.id) })
    .from(filters)
    .leftJoin(
      purchases,
      and(
        eq(purchases.filterId, filters.id),
        eq(purchases.mode, sql`case when ${filters.isSimulation} then 'simulation' else 'live' end`),
        inArray(purchases.state, [...ACCEPTED]),
      ),
    )
    .where(eq(filters.id, slot("filterId")))
    .groupBy(filters.id),
);

async function hasReachedMaximum(db: Db, filterId: FilterId): Promise<boolean> {
  const [row] = await acceptedOf(db, { filterId });
  return row !== undefined && row.maximum !== null && row.accepted >= row.maximum;
}
