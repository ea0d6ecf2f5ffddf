import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { FilterId, ListingId, PurchaseId, UserId } from "./ids.ts";
import type { Listing } from "./market/listing.ts";
import type { Lane } from "./market/match.ts";

/** docs/purchase.md defines each state and its form on the wire. */
export type PurchaseState =
  | "intent"
  | "submitting"
  | "unknown"
  | "awaiting"
  | "confirmed"
  | "cancelling"
  | "cancel_unknown"
  | "cancelled"
  | "failed"
  | "quarantine";

export type PurchaseMode = "live" | "simulation";
export type PurchaseSource = "auto" | "click" | "external";

/** Why a purchase ended without an order or was never sent. */
export type FailureReason =
  | "stale"
  | "stopped"
  | "price_rose"
  | "limit_reached"
  | "rule_reached"
  | "sold"
  | "withdrawn"
  | "insufficient_funds"
  | "address_invalid"
  | "payment_refused"
  | "not_confirmed"
  | "account_refused"
  | "rate_limited"
  | "never_effective"
  | "marketplace_unavailable"
  /** Of a confirmed purchase: its cancellation was refused, or never reached the marketplace. */
  | "not_cancelled";

/** A cancellation was asked for; until the marketplace shows it, the purchase counts as confirmed. */
export function isCancelling(state: PurchaseState): boolean {
  return state === "cancelling" || state === "cancel_unknown";
}

/** Whether the purchase proves that its listing is no longer for sale. */
export function isListingGone({
  mode,
  state,
  failureReason,
}: Pick<Purchase, "mode" | "state" | "failureReason">): boolean {
  if (mode !== "live") return false;
  return (
    state === "confirmed" || isCancelling(state) || failureReason === "sold" || failureReason === "withdrawn"
  );
}

/** A payment that took effect after it was recorded as failed: it is booked like an order made elsewhere. */
export function isLatePayment({
  source,
  filterId,
  attemptTransactionId,
}: Pick<Purchase, "source" | "filterId" | "attemptTransactionId">): boolean {
  return source === "external" && (filterId !== null || attemptTransactionId !== null);
}

export interface Purchase {
  readonly id: PurchaseId;
  readonly userId: UserId;
  readonly listingId: ListingId;
  /** Increases only with an explicit click after a final failure or cancellation. */
  readonly epoch: number;
  readonly source: PurchaseSource;
  readonly lane: Lane;
  readonly filterId: FilterId | null;
  readonly mode: PurchaseMode;
  readonly state: PurchaseState;
  readonly failureReason: FailureReason | null;
  /** Highest item total (item and protection) that may be paid. */
  readonly priceCapCents: number;
  /** The amount reserved in the money limits, all in; 0 once captured or released. */
  readonly holdCents: number;
  /** Amount charged, all in; null until known. */
  readonly chargedCents: number | null;
  readonly paymentMethodId: PaymentMethodId;
  readonly transactionId: number | null;
  /** The transaction that the newest attempt pays, from the phase 'paying' on; of an order made elsewhere: null. */
  readonly attemptTransactionId: number | null;
  /** The 3-D Secure page while the bank waits for the person's confirmation. */
  readonly confirmUrl: string | null;
  readonly decidedAtMs: number;
  readonly updatedAtMs: number;
  /** A final purchase that the person removed from the list. */
  readonly isHidden: boolean;
  /** The marketplace's checkout was reached: only then is a failure shown in the list. */
  readonly reachedCheckout: boolean;
  /** The listing as it was at the decision. */
  readonly listing: Listing;
}
