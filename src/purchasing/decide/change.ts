import type { FailureReason } from "#domain/purchase.ts";
import type { PurchaseRecord, Watch } from "#store/purchase-facts.ts";
import type { AttemptMove, Change, Evidence, MoneyMove } from "#store/purchase-store.ts";
import type { Circumstances } from "./purchase-event.ts";

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

/** Failures that count towards `maxFailures`: bank, payment, address, account, or payment without effect. */
const SETBACKS: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "not_confirmed",
  "payment_refused",
  "insufficient_funds",
  "address_invalid",
  "account_refused",
  "never_effective",
]);

/** A purchase that ends later says nothing about how the filter buys. */
const SETBACK_WITHIN_MS = 24 * 60 * 60_000;

function isYoung({ decidedAtMs }: PurchaseRecord, { nowMs }: Circumstances): boolean {
  return nowMs - decidedAtMs <= SETBACK_WITHIN_MS;
}

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
    {
      ...parts.fields,
      ...settled,
      state: "failed",
      failureReason: reason,
      holdCents: 0,
      confirmUrl: null,
      isSetback: SETBACKS.has(reason) && isYoung(record, at),
    },
    {
      money: [{ kind: "release", heldCents: record.holdCents }],
      attempts: endAttempt(record, reason, parts.evidence),
    },
  );
}

/**
 * The marketplace has the order. The charge is captured from the hold; an excess is booked as an overshoot. In an order
 * of the attempt's own it requires a marketplace that contradicts its own quote, and stops the person's automatic
 * purchases; another one, which the person made by hand meanwhile, was never quoted to the product.
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
  return { ...change, stopsUser: overshootCents > 0 && isOfAttempt(record, order) };
}

function isOfAttempt(
  { attemptTransactionId }: PurchaseRecord,
  order: { readonly transactionId: number | null },
): boolean {
  return order.transactionId === attemptTransactionId;
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
    {
      ...settled,
      state: "cancelled",
      failureReason: null,
      confirmUrl: null,
      isSetback: isYoung(record, at),
    },
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
    watch: newWatch(at),
  });
  return {
    ...change,
    attempts: endAttempt(record, "awaiting"),
    stopsUser: order.totalCents !== null && order.totalCents > record.holdCents && isOfAttempt(record, order),
  };
}

/** It is unknown whether money moved: the hold remains until there is proof. */
export function becomeUnknown(record: PurchaseRecord, at: Circumstances, evidence: Evidence): Change {
  const change = watching(record, at, {
    state: "unknown",
    hadUnknownOutcome: true,
    attemptPhase: "none",
    reachedCheckout: true,
    watch: newWatch(at),
  });
  return {
    ...change,
    attempts: endAttempt(record, "unknown", evidence),
    stopsUser: at.facts.recentUnknownOutcomes + 1 >= UNKNOWN_OUTCOMES_THAT_STOP,
  };
}

/** This many unknown outcomes of one person within the window set the person's stop switch. */
const UNKNOWN_OUTCOMES_THAT_STOP = 3;

export function newWatch(at: Circumstances): Watch {
  return { sinceMs: at.nowMs, looks: 0, negativeReads: 0, lastNegativeAtMs: null };
}

/**
 * Releases the lease and schedules the next order check by the state's schedule.
 * @param readStartedAtMs how far a proof of absence has come
 */
export function watching(
  record: PurchaseRecord,
  at: Circumstances,
  fields: Fields,
  readStartedAtMs = at.nowMs,
): Change {
  const next = { ...record, ...fields };
  return changeTo(record, at, {
    ...fields,
    leaseOwner: null,
    dueAtMs: nextCheckAtMs(next, at, readStartedAtMs),
  });
}

/** When the next order check is due, by state. Pure. */

/** Delays between checks of an unknown outcome before its absence can be proven. */
const UNKNOWN_WAITS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
const QUARANTINE_WAIT_MS = 60_000;
/** An unresolved case is checked once an hour, without end. */
const LONG_WAIT_MS = 60 * 60_000;

/** Number of complete reads without the order that prove its absence. */
export const NEGATIVE_READS_NEEDED = 3;
/** From here on an unknown outcome or cancellation is reported to a person. */
export const UNDECIDED_AFTER_MS = 15 * 60_000;

/** After a day a case is checked once an hour, and a bank that is still pending is reported to the operator. */
export const LONG_AFTER_MS = 24 * 60 * 60_000;

/** Minimum distance between two reads of a proof of absence. */
export function negativeSpacingMs(reconcileMs: number): number {
  return reconcileMs / 10;
}

/** A read without the order before this moment proves nothing. */
export function proofStartsAtMs(watch: Watch, reconcileMs: number): number {
  return watch.sinceMs + reconcileMs;
}

/** @param record with its next `watch` */
function nextCheckAtMs(record: PurchaseRecord, at: Circumstances, readStartedAtMs = at.nowMs): number {
  const { watch } = record;
  if (watch === null) return at.nowMs;
  const ageMs = at.nowMs - watch.sinceMs;
  if (ageMs > LONG_AFTER_MS) return at.nowMs + jittered(LONG_WAIT_MS, at);
  if (record.state === "awaiting") return at.nowMs + jittered(awaitingWaitMs(ageMs), at);
  if (record.state === "quarantine") return at.nowMs + jittered(QUARANTINE_WAIT_MS, at);
  return at.nowMs + unknownWaitMs(watch, at, readStartedAtMs);
}

/** Exponential, but never past the moment from which a read can prove something; then at the pace of the proof. */
function unknownWaitMs(watch: Watch, at: Circumstances, readStartedAtMs: number): number {
  const step = UNKNOWN_WAITS_MS[Math.min(watch.looks, UNKNOWN_WAITS_MS.length - 1)] ?? QUARANTINE_WAIT_MS;
  const msUntilProof = proofStartsAtMs(watch, at.reconcileMs) - readStartedAtMs;
  if (msUntilProof > 0) return Math.min(jittered(step, at), msUntilProof);
  return watch.negativeReads > 0 ? negativeSpacingMs(at.reconcileMs) : jittered(step, at);
}

/** A person on the bank's page is checked often, one who left is not. */
function awaitingWaitMs(ageMs: number): number {
  if (ageMs < 60_000) return 1_000;
  if (ageMs < UNDECIDED_AFTER_MS) return 5_000;
  return 60_000;
}

/** Between 80 and 120 percent. */
function jittered(durationMs: number, at: Circumstances): number {
  return Math.round(durationMs * (0.8 + 0.4 * at.jitter));
}
