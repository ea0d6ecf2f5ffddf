import { and, gte, sql } from "drizzle-orm";
import type { Db } from "./engines/db.ts";
import { isOneOfTexts } from "./one-of.ts";
import { budgets, ledger, purchases } from "./purchase-schema.ts";

/** Whoever's money moved in this time is audited. */
const WINDOW_MS = 3 * 60_000;
const MAX_PERIODS = 2_000;

/**
 * Compares what the books say three times over: each budget is the sum of its ledger, and what it holds is the
 * sum of its purchases' holds. One statement, so that it sees one moment of the store.
 */
export async function auditBooks(db: Db, nowMs: number): Promise<readonly string[]> {
  const moved = await db
    .selectDistinct({ userId: ledger.userId, dayKey: ledger.dayKey, monthKey: ledger.monthKey })
    .from(ledger)
    .where(gte(ledger.atMs, nowMs - WINDOW_MS))
    .limit(MAX_PERIODS);
  if (moved.length === 0) return [];
  const userIds = [...new Set(moved.map((row) => row.userId))];
  const periods = [...new Set(moved.flatMap((row) => [row.dayKey, row.monthKey]))];
  const rows = await db
    .select({
      userId: budgets.userId,
      period: budgets.period,
      kept: sql<string>`${budgetText}`,
      told: sql<string>`${ledgerText}`,
      heldCents: budgets.heldCents,
      heldByPurchases: sql`${heldByPurchases}`.mapWith(Number),
    })
    .from(budgets)
    .where(and(isOneOfTexts(budgets.userId, userIds), isOneOfTexts(budgets.period, periods)));
  return rows.flatMap((row) => [
    ...(row.kept === row.told
      ? []
      : [`budget ${row.period} of ${row.userId}: the row says ${row.kept}, its ledger ${row.told}`]),
    ...(row.heldCents === row.heldByPurchases
      ? []
      : [
          `budget ${row.period} of ${row.userId}: ${row.heldCents} held, its purchases hold ${row.heldByPurchases}`,
        ]),
  ]);
}

// Each is wrapped once more where it is selected: of a query over one table drizzle-orm strips the tables' names
// from the columns of its outermost expressions, and within a subquery they would then mean others.
const budgetText = sql`concat_ws('/', ${budgets.heldCents}, ${budgets.capturedCents}, ${budgets.extraCents}, ${budgets.purchases})`;

const ledgerText = sql`(select concat_ws('/', coalesce(sum(${ledger.heldDeltaCents}), 0),
    coalesce(sum(${ledger.capturedDeltaCents}), 0), coalesce(sum(${ledger.extraDeltaCents}), 0),
    coalesce(sum(${ledger.purchasesDelta}), 0))
  from ${ledger} where ${ledger.userId} = ${budgets.userId}
    and ${budgets.period} in (${ledger.dayKey}, ${ledger.monthKey}))`;

const heldByPurchases = sql`(select coalesce(sum(${purchases.holdCents}), 0) from ${purchases}
  where ${purchases.userId} = ${budgets.userId}
    and ${budgets.period} in (${purchases.dayKey}, ${purchases.monthKey}))`;
