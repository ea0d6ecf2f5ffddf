import { and, desc, eq, inArray, not, or, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Sql, Tx } from "../engines/db.ts";
import { budgets, ledger, purchases } from "../schema/purchase-tables.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import type { AuditEntry, ExternalOrder, PurchaseStore } from "../purchase-store.ts";
import { createStops, lockPerson, outdateDecisions } from "./buying-accounts.ts";
import { createPurchaseOperations } from "./operations.ts";
import { createDecisions } from "./decisions.ts";
import { createReads, isOver } from "./reads.ts";
import { endAutobuyAtLimit } from "../market/filter-rows.ts";
import { CHUNK_SIZE, inChunks, parsedRows } from "../sql/values.ts";
import { z } from "zod";
import { auditEntries, purchaseOrigins } from "../schema/tables.ts";
import type { Vault } from "../vault/vault.ts";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import { NEW_PURCHASE, toRow } from "./rows.ts";

/** Purchases, budgets and ledger on either engine, without any buying rule. */
export function createPurchaseStore(db: Db, statements: Sql, vault: Vault): PurchaseStore {
  const operations = createPurchaseOperations(statements, vault);
  return {
    ...createReads(db),
    ...createStops(db),
    ...operations,
    ...createDecisions(operations),
    recordExternal: (order) => recordExternal(db, order),
    hideFinal: (userId, nowMs) => hideFinal(db, userId, nowMs),
    auditLedger: (nowMs) => auditLedger(db, nowMs),
  };
}

async function hideFinal(db: Db, userId: UserId, nowMs: number): Promise<number> {
  const hidden = await db
    .update(purchases)
    .set({ isHidden: true, updatedAtMs: nowMs })
    .where(
      and(
        eq(purchases.userId, userId),
        eq(purchases.isHidden, false),
        // Bare attempts are never listed.
        eq(purchases.reachedCheckout, true),
        isOver,
      ),
    )
    .returning({ id: purchases.id });
  return hidden.length;
}

/** The audit covers people whose money moved within this time. */
const WINDOW_MS = 3 * 60_000;
const MAX_PERIODS = 2_000;
/** More than 50 entries a second for the window. Found by their ids: the ledger grows for ever. */
const MAX_RECENT_ENTRIES = 10_000;

const auditedRow = z.object({
  user_id: z.string(),
  period: z.string(),
  budget: z.string(),
  ledger: z.string(),
  held: z.string(),
  held_by_purchases: z.string(),
});

/**
 * Each budget must be the sum of its ledger entries, and its held amount the sum of its purchases' holds. One statement,
 * so that all are read in the same state.
 */
async function auditLedger(db: Db, nowMs: number): Promise<readonly string[]> {
  const rows = await parsedRows(
    db,
    auditedRow,
    sql`
    with recent as (
      select user_id, at_ms, day_key, month_key from ledger order by id desc limit ${MAX_RECENT_ENTRIES}
    ), moved as (
      select distinct user_id, day_key, month_key from recent where at_ms >= ${nowMs - WINDOW_MS} limit ${MAX_PERIODS}
    ), audited as (
      select user_id, day_key as period from moved union select user_id, month_key from moved
    )
    select b.user_id, b.period, b.held_cents::text as held,
      concat_ws('/', b.held_cents, b.captured_cents, b.extra_cents, b.purchases) as budget,
      (select concat_ws('/', coalesce(sum(held_delta_cents), 0), coalesce(sum(captured_delta_cents), 0),
          coalesce(sum(extra_delta_cents), 0), coalesce(sum(purchases_delta), 0))
        from ledger l where l.user_id = b.user_id and b.period in (l.day_key, l.month_key)) as ledger,
      (select coalesce(sum(hold_cents), 0)::text
        from purchases p where p.user_id = b.user_id and b.period in (p.day_key, p.month_key)) as held_by_purchases
    from budgets b join audited a on a.user_id = b.user_id and a.period = b.period`,
  );
  return rows.flatMap((row) => {
    const budget = `budget ${row.period} of ${row.user_id}`;
    return [
      ...(row.budget === row.ledger
        ? []
        : [`${budget}: the row says ${row.budget}, its ledger ${row.ledger}`]),
      ...(row.held === row.held_by_purchases
        ? []
        : [`${budget}: ${row.held} held, its purchases hold ${row.held_by_purchases}`]),
    ];
  });
}

const personRow = z.object({ user_id: z.string() });
const deletedRow = z.object({ id: z.string() });

/**
 * Deletes all but the newest `kept` simulated purchases of each person: they cost nothing, so no money limit bounds how
 * many a broad filter produces. Those of filters with a maximum, and of groups, are kept: it counts and bounds them.
 * @returns how many were deleted
 */
export async function pruneSimulations(db: Db, kept: number): Promise<number> {
  const people = await parsedRows(
    db,
    personRow,
    sql`select user_id from ${purchases} where mode = 'simulation' group by user_id having count(*) > ${kept}`,
  );
  let prunedCount = 0;
  for (const { user_id: userId } of people)
    prunedCount += await inChunks(CHUNK_SIZE, () => dropOldest(db, userId, kept));
  return prunedCount;
}

async function dropOldest(db: Db, userId: string, kept: number): Promise<number> {
  const deleted = await parsedRows(
    db,
    deletedRow,
    sql`with doomed as (
        delete from ${purchases} where id in (
          select id from ${purchases} p where user_id = ${userId} and mode = 'simulation'
            and not exists (select from filters f where f.id = p.filter_id and f.max_purchases is not null)
            and not exists (select from groups g where g.id = p.group_id)
          order by decided_at_ms desc, id desc offset ${kept} limit ${CHUNK_SIZE}
        ) returning id
      ), origins as (
        delete from ${purchaseOrigins} where purchase_id in (select id from doomed)
      )
      select id from doomed`,
  );
  return deleted.length;
}

/** Records an order that no purchase accounts for; rechecked under the lock: one may be paying it. */
async function recordExternal(db: Db, order: ExternalOrder): Promise<PurchaseRecord | null> {
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, order.userId))) return null;
    if (await isExplained(tx, order)) return null;
    const record = externalRecordOf(order, await nextEpoch(tx, order));
    await outdateDecisions(tx, order.userId);
    await tx.insert(purchases).values({ ...toRow(record), isPublished: false });
    await bookExternal(tx, order);
    await forgiveSetback(tx, order);
    await tx.insert(auditEntries).values(externalEntryOf(record));
    await endCompleted(tx, order);
    return record;
  });
}

export function externalEntryOf({ id, userId, updatedAtMs, chargedCents }: PurchaseRecord): AuditEntry {
  const details = { purchaseId: id, chargedCents };
  return { atMs: updatedAtMs, kind: "purchase.external", userId, details };
}

/** The purchase that may have paid the order did not fail: it no longer counts towards its filter's `maxFailures`. */
async function forgiveSetback(tx: Tx, { userId, transactionId }: ExternalOrder): Promise<void> {
  const isUnknown = eq(purchases.hadUnknownOutcome, true);
  const mayHavePaid = or(
    eq(purchases.transactionId, transactionId),
    and(eq(purchases.attemptTransactionId, transactionId), isUnknown),
  );
  await tx
    .update(purchases)
    .set({ isSetback: false })
    .where(and(eq(purchases.userId, userId), eq(purchases.isSetback, true), mayHavePaid));
}

/**
 * Ends automatic buying whose limit is reached by a late payment of an attempt that was recorded as failed. Alerts
 * are planned from the audit entry.
 */
async function endCompleted(tx: Tx, { id: purchaseId, userId, nowMs: atMs }: ExternalOrder): Promise<void> {
  const ended = await endAutobuyAtLimit(tx, userId, atMs);
  const together = Map.groupBy(ended, ({ reason, group_id: groupId }) =>
    reason === "group" ? `${reason} ${groupId}` : reason,
  );
  for (const rows of together.values()) {
    const filterIds = rows.map(({ id }) => id).join(",");
    const reason = rows[0]?.reason ?? "";
    const groupId = reason === "group" ? rows[0]?.group_id : null;
    const details = { reason, groupId: groupId ?? null, filterIds, purchaseId };
    await tx.insert(auditEntries).values({ atMs, kind: "autobuy.stopped", userId, details });
  }
}

/** By a purchase that names it and is not failed or cancelled, or an undecided one of the same listing. */
async function isExplained(tx: Tx, { userId, transactionId, listingId }: ExternalOrder): Promise<boolean> {
  const [row] = await tx
    .select({ id: purchases.id })
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, userId),
        or(
          and(eq(purchases.transactionId, transactionId), not(isOver)),
          and(
            eq(purchases.listingId, listingId),
            eq(purchases.mode, "live"),
            inArray(purchases.state, ["intent", "submitting", "unknown", "quarantine", "awaiting"]),
          ),
        ),
      ),
    )
    .limit(1);
  return row !== undefined;
}

async function nextEpoch(tx: Tx, { userId, listingId }: ExternalOrder): Promise<number> {
  const [newest] = await tx
    .select({ epoch: purchases.epoch })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), eq(purchases.listingId, listingId), eq(purchases.mode, "live")))
    .orderBy(desc(purchases.epoch))
    .limit(1);
  return newest === undefined ? 0 : newest.epoch + 1;
}

export function externalRecordOf(
  { orderedAtMs, nowMs, totalCents, ...order }: ExternalOrder,
  epoch: number,
): PurchaseRecord {
  return {
    ...NEW_PURCHASE,
    filterId: null,
    ...order,
    epoch,
    source: "external",
    lane: "click",
    mode: "live",
    state: "confirmed",
    priceCapCents: totalCents,
    holdCents: 0,
    chargedCents: totalCents,
    paymentMethodId: DEFAULT_PAYMENT_METHOD_ID,
    wishedAtMs: orderedAtMs,
    decidedAtMs: orderedAtMs,
    updatedAtMs: nowMs,
    reachedCheckout: true,
  };
}

/** Books an order that was made elsewhere; creates the budgets of its periods if needed. */
async function bookExternal(
  tx: Tx,
  { id: purchaseId, userId, dayKey, monthKey, totalCents, nowMs }: ExternalOrder,
): Promise<void> {
  const empty = { capCents: 0, heldCents: 0, capturedCents: 0 };
  await tx
    .insert(budgets)
    .values(
      [dayKey, monthKey].map((period) => ({
        userId,
        period,
        ...empty,
        extraCents: totalCents,
        purchases: 1,
      })),
    )
    .onConflictDoUpdate({
      target: [budgets.userId, budgets.period],
      set: {
        extraCents: sql`${budgets.extraCents} + excluded.extra_cents`,
        purchases: sql`${budgets.purchases} + excluded.purchases`,
      },
    });
  await tx.insert(ledger).values({
    atMs: nowMs,
    userId,
    purchaseId,
    kind: "external",
    amountCents: totalCents,
    heldDeltaCents: 0,
    capturedDeltaCents: 0,
    extraDeltaCents: totalCents,
    purchasesDelta: 1,
    dayKey,
    monthKey,
  });
}
