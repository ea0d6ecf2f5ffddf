import { asPurchaseId, asUserId } from "#domain/ids.ts";
import type { Purchase } from "#domain/purchase.ts";
import { aListing } from "./a-listing.ts";
import { A_MOMENT_MS } from "./fake-clock.ts";

/** A purchase by click, paid and confirmed. */
export function aPurchase(traits: Partial<Purchase> = {}): Purchase {
  const listing = traits.listing ?? aListing();
  return {
    id: asPurchaseId("0193-purchase"),
    userId: asUserId("0193-user"),
    listingId: listing.id,
    epoch: 0,
    source: "click",
    lane: "click",
    filterId: null,
    mode: "live",
    state: "confirmed",
    failureReason: null,
    priceCapCents: listing.totalPriceCents,
    holdCents: 0,
    chargedCents: listing.totalPriceCents,
    paymentMethodId: 1,
    transactionId: 42,
    attemptTransactionId: null,
    confirmUrl: null,
    decidedAtMs: A_MOMENT_MS,
    updatedAtMs: A_MOMENT_MS,
    isHidden: false,
    reachedCheckout: true,
    listing,
    ...traits,
  };
}
