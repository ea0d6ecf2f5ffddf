import { sql } from "drizzle-orm";
import type { Tx } from "../engines/db.ts";
import { budgets, ledger } from "../schema/purchase-tables.ts";
import type { ExternalOrder, MoneyMove, PurchaseRecord } from "../purchase-store.ts";

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

/** The sum of what several moves change. */
export function sumOfDeltas(moves: readonly MoneyMove[]): Deltas {
  return moves.map(deltasOf).reduce(add, NONE);
}

export function ledgerAmount(move: MoneyMove): number {
  return move.kind === "release" ? move.heldCents : move.cents;
}

/** Books an order that was made elsewhere; its budgets may be the first of their periods. */
export async function bookExternal(
  tx: Tx,
  { id: purchaseId, userId, dayKey, monthKey }: Booking,
  { totalCents, nowMs }: Pick<ExternalOrder, "totalCents" | "nowMs">,
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

function add(one: Deltas, other: Deltas): Deltas {
  return {
    held: one.held + other.held,
    captured: one.captured + other.captured,
    extra: one.extra + other.extra,
    purchases: one.purchases + other.purchases,
  };
}
