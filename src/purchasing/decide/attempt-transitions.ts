import type { BindingTerms, PurchaseRecord } from "#store/purchase-facts.ts";
import { type Change } from "#store/purchase-store.ts";
import { awaitBank, changeTo, confirm, becomeUnknown, endAttempt, fail } from "./change.ts";
import { capCents, hasRoomFor } from "./limits.ts";
import { ruleAgainstQuote } from "./rules.ts";
import type { AttemptFailure, Circumstances, PurchaseEvent } from "./purchase-event.ts";

/** From the intent to the answer of the paying request. Pure. */

/** Maximum age of a wish when an attempt begins (docs/purchase.md). */
export const STALE_AFTER_MS = { auto: 30_000, click: 60_000, external: 0 } as const;

/** The first attempt and at most two more, each after proof that the previous one did not pay. */
const MAX_ATTEMPTS = 3;

export function isStale(record: PurchaseRecord, nowMs: number): boolean {
  return nowMs - record.wishedAtMs > STALE_AFTER_MS[record.source];
}

/**
 * Stops of everyone and of the account and blocked sellers apply to clicks too; the person's own stop and the filter's
 * flags do not.
 */
function isStopped(record: PurchaseRecord, at: Circumstances): boolean {
  return isBlocked(record, at) || (record.source === "auto" && !stillBuys(record, at.facts.filter));
}

/** By a stop switch or a blocked seller. */
function isBlocked({ source }: PurchaseRecord, { facts }: Circumstances): boolean {
  if (facts.isEveryoneStopped || facts.isAccountStopped || facts.isSellerBlocked) return true;
  return source === "auto" && facts.limits.isStopped;
}

/**
 * The filter's current state: auto-buy switched on before the wish, on ever since, and not simulating; criteria that are
 * older than the decision.
 */
function stillBuys({ wishedAtMs, decidedAtMs }: PurchaseRecord, filter: BindingTerms | null): boolean {
  if (filter === null || !filter.isActive || !filter.isAutobuy || filter.isSimulation) return false;
  if ((filter.criteriaSinceMs ?? 0) > decidedAtMs) return false;
  return filter.activatedAtMs !== null && filter.activatedAtMs <= wishedAtMs;
}

/** The cap agreed to with the wish; a filter whose limit was lowered since applies as well. */
function capCentsNow({ source, priceCapCents }: PurchaseRecord, { facts }: Circumstances): number {
  if (source !== "auto" || facts.filter === null) return priceCapCents;
  return Math.min(priceCapCents, capCents(facts.filter.priceCapEur));
}

/** The numbers and budgets of the filter and its group, with the all-in quote. */
function isAgainstRules({ source }: PurchaseRecord, { facts }: Circumstances, cents: number): boolean {
  if (source !== "auto" || facts.filter === null) return false;
  return ruleAgainstQuote(facts.ruleFacts, facts.filter, cents) !== null;
}

export function submit(
  record: PurchaseRecord,
  event: PurchaseEvent<"submit">,
  at: Circumstances,
): Change | null {
  if (record.leaseOwner !== event.owner || at.nowMs < record.notBeforeMs) return null;
  if (isStopped(record, at)) return fail(record, at, "stopped");
  if (isStale(record, at.nowMs)) return fail(record, at, "stale");
  const n = record.attemptCount + 1;
  return changeTo(
    record,
    at,
    { state: "submitting", attemptCount: n, attemptPhase: "preparing", dueAtMs: event.leaseUntilMs },
    { attempts: [{ kind: "opened", n }] },
  );
}

/** The hold becomes the all-in quote, in the commit that allows the paying request. */
export function takeQuote(
  record: PurchaseRecord,
  event: PurchaseEvent<"quoted">,
  at: Circumstances,
): Change | null {
  if (!isOfAttempt(record, event) || record.attemptPhase !== "preparing") return null;
  if (record.leaseOwner !== event.owner) return null;
  const atCheckout = {
    fields: { reachedCheckout: true },
    evidence: { itemTotalCents: event.itemTotalCents, totalCents: event.totalCents },
  };
  // Deleting a group also switches its filters off: the deletion is the reason to report.
  const isGroupGone = record.groupId !== null && at.facts.ruleFacts.group === null;
  if (isGroupGone && !isBlocked(record, at)) return fail(record, at, "rule_reached", atCheckout);
  if (isStopped(record, at)) return fail(record, at, "stopped", atCheckout);
  if (event.itemTotalCents > record.priceCapCents) return fail(record, at, "price_rose", atCheckout);
  // The price is the one that was agreed to: the limit was lowered.
  if (event.itemTotalCents > capCentsNow(record, at)) return fail(record, at, "rule_reached", atCheckout);
  const addedCents = event.totalCents - record.holdCents;
  if (!hasRoomFor(at.facts, addedCents)) return fail(record, at, "limit_reached", atCheckout);
  if (isAgainstRules(record, at, event.totalCents)) return fail(record, at, "rule_reached", atCheckout);
  return changeTo(
    record,
    at,
    {
      attemptPhase: "paying",
      reachedCheckout: true,
      holdCents: event.totalCents,
      attemptTransactionId: event.transactionId,
      checkoutId: event.checkoutId,
      dueAtMs: event.leaseUntilMs,
    },
    {
      money: addedCents === 0 ? [] : [{ kind: "hold", cents: addedCents, isFirst: false }],
      attempts: [{ kind: "paying", n: event.n, digest: event.digest, deadlineMs: event.leaseUntilMs }],
    },
  );
}

export function preparationFailed(
  record: PurchaseRecord,
  event: PurchaseEvent<"preparation_failed">,
  at: Circumstances,
): Change | null {
  if (!isOfAttempt(record, event) || record.attemptPhase !== "preparing") return null;
  const reachedCheckout = record.reachedCheckout || event.reachedCheckout;
  return attemptFailed({ ...record, reachedCheckout }, event, at);
}

export function paymentRefused(
  record: PurchaseRecord,
  event: PurchaseEvent<"payment_refused">,
  at: Circumstances,
): Change | null {
  if (!isOfAttempt(record, event) || record.attemptPhase !== "paying") return null;
  return attemptFailed(record, event, at);
}

interface FailedAttempt {
  readonly failure: AttemptFailure;
  readonly evidence: Readonly<Record<string, string | number | boolean | null>>;
}

function attemptFailed(record: PurchaseRecord, event: FailedAttempt, at: Circumstances): Change {
  const { failure, evidence } = event;
  // After an earlier unknown outcome 'sold' may mean sold to this person: the orders are read first.
  if (failure.reason === "sold" && record.hadUnknownOutcome) return becomeUnknown(record, at, evidence);
  if (failure.kind === "final" || !mayTryAgain(record, at.nowMs + failure.waitMs))
    return fail(record, at, failure.reason, {
      evidence,
      fields: { reachedCheckout: record.reachedCheckout },
    });
  return changeTo(
    record,
    at,
    {
      state: "intent",
      attemptPhase: "none",
      reachedCheckout: record.reachedCheckout,
      notBeforeMs: at.nowMs + failure.waitMs,
      dueAtMs: at.nowMs + failure.waitMs + INTENT_LEASE_MS,
    },
    { attempts: endAttempt(record, failure.reason, evidence) },
  );
}

/** How long an INTENT may wait in one process before another takes it over. */
export const INTENT_LEASE_MS = 30_000;

function mayTryAgain(record: PurchaseRecord, atMs: number): boolean {
  return record.attemptCount < MAX_ATTEMPTS && !isStale(record, atMs);
}

/** Decisive even for an unknown outcome: the answer names the attempt. */
export function paymentAnswered(
  record: PurchaseRecord,
  event: PurchaseEvent<"payment_answered">,
  at: Circumstances,
): Change | null {
  if (!isOfAttempt(record, event)) return null;
  if (record.state === "submitting" && record.attemptPhase !== "paying") return null;
  const { answer } = event;
  if (answer.status === "success") return confirm(record, at, answer);
  if (answer.status === "pending") return awaitBank(record, at, answer);
  return fail(record, at, answer.reason);
}

export function paymentUnknown(
  record: PurchaseRecord,
  event: PurchaseEvent<"payment_unknown">,
  at: Circumstances,
): Change | null {
  if (!isOfAttempt(record, event) || record.attemptPhase !== "paying") return null;
  return becomeUnknown(record, at, event.evidence);
}

/** For an INTENT whose process died, or that waited too long for its turn. */
export function takeOverIntent(
  record: PurchaseRecord,
  event: PurchaseEvent<"lease_ended">,
  at: Circumstances,
): Change | null {
  if (!isDue(record, at)) return null;
  if (isStale(record, at.nowMs) || isUnacknowledgedClick(record)) return fail(record, at, "stale");
  return changeTo(record, at, { leaseOwner: event.owner, dueAtMs: event.leaseUntilMs });
}

/**
 * A click that was never started: perhaps its commit was never acknowledged, and the person was answered 503 and
 * asked to try again.
 */
function isUnacknowledgedClick({ source, attemptCount }: PurchaseRecord): boolean {
  return source === "click" && attemptCount === 0;
}

/**
 * Before 'paying' was committed no paying request can have been sent: the wish is resumed. After it, that is unknown:
 * the request is never sent again, only reconciled.
 */
export function takeOverSubmitting(
  record: PurchaseRecord,
  event: PurchaseEvent<"lease_ended">,
  at: Circumstances,
): Change | null {
  if (!isDue(record, at)) return null;
  if (record.attemptPhase === "paying") return becomeUnknown(record, at, { cause: "lease_ended" });
  if (!mayTryAgain(record, at.nowMs))
    return fail(record, at, "stale", { evidence: { cause: "lease_ended" } });
  return changeTo(
    record,
    at,
    { state: "intent", attemptPhase: "none", leaseOwner: event.owner, dueAtMs: event.leaseUntilMs },
    { attempts: endAttempt(record, "abandoned") },
  );
}

export function isDue(record: PurchaseRecord, at: Circumstances): boolean {
  return record.dueAtMs !== null && record.dueAtMs <= at.nowMs;
}

function isOfAttempt(record: PurchaseRecord, event: { readonly n: number }): boolean {
  return record.attemptCount === event.n;
}
