import { countryCode, formatPostalCode } from "#catalogue/countries.ts";
import { asListingId } from "#domain/ids.ts";
import { parseEurCents, type Money } from "#domain/money.ts";
import type { z } from "zod";
import { MarketplaceError } from "./errors.ts";
import type {
  CheckoutChoices,
  Order,
  OrderState,
  PaymentAnswer,
  PickupPoint,
  Quote,
  Transaction,
} from "./marketplace.ts";
import { webAddress } from "./read-listing.ts";
import {
  PICKUP_HOME,
  PICKUP_POINT,
  TRANSACTION_STATUS,
  type WireCheckout,
  type WirePayment,
  type WireTransaction,
  type wireOrders,
  type wirePickupPoints,
} from "./wire.ts";

export function toQuote(checkout: WireCheckout): Quote {
  const { components } = checkout;
  const address = components.shipping_address;
  return {
    checkoutId: checkout.id,
    checksum: checkout.checksum,
    listingId: asListingId(components.item_presentation.item_id),
    itemTotalCents: cents(components.item_presentation.total_item_price),
    totalCents: cents(checkout.pay_button_v2.total.price),
    cardId: components.payment_method.card_id,
    shippingOrderId: components.shipping_pickup_options.shipping_order_id,
    position:
      address === null
        ? null
        : { latitude: address.latitude, longitude: address.longitude, countryCode: address.country_code },
  };
}

const CARD = 1;

/**
 * Whether a checkout confirms the choices that were sent: its checksum would also be valid for another
 * payment method or address. A street may be spelled differently and a postal code contain its country or
 * spaces; a missing address is no contradiction.
 */
export function confirmsChoices(
  { id, components }: WireCheckout,
  chosen: CheckoutChoices & { readonly checkoutId: number },
): boolean {
  const { payment_method: method, shipping_pickup_options: options } = components;
  const isRequested = id === chosen.checkoutId && method.pay_in_method_id === chosen.paymentMethodId;
  const isChosenCard = chosen.paymentMethodId !== CARD || method.card_id === chosen.cardId;
  return (
    isRequested &&
    isChosenCard &&
    isChosenAddress(components, chosen) &&
    isChosenDelivery(options.pickup_type, components, chosen)
  );
}

type Components = WireCheckout["components"];

function isChosenAddress(
  { shipping_address: address }: Components,
  { address: chosen }: CheckoutChoices,
): boolean {
  if (address === null) return true;
  return (
    address.country_code.trim().toUpperCase() === countryCode(chosen.country) &&
    // "L-1009", "B 1000" and "75 011" are valid spellings.
    address.postal_code.replaceAll(/\D/gu, "") === formatPostalCode(chosen.postalCode, chosen.country)
  );
}

function isChosenDelivery(type: number, components: Components, { pickupPoint }: CheckoutChoices): boolean {
  if (pickupPoint === null) return type === PICKUP_HOME;
  return type === PICKUP_POINT && components.shipping_pickup_details?.point_uuid === pickupPoint.uuid;
}

export function toPickupPoint({
  point,
}: z.output<typeof wirePickupPoints>["shipping_points"][number]): PickupPoint {
  return { uuid: point.uuid, code: point.code, name: point.name, rateUuid: point.rate_uuid };
}

export function toPayment(answer: WirePayment): PaymentAnswer {
  const { payment, action } = answer;
  return {
    status: payment.status,
    transactionId: payment.transaction_id,
    listingId: asListingId(payment.item_id),
    totalCents: cents(payment.total),
    confirmUrl: payment.status === "pending" ? (action?.parameters.url ?? null) : null,
    failure: payment.status === "failure" ? failureOf(payment.failure_code ?? null) : null,
  };
}

function failureOf(code: string | null): Exclude<PaymentAnswer["failure"], null> {
  if (code === "insufficient_funds" || code === "not_confirmed") return code;
  return "payment_refused";
}

export function toTransaction(transaction: WireTransaction): Transaction {
  return {
    transactionId: transaction.id,
    listingId: asListingId(transaction.item_id),
    state: orderState(transaction.status),
    totalCents: transaction.total === null ? null : cents(transaction.total),
    cancellation: transaction.cancellation,
    confirmUrl: transaction.confirmation_url,
  };
}

export function toOrder(order: z.output<typeof wireOrders>["my_orders"][number]): Order {
  return {
    transactionId: order.transaction_id,
    listingId: asListingId(order.item_id),
    title: order.title,
    totalCents: isForeign(order.price) ? null : cents(order.price),
    state: orderState(order.status),
    createdAtMs: order.date * 1_000,
    photoUrl: webAddress(order.photo?.url),
  };
}

const STATE_OF_STATUS: ReadonlyMap<number, OrderState> = new Map<number, OrderState>([
  [TRANSACTION_STATUS.open, "open"],
  [TRANSACTION_STATUS.awaiting, "awaiting"],
  [TRANSACTION_STATUS.paid, "paid"],
  [TRANSACTION_STATUS.shipped, "paid"],
  [TRANSACTION_STATUS.cancelled, "cancelled"],
  [TRANSACTION_STATUS.failed, "failed"],
]);

/** Unknown statuses leave the state open. */
function orderState(status: number): OrderState {
  return STATE_OF_STATUS.get(status) ?? "unknown";
}

/** An order in another currency was placed by hand; it must not invalidate the other orders. */
function isForeign({ currency_code }: Money): boolean {
  return currency_code !== "EUR" && /^[A-Z]{3}$/.test(currency_code);
}

/** An invalid amount invalidates the whole answer: money is never guessed. */
function cents(money: Money): number {
  const value = parseEurCents(money);
  if (value === null) throw new MarketplaceError("unreadable");
  return value;
}
