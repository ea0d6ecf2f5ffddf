import { and, eq, inArray, sql, type SQLWrapper } from "drizzle-orm";
import type { MoneyLimits } from "#domain/settings.ts";
import type { Tx } from "./engines/db.ts";
import { budgets, ledger } from "./purchase-schema.ts";
import type { MoneyMove, PurchaseRecord } from "./purchase-store.ts";

/** What a move of money does to the budgets of its day and month. */
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
  // A refund is told and moves nothing.
  return { ...NONE, extra: EXTRA_SIGN[move.kind] * move.cents };
}

const EXTRA_SIGN = { overshoot: 1, external: 1, refund: 0 } as const;

export type Booking = Pick<PurchaseRecord, "id" | "userId" | "dayKey" | "monthKey">;

/**
 * Books moves into the ledger and both budgets; for `alongside`.
 * A cap follows the person's limit, but never below what was held and captured already; the CHECK of the table
 * then refuses whatever a wrong decision would spend beyond it.
 * @param limits null: the move is none of a decision's, the caps stay
 */
export function moneyWrites(
  tx: Tx,
  booking: Booking,
  moves: readonly MoneyMove[],
  at: { readonly nowMs: number; readonly limits: MoneyLimits | null },
): readonly SQLWrapper[] {
  if (moves.length === 0) return [];
  const total = moves.map(deltasOf).reduce(add, NONE);
  const isFirst = moves.some((move) => move.kind === "external" || (move.kind === "hold" && move.isFirst));
  return [
    (isFirst ? openBudgets : changeBudgets)(tx, booking, total, at.limits),
    tx.insert(ledger).values(moves.map((move) => ledgerRow(booking, move, at.nowMs))),
  ];
}

/**
 * Carries out writes within the statement that is begun with it: each statement costs as much as a small commit.
 * They see the tables as they were before all of them, so no two may touch the same row.
 */
export function alongside(tx: Tx, writes: readonly SQLWrapper[]): Pick<Tx, "insert" | "update"> {
  if (writes.length === 0) return tx;
  return tx.with(...writes.map((write, n) => tx.$with(`write_${n}`, {}).as(write.getSQL())));
}

function add(one: Deltas, other: Deltas): Deltas {
  return {
    held: one.held + other.held,
    captured: one.captured + other.captured,
    extra: one.extra + other.extra,
    purchases: one.purchases + other.purchases,
  };
}

type Book = (tx: Tx, booking: Booking, total: Deltas, limits: MoneyLimits | null) => SQLWrapper;

/** The first booking of a purchase may be the first of its day. */
const openBudgets: Book = (tx, booking, total, limits) => {
  const row = (period: string, limitEur: number) => ({
    userId: booking.userId,
    period,
    capCents: limitEur * 100,
    heldCents: total.held,
    capturedCents: total.captured,
    extraCents: total.extra,
    purchases: total.purchases,
  });
  return tx
    .insert(budgets)
    .values([row(booking.dayKey, limits?.dayEur ?? 0), row(booking.monthKey, limits?.monthEur ?? 0)])
    .onConflictDoUpdate({
      target: [budgets.userId, budgets.period],
      set: {
        ...sums(total),
        capCents:
          limits === null
            ? budgets.capCents
            : sql`greatest(excluded.cap_cents, ${budgets.heldCents} + ${budgets.capturedCents})`,
      },
    });
};

const changeBudgets: Book = (tx, booking, total, limits) => {
  const { userId, dayKey, monthKey } = booking;
  const capCents =
    limits === null
      ? budgets.capCents
      : sql`greatest(case when ${budgets.period} = ${dayKey} then ${limits.dayEur * 100}::bigint else ${limits.monthEur * 100}::bigint end,
          ${budgets.heldCents} + ${budgets.capturedCents})`;
  return tx
    .update(budgets)
    .set({ ...sums(total), capCents })
    .where(and(eq(budgets.userId, userId), inArray(budgets.period, [dayKey, monthKey])));
};

const sums = (total: Deltas) => ({
  heldCents: sql`${budgets.heldCents} + ${total.held}::bigint`,
  capturedCents: sql`${budgets.capturedCents} + ${total.captured}::bigint`,
  extraCents: sql`${budgets.extraCents} + ${total.extra}::bigint`,
  purchases: sql`${budgets.purchases} + ${total.purchases}::bigint`,
});

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
