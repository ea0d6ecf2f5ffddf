import { pairKey, type BudgetRow, type LedgerRow, type MemoryTables } from "./memory-tables.ts";

const WINDOW_MS = 3 * 60_000;

/** The comparison of purchases-audit.ts: budgets with the ledger, and with what the purchases hold. */
export function auditMemoryBooks(tables: MemoryTables, nowMs: number): readonly string[] {
  const moved = [...tables.ledger.rows()].filter(({ atMs }) => atMs >= nowMs - WINDOW_MS);
  const keys = new Set(
    moved.flatMap(({ userId, dayKey, monthKey }) => [pairKey(userId, dayKey), pairKey(userId, monthKey)]),
  );
  return [...keys].flatMap((key) => {
    const budget = tables.budgets.get(key);
    return budget === undefined ? [] : findingsOf(tables, budget);
  });
}

/** What one budget says that its ledger or its purchases do not; empty when all is well. */
export function findingsOf(tables: MemoryTables, budget: BudgetRow): readonly string[] {
  const { userId, period, heldCents } = budget;
  const isOfPeriod = (row: Pick<LedgerRow, "userId" | "dayKey" | "monthKey">): boolean =>
    row.userId === userId && (row.dayKey === period || row.monthKey === period);
  const entries = [...tables.ledger.rows()].filter(isOfPeriod);
  const sum = (amount: (entry: LedgerRow) => number): number =>
    entries.reduce((total, entry) => total + amount(entry), 0);
  const kept = [heldCents, budget.capturedCents, budget.extraCents, budget.purchases].join("/");
  const told = [
    sum((entry) => entry.heldDeltaCents),
    sum((entry) => entry.capturedDeltaCents),
    sum((entry) => entry.extraDeltaCents),
    sum((entry) => entry.purchasesDelta),
  ].join("/");
  const heldByPurchases = [...tables.purchases.rows()]
    .filter(isOfPeriod)
    .reduce((total, { holdCents }) => total + holdCents, 0);
  const where = `budget ${period} of ${userId}`;
  return [
    ...(kept === told ? [] : [`${where}: the row says ${kept}, its ledger ${told}`]),
    ...(heldCents === heldByPurchases
      ? []
      : [`${where}: ${heldCents} held, its purchases hold ${heldByPurchases}`]),
  ];
}
