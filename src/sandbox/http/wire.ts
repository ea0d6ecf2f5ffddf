import {
  PICKUP_HOME,
  PICKUP_POINT,
  TRANSACTION_STATUS,
  type RefusalCode,
  type WireMoney,
} from "#marketplace/wire.ts";
import { positionOf } from "../market/pickup-points.ts";
import type { MarketListing, SellerProfile } from "../market/listing.ts";
import {
  checkoutIdOf,
  conversationIdOf,
  orderTotalCents,
  shippingOrderIdOf,
  type CheckoutState,
  type MarketOrder,
} from "../market/order.ts";
import type { PointOffer } from "../market/checkout.ts";
import type { Links } from "./endpoint.ts";
import { protectionFeeCents } from "#catalogue/simulation-priors.ts";
import { formatCents } from "#domain/money.ts";
import { photographedColour } from "../pictures/palette.ts";

const HOME_RATE = "rate-domicile";

export function presentConversation(order: MarketOrder): object {
  return {
    conversation: {
      id: conversationIdOf(order.id),
      transaction: { id: order.id, item_id: order.listingId, status: TRANSACTION_STATUS.open },
    },
    code: 0,
  };
}

export function presentCheckout(order: MarketOrder, checkout: CheckoutState, homeCents: number): object {
  const { address, pickup } = checkout;
  const place = address === null ? null : positionOf(address.postalCode, address.countryCode);
  return {
    checkout: {
      id: checkoutIdOf(order.id),
      checksum: checkout.checksum,
      components: {
        item_presentation: {
          item_id: order.listingId,
          total_item_price: wireMoney(checkout.quotedItemCents),
        },
        payment_method: { pay_in_method_id: checkout.paymentMethodId, card_id: checkout.cardId },
        shipping_address:
          address === null || place === null
            ? null
            : {
                street: address.street,
                city: address.city,
                postal_code: address.postalCode,
                country_code: address.countryCode,
                ...place,
              },
        shipping_pickup_options: {
          shipping_order_id: shippingOrderIdOf(order.id),
          pickup_type: pickup === null ? PICKUP_HOME : PICKUP_POINT,
          home: { rate_uuid: HOME_RATE, price: wireMoney(homeCents) },
        },
        shipping_pickup_details:
          pickup === null
            ? null
            : { rate_uuid: pickup.rateUuid, point_code: pickup.pointCode, point_uuid: pickup.pointUuid },
      },
      pay_button_v2: {
        total: { price: wireMoney(checkout.quotedItemCents + checkout.quotedShippingCents) },
      },
    },
    code: 0,
  };
}

export function presentPoints({ points, priceCents }: PointOffer): object {
  return {
    shipping_points: points.map((point) => ({
      point: {
        uuid: point.uuid,
        code: point.code,
        name: point.name,
        address: point.address,
        latitude: point.latitude,
        longitude: point.longitude,
        rate_uuid: point.rateUuid,
      },
      price: wireMoney(priceCents),
    })),
    code: 0,
  };
}

/** The current state of a payment. */
export function presentPayment(order: MarketOrder, nowMs: number, links: Links): object {
  const { charge, confirmation } = order.details;
  const isAwaiting = order.state === "awaiting";
  return {
    payment: {
      status: paymentStatus(order, nowMs),
      transaction_id: order.id,
      item_id: order.listingId,
      total: wireMoney(charge?.totalCents ?? 0),
      failure_code: failureCode(order),
    },
    action:
      isAwaiting && confirmation !== null
        ? { type: "redirect_3ds", parameters: { url: links.confirmationUrl(confirmation.token) } }
        : null,
    code: 0,
  };
}

function paymentStatus(order: MarketOrder, nowMs: number): "success" | "pending" | "preparing" | "failure" {
  const isUntaken = order.state === "cancelled" && order.details.paymentsTaken === 0;
  if (order.state === "failed" || isUntaken) return "failure";
  if (order.state === "awaiting") return "pending";
  return (order.details.charge?.settlesAtMs ?? 0) > nowMs ? "preparing" : "success";
}

function failureCode(order: MarketOrder): RefusalCode | "not_confirmed" | null {
  return order.state === "failed" ? order.details.failureCode : null;
}

export function presentTransaction(order: MarketOrder, status: number, links: Links): object {
  const totalCents = orderTotalCents(order);
  const { confirmation, cancellation } = order.details;
  return {
    transaction: {
      id: order.id,
      item_id: order.listingId,
      status,
      total: totalCents === null ? null : wireMoney(totalCents),
      cancellation: cancellation.status,
      confirmation_url:
        order.state === "awaiting" && confirmation !== null
          ? links.confirmationUrl(confirmation.token)
          : null,
      created_at: Math.floor(order.createdAtMs / 1_000),
    },
    code: 0,
  };
}

/** @param listing null when it was deleted, which the database prevents for listings with orders */
export function presentPurchase(
  order: MarketOrder,
  status: number,
  listing: MarketListing | null,
  links: Links,
): object {
  return {
    transaction_id: order.id,
    conversation_id: conversationIdOf(order.id),
    item_id: order.listingId,
    title: listing?.title ?? "",
    price: wireMoney(orderTotalCents(order) ?? 0),
    status,
    date: Math.floor((order.details.charge?.atMs ?? order.createdAtMs) / 1_000),
    photo: listing === null ? null : { url: links.photoUrl(listing) },
  };
}

export function statusOf(order: MarketOrder, isShipped: boolean): number {
  return order.state === "paid" && isShipped ? TRANSACTION_STATUS.shipped : TRANSACTION_STATUS[order.state];
}

/**
 * A listing in the catalogue's wire format: without category, colour and the ids of brand, size and
 * condition.
 */
export function presentItem(listing: MarketListing, links: Links): object {
  const feeCents = protectionFeeCents(listing.priceCents);
  const money = listing.hasBarePrices ? bareAmount : wireMoney;
  const { seller } = listing;
  return {
    id: listing.id,
    title: listing.title,
    price: money(listing.priceCents),
    is_visible: true,
    brand_title: listing.brandTitle,
    path: links.itemPath(listing),
    user: {
      id: seller.id,
      login: seller.login,
      profile_url: null,
      photo: seller.hasPhoto ? { id: seller.id, url: links.avatarUrl(seller) } : null,
    },
    url: links.itemUrl(listing),
    promoted: listing.isPromoted,
    photo: presentPhoto(listing, links),
    favourite_count: listing.favouriteCount,
    is_favourite: false,
    service_fee: money(feeCents),
    total_item_price: money(listing.priceCents + feeCents),
    view_count: 0,
    size_title: listing.sizeTitle,
    content_source: "search",
    status: listing.conditionLabel,
  };
}

/** A past listing with only the fields that prices are computed from: it is never shown, so it has no photo. */
export function presentPastItem(listing: MarketListing): object {
  return {
    id: listing.id,
    title: listing.title,
    price: wireMoney(listing.priceCents),
    brand_title: listing.brandTitle,
    path: `/items/${listing.id}`,
    user: { id: listing.seller.id, login: listing.seller.login },
    total_item_price: wireMoney(listing.priceCents + protectionFeeCents(listing.priceCents)),
    size_title: listing.sizeTitle,
    status: listing.conditionLabel,
  };
}

/** A seller's public profile. `feedback_reputation` is the rating as a share of the best one, 0 to 1. */
export function presentSeller(
  id: number,
  login: string,
  { rating, reviews, country }: SellerProfile,
): object {
  return {
    user: {
      id,
      login,
      feedback_reputation: rating === null ? 0 : rating / 5,
      feedback_count: reviews,
      country_code: country,
    },
    code: 0,
  };
}

function presentPhoto(listing: MarketListing, links: Links): object {
  return {
    id: listing.photoSeed + 1,
    image_no: 1,
    width: 600,
    height: 800,
    dominant_color: photographedColour(listing.colourIds[0]),
    url: links.photoUrl(listing),
    is_main: true,
    high_resolution: {
      id: String(listing.photoSeed + 1),
      // The closest the marketplace comes to a publication time.
      timestamp: Math.floor(listing.publishedAtMs / 1_000),
    },
  };
}

/** Formats an amount like the marketplace: "3.0", "3.85". */
function wireMoney(cents: number): WireMoney {
  return { amount: bareAmount(cents), currency_code: "EUR" };
}

function bareAmount(cents: number): string {
  return formatCents(cents).replace(/0$/, "");
}
