import type { PurchaseRecord, Watch } from "#store/purchase-store.ts";
import type { Circumstances } from "./purchase-event.ts";

/** When the next order check is due, by state. Pure. */

/** Delays between checks of an unknown outcome before its absence can be proven. */
const DOUBT_WAITS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
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
export function nextLookAtMs(record: PurchaseRecord, at: Circumstances): number {
  const { watch } = record;
  if (watch === null) return at.nowMs;
  return at.nowMs + waitMs(record, watch, at);
}

function waitMs(record: PurchaseRecord, watch: Watch, at: Circumstances): number {
  const ageMs = at.nowMs - watch.sinceMs;
  if (ageMs > LONG_AFTER_MS) return jittered(LONG_WAIT_MS, at);
  if (record.state === "awaiting") return jittered(awaitingWaitMs(ageMs), at);
  return record.state === "quarantine" ? jittered(QUARANTINE_WAIT_MS, at) : doubtWaitMs(watch, at);
}

/** Exponential, but never past the moment from which a read can prove something; then at the pace of the proof. */
function doubtWaitMs(watch: Watch, at: Circumstances): number {
  const step = DOUBT_WAITS_MS[Math.min(watch.looks, DOUBT_WAITS_MS.length - 1)] ?? QUARANTINE_WAIT_MS;
  const untilProofMs = proofStartsAtMs(watch, at.reconcileMs) - at.nowMs;
  if (untilProofMs > 0) return Math.min(jittered(step, at), untilProofMs);
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
