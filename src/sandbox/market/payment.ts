import { randomBytes } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import type { MarketDatabase, MarketAccount } from "../database/market-database.ts";
import { type Deadlines, orderIdOfCheckout, type CheckoutState, type MarketOrder } from "./order.ts";
import type { MarketListing } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { buyable, quotedCents } from "./checkout.ts";
import type { Stock } from "./stock.ts";
import { drawsFor } from "../world/draws.ts";

/**
 * Payments. Taking the money and marking the listing as sold are one transaction, so that exactly one of several
 * buyers pays; a unique index enforces it as well.
 */
export interface Payments {
  /** @throws Refusal when no money was taken */
  pay(
    account: MarketAccount,
    asked: { checkoutId: number; checksum: string },
    terms: PaymentTerms,
  ): MarketOrder;
  /** The current payment. @throws Refusal `not_found` before the first attempt */
  payment(account: MarketAccount, checkoutId: number): MarketOrder;
  /** The person confirmed in 3-D Secure. Returns the order, unchanged unless it awaited confirmation. */
  confirm(orderId: number): MarketOrder | null;
  /** The person refused in 3-D Secure. */
  refuse(orderId: number): MarketOrder | null;
  /** Applies the deadlines of an order that awaits 3-D Secure. */
  settle(order: MarketOrder): void;
}

export interface PaymentTerms {
  /** Charged on top of the quote; only faults set it. */
  readonly extraCents: number;
  readonly confirmation: {
    readonly lifetimeMs: number;
    readonly isLinkDead: boolean;
    readonly passesOnAfterMs: number;
  };
}

export const USUAL_TERMS: PaymentTerms = {
  extraCents: 0,
  confirmation: { lifetimeMs: 15 * 60_000, isLinkDead: false, passesOnAfterMs: 0 },
};

/** The share of payments that are answered as 'preparing', and the maximum duration. */
const PREPARING_SHARE = 0.15;
const MAX_PREPARING_MS = 1_500;
const WALLET = 11;

interface PaymentParts {
  readonly database: MarketDatabase;
  readonly stock: Stock;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly seed: number;
}

export function createPayments(parts: PaymentParts): Payments {
  const { database, stock, clock, deadlines } = parts;

  const save = (order: MarketOrder): MarketOrder => {
    database.orders.update(order);
    deadlines.note(order);
    return order;
  };

  const asked = (account: MarketAccount, checkoutId: number): MarketOrder => {
    const order = database.orders.byId(orderIdOfCheckout(checkoutId));
    if (order === null || order.accountId !== account.id) throw new Refusal("not_found");
    return order;
  };

  const fail = (order: MarketOrder, failureCode: "payment_refused" | "not_confirmed"): MarketOrder =>
    database.write(() => {
      stock.setState(order.listingId, "available");
      return save({ ...order, state: "failed", details: { ...order.details, failureCode } });
    });

  const takeConfirmed = (order: MarketOrder): MarketOrder => {
    // The wallet may have been emptied while waiting for 3-D Secure.
    if (!isAffordable(database, order)) return fail(order, "payment_refused");
    return database.write(() => save(taken(parts, order, order.details.charge?.totalCents ?? 0)));
  };

  return {
    pay(account, { checkoutId, checksum }, terms) {
      const order = asked(account, checkoutId);
      const attempted = counted(order);
      try {
        return database.write(() => {
          const totalCents = readyToCharge({ account, order, checksum, stock, extraCents: terms.extraCents });
          const listing = buyable(stock.byId(order.listingId));
          if (!listing.needsConfirmation) return save(taken(parts, attempted, totalCents));
          stock.setState(order.listingId, "reserved");
          return save(awaiting({ order: attempted, totalCents, terms, nowMs: clock.nowMs() }));
        });
      } catch (error) {
        // The attempt is counted even though the transaction was rolled back.
        if (error instanceof Refusal) database.orders.update(attempted);
        throw error;
      }
    },
    payment(account, checkoutId) {
      const order = asked(account, checkoutId);
      if (order.details.charge === null) throw new Refusal("not_found");
      return order;
    },
    confirm(orderId) {
      const order = database.orders.byId(orderId);
      const confirmation = order?.details.confirmation;
      if (order === null || order.state !== "awaiting" || !confirmation) return order;
      if (confirmation.passesOnAfterMs === 0) return takeConfirmed(order);
      if (confirmation.arrivesAtMs !== null) return order;
      const arrivesAtMs = clock.nowMs() + confirmation.passesOnAfterMs;
      return save({
        ...order,
        details: { ...order.details, confirmation: { ...confirmation, arrivesAtMs } },
      });
    },
    refuse(orderId) {
      const order = database.orders.byId(orderId);
      return order?.state === "awaiting" ? fail(order, "payment_refused") : order;
    },
    settle(order) {
      const confirmation = order.details.confirmation;
      if (order.state !== "awaiting" || confirmation === null) return;
      const { arrivesAtMs, expiresAtMs } = confirmation;
      if ((arrivesAtMs ?? expiresAtMs) > clock.nowMs()) deadlines.note(order);
      else if (arrivesAtMs === null) fail(order, "not_confirmed");
      else takeConfirmed(order);
    },
  };
}

function isAffordable(database: MarketDatabase, { accountId, details }: MarketOrder): boolean {
  if (details.charge?.methodId !== WALLET) return true;
  return (database.accounts.byId(accountId)?.walletCents ?? 0) >= details.charge.totalCents;
}

function counted(order: MarketOrder): MarketOrder {
  const paymentAttempts = order.details.paymentAttempts + 1;
  return { ...order, details: { ...order.details, paymentAttempts } };
}

/** Checks every precondition of the charge and returns its total in cents. */
function readyToCharge(asked: {
  account: MarketAccount;
  order: MarketOrder;
  checksum: string;
  stock: Stock;
  extraCents: number;
}): number {
  const { account, order, stock } = asked;
  const checkout = order.details.checkout;
  if (order.state === "paid" || order.state === "cancelled") throw new Refusal("item_sold");
  if (order.state === "awaiting") throw new Refusal("item_reserved");
  if (order.state === "failed" || checkout === null) throw new Refusal("not_found");
  const listing = buyable(stock.byId(order.listingId));
  if (checkout.address === null) throw new Refusal("address_invalid");
  if (checkout.checksum !== asked.checksum || !isStillTrue(checkout, listing))
    throw new Refusal("price_changed");
  const totalCents = checkout.quotedItemCents + checkout.quotedShippingCents + asked.extraCents;
  if (checkout.paymentMethodId === WALLET && account.walletCents < totalCents) {
    throw new Refusal("insufficient_funds");
  }
  return totalCents;
}

/** Price and shipping still equal the quote. */
function isStillTrue(checkout: CheckoutState, listing: MarketListing): boolean {
  const now = quotedCents(listing, checkout.pickup);
  return (
    checkout.quotedItemCents === now.quotedItemCents &&
    checkout.quotedShippingCents === now.quotedShippingCents
  );
}

function awaiting(asked: {
  order: MarketOrder;
  totalCents: number;
  terms: PaymentTerms;
  nowMs: number;
}): MarketOrder {
  const { order, totalCents, nowMs } = asked;
  const { lifetimeMs, isLinkDead, passesOnAfterMs } = asked.terms.confirmation;
  return {
    ...order,
    state: "awaiting",
    details: {
      ...order.details,
      charge: {
        totalCents,
        methodId: order.details.checkout?.paymentMethodId ?? 0,
        atMs: nowMs,
        settlesAtMs: nowMs,
      },
      confirmation: {
        token: randomBytes(24).toString("base64url"),
        expiresAtMs: nowMs + lifetimeMs,
        isLinkDead,
        passesOnAfterMs,
        arrivesAtMs: null,
      },
    },
  };
}

/** Charges the order and marks the listing as sold; must run in a transaction. */
function taken(parts: PaymentParts, order: MarketOrder, totalCents: number): MarketOrder {
  const { database, stock, clock, seed } = parts;
  const nowMs = clock.nowMs();
  const methodId = order.details.checkout?.paymentMethodId ?? 0;
  if (methodId === WALLET) database.accounts.moveWallet(order.accountId, -totalCents);
  stock.setState(order.listingId, "sold");
  const draws = drawsFor(seed, "payment", order.id);
  const preparingMs = draws.chance(PREPARING_SHARE) ? draws.whole(200, MAX_PREPARING_MS) : 0;
  return {
    ...order,
    state: "paid",
    details: {
      ...order.details,
      paymentsTaken: order.details.paymentsTaken + 1,
      charge: { totalCents, methodId, atMs: nowMs, settlesAtMs: nowMs + preparingMs },
    },
  };
}
