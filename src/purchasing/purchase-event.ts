import type { FailureReason } from "#domain/purchase.ts";
import type { Evidence, PurchaseFacts } from "#store/purchase-store.ts";

/** What can happen to a purchase, as a closed list: docs/purchase.md gives each its meaning. */
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
  /** An attempt ended before anything that pays was sent. */
  readonly preparation_failed: OfAttempt & {
    readonly failure: AttemptFailure;
    readonly reachedCheckout: boolean;
    readonly evidence: Evidence;
  };
  /** The paying request was answered as agreed, for our listing and our transaction. */
  readonly payment_answered: OfAttempt & {
    readonly answer: DecisivePayment;
  };
  /** The paying request certainly had no effect, or was never sent. */
  readonly payment_refused: OfAttempt & { readonly failure: AttemptFailure; readonly evidence: Evidence };
  /** The paying request ended without a decisive answer. */
  readonly payment_doubtful: OfAttempt & { readonly evidence: Evidence };
  /** The lease ended, or the next look is due: the named process takes it. */
  readonly lease_ended: Lease;
  /** The marketplace shows an order that is ours. */
  readonly order_seen: { readonly order: SeenOrder; readonly readStartedAtMs: number };
  /** A complete read of the account's orders does not show it. */
  readonly order_absent: { readonly readStartedAtMs: number };
  /** The orders could not be read, or what they say decides nothing. */
  readonly look_failed: Nothing;
  readonly cancel_asked: Lease;
  /** The cancel certainly had no effect. */
  readonly cancel_refused: Nothing;
  readonly cancel_doubtful: Nothing;
  /** The operator established what the product could not. */
  readonly resolved: { readonly as: "confirmed" | "cancelled" };
}

type Nothing = unknown;

interface Lease {
  readonly owner: string;
  readonly leaseUntilMs: number;
}

/** Tells the news of one attempt from those of an older one. */
interface OfAttempt {
  readonly n: number;
}

/**
 * Why an attempt did not pay, where that is proven.
 * retry: another attempt may succeed, not before `waitMs` from now. final: it would not.
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

/** The moment of a decision: time, chance and the person's spending arrive as arguments. */
export interface Circumstances {
  readonly nowMs: number;
  /** At least 0, below 1: spreads the looks of many purchases. */
  readonly jitter: number;
  /** Longest time to effect and read lag of the marketplace (RECONCILE_SECONDS). */
  readonly reconcileMs: number;
  readonly facts: PurchaseFacts;
}
