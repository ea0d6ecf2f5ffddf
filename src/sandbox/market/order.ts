import { z } from "zod";
import type { Clock } from "#domain/clock.ts";

/** A transaction between a buyer and a seller, from the first message to its end. */
export interface MarketOrder {
  readonly id: number;
  readonly accountId: number;
  readonly listingId: number;
  readonly createdAtMs: number;
  readonly state: OrderState;
  readonly details: OrderDetails;
}

type OrderState = "open" | "awaiting" | "paid" | "cancelled" | "failed";

const addressSchema = z.object({
  street: z.string(),
  city: z.string(),
  postalCode: z.string(),
  countryCode: z.enum(["FR", "BE", "CH", "LU"]),
});

const checkoutSchema = z.object({
  /** Incremented with every quote and part of the checksum. */
  revision: z.number(),
  checksum: z.string(),
  quotedItemCents: z.number(),
  quotedShippingCents: z.number(),
  paymentMethodId: z.number(),
  cardId: z.number().nullable(),
  address: addressSchema.nullable(),
  /** Null for home delivery. */
  pickup: z.object({ rateUuid: z.string(), pointCode: z.string(), pointUuid: z.string() }).nullable(),
});

const detailsSchema = z.object({
  checkout: checkoutSchema.nullable(),
  /** Payment requests, including refused ones. */
  paymentAttempts: z.number(),
  paymentsTaken: z.number(),
  /** Set when the payment was taken or awaits 3-D Secure. */
  charge: z
    .object({ totalCents: z.number(), methodId: z.number(), atMs: z.number(), settlesAtMs: z.number() })
    .nullable(),
  /** Set once 3-D Secure was required. */
  confirmation: z
    .object({
      token: z.string(),
      expiresAtMs: z.number(),
      isLinkDead: z.boolean(),
      /** Delay between the person's confirmation and the payment. */
      passesOnAfterMs: z.number(),
      /** When a delayed confirmation takes effect. */
      arrivesAtMs: z.number().nullable(),
    })
    .nullable(),
  cancellation: z.object({
    status: z.enum(["none", "requested", "refused", "granted"]),
    /** When and how the request will be decided. */
    decidedAtMs: z.number().nullable(),
    verdict: z.enum(["granted", "refused"]),
  }),
  failureCode: z.enum(["payment_refused", "not_confirmed"]).nullable(),
});

type OrderDetails = z.infer<typeof detailsSchema>;
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

function nextDeadlineMs(order: MarketOrder): number | null {
  const { cancellation, confirmation } = order.details;
  if (cancellation.status === "requested") return cancellation.decidedAtMs;
  if (order.state !== "awaiting" || confirmation === null) return null;
  // A confirmation given in time counts, even if it arrives after the link has expired.
  return confirmation.arrivesAtMs ?? confirmation.expiresAtMs;
}

/** The charged total, or the last quote before payment. */
export function orderTotalCents(order: MarketOrder): number | null {
  const { charge, checkout } = order.details;
  if (charge !== null) return charge.totalCents;
  return checkout === null ? null : checkout.quotedItemCents + checkout.quotedShippingCents;
}

/** Ids of an order's sub-resources, derived from the order id. */
const CHECKOUT_OFFSET = 1_000_000_000;
const SHIPPING_ORDER_OFFSET = 2_000_000_000;
const CONVERSATION_OFFSET = 3_000_000_000;

export const checkoutIdOf = (orderId: number): number => orderId + CHECKOUT_OFFSET;
export const orderIdOfCheckout = (checkoutId: number): number => checkoutId - CHECKOUT_OFFSET;
export const shippingOrderIdOf = (orderId: number): number => orderId + SHIPPING_ORDER_OFFSET;
export const orderIdOfShipping = (shippingOrderId: number): number => shippingOrderId - SHIPPING_ORDER_OFFSET;
export const conversationIdOf = (orderId: number): number => orderId + CONVERSATION_OFFSET;

/** Schedules orders with a deadline, with one timer for the earliest. */
export interface Deadlines extends Disposable {
  /** Must be called for every changed order. */
  note(order: MarketOrder): void;
  /** Removes and returns the orders that are due. */
  takeDue(): readonly number[];
}

export function createDeadlines(clock: Clock, onDue: () => void): Deadlines {
  const dueAtMs = new Map<number, number>();
  let cancelTimer: (() => void) | null = null;

  const arm = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    if (dueAtMs.size === 0) return;
    const earliestMs = dueAtMs.values().reduce((least, atMs) => Math.min(least, atMs), Infinity);
    cancelTimer = clock.schedule(Math.max(0, earliestMs - clock.nowMs()), onDue);
  };

  return {
    note(order) {
      const deadlineMs = nextDeadlineMs(order);
      if (deadlineMs === null && !dueAtMs.has(order.id)) return;
      if (deadlineMs === null) dueAtMs.delete(order.id);
      else dueAtMs.set(order.id, deadlineMs);
      arm();
    },
    takeDue() {
      const nowMs = clock.nowMs();
      const due = [...dueAtMs].filter(([, atMs]) => atMs <= nowMs).map(([id]) => id);
      if (due.length === 0) return due;
      for (const id of due) dueAtMs.delete(id);
      arm();
      return due;
    },
    [Symbol.dispose]() {
      cancelTimer?.();
      dueAtMs.clear();
    },
  };
}
