import type { Listing } from "#domain/market/listing.ts";
import type { ListingId } from "#domain/ids.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import type { Address } from "#domain/settings.ts";
import type { Secret } from "#domain/secret.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";

/**
 * The port to a marketplace, independent of HTTP: outcomes are values, failures are a `MarketplaceError` with
 * a code of a closed list. Adapters validate every answer, may retry reads, and never retry other calls.
 */
export interface Marketplace extends Catalogue, Checkout, SellerPages {
  /**
   * Exchanges a refresh token for a new pair; the old one is invalid once this settles, at most 10 s after
   * `mayStillLeave`, which is called as that of `Access`.
   */
  refreshTokens(refreshToken: Secret, mayStillLeave?: () => void): Promise<TokenPair>;
}

/** Reads the market, without a session. */
export interface Catalogue {
  /** One page of the newest listings of a slice. */
  searchNewest(query: SearchQuery): Promise<SearchPage>;
}

/** Reads sellers' profiles, without a session. */
export interface SellerPages {
  /**
   * Settles within 5 s. Throws `blocked` if the answer is a page for humans (captcha), whatever its status,
   * and `not_found` if the seller's account no longer exists.
   */
  seller(sellerId: number): Promise<SellerFacts>;
}

export interface SearchQuery {
  /** Leaves; empty: the whole market. */
  readonly leafIds: readonly number[];
  readonly marketplaceColourIds: readonly number[];
  /** From 1. */
  readonly page: number;
  /** 20–96. */
  readonly perPage: number;
}

export interface SearchPage {
  /** In the marketplace's order (newest first, promoted ones out of order). */
  readonly listings: readonly Listing[];
  /** Items of the answer that were dropped because they were invalid. */
  readonly droppedCount: number;
  readonly totalPages: number;
  readonly receivedAtMs: number;
}

export interface TokenPair {
  readonly accessToken: Secret;
  readonly refreshToken: Secret;
  readonly accessExpiresAtMs: number;
}

/** A person's session for a call; a bare access token is one. */
export interface Access {
  reveal(): string;
  /** Identifies the account for rate limits; never sent. */
  readonly account?: string | undefined;
  /** Called after waiting for the budget, immediately before sending; throws if the call must not be sent any more. */
  readonly mayStillLeave?: () => void;
}

/** Buys and follows orders, in a person's session. */
export interface Checkout {
  openTransaction(
    access: Access,
    wanted: { listingId: ListingId; sellerId: number },
  ): Promise<{ transactionId: number }>;
  buildCheckout(access: Access, transactionId: number): Promise<Quote>;
  updateCheckout(access: Access, checkoutId: number, choices: CheckoutChoices): Promise<Quote>;
  nearbyPickupPoints(access: Access, near: PickupSearch): Promise<readonly PickupPoint[]>;
  /**
   * Settles when one paying request may be sent within the budget. The turn is taken before the decision to pay is
   * committed: `pay` itself waits for nothing.
   */
  turnToPay(): Promise<void>;
  /**
   * The paying request: a new connection, no retry, no redirect. No byte is sent after `notAfterMs` (Unix time): the
   * call then fails as `too_late`. A `MarketplaceError` that is not definite leaves open whether money moved.
   */
  pay(access: Access, checkoutId: number, checksum: string, notAfterMs: number): Promise<PaymentAnswer>;
  payment(access: Access, checkoutId: number): Promise<PaymentAnswer>;
  /** The account's orders, newest first. */
  orders(access: Access, page: number): Promise<OrdersPage>;
  transaction(access: Access, transactionId: number): Promise<Transaction>;
  /**
   * Requests a cancellation; `transaction` shows whether it is granted. No byte is sent after `notAfterMs` (Unix time):
   * the call then fails as `too_late`.
   */
  requestCancel(access: Access, transactionId: number, notAfterMs: number): Promise<Transaction>;
}

export interface Quote {
  readonly checkoutId: number;
  readonly checksum: string;
  readonly listingId: ListingId;
  /** Item and protection: compared with the filter's limit. */
  readonly itemTotalCents: number;
  /** All in, with shipping: the amount that would be charged now. */
  readonly totalCents: number;
  readonly cardId: number | null;
  readonly shippingOrderId: number;
  /** Null while the checkout has no address. */
  readonly position: {
    readonly latitude: number;
    readonly longitude: number;
    readonly countryCode: string;
  } | null;
}

export interface CheckoutChoices {
  readonly paymentMethodId: PaymentMethodId;
  readonly cardId: number | null;
  readonly address: Address;
  /** Null: delivery to the address. */
  readonly pickupPoint: PickupPoint | null;
}

export interface PickupSearch {
  readonly shippingOrderId: number;
  readonly countryCode: string;
  readonly latitude: number;
  readonly longitude: number;
}

export interface PickupPoint {
  readonly uuid: string;
  readonly code: string;
  readonly name: string;
  readonly rateUuid: string;
}

export interface PaymentAnswer {
  /** preparing: accepted, the outcome follows; pending: the bank waits for the person. */
  readonly status: "success" | "pending" | "preparing" | "failure";
  readonly transactionId: number;
  readonly listingId: ListingId;
  readonly totalCents: number;
  readonly confirmUrl: string | null;
  /** Set for a failure: the reason, as far as the marketplace gives one. */
  readonly failure: "insufficient_funds" | "payment_refused" | "not_confirmed" | null;
}

export type OrderState = "open" | "awaiting" | "paid" | "cancelled" | "failed" | "unknown";

export interface Transaction {
  readonly transactionId: number;
  readonly listingId: ListingId;
  readonly state: OrderState;
  readonly totalCents: number | null;
  readonly cancellation: "none" | "requested" | "refused" | "granted";
  readonly confirmUrl: string | null;
}

export interface OrdersPage {
  readonly orders: readonly Order[];
  readonly totalPages: number;
  /** Number of orders on all pages: a list with fewer is incomplete. */
  readonly totalEntries: number;
  /** Number of orders on a full page. */
  readonly perPage: number;
}

export interface Order {
  readonly transactionId: number;
  readonly listingId: ListingId;
  readonly title: string;
  /** Null if paid in another currency. */
  readonly totalCents: number | null;
  readonly state: OrderState;
  readonly createdAtMs: number;
  readonly photoUrl: string | null;
}
