import { missingForPurchase, type MarketplaceSettings, type Address } from "#domain/settings.ts";
import { isNotFound, MarketplaceError } from "#marketplace/errors.ts";
import type { Access, Checkout, Quote, PickupPoint } from "#marketplace/marketplace.ts";
import type { AccountTokens, PurchaseRecord } from "#store/purchase-facts.ts";
import type { AccountCalls } from "../account/account-sessions.ts";
import type { BuyingStore } from "../buying-store.ts";
import { evidenceOf, preparationFailure } from "../decide/classify.ts";
import type { AttemptFailure } from "../decide/purchase-event.ts";
import type { RightOfWay } from "../queue/right-of-way.ts";
import { createHmac, randomBytes } from "node:crypto";
import { foldText } from "#catalogue/fold-text.ts";
import { type Clock, lifetimesBy } from "#domain/clock.ts";
import { LRUCache } from "lru-cache";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";

/** The steps from opening the transaction to the quote to be paid. Nothing here pays. */
export type Preparation =
  | {
      readonly kind: "ready";
      readonly transactionId: number;
      readonly quote: Quote;
      /** Of the account whose checkout it is. */
      readonly connectedAtMs: number;
    }
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
  readonly store: Pick<BuyingStore, "accounts">;
  /** Settles once the orders of this account were read since the start of this process. */
  readonly accountReady: (userId: PurchaseRecord["userId"], connectedAtMs: number) => Promise<void>;
}

interface Prepared {
  readonly record: PurchaseRecord;
  readonly settings: MarketplaceSettings;
  /** The person's session if it is already known; null: read from the store. */
  readonly tokens: AccountTokens | null;
}

const CARD = 1;

export async function prepareQuote(
  deps: PreparationDeps,
  { record, settings, tokens }: Prepared,
): Promise<Preparation> {
  const progress: Progress = { reachedCheckout: false, isPaymentMissing: false };
  try {
    if (missingForPurchase(settings).includes("address")) throw new MarketplaceError("address_invalid");
    const account = tokens ?? (await deps.store.accounts.tokens(record.userId));
    if (account === null) throw new MarketplaceError("session_refused");
    const { connectedAtMs } = account;
    await notAboutListing(() => deps.accountReady(record.userId, connectedAtMs));
    // A rejected token costs one refresh and a restart: every step here may be repeated.
    const ready = await deps.calls.call(
      record.userId,
      (access) => walk(deps, { record, settings, access, progress }),
      { retryOn401: true, tokens: account, connectedAtMs },
    );
    return { kind: "ready", connectedAtMs, ...ready };
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
  const chosen = await notAboutListing(() => delivery.choose(access, built, { settings, paymentMethodId }));
  const quote = checkedQuote(record, chosen);
  // Awaited here, because nothing may delay the request once paying is committed.
  await checkout.turnToPay();
  return { transactionId, quote };
}

/** A missing order, page or pickup point does not mean that the listing was withdrawn. */
async function notAboutListing<Answer>(call: () => Promise<Answer>): Promise<Answer> {
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

/** Where the parcel goes: the first of the person's pickup points that the quote offers, otherwise the address. */
export interface Delivery {
  /** Sets address, payment method and pickup point of the checkout. @returns the quote to pay */
  choose(access: Access, built: Quote, wishes: DeliveryWishes): Promise<Quote>;
}

interface DeliveryWishes {
  readonly settings: Pick<MarketplaceSettings, "address" | "pickupPointNames">;
  readonly paymentMethodId: PaymentMethodId;
}

const REMEMBERED_MS = 6 * 60 * 60_000;
const MAX_REMEMBERED = 2_000;
/** A longer list is not cached: 2,000 lists as long as a marketplace may send would take gigabytes. */
const MAX_POINTS = 500;
const SALT_BYTES = 32;

/**
 * Caches the pickup points around an address, so that only its first purchase requests them. A person whose first point
 * is not among them asks again each time, since it may be offered for the next parcel.
 */
export function createDelivery(
  checkout: Pick<Checkout, "updateCheckout" | "nearbyPickupPoints">,
  clock: Clock,
): Delivery {
  const remembered = new LRUCache<string, readonly PickupPoint[]>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    ...lifetimesBy(clock),
  });
  const keyOf = createAddressKeys();

  return {
    async choose(access, built, { settings, paymentMethodId }) {
      const { address, pickupPointNames } = settings;
      const update = (pickupPoint: PickupPoint | null): Promise<Quote> =>
        checkout.updateCheckout(access, built.checkoutId, {
          paymentMethodId,
          cardId: built.cardId,
          address,
          pickupPoint,
        });
      if (pickupPointNames.length === 0) return await update(null);

      const key = keyOf(address);
      const first = preferredPoint(pickupPointNames.slice(0, 1), remembered.get(key) ?? []);
      if (first !== null) {
        const quote = await updateUnlessOutdated(update, first);
        if (quote !== null) return quote;
        remembered.delete(key);
      }
      const atHome = await update(null);
      if (atHome.position === null) return atHome;
      const points = await checkout.nearbyPickupPoints(access, {
        shippingOrderId: atHome.shippingOrderId,
        ...atHome.position,
      });
      remembered.set(key, points.length > MAX_POINTS ? undefined : points);
      const point = preferredPoint(pickupPointNames, points);
      return point === null ? atHome : await update(point);
    },
  };
}

/** Null if the marketplace no longer accepts the cached point. */
async function updateUnlessOutdated(
  update: (point: PickupPoint) => Promise<Quote>,
  point: PickupPoint,
): Promise<Quote | null> {
  try {
    return await update(point);
  } catch (error) {
    const isPointRejected =
      isNotFound(error) ||
      (error instanceof MarketplaceError &&
        (error.code === "address_invalid" || error.code === "unreadable"));
    if (isPointRejected) return null;
    throw error;
  }
}

/** In the person's order; names are compared folded. */
export function preferredPoint(names: readonly string[], points: readonly PickupPoint[]): PickupPoint | null {
  for (const name of names) {
    const folded = foldText(name);
    const found = points.find((point) => foldText(point.name) === folded);
    if (folded !== "" && found !== undefined) return found;
  }
  return null;
}

/**
 * Identifies an address without storing it, since the cache outlives the settings and the account. The salt belongs to
 * this process, because the addresses of a country can be enumerated.
 */
export function createAddressKeys(): (address: Address) => string {
  const salt = randomBytes(SALT_BYTES);
  return ({ street, city, postalCode, country }) =>
    createHmac("sha256", salt)
      .update(JSON.stringify([street, city, postalCode, country]))
      .digest("base64url");
}
