import { missingForPurchase, type MarketplaceSettings } from "#domain/settings.ts";
import { isNotFound, MarketplaceError } from "#marketplace/errors.ts";
import type { Access, Checkout, Quote } from "#marketplace/marketplace.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";
import type { AccountCalls } from "./account-calls.ts";
import { evidenceOf, preparationFailure } from "./classify.ts";
import type { Delivery } from "./delivery.ts";
import type { AttemptFailure } from "./purchase-event.ts";
import type { RightOfWay } from "./right-of-way.ts";

/** From the first message to the seller to the quote to be paid. Nothing here pays. */
export type Preparation =
  | { readonly kind: "ready"; readonly transactionId: number; readonly quote: Quote }
  | {
      readonly kind: "failed";
      readonly failure: AttemptFailure;
      readonly reachedCheckout: boolean;
      readonly evidence: ReturnType<typeof evidenceOf>;
      /** The account has no card. */
      readonly isPaymentMissing: boolean;
    };

export interface PreparationDeps {
  readonly checkout: Checkout;
  readonly calls: AccountCalls;
  readonly delivery: Delivery;
  readonly rightOfWay: RightOfWay;
  readonly isStoreAway: (error: unknown) => boolean;
  /** Settles once the account's orders were read since the start of this process. */
  readonly accountReady: (userId: PurchaseRecord["userId"]) => Promise<void>;
}

const CARD = 1;

export async function prepareQuote(
  deps: PreparationDeps,
  record: PurchaseRecord,
  settings: MarketplaceSettings,
): Promise<Preparation> {
  const progress: Progress = { reachedCheckout: false, isPaymentMissing: false };
  try {
    if (missingForPurchase(settings).includes("address")) throw new MarketplaceError("address_invalid");
    await besideTheListing(() => deps.accountReady(record.userId));
    // A rejected token costs one refresh and a restart: every step here may be repeated.
    const ready = await deps.calls.call(
      record.userId,
      (access) => walk(deps, { record, settings, access, progress }),
      { retryOn401: true },
    );
    return { kind: "ready", ...ready };
  } catch (error) {
    const failure = preparationFailure(error, deps.isStoreAway(error));
    return { kind: "failed", failure, evidence: evidenceOf(error), ...progress };
  }
}

interface Progress {
  reachedCheckout: boolean;
  isPaymentMissing: boolean;
}

interface Walk {
  readonly record: PurchaseRecord;
  readonly settings: MarketplaceSettings;
  readonly access: Access;
  readonly progress: Progress;
}

async function walk(
  { checkout, delivery, rightOfWay }: PreparationDeps,
  { record, settings, access, progress }: Walk,
): Promise<{ transactionId: number; quote: Quote }> {
  const { lane, listing, paymentMethodId } = record;
  await rightOfWay.yieldTurn(lane);
  const wanted = { listingId: listing.id, sellerId: listing.seller.id };
  const { transactionId } = await checkout.openTransaction(access, wanted);
  await rightOfWay.yieldTurn(lane);
  const built = checkedQuote(record, await checkout.buildCheckout(access, transactionId));
  progress.reachedCheckout = true;
  if (paymentMethodId === CARD && built.cardId === null) {
    progress.isPaymentMissing = true;
    throw new MarketplaceError("payment_refused");
  }
  await rightOfWay.yieldTurn(lane);
  const chosen = await besideTheListing(() => delivery.choose(access, built, { settings, paymentMethodId }));
  const quote = checkedQuote(record, chosen);
  // Awaited here, because nothing may delay the request once paying is committed.
  await checkout.turnToPay();
  return { transactionId, quote };
}

/** A missing order, page or pickup point does not mean that the listing was withdrawn. */
async function besideTheListing<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (isNotFound(error)) throw new MarketplaceError("unreadable", { cause: error });
    throw error;
  }
}

/** A quote for another listing, or with an impossible price, is invalid. */
function checkedQuote(record: PurchaseRecord, quote: Quote): Quote {
  const isSensible =
    quote.listingId === record.listingId &&
    quote.itemTotalCents > 0 &&
    quote.totalCents >= quote.itemTotalCents;
  if (!isSensible) throw new MarketplaceError("unreadable");
  return quote;
}
