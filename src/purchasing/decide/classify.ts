import type { FailureReason } from "#domain/purchase.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { PaymentAnswer } from "#marketplace/marketplace.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { Evidence } from "#store/purchase-store.ts";
import type { AttemptFailure, DecisivePayment } from "./purchase-event.ts";

/**
 * The meaning of a marketplace answer for a purchase, as an allowlist. Before the paying request every failure proves
 * that nothing was paid; for the paying request itself only definite failures do.
 */

const SHORT_WAIT_MS = 500;
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** Failures that another attempt would meet again. */
const FINAL: Readonly<Partial<Record<MarketplaceErrorCode, FailureReason>>> = {
  sold: "sold",
  // Reserved by another buyer for about 15 minutes: longer than any wish stays fresh.
  reserved: "sold",
  withdrawn: "withdrawn",
  not_found: "withdrawn",
  insufficient_funds: "insufficient_funds",
  address_invalid: "address_invalid",
  payment_refused: "payment_refused",
  session_refused: "account_refused",
};

/**
 * For failures before the paying request: no money can have moved.
 * @param isStoreAway the failed call was to the product's own store, for a token for example: worth a retry
 */
export function preparationFailure(error: unknown, isStoreAway: boolean): AttemptFailure {
  if (isStoreAway) return unavailable();
  if (!(error instanceof MarketplaceError)) return { kind: "final", reason: "marketplace_unavailable" };
  if (error.code === "rate_limited") return rateLimited(error);
  if (error.code === "blocked") return { kind: "final", reason: "marketplace_unavailable" };
  if (!error.isDefinite) return unavailable();
  return definiteFailure(error);
}

/**
 * The reason why the paying request certainly did not pay; null if that is not certain. Only known codes of the agreed
 * shape count.
 */
export function paymentFailure(error: unknown): AttemptFailure | null {
  if (!(error instanceof MarketplaceError) || !error.isDefinite) return null;
  // Says nothing about the payment: the answer is about something else.
  if (error.code === "cancel_refused") return null;
  // The checkout is of another account, connected since: says nothing about the listing.
  if (error.code === "not_found") return unavailable();
  return error.code === "rate_limited" ? rateLimited(error) : definiteFailure(error);
}

function definiteFailure(error: MarketplaceError): AttemptFailure {
  // The next attempt refreshes the token first.
  if (error.code === "unauthorised") return { kind: "retry", reason: "account_refused", waitMs: 0 };
  // The next quote shows the new price and is compared with the cap.
  if (error.code === "price_changed") return { kind: "retry", reason: "price_rose", waitMs: 0 };
  const reason = FINAL[error.code];
  return reason === undefined ? unavailable() : { kind: "final", reason };
}

function rateLimited(error: MarketplaceError): AttemptFailure {
  return { kind: "retry", reason: "rate_limited", waitMs: error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS };
}

function unavailable(): AttemptFailure {
  return { kind: "retry", reason: "marketplace_unavailable", waitMs: SHORT_WAIT_MS };
}

/**
 * What the answer of the paying request, or of a later check of the payment, decides. doubtful: about another listing
 * or transaction, or a payment of nothing. preparing: the outcome follows.
 */
export function paymentMeaning(
  record: PurchaseRecord,
  answer: PaymentAnswer,
):
  | { readonly kind: "decisive"; readonly answer: DecisivePayment }
  | { readonly kind: "doubtful" | "preparing" } {
  const { status, transactionId, totalCents } = answer;
  const isOurs = answer.listingId === record.listingId && transactionId === record.attemptTransactionId;
  if (!isOurs || (status === "success" && totalCents <= 0)) return { kind: "doubtful" };
  if (status === "preparing") return { kind: "preparing" };
  if (status === "failure")
    return { kind: "decisive", answer: { status, reason: answer.failure ?? "payment_refused" } };
  return {
    kind: "decisive",
    answer:
      status === "success"
        ? { status, transactionId, totalCents }
        : { status, transactionId, totalCents, confirmUrl: answer.confirmUrl },
  };
}

/** What may be recorded of an error: its code and status, never its text. */
export function evidenceOf(error: unknown): Evidence {
  if (error instanceof MarketplaceError) return { code: error.code, status: error.status };
  return { code: error instanceof Error ? error.name : "unknown", status: null };
}
