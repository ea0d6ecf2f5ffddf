import { randomBytes } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import type { Books } from "../books/books.ts";
import type { MarketAccount } from "../books/account-book.ts";
import type { Deadlines } from "./deadlines.ts";
import type { MarketListing } from "./listing.ts";
import { orderIdOfCheckout, type CheckoutState, type MarketOrder } from "./order.ts";
import { Refusal } from "./refusal.ts";
import { buyable, quotedCents } from "./trade.ts";
import type { Stock } from "./stock.ts";
import { drawsFor } from "../world/draws.ts";

/**
 * Taking money. Taking it and marking the listing sold are one write, so that of any number of buyers exactly one
 * pays; the books' own index says so too.
 */
export interface Payments {
  /** @throws Refusal when no money was taken and none will be */
  pay(
    account: MarketAccount,
    asked: { checkoutId: number; checksum: string },
    terms: PaymentTerms,
  ): MarketOrder;
  /** The payment as it stands. @throws Refusal `not_found` before there is one */
  payment(account: MarketAccount, checkoutId: number): MarketOrder;
  /** The person's bank says yes. The answer is the order after it; unchanged when nothing awaited it. */
  confirm(orderId: number): MarketOrder | null;
  /** The person says no. */
  refuse(orderId: number): MarketOrder | null;
  /** What the passing of time decides about an order that awaits the bank. */
  settle(order: MarketOrder): void;
}

/** How this payment goes, beside what the listing says of itself. */
export interface PaymentTerms {
  /** Charged on top of the quote: only a lying marketplace does. */
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

/** The share of payments that the marketplace is still 'preparing' when it answers, and for how long at most. */
const PREPARING_SHARE = 0.15;
const MAX_PREPARING_MS = 1_500;
const WALLET = 11;

interface PaymentParts {
  readonly books: Books;
  readonly stock: Stock;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly seed: number;
}

export function createPayments(parts: PaymentParts): Payments {
  const { books, stock, clock, deadlines } = parts;

  const save = (order: MarketOrder): MarketOrder => {
    books.orders.update(order);
    deadlines.note(order);
    return order;
  };

  const asked = (account: MarketAccount, checkoutId: number): MarketOrder => {
    const order = books.orders.byId(orderIdOfCheckout(checkoutId));
    if (order === null || order.accountId !== account.id) throw new Refusal("not_found");
    return order;
  };

  const fail = (order: MarketOrder, failureCode: "payment_refused" | "not_confirmed"): MarketOrder =>
    books.write(() => {
      stock.setState(order.listingId, "available");
      return save({ ...order, state: "failed", details: { ...order.details, failureCode } });
    });

  const takeConfirmed = (order: MarketOrder): MarketOrder => {
    // The wallet may have been emptied while the bank was asked.
    if (!isAffordable(books, order)) return fail(order, "payment_refused");
    return books.write(() => save(taken(parts, order, order.details.charge?.totalCents ?? 0)));
  };

  return {
    pay(account, { checkoutId, checksum }, terms) {
      const order = asked(account, checkoutId);
      const attempted = counted(order);
      try {
        return books.write(() => {
          const charge = readyToCharge({ account, order, checksum, stock });
          const totalCents = charge.quotedItemCents + charge.quotedShippingCents + terms.extraCents;
          const listing = buyable(stock.byId(order.listingId));
          if (!listing.needsConfirmation) return save(taken(parts, attempted, totalCents));
          stock.setState(order.listingId, "reserved");
          return save(awaiting({ order: attempted, totalCents, terms, nowMs: clock.nowMs() }));
        });
      } catch (error) {
        // The refused attempt itself is part of the truth; the write above took everything back.
        if (error instanceof Refusal) books.orders.update(attempted);
        throw error;
      }
    },
    payment(account, checkoutId) {
      const order = asked(account, checkoutId);
      if (order.details.charge === null) throw new Refusal("not_found");
      return order;
    },
    confirm(orderId) {
      const order = books.orders.byId(orderId);
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
      const order = books.orders.byId(orderId);
      return order?.state === "awaiting" ? fail(order, "payment_refused") : order;
    },
    settle(order) {
      const confirmation = order.details.confirmation;
      if (order.state !== "awaiting" || confirmation === null) return;
      const nowMs = clock.nowMs();
      if (confirmation.arrivesAtMs !== null && confirmation.arrivesAtMs <= nowMs) takeConfirmed(order);
      else if (confirmation.expiresAtMs <= nowMs) fail(order, "not_confirmed");
      else deadlines.note(order);
    },
  };
}

function isAffordable(books: Books, { accountId, details }: MarketOrder): boolean {
  if (details.charge?.methodId !== WALLET) return true;
  return (books.accounts.byId(accountId)?.walletCents ?? 0) >= details.charge.totalCents;
}

function counted(order: MarketOrder): MarketOrder {
  const paymentAttempts = order.details.paymentAttempts + 1;
  return { ...order, details: { ...order.details, paymentAttempts } };
}

/** The checkout, when nothing speaks against charging it now. */
function readyToCharge(asked: {
  account: MarketAccount;
  order: MarketOrder;
  checksum: string;
  stock: Stock;
}): CheckoutState {
  const { account, order, stock } = asked;
  const checkout = order.details.checkout;
  if (order.state === "paid" || order.state === "cancelled") throw new Refusal("item_sold");
  if (order.state === "awaiting") throw new Refusal("item_reserved");
  if (order.state === "failed" || checkout === null) throw new Refusal("not_found");
  const listing = buyable(stock.byId(order.listingId));
  if (checkout.address === null) throw new Refusal("address_invalid");
  if (checkout.checksum !== asked.checksum || !isStillTrue(checkout, listing))
    throw new Refusal("price_changed");
  const totalCents = checkout.quotedItemCents + checkout.quotedShippingCents;
  if (checkout.paymentMethodId === WALLET && account.walletCents < totalCents) {
    throw new Refusal("insufficient_funds");
  }
  return checkout;
}

/** The seller asks no other price than the buyer was quoted, and the parcel costs the same. */
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

/** The order once its money is taken; the listing is sold and the wallet lighter. Inside one write. */
function taken(parts: PaymentParts, order: MarketOrder, totalCents: number): MarketOrder {
  const { books, stock, clock, seed } = parts;
  const nowMs = clock.nowMs();
  const methodId = order.details.checkout?.paymentMethodId ?? 0;
  if (methodId === WALLET) books.accounts.moveWallet(order.accountId, -totalCents);
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
