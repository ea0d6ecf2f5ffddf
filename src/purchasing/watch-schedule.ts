import type { PurchaseRecord, Watch } from "#store/purchase-store.ts";
import type { Circumstances } from "./purchase-event.ts";

/** When to look at the marketplace's orders again: pure, by state. */

/** Waits between looks at a doubtful purchase, before it may be proven that it never took effect. */
const DOUBT_WAITS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
const QUARANTINE_WAIT_MS = 60_000;
/** A stuck case costs a look an hour, for ever. */
const LONG_WAIT_MS = 60 * 60_000;

/** How many complete reads without the order prove that there is none. */
export const NEGATIVE_READS_NEEDED = 3;
/** From here on a doubtful purchase, or cancel, is a person's business too. */
export const UNDECIDED_AFTER_MS = 15 * 60_000;

/** A day after which a case is looked at once an hour, and a bank that is still awaited is the operator's business. */
export const LONG_AFTER_MS = 24 * 60 * 60_000;

/** The distance that two reads of a negative proof keep. */
export function negativeSpacingMs(reconcileMs: number): number {
  return reconcileMs / 10;
}

/** The moment before which a read without the order proves nothing. */
export function proofStartsAtMs(watch: Watch, reconcileMs: number): number {
  return watch.sinceMs + reconcileMs;
}

/** @param record its `watch` as it will stand */
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

/** Up the ladder, but never past the moment from which a read can prove something; then the proof's own pace. */
function doubtWaitMs(watch: Watch, at: Circumstances): number {
  const step = DOUBT_WAITS_MS[Math.min(watch.looks, DOUBT_WAITS_MS.length - 1)] ?? QUARANTINE_WAIT_MS;
  const untilProofMs = proofStartsAtMs(watch, at.reconcileMs) - at.nowMs;
  if (untilProofMs > 0) return Math.min(jittered(step, at), untilProofMs);
  return watch.negativeReads > 0 ? negativeSpacingMs(at.reconcileMs) : jittered(step, at);
}

/** A person with the bank's page open is watched closely; one who went away is not. */
function awaitingWaitMs(ageMs: number): number {
  if (ageMs < 60_000) return 1_000;
  if (ageMs < UNDECIDED_AFTER_MS) return 5_000;
  return 60_000;
}

/** Between 80 and 120 per cent. */
function jittered(durationMs: number, at: Circumstances): number {
  return Math.round(durationMs * (0.8 + 0.4 * at.jitter));
}
