import type { FailureReason } from "#domain/purchase.ts";
import type { PurchaseFacts } from "#store/purchase-facts.ts";
import type { Evidence } from "#store/purchase-store.ts";

/** The events of a purchase, as a closed list: docs/purchase.md defines each. */
interface EventPayloads {
  /** The owner of an INTENT wants to begin the next attempt. */
  readonly submit: Lease;
  /** The last quote before paying. */
  readonly quoted: OfAttempt &
    Lease & {
      readonly transactionId: number;
      readonly checkoutId: number;
      readonly itemTotalCents: number;
      readonly totalCents: number;
      readonly digest: string;
    };
  /** An attempt ended before a paying request was sent. */
  readonly preparation_failed: OfAttempt & {
    readonly failure: AttemptFailure;
    readonly reachedCheckout: boolean;
    readonly evidence: Evidence;
  };
  /** The paying request was answered as agreed, for the right listing and transaction. */
  readonly payment_answered: OfAttempt & {
    readonly answer: DecisivePayment;
  };
  /** The paying request certainly had no effect, or was never sent. */
  readonly payment_refused: OfAttempt & { readonly failure: AttemptFailure; readonly evidence: Evidence };
  /** The paying request ended without a decisive answer. */
  readonly payment_unknown: OfAttempt & { readonly evidence: Evidence };
  /** The lease ended, or the next order check is due: the named process takes it. */
  readonly lease_ended: Lease;
  /** The marketplace shows an order of this purchase. */
  readonly order_seen: Read & { readonly order: SeenOrder };
  /** A complete read of the account's orders does not show it. */
  readonly order_absent: Read;
  /** The orders could not be read, or decide nothing. */
  readonly check_failed: Nothing;
  readonly cancel_asked: Lease;
  /** The cancellation certainly had no effect. */
  readonly cancel_refused: Nothing;
  readonly cancel_uncertain: Nothing;
  /** The operator established what the product could not. */
  readonly resolved: { readonly as: "confirmed" | "cancelled" };
}

type Nothing = unknown;

interface Read {
  /** As a proof of absence may count it (order-check.ts): never later than the clock says. */
  readonly readStartedAtMs: number;
}

interface Lease {
  readonly owner: string;
  readonly leaseUntilMs: number;
}

/** Distinguishes events of one attempt from those of an older one. */
interface OfAttempt {
  readonly n: number;
}

/**
 * The proven reason why an attempt did not pay. retry: another attempt may succeed, not before `waitMs` from now.
 * final: it would not.
 */
export type AttemptFailure =
  | { readonly kind: "retry"; readonly reason: FailureReason; readonly waitMs: number }
  | { readonly kind: "final"; readonly reason: FailureReason };

export type DecisivePayment =
  | { readonly status: "success"; readonly transactionId: number; readonly totalCents: number }
  | {
      readonly status: "pending";
      readonly transactionId: number;
      readonly totalCents: number;
      readonly confirmUrl: string | null;
    }
  | { readonly status: "failure"; readonly reason: FailureReason };

export interface SeenOrder {
  readonly transactionId: number;
  /** cancelled: undone after its charge; failed: ended without one. */
  readonly state: "awaiting" | "paid" | "cancelled" | "failed";
  readonly totalCents: number | null;
  readonly cancellation: "none" | "requested" | "refused" | "granted";
  readonly confirmUrl: string | null;
}

export type PurchaseEventKind = keyof EventPayloads;

/** With a kind: that event. Without: any of them. */
export type PurchaseEvent<Kind extends PurchaseEventKind = PurchaseEventKind> = {
  [Each in Kind]: { readonly kind: Each } & EventPayloads[Each];
}[Kind];

/** Time, randomness and the person's spending at the moment of the decision. */
export interface Circumstances {
  readonly nowMs: number;
  /** At least 0, below 1: spreads the order checks of many purchases. */
  readonly jitter: number;
  /** Longest time to effect and read lag of the marketplace (RECONCILE_SECONDS). */
  readonly reconcileMs: number;
  readonly facts: PurchaseFacts;
}
