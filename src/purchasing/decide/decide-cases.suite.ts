import type { PurchaseState } from "#domain/purchase.ts";
import type { PurchaseRecord, Watch } from "#store/purchase-facts.ts";
import type { Change } from "#store/purchase-store.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { aPurchaseRecord, aSpending } from "#verify/testing/a-purchase-record.ts";
import { decide } from "./decide.ts";
import type { Circumstances, PurchaseEvent, PurchaseEventKind, SeenOrder } from "./purchase-event.ts";

export const NOW_MS = A_MOMENT_MS + 1_000;
export const TRANSACTION = 9_000_000_001;

export function at(traits: Partial<Circumstances> = {}): Circumstances {
  return { nowMs: NOW_MS, jitter: 0.5, reconcileMs: 5_000, facts: aSpending(), ...traits };
}

export const watch = (traits: Partial<Watch> = {}): Watch => ({
  sinceMs: A_MOMENT_MS,
  looks: 0,
  negativeReads: 0,
  lastNegativeAtMs: null,
  ...traits,
});

/** One typical record of each state. */
export const RECORDS: Readonly<Record<PurchaseState, PurchaseRecord>> = {
  intent: aPurchaseRecord(),
  submitting: paying(),
  unknown: watched("unknown"),
  quarantine: watched("quarantine"),
  awaiting: watched("awaiting", { transactionId: TRANSACTION, confirmUrl: "https://bank/1" }),
  confirmed: confirmed("confirmed"),
  cancelling: confirmed("cancelling", { leaseOwner: null, dueAtMs: NOW_MS, watch: watch() }),
  cancel_unknown: confirmed("cancel_unknown", { leaseOwner: null, dueAtMs: NOW_MS, watch: watch() }),
  cancelled: confirmed("cancelled"),
  failed: aPurchaseRecord({
    state: "failed",
    failureReason: "sold",
    holdCents: 0,
    leaseOwner: null,
    dueAtMs: null,
  }),
};

export function preparing(traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return aPurchaseRecord({ state: "submitting", attemptCount: 1, attemptPhase: "preparing", ...traits });
}

export function paying(traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return preparing({
    attemptPhase: "paying",
    reachedCheckout: true,
    attemptTransactionId: TRANSACTION,
    checkoutId: 7,
    holdCents: 1_500,
    ...traits,
  });
}

export function watched(state: PurchaseState, traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return paying({
    state,
    attemptPhase: "none",
    leaseOwner: null,
    dueAtMs: NOW_MS,
    hadUnknownOutcome: state !== "awaiting",
    watch: watch(),
    ...traits,
  });
}

export function confirmed(state: PurchaseState, traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return paying({
    state,
    attemptPhase: "none",
    transactionId: TRANSACTION,
    chargedCents: 1_500,
    holdCents: 0,
    leaseOwner: null,
    dueAtMs: null,
    ...traits,
  });
}

export const order = (traits: Partial<SeenOrder> = {}): SeenOrder => ({
  transactionId: TRANSACTION,
  state: "paid",
  totalCents: 1_500,
  cancellation: "none",
  confirmUrl: null,
  ...traits,
});

/** One event of each kind. */
export const EVENTS: { readonly [Kind in PurchaseEventKind]: PurchaseEvent<Kind> } = {
  submit: { kind: "submit", owner: "node-1", leaseUntilMs: NOW_MS + 90_000 },
  quoted: quotedAt(1_120, 1_500),
  preparation_failed: {
    kind: "preparation_failed",
    n: 1,
    failure: { kind: "final", reason: "sold" },
    reachedCheckout: false,
    evidence: {},
  },
  payment_answered: {
    kind: "payment_answered",
    n: 1,
    answer: { status: "success", transactionId: TRANSACTION, totalCents: 1_500 },
  },
  payment_refused: {
    kind: "payment_refused",
    n: 1,
    failure: { kind: "final", reason: "insufficient_funds" },
    evidence: {},
  },
  payment_unknown: { kind: "payment_unknown", n: 1, evidence: { code: "timeout" } },
  lease_ended: { kind: "lease_ended", owner: "node-2", leaseUntilMs: NOW_MS + 60_000 },
  order_seen: { kind: "order_seen", order: order(), readStartedAtMs: NOW_MS },
  order_absent: { kind: "order_absent", readStartedAtMs: NOW_MS },
  check_failed: { kind: "check_failed" },
  cancel_asked: { kind: "cancel_asked", owner: "node-1", leaseUntilMs: NOW_MS + 45_000 },
  cancel_refused: { kind: "cancel_refused" },
  cancel_uncertain: { kind: "cancel_uncertain" },
  resolved: { kind: "resolved", as: "confirmed" },
};

export function quotedAt(itemTotalCents: number, totalCents: number): PurchaseEvent<"quoted"> {
  return {
    kind: "quoted",
    n: 1,
    owner: "node-1",
    leaseUntilMs: NOW_MS + 60_000,
    transactionId: TRANSACTION,
    checkoutId: 7,
    itemTotalCents,
    totalCents,
    digest: "digest",
  };
}
export function moved(record: PurchaseRecord, event: PurchaseEvent, when = at()): Change {
  const change = decide(record, event, when);
  if (change === null) throw new Error(`${event.kind} changed nothing in ${record.state}`);
  return change;
}
