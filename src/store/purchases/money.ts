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

/** The sum of what several moves change. */
export function sumOfDeltas(moves: readonly MoneyMove[]): Deltas {
  return moves.map(deltasOf).reduce(add, NONE);
}

export function ledgerAmount(move: MoneyMove): number {
  return move.kind === "release" ? move.heldCents : move.cents;
}

function add(one: Deltas, other: Deltas): Deltas {
  return {
    held: one.held + other.held,
    captured: one.captured + other.captured,
    extra: one.extra + other.extra,
    purchases: one.purchases + other.purchases,
  };
}
