import { countryCode, formatPostalCode } from "#catalogue/countries.ts";
import { isCountryCode } from "#catalogue/country-codes.ts";
import type { Clock } from "#domain/clock.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import { Secret } from "#domain/secret.ts";
import type { z } from "zod";
import { MarketplaceError } from "./errors.ts";
import { createExchange, type Exchange, type ExchangeAnswer, type ExchangeRequest } from "./exchange.ts";
import type {
  Access,
  CheckoutChoices,
  Marketplace,
  PickupSearch,
  SearchQuery,
  SellerPages,
  Transaction,
} from "./marketplace.ts";
import { readAnswer } from "./read-answer.ts";
import {
  confirmsChoices,
  toOrder,
  toPayment,
  toPickupPoint,
  toQuote,
  toTransaction,
} from "./read-checkout.ts";
import { toListing } from "./read-listing.ts";
import type { RequestBudget } from "./request-budget.ts";
import * as wire from "./wire.ts";

export interface HttpMarketplaceOptions {
  /** The only origin that is ever called. */
  readonly origin: string;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Rate limits. Callers take the budget for reading; calls in a session take it here. */
  readonly budget: RequestBudget;
  /** The transport; absent: the network. */
  readonly exchange?: Exchange;
}

const READ_DEADLINE_MS = 10_000;
const SELLER_DEADLINE_MS = 5_000;
const CHECKOUT_DEADLINE_MS = 10_000;
const PAY_DEADLINE_MS = 15_000;
const MAX_LIFETIME_S = 30 * 24 * 60 * 60;
const ORDERS_PER_PAGE = 96;

interface Call {
  readonly method: ExchangeRequest["method"];
  readonly path: string;
  readonly access?: Access;
  /** That of `access`, for a call without one. */
  readonly mayStillLeave?: Access["mayStillLeave"];
  readonly body?: unknown;
  readonly deadlineMs?: number;
  /** Uses a new connection, and sends nothing once this returns true. */
  readonly isTooLate?: () => boolean;
}

/**
 * The marketplace over HTTP (wire.ts) as a well-behaved client: one origin, an honest user agent, no retries.
 */
export function createHttpMarketplace(options: HttpMarketplaceOptions): Marketplace & AsyncDisposable {
  const { clock } = options;
  const exchange = options.exchange ?? createExchange(options.origin);

  const send = async (call: Call): Promise<ExchangeAnswer> =>
    await exchange.send({
      method: call.method,
      path: call.path,
      body: call.body,
      headers: {
        accept: "application/json",
        "user-agent": options.userAgent,
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...(call.access === undefined ? {} : { authorization: `Bearer ${call.access.reveal()}` }),
      },
      deadlineMs: call.deadlineMs ?? CHECKOUT_DEADLINE_MS,
      freshConnection: call.isTooLate === undefined ? null : { isTooLate: call.isTooLate },
    });

  const read = async <Schema extends z.ZodType>(call: Call, schema: Schema): Promise<z.output<Schema>> =>
    readAnswer(await send(call), schema, clock.nowMs());

  const buy = async <Schema extends z.ZodType>(call: Call, schema: Schema): Promise<z.output<Schema>> => {
    await options.budget.take("buy");
    // The wait may have been long: checks again that the call is still allowed.
    (call.access ?? call).mayStillLeave?.();
    return await read(call, schema);
  };

  return {
    ...catalogueCalls(read, clock),
    ...sellerCalls(read),
    ...checkoutCalls(buy),
    turnToPay: () => options.budget.take("buy"),
    ...payingCalls(read, clock),
    ...orderCalls(buy, clock),
    async refreshTokens(refreshToken, mayStillLeave) {
      const body = { refresh_token: refreshToken.reveal() };
      const tokens = await buy(
        { method: "POST", path: "/web/api/auth/refresh", body, mayStillLeave },
        wire.wireTokens,
      );
      return {
        accessToken: new Secret(tokens.access_token),
        refreshToken: new Secret(tokens.refresh_token),
        accessExpiresAtMs: clock.nowMs() + lifetimeMs(tokens.expires_in),
      };
    },
    async [Symbol.asyncDispose]() {
      await exchange[Symbol.asyncDispose]();
    },
  };
}

/** Access tokens live for hours: one that claims to be valid for ever is still refreshed. */
function lifetimeMs(seconds: number): number {
  return Math.floor(Math.min(Math.max(seconds, 0), MAX_LIFETIME_S) * 1_000);
}

type Read = <Schema extends z.ZodType>(call: Call, schema: Schema) => Promise<z.output<Schema>>;

function catalogueCalls(read: Read, clock: Clock): Pick<Marketplace, "searchNewest"> {
  return {
    async searchNewest(query) {
      const page = await read(
        { method: "GET", path: searchPath(query), deadlineMs: READ_DEADLINE_MS },
        wire.wireCatalogPage,
      );
      const receivedAtMs = clock.nowMs();
      const listings = page.items.map(toListing).filter((listing) => listing !== null);
      return {
        listings,
        droppedCount: page.items.length - listings.length,
        totalPages: page.pagination.total_pages,
        receivedAtMs,
      };
    },
  };
}

function sellerCalls(read: Read): SellerPages {
  return {
    async seller(sellerId) {
      const path = `/api/v2/users/${sellerId}`;
      const { user } = await read({ method: "GET", path, deadlineMs: SELLER_DEADLINE_MS }, wire.wireSeller);
      // A mixed-up answer must not be stored for another seller.
      if (user.id !== sellerId) throw new MarketplaceError("unreadable");
      return toSellerFacts(user);
    },
  };
}

function searchPath(query: SearchQuery): string {
  const parameters = new URLSearchParams({
    page: String(query.page),
    per_page: String(query.perPage),
    order: "newest_first",
    currency: "EUR",
  });
  if (query.leafIds.length > 0) parameters.set("catalog_ids", query.leafIds.join(","));
  if (query.marketplaceColourIds.length > 0)
    parameters.set("color_ids", query.marketplaceColourIds.join(","));
  return `/api/v2/catalog/items?${parameters.toString()}`;
}

type CheckoutSteps = Pick<
  Marketplace,
  "openTransaction" | "buildCheckout" | "updateCheckout" | "nearbyPickupPoints"
>;

function checkoutCalls(buy: Read): CheckoutSteps {
  return {
    async openTransaction(access, { listingId, sellerId }) {
      const body = { initiator: "buy", item_id: listingId, opposite_user_id: sellerId };
      const { conversation } = await buy(
        { method: "POST", path: "/api/v2/conversations", access, body },
        wire.wireConversation,
      );
      if (conversation.transaction.item_id !== listingId) throw new MarketplaceError("unreadable");
      return { transactionId: conversation.transaction.id };
    },
    async buildCheckout(access, transactionId) {
      const body = { purchase_items: [{ id: transactionId, type: "transaction" }] };
      const path = "/api/v2/purchases/checkout/build";
      return toQuote((await buy({ method: "POST", path, access, body }, wire.wireCheckout)).checkout);
    },
    async updateCheckout(access, checkoutId, choices) {
      const path = `/api/v2/purchases/${checkoutId}/checkout`;
      const body = checkoutUpdate(choices);
      const { checkout } = await buy({ method: "PUT", path, access, body }, wire.wireCheckout);
      if (!confirmsChoices(checkout, { ...choices, checkoutId })) throw new MarketplaceError("unreadable");
      return toQuote(checkout);
    },
    async nearbyPickupPoints(access, near) {
      const { shipping_points: points } = await buy(
        { method: "GET", path: pickupPath(near), access },
        wire.wirePickupPoints,
      );
      return points.map(toPickupPoint);
    },
  };
}

/** Does not take the budget: the caller awaited `turnToPay`, so that nothing delays the request after the commit. */
function payingCalls(read: Read, clock: Clock): Pick<Marketplace, "pay"> {
  return {
    async pay(access, checkoutId, checksum, notAfterMs) {
      const call: Call = {
        method: "POST",
        path: `/api/v2/purchases/${checkoutId}/checkout/payment`,
        access,
        body: { checksum, payment_options: { browser_info: { language: "fr-FR" } } },
        deadlineMs: PAY_DEADLINE_MS,
        isTooLate: () => clock.nowMs() > notAfterMs,
      };
      access.mayStillLeave?.();
      return toPayment(await read(call, wire.wirePayment));
    },
  };
}

function checkoutUpdate(choices: CheckoutChoices): wire.WireCheckoutUpdate {
  const { address, pickupPoint } = choices;
  return {
    components: {
      payment_method: { pay_in_method_id: choices.paymentMethodId, card_id: choices.cardId },
      shipping_address: {
        street: address.street,
        city: address.city,
        postal_code: formatPostalCode(address.postalCode, address.country),
        country_code: countryCode(address.country),
      },
      shipping_pickup_options: { pickup_type: pickupPoint === null ? wire.PICKUP_HOME : wire.PICKUP_POINT },
      ...(pickupPoint === null
        ? {}
        : {
            shipping_pickup_details: {
              rate_uuid: pickupPoint.rateUuid,
              point_code: pickupPoint.code,
              point_uuid: pickupPoint.uuid,
            },
          }),
    },
  };
}

const BEST_RATING = 5;

/** A reputation without reviews is ignored. */
function toSellerFacts(user: wire.WireSeller): SellerFacts {
  const reviewCount = user.feedback_count ?? null;
  const share = reviewCount === 0 ? null : (user.feedback_reputation ?? null);
  const countryCode = user.country_code?.toUpperCase() ?? "";
  return {
    // Rounded to hundredths: a fraction such as 0.94 is not exact in binary.
    rating: share === null ? null : Math.round(share * BEST_RATING * 100) / 100,
    reviewCount,
    countryCode: isCountryCode(countryCode) ? countryCode : null,
  };
}

function pickupPath(near: PickupSearch): string {
  const parameters = new URLSearchParams({
    country_code: near.countryCode,
    latitude: String(near.latitude),
    longitude: String(near.longitude),
  });
  return `/api/v2/shipping_orders/${near.shippingOrderId}/nearby_pickup_points?${parameters.toString()}`;
}

function orderCalls(
  buy: Read,
  clock: Clock,
): Pick<Marketplace, "payment" | "orders" | "transaction" | "requestCancel"> {
  return {
    async payment(access, checkoutId) {
      const path = `/api/v2/purchases/${checkoutId}/checkout/payment`;
      return toPayment(await buy({ method: "GET", path, access }, wire.wirePayment));
    },
    async orders(access, page) {
      const path = `/api/v2/my_orders?type=purchased&status=all&page=${page}&per_page=${ORDERS_PER_PAGE}`;
      const answer = await buy({ method: "GET", path, access }, wire.wireOrders);
      const { total_pages: totalPages, total_entries: totalEntries, per_page: perPage } = answer.pagination;
      return { orders: answer.my_orders.map(toOrder), totalPages, totalEntries, perPage };
    },
    async transaction(access, transactionId) {
      const path = `/api/v2/transactions/${transactionId}`;
      const answer = await buy({ method: "GET", path, access }, wire.wireTransaction);
      return transactionAsked(answer.transaction, transactionId);
    },
    async requestCancel(access, transactionId, notAfterMs) {
      const path = `/api/v2/transactions/${transactionId}/cancel`;
      const isTooLate = (): boolean => clock.nowMs() > notAfterMs;
      const call: Call = { method: "POST", path, access, body: {}, isTooLate };
      return transactionAsked((await buy(call, wire.wireTransaction)).transaction, transactionId);
    },
  };
}

/**
 * Rejects an answer about another transaction, even of the same listing: a mixed-up answer must not undo an
 * order.
 */
function transactionAsked(answered: wire.WireTransaction, transactionId: number): Transaction {
  if (answered.id !== transactionId) throw new MarketplaceError("unreadable");
  return toTransaction(answered);
}
