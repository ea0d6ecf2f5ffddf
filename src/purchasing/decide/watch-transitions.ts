import type { PurchaseRecord, Watch } from "#store/purchase-facts.ts";
import type { Change } from "#store/purchase-store.ts";
import { isDue } from "./attempt-transitions.ts";
import {
  awaitBank,
  cancelled,
  changeTo,
  confirm,
  confirmedAndCancelled,
  fail,
  newWatch,
  watching,
  LONG_AFTER_MS,
  NEGATIVE_READS_NEEDED,
  negativeSpacingMs,
  proofStartsAtMs,
  UNDECIDED_AFTER_MS,
} from "./change.ts";
import type { Circumstances, PurchaseEvent } from "./purchase-event.ts";

/** From an unknown outcome to its proof, and from a confirmed order to its cancellation. Pure. */

export function takeOverWatch(
  record: PurchaseRecord,
  event: PurchaseEvent<"lease_ended">,
  at: Circumstances,
): Change | null {
  if (!isDue(record, at)) return null;
  return changeTo(record, at, { leaseOwner: event.owner, dueAtMs: event.leaseUntilMs });
}

/**
 * The process that requests the cancellation holds the lease: if it ends, it is unknown whether the request was sent.
 */
export function takeOverCancelling(
  record: PurchaseRecord,
  event: PurchaseEvent<"lease_ended">,
  at: Circumstances,
): Change | null {
  const change = takeOverWatch(record, event, at);
  if (change === null || record.leaseOwner === null) return change;
  return { ...change, next: { ...change.next, state: "cancel_unknown", watch: newWatch(at) } };
}

export function orderSeenWhileUnknown(
  record: PurchaseRecord,
  event: PurchaseEvent<"order_seen">,
  at: Circumstances,
): Change {
  const { order } = event;
  if (order.state === "paid") return confirm(record, at, order);
  if (order.state === "awaiting") return awaitBank(record, at, order);
  // Neither end is proof yet: it may belong to an earlier attempt, before this one takes effect.
  return negative(record, event, at, () =>
    order.state === "cancelled"
      ? confirmedAndCancelled(record, at, order)
      : fail(record, at, "payment_refused"),
  );
}

export function orderAbsentWhileUnknown(
  record: PurchaseRecord,
  event: PurchaseEvent<"order_absent">,
  at: Circumstances,
): Change {
  return negative(record, event, at, () => fail(record, at, "never_effective"));
}

/** Counts a read without the order, if it began late enough to prove something; three settle it. */
function negative(
  record: PurchaseRecord,
  event: { readonly readStartedAtMs: number },
  at: Circumstances,
  settle: () => Change,
): Change {
  const watch = record.watch ?? newWatch(at);
  const counted = countNegative(watch, event.readStartedAtMs, at);
  if (counted.negativeReads >= NEGATIVE_READS_NEEDED) return settle();
  return checkAgain(record, counted, at, event.readStartedAtMs);
}

function countNegative(watch: Watch, readStartedAtMs: number, at: Circumstances): Watch {
  const isProof =
    readStartedAtMs >= proofStartsAtMs(watch, at.reconcileMs) &&
    (watch.lastNegativeAtMs === null ||
      readStartedAtMs - watch.lastNegativeAtMs >= negativeSpacingMs(at.reconcileMs));
  if (!isProof) return watch;
  return { ...watch, negativeReads: watch.negativeReads + 1, lastNegativeAtMs: readStartedAtMs };
}

/** Releases the lease until the next order check; an outcome that stays unknown too long is reported to a person. */
function checkAgain(
  record: PurchaseRecord,
  counted: Watch,
  at: Circumstances,
  readStartedAtMs = at.nowMs,
): Change {
  const watch = { ...counted, looks: counted.looks + 1 };
  const isLong = at.nowMs - watch.sinceMs > UNDECIDED_AFTER_MS;
  if (record.state === "unknown" && isLong) return watching(record, at, { state: "quarantine", watch });
  if (record.state === "cancelling" && isLong)
    return watching(record, at, { state: "cancel_unknown", watch });
  return watching(record, at, { watch }, readStartedAtMs);
}

export function checkFailed(
  record: PurchaseRecord,
  _event: PurchaseEvent<"check_failed">,
  at: Circumstances,
): Change {
  return checkAgain(record, record.watch ?? newWatch(at), at);
}

/** An expired link proves nothing: only the order's own state does. */
export function orderSeenWhileAwaiting(
  record: PurchaseRecord,
  event: PurchaseEvent<"order_seen">,
  at: Circumstances,
): Change {
  const { order } = event;
  if (order.state === "paid") return confirm(record, at, order);
  if (order.state === "cancelled") return confirmedAndCancelled(record, at, order);
  if (order.state !== "awaiting") return fail(record, at, "not_confirmed");
  const again = checkAgain(record, record.watch ?? newWatch(at), at);
  return { ...again, next: { ...again.next, confirmUrl: order.confirmUrl ?? record.confirmUrl } };
}

/** The seller or the marketplace undid it. */
export function orderSeenWhenConfirmed(
  record: PurchaseRecord,
  event: PurchaseEvent<"order_seen">,
  at: Circumstances,
): Change | null {
  const { state } = event.order;
  return state === "cancelled" || state === "failed" ? cancelled(record, at) : null;
}

export function cancelAsked(
  record: PurchaseRecord,
  event: PurchaseEvent<"cancel_asked">,
  at: Circumstances,
): Change {
  return changeTo(record, at, {
    state: "cancelling",
    failureReason: null,
    leaseOwner: event.owner,
    dueAtMs: event.leaseUntilMs,
    watch: newWatch(at),
  });
}

export function backToConfirmed(
  record: PurchaseRecord,
  _event: PurchaseEvent<"cancel_refused">,
  at: Circumstances,
): Change {
  return stillConfirmed(record, at);
}

function stillConfirmed(record: PurchaseRecord, at: Circumstances): Change {
  const undisturbed = { leaseOwner: null, dueAtMs: null, watch: null };
  return changeTo(record, at, { ...undisturbed, state: "confirmed", failureReason: "not_cancelled" });
}

export function cancelUncertain(
  record: PurchaseRecord,
  _event: PurchaseEvent<"cancel_uncertain">,
  at: Circumstances,
): Change {
  return watching(record, at, { state: "cancel_unknown", watch: newWatch(at) });
}

/**
 * 'Annulé' is observed, never assumed; that the cancellation never arrived requires the same proof as for a payment.
 */
export function orderSeenWhileCancelling(
  record: PurchaseRecord,
  event: PurchaseEvent<"order_seen">,
  at: Circumstances,
): Change {
  const { order } = event;
  const watch = record.watch ?? newWatch(at);
  if (order.state === "cancelled" || order.state === "failed") return cancelled(record, at);
  const isRefused = order.cancellation === "refused";
  if (isRefused && record.state === "cancelling") return stillConfirmed(record, at);
  // While it is unknown whether the request arrived, the refusal may be that of an earlier one.
  if (isRefused || order.cancellation === "none")
    return negative(record, event, at, () => stillConfirmed(record, at));
  // Requested, or granted but not carried out yet.
  return checkAgain(record, { ...watch, negativeReads: 0, lastNegativeAtMs: null }, at);
}

export function resolveUnknown(
  record: PurchaseRecord,
  event: PurchaseEvent<"resolved">,
  at: Circumstances,
): Change {
  if (event.as === "confirmed") {
    // The order that was seen, if any: it may belong to an earlier attempt.
    const transactionId = record.transactionId ?? record.attemptTransactionId;
    return confirm(record, at, { transactionId, totalCents: null });
  }
  const failed = fail(record, at, "never_effective");
  return { ...failed, next: { ...failed.next, state: "cancelled", failureReason: null } };
}

/** The marketplace may drop an order whose bank was never confirmed, or the account may have changed. */
export function resolveAwaiting(
  record: PurchaseRecord,
  event: PurchaseEvent<"resolved">,
  at: Circumstances,
): Change | null {
  const waitedMs = at.nowMs - (record.watch?.sinceMs ?? at.nowMs);
  return waitedMs > LONG_AFTER_MS ? resolveUnknown(record, event, at) : null;
}

export function resolveCancel(
  record: PurchaseRecord,
  event: PurchaseEvent<"resolved">,
  at: Circumstances,
): Change {
  return event.as === "confirmed" ? stillConfirmed(record, at) : cancelled(record, at);
}
