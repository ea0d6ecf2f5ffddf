import type { FailureReason } from "#domain/purchase.ts";
import type {
  AttemptMove,
  Change,
  Evidence,
  MoneyMove,
  PurchaseRecord,
  Watch,
} from "#store/purchase-store.ts";
import type { Circumstances } from "./purchase-event.ts";
import { nextLookAtMs } from "./watch-schedule.ts";

/** The building blocks of every transition. Pure, and the only place that defines how a state moves money. */

type Fields = Partial<PurchaseRecord>;

export function changeTo(
  record: PurchaseRecord,
  at: Circumstances,
  fields: Fields,
  parts: { readonly money?: readonly MoneyMove[]; readonly attempts?: readonly AttemptMove[] } = {},
): Change {
  return {
    next: { ...record, ...fields, updatedAtMs: at.nowMs },
    money: parts.money ?? [],
    attempts: parts.attempts ?? [],
    stopsUser: false,
  };
}

/** Ends the newest attempt if it is still open. */
export function endAttempt(record: PurchaseRecord, outcome: string, evidence: Evidence = {}): AttemptMove[] {
  if (record.attemptPhase === "none") return [];
  return [{ kind: "ended", n: record.attemptCount, outcome, evidence }];
}

const settled = { leaseOwner: null, dueAtMs: null, attemptPhase: "none", watch: null } as const;

/** Ends without an order: the hold is released. */
export function fail(
  record: PurchaseRecord,
  at: Circumstances,
  reason: FailureReason,
  parts: { readonly fields?: Fields; readonly evidence?: Evidence } = {},
): Change {
  return changeTo(
    record,
    at,
    { ...parts.fields, ...settled, state: "failed", failureReason: reason, holdCents: 0, confirmUrl: null },
    {
      money: [{ kind: "release", heldCents: record.holdCents }],
      attempts: endAttempt(record, reason, parts.evidence),
    },
  );
}

/**
 * The marketplace has the order. The charge is captured from the hold; an excess (which requires a marketplace that
 * contradicts its own quote) is booked as an overshoot and stops the person's automatic purchases.
 * @param totalCents null or 0 if the marketplace does not say: the hold, which was its own last quote
 */
export function confirm(
  record: PurchaseRecord,
  at: Circumstances,
  order: { readonly transactionId: number | null; readonly totalCents: number | null },
): Change {
  const isAmountKnown = order.totalCents !== null && order.totalCents > 0;
  const chargedCents = isAmountKnown ? order.totalCents : record.holdCents;
  const overshootCents = Math.max(0, chargedCents - record.holdCents);
  const change = changeTo(
    record,
    at,
    {
      ...settled,
      state: "confirmed",
      failureReason: null,
      transactionId: order.transactionId ?? record.transactionId,
      chargedCents,
      holdCents: 0,
      confirmUrl: null,
      reachedCheckout: true,
    },
    { money: captureMoves(record, chargedCents), attempts: endAttempt(record, "confirmed") },
  );
  return { ...change, stopsUser: overshootCents > 0 };
}

function captureMoves(record: PurchaseRecord, chargedCents: number): readonly MoneyMove[] {
  const overshootCents = chargedCents - record.holdCents;
  const capture: MoneyMove = {
    kind: "capture",
    heldCents: record.holdCents,
    cents: Math.min(chargedCents, record.holdCents),
  };
  return overshootCents > 0 ? [capture, { kind: "overshoot", cents: overshootCents }] : [capture];
}

/** The marketplace undid a confirmed order: the refund is reported, but frees no limit. */
export function cancelled(record: PurchaseRecord, at: Circumstances): Change {
  return changeTo(
    record,
    at,
    { ...settled, state: "cancelled", confirmUrl: null },
    { money: [{ kind: "refund", cents: record.chargedCents ?? 0 }] },
  );
}

/** An order that took effect and was undone before the product learned of it: captured and refunded together. */
export function confirmedAndCancelled(
  record: PurchaseRecord,
  at: Circumstances,
  order: { readonly transactionId: number; readonly totalCents: number | null },
): Change {
  const taken = confirm(record, at, order);
  const undone = cancelled(taken.next, at);
  return { ...taken, next: undone.next, money: [...taken.money, ...undone.money] };
}

/** Accepted, waiting for the person's bank. The hold remains. */
export function awaitBank(
  record: PurchaseRecord,
  at: Circumstances,
  order: {
    readonly transactionId: number;
    readonly totalCents: number | null;
    readonly confirmUrl: string | null;
  },
): Change {
  const change = watching(record, at, {
    state: "awaiting",
    transactionId: order.transactionId,
    confirmUrl: order.confirmUrl,
    attemptPhase: "none",
    reachedCheckout: true,
    watch: freshWatch(at),
  });
  return {
    ...change,
    attempts: endAttempt(record, "awaiting"),
    stopsUser: order.totalCents !== null && order.totalCents > record.holdCents,
  };
}

/** It is unknown whether money moved: the hold remains until there is proof. */
export function doubt(record: PurchaseRecord, at: Circumstances, evidence: Evidence): Change {
  const change = watching(record, at, {
    state: "unknown",
    hadDoubt: true,
    attemptPhase: "none",
    reachedCheckout: true,
    watch: freshWatch(at),
  });
  return {
    ...change,
    attempts: endAttempt(record, "unknown", evidence),
    stopsUser: at.facts.recentDoubts + 1 >= DOUBTS_THAT_STOP,
  };
}

/** This many unknown outcomes of one person within the window set the person's stop switch. */
export const DOUBTS_THAT_STOP = 3;

export function freshWatch(at: Circumstances): Watch {
  return { sinceMs: at.nowMs, looks: 0, negativeReads: 0, lastNegativeAtMs: null };
}

/** Releases the lease and schedules the next order check by the state's schedule. */
export function watching(record: PurchaseRecord, at: Circumstances, fields: Fields): Change {
  const next = { ...record, ...fields };
  return changeTo(record, at, { ...fields, leaseOwner: null, dueAtMs: nextLookAtMs(next, at) });
}
