import type { MoneyLimits } from "#domain/settings.ts";
import type { MoneyMove } from "#store/purchase-store.ts";
import { deltasOf, type Booking } from "#store/purchases-money.ts";
import { pairKey, type BudgetRow, type MemoryTables } from "./memory-tables.ts";
import { ConstraintViolated } from "./table.ts";

/** Books moves into the ledger and both budgets, under the checks of the real tables. */
export function bookMoney(
  tables: MemoryTables,
  booking: Booking,
  moves: readonly MoneyMove[],
  at: { readonly nowMs: number; readonly limits: MoneyLimits | null },
): void {
  if (moves.length === 0) return;
  const { dayKey, monthKey } = booking;
  bookPeriod(tables, booking, moves, { period: dayKey, limitEur: at.limits?.dayEur ?? null });
  bookPeriod(tables, booking, moves, { period: monthKey, limitEur: at.limits?.monthEur ?? null });
  for (const move of moves) appendLedger(tables, booking, move, at.nowMs);
}

interface Period {
  readonly period: string;
  /** Null: the cap stays as it is. */
  readonly limitEur: number | null;
}

function bookPeriod(
  tables: MemoryTables,
  { userId }: Booking,
  moves: readonly MoneyMove[],
  { period, limitEur }: Period,
): void {
  const key = pairKey(userId, period);
  const isFirst = moves.some((move) => move.kind === "external" || (move.kind === "hold" && move.isFirst));
  const before = tables.budgets.get(key);
  if (before === undefined && !isFirst) return;
  const row = before ?? emptyBudget({ userId, period });
  const cap = limitEur === null ? row.capCents : Math.max(limitEur * 100, row.heldCents + row.capturedCents);
  let next: BudgetRow = { ...row, capCents: cap };
  for (const delta of moves.map(deltasOf))
    next = {
      ...next,
      heldCents: next.heldCents + delta.held,
      capturedCents: next.capturedCents + delta.captured,
      extraCents: next.extraCents + delta.extra,
      purchases: next.purchases + delta.purchases,
    };
  checkBudget(next);
  tables.budgets.put(key, next);
}

function emptyBudget(key: Pick<BudgetRow, "userId" | "period">): BudgetRow {
  return { ...key, capCents: 0, heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };
}

function checkBudget({ heldCents, capturedCents, capCents }: BudgetRow): void {
  if (heldCents < 0 || capturedCents < 0) throw new ConstraintViolated("budgets_amounts");
  if (heldCents + capturedCents > capCents) throw new ConstraintViolated("budgets_cap");
}

function appendLedger(tables: MemoryTables, booking: Booking, move: MoneyMove, atMs: number): void {
  const id = tables.ledger.size + 1;
  const deltas = deltasOf(move);
  tables.ledger.put(id, {
    id,
    atMs,
    userId: booking.userId,
    purchaseId: booking.id,
    kind: move.kind,
    amountCents: move.kind === "release" ? move.heldCents : move.cents,
    heldDeltaCents: deltas.held,
    capturedDeltaCents: deltas.captured,
    extraDeltaCents: deltas.extra,
    purchasesDelta: deltas.purchases,
    dayKey: booking.dayKey,
    monthKey: booking.monthKey,
  });
}
