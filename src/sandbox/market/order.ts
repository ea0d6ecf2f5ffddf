import { z } from "zod";

/** A transaction between a buyer and a seller, from the first message to its end: the marketplace's own truth. */
export interface MarketOrder {
  readonly id: number;
  readonly accountId: number;
  readonly listingId: number;
  readonly createdAtMs: number;
  readonly state: OrderState;
  readonly details: OrderDetails;
}

export type OrderState = "open" | "awaiting" | "paid" | "cancelled" | "failed";

const addressSchema = z.object({
  street: z.string(),
  city: z.string(),
  postalCode: z.string(),
  countryCode: z.enum(["FR", "BE", "CH", "LU"]),
});

const checkoutSchema = z.object({
  /** Grows with every quote: the checksum depends on it. */
  revision: z.number(),
  checksum: z.string(),
  quotedItemCents: z.number(),
  quotedShippingCents: z.number(),
  paymentMethodId: z.number(),
  cardId: z.number().nullable(),
  address: addressSchema.nullable(),
  /** Null: delivery to the address. */
  pickup: z.object({ rateUuid: z.string(), pointCode: z.string(), pointUuid: z.string() }).nullable(),
});

const detailsSchema = z.object({
  checkout: checkoutSchema.nullable(),
  /** How often the marketplace was asked to take the payment, refused times included. */
  paymentAttempts: z.number(),
  /** How often it took it. */
  paymentsTaken: z.number(),
  /** Set when the payment was taken, or accepted and awaiting the bank. */
  charge: z
    .object({ totalCents: z.number(), methodId: z.number(), atMs: z.number(), settlesAtMs: z.number() })
    .nullable(),
  /** While, and after, the bank asks the person. */
  confirmation: z
    .object({
      token: z.string(),
      expiresAtMs: z.number(),
      isLinkDead: z.boolean(),
      /** How long the bank takes to pass the person's yes on. */
      passesOnAfterMs: z.number(),
      /** When a yes that is being passed on arrives. */
      arrivesAtMs: z.number().nullable(),
    })
    .nullable(),
  cancellation: z.object({
    status: z.enum(["none", "requested", "refused", "granted"]),
    /** When a request is decided, and how. */
    decidedAtMs: z.number().nullable(),
    verdict: z.enum(["granted", "refused"]),
  }),
  failureCode: z.enum(["payment_refused", "not_confirmed"]).nullable(),
});

export type OrderDetails = z.infer<typeof detailsSchema>;
export type CheckoutState = z.infer<typeof checkoutSchema>;
export type CheckoutAddress = z.infer<typeof addressSchema>;

export const EMPTY_DETAILS: OrderDetails = {
  checkout: null,
  paymentAttempts: 0,
  paymentsTaken: 0,
  charge: null,
  confirmation: null,
  cancellation: { status: "none", decidedAtMs: null, verdict: "granted" },
  failureCode: null,
};

export function parseOrderDetails(text: string): OrderDetails {
  return detailsSchema.parse(JSON.parse(text));
}

export function parseCheckoutAddress(text: string): CheckoutAddress {
  return addressSchema.parse(JSON.parse(text));
}

/** When something happens to the order by itself next; null: nothing does. */
export function nextDeadlineMs(order: MarketOrder): number | null {
  const { cancellation, confirmation } = order.details;
  if (cancellation.status === "requested") return cancellation.decidedAtMs;
  if (order.state !== "awaiting" || confirmation === null) return null;
  return Math.min(confirmation.expiresAtMs, confirmation.arrivesAtMs ?? Infinity);
}

/** What the account pays, or would pay: the charge, else the last quote. */
export function orderTotalCents(order: MarketOrder): number | null {
  const { charge, checkout } = order.details;
  if (charge !== null) return charge.totalCents;
  return checkout === null ? null : checkout.quotedItemCents + checkout.quotedShippingCents;
}

/** Ids that other resources of an order go by: all follow from its own. */
const CHECKOUT_OFFSET = 1_000_000_000;
const SHIPPING_ORDER_OFFSET = 2_000_000_000;
const CONVERSATION_OFFSET = 3_000_000_000;

export const checkoutIdOf = (orderId: number): number => orderId + CHECKOUT_OFFSET;
export const orderIdOfCheckout = (checkoutId: number): number => checkoutId - CHECKOUT_OFFSET;
export const shippingOrderIdOf = (orderId: number): number => orderId + SHIPPING_ORDER_OFFSET;
export const orderIdOfShipping = (shippingOrderId: number): number => shippingOrderId - SHIPPING_ORDER_OFFSET;
export const conversationIdOf = (orderId: number): number => orderId + CONVERSATION_OFFSET;
