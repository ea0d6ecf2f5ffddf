import { getTableColumns, sql, type SQL } from "drizzle-orm";
import type { MoneyLimits } from "#domain/settings.ts";
import { columnTexts, insertRows, insertSql } from "../sql/rows.ts";
import { type Slot, slotted } from "../sql/prepared.ts";
import { budgets, ledger } from "../schema/purchase-tables.ts";
import type { MoneyMove, PurchaseRecord } from "../purchase-store.ts";

/** The change that a move of money makes to the budgets of its day and month. */
interface Deltas {
  readonly held: number;
  readonly captured: number;
  readonly extra: number;
  readonly purchases: number;
}

const NONE: Deltas = { held: 0, captured: 0, extra: 0, purchases: 0 };

export function deltasOf(move: MoneyMove): Deltas {
  if (move.kind === "hold") return { ...NONE, held: move.cents, purchases: move.isFirst ? 1 : 0 };
  if (move.kind === "release") return { ...NONE, held: -move.heldCents, purchases: -1 };
  if (move.kind === "capture") return { ...NONE, held: -move.heldCents, captured: move.cents };
  // A refund is recorded and moves nothing.
  return { ...NONE, extra: EXTRA_SIGN[move.kind] * move.cents };
}

const EXTRA_SIGN = { overshoot: 1, external: 1, refund: 0 } as const;

export type Booking = Pick<PurchaseRecord, "id" | "userId" | "dayKey" | "monthKey">;

/**
 * Books moves into the ledger and both budgets; the same SQL for all moves.
 * A cap follows the person's limit, but is never below the amounts already held and captured; the table's CHECK then
 * rejects a wrong decision that would exceed it.
 */
export function moneySql(slot: Slot<string>): readonly SQL[] {
  const period = [slot("budget.dayKey"), slot("budget.monthKey")] as const;
  const budget = sql`update ${budgets} set
      held_cents = ${budgets.heldCents} + ${slot("budget.held")}::bigint,
      captured_cents = ${budgets.capturedCents} + ${slot("budget.captured")}::bigint,
      extra_cents = ${budgets.extraCents} + ${slot("budget.extra")}::bigint,
      purchases = ${budgets.purchases} + ${slot("budget.purchases")}::bigint,
      cap_cents = greatest(
        case when ${budgets.period} = ${period[0]} then ${slot("budget.dayCents")}::bigint
          else ${slot("budget.monthCents")}::bigint end,
        ${budgets.heldCents} + ${budgets.capturedCents})
    where ${budgets.userId} = ${slot("budget.userId")} and ${budgets.period} in (${period[0]}, ${period[1]})`;
  return [budget, insertSql(ledger, LEDGER_FIELDS, (field) => slot(`ledger.${field}`))];
}

/** @param moves at least one */
export function moneyValues(
  booking: Booking,
  moves: readonly MoneyMove[],
  at: { readonly nowMs: number; readonly limits: MoneyLimits },
): Readonly<Record<string, unknown>> {
  const { userId, dayKey, monthKey } = booking;
  const { dayEur, monthEur } = at.limits;
  const budget = {
    ...moves.map(deltasOf).reduce(add, NONE),
    userId,
    dayKey,
    monthKey,
    dayCents: dayEur * 100,
    monthCents: monthEur * 100,
  };
  const entries = moves.map((move) => ledgerRow(booking, move, at.nowMs));
  return {
    ...slotted("budget", budget),
    ...slotted("ledger", columnTexts(ledger, LEDGER_FIELDS, entries)),
  };
}

/** The first booking of a purchase, which may be the first of its day. */
export interface FirstBooking {
  readonly booking: Booking;
  readonly move: MoneyMove;
  readonly nowMs: number;
  /** Null: not a decision's move; the caps stay. */
  readonly limits: MoneyLimits | null;
}

/** The same for new purchases of different people. */
export function openingWrites(openings: readonly FirstBooking[]): readonly SQL[] {
  if (openings.length === 0) return [];
  const entries = openings.map(({ booking, move, nowMs }) => ledgerRow(booking, move, nowMs));
  return [openBudgets(openings), insertRows(ledger, entries)];
}

function add(one: Deltas, other: Deltas): Deltas {
  return {
    held: one.held + other.held,
    captured: one.captured + other.captured,
    extra: one.extra + other.extra,
    purchases: one.purchases + other.purchases,
  };
}

function openBudgets(openings: readonly FirstBooking[]): SQL {
  const rows = openings.flatMap(({ booking: { userId, dayKey, monthKey }, move, limits }) => {
    const { held, captured, extra, purchases } = deltasOf(move);
    const sums = { heldCents: held, capturedCents: captured, extraCents: extra, purchases };
    return [
      { userId, period: dayKey, capCents: (limits?.dayEur ?? 0) * 100, ...sums },
      { userId, period: monthKey, capCents: (limits?.monthEur ?? 0) * 100, ...sums },
    ];
  });
  const capCents = openings.some(({ limits }) => limits === null)
    ? budgets.capCents
    : sql`greatest(excluded.cap_cents, ${budgets.heldCents} + ${budgets.capturedCents})`;
  return sql`${insertRows(budgets, rows)} on conflict (user_id, period) do update set
    held_cents = ${budgets.heldCents} + excluded.held_cents,
    captured_cents = ${budgets.capturedCents} + excluded.captured_cents,
    extra_cents = ${budgets.extraCents} + excluded.extra_cents,
    purchases = ${budgets.purchases} + excluded.purchases,
    cap_cents = ${capCents}`;
}

/** All but the generated id. */
const LEDGER_FIELDS = Object.keys(getTableColumns(ledger)).filter((field) => field !== "id");

function ledgerRow(booking: Booking, move: MoneyMove, atMs: number): typeof ledger.$inferInsert {
  const deltas = deltasOf(move);
  return {
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
  };
}
