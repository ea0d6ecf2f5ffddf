import { createHash } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import { PICKUP_POINT, type WireCheckoutUpdate } from "#marketplace/wire.ts";
import { protectionFeeCents } from "#catalogue/simulation-priors.ts";
import type { MarketDatabase, MarketAccount } from "../database/market-database.ts";
import {
  positionOf,
  type Position,
  isOfferedNear,
  pickupPointsNear,
  type RelayPoint,
} from "./pickup-points.ts";
import type { MarketListing } from "./listing.ts";
import {
  EMPTY_DETAILS,
  orderIdOfCheckout,
  orderIdOfShipping,
  type CheckoutState,
  type MarketOrder,
} from "./order.ts";
import { Refusal } from "./refusal.ts";
import type { Stock } from "./stock.ts";

/** From the conversation to the quote. Every call is committed when it returns, or throws a Refusal. */
export interface Checkouts {
  /** The account's open transaction about the listing, or a new one. */
  openTransaction(account: MarketAccount, wanted: { listingId: number; sellerId: number }): MarketOrder;
  /** Creates a new quote. */
  build(account: MarketAccount, orderId: number): MarketOrder;
  /** Stores the buyer's choices and creates a new quote. */
  update(account: MarketAccount, checkoutId: number, choices: WireCheckoutUpdate): MarketOrder;
  /** Pickup points near a place and their delivery price. */
  pointsNear(account: MarketAccount, shippingOrderId: number, place: Position): PointOffer;
}

export interface PointOffer {
  readonly points: readonly RelayPoint[];
  readonly priceCents: number;
}

const FIRST_ORDER_ID = 9_000_000_000;
const CARD = 1;
const WALLET = 11;

export function createCheckouts(parts: { database: MarketDatabase; stock: Stock; clock: Clock }): Checkouts {
  const { database, stock, clock } = parts;

  const ownOrder = (account: MarketAccount, orderId: number): MarketOrder => {
    const order = database.orders.byId(orderId);
    if (order === null || order.accountId !== account.id) throw new Refusal("not_found");
    return order;
  };

  const quote = (order: MarketOrder, choices: Choices): MarketOrder => {
    const listing = wantedListing(stock, order);
    const checkout = quoteFor({ order, listing, choices });
    const quoted: MarketOrder = { ...order, details: { ...order.details, checkout } };
    database.orders.update(quoted);
    return quoted;
  };

  return {
    openTransaction(account, { listingId, sellerId }) {
      const listing = buyable(stock.byId(listingId));
      if (listing.seller.id !== sellerId) throw new Refusal("invalid_request");
      const open = database.orders.ofListing(listingId, account.id).find(({ state }) => state === "open");
      if (open !== undefined) return open;
      const order: MarketOrder = {
        id: Math.max(database.orders.lastId(), FIRST_ORDER_ID) + 1,
        accountId: account.id,
        listingId,
        createdAtMs: clock.nowMs(),
        state: "open",
        details: EMPTY_DETAILS,
      };
      database.orders.insert(order);
      return order;
    },
    build(account, orderId) {
      const order = ownOrder(account, orderId);
      const choices = order.details.checkout ?? firstChoices(account);
      return quote(order, choices);
    },
    update(account, checkoutId, update) {
      const order = ownOrder(account, orderIdOfCheckout(checkoutId));
      if (order.details.checkout === null) throw new Refusal("not_found");
      const choices = readChoices(account, update);
      return database.write(() => {
        if (choices.address !== null) database.accounts.setAddress(account.id, choices.address);
        return quote(order, choices);
      });
    },
    pointsNear(account, shippingOrderId, place) {
      const order = ownOrder(account, orderIdOfShipping(shippingOrderId));
      const listing = stock.byId(order.listingId);
      if (listing === null) throw new Refusal("not_found");
      return { points: pickupPointsNear(place), priceCents: listing.pointShippingCents };
    },
  };
}

/** The listing if it is available. @throws Refusal otherwise */
export function buyable(listing: MarketListing | null): MarketListing {
  if (listing === null) throw new Refusal("not_found");
  if (listing.state === "available") return listing;
  throw new Refusal(REFUSAL_OF_STATE[listing.state]);
}

const REFUSAL_OF_STATE = {
  sold: "item_sold",
  reserved: "item_reserved",
  withdrawn: "item_withdrawn",
} as const;

/** The item price with the protection fee, without shipping. */
export function itemTotalCents(priceCents: number): number {
  return priceCents + protectionFeeCents(priceCents);
}

function wantedListing(stock: Stock, order: MarketOrder): MarketListing {
  if (order.state !== "open") throw new Refusal(order.state === "failed" ? "not_found" : "item_sold");
  return buyable(stock.byId(order.listingId));
}

type Choices = Pick<CheckoutState, "paymentMethodId" | "cardId" | "address" | "pickup">;

function firstChoices(account: MarketAccount): Choices {
  return { paymentMethodId: CARD, cardId: account.cardId, address: account.address, pickup: null };
}

function readChoices(account: MarketAccount, { components }: WireCheckoutUpdate): Choices {
  const method = components.payment_method;
  if (method.pay_in_method_id !== CARD && method.pay_in_method_id !== WALLET)
    throw new Refusal("invalid_request");
  if (method.card_id !== null && method.card_id !== account.cardId) throw new Refusal("invalid_request");
  const wanted = components.shipping_address;
  const place = positionOf(wanted.postal_code, wanted.country_code);
  if (place === null) throw new Refusal("address_invalid");
  const details = components.shipping_pickup_details;
  const isToPoint = components.shipping_pickup_options.pickup_type === PICKUP_POINT;
  if (isToPoint && details === undefined) throw new Refusal("invalid_request");
  if (isToPoint && details !== undefined && !isOfferedNear(place, details.point_code, details.point_uuid)) {
    throw new Refusal("address_invalid");
  }
  return {
    paymentMethodId: method.pay_in_method_id,
    cardId: method.pay_in_method_id === CARD ? account.cardId : null,
    address: {
      street: wanted.street,
      city: wanted.city,
      postalCode: wanted.postal_code,
      countryCode: wanted.country_code,
    },
    pickup:
      isToPoint && details !== undefined
        ? { rateUuid: details.rate_uuid, pointCode: details.point_code, pointUuid: details.point_uuid }
        : null,
  };
}

/** The current quote for this listing. */
export function quotedCents(
  listing: MarketListing,
  pickup: CheckoutState["pickup"],
): Pick<CheckoutState, "quotedItemCents" | "quotedShippingCents"> {
  return {
    quotedItemCents: itemTotalCents(listing.priceCents),
    quotedShippingCents: pickup === null ? listing.homeShippingCents : listing.pointShippingCents,
  };
}

function quoteFor(wanted: { order: MarketOrder; listing: MarketListing; choices: Choices }): CheckoutState {
  const { order, listing, choices } = wanted;
  const quote = {
    revision: (order.details.checkout?.revision ?? 0) + 1,
    ...quotedCents(listing, choices.pickup),
    paymentMethodId: choices.paymentMethodId,
    cardId: choices.cardId,
    address: choices.address,
    pickup: choices.pickup,
  };
  return { ...quote, checksum: checksumOf(order.id, quote) };
}

function checksumOf(orderId: number, quote: object): string {
  return createHash("sha256")
    .update(JSON.stringify([orderId, quote]))
    .digest("hex")
    .slice(0, 40);
}
