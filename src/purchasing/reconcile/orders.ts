import type { UserId } from "#domain/ids.ts";
import type { Checkout, Order, OrdersPage, PaymentAnswer, Transaction } from "#marketplace/marketplace.ts";
import type { AccountCalls } from "../account/account-sessions.ts";
import type { PurchaseOfTransaction } from "#store/purchase-store.ts";
import type { SeenOrder } from "../decide/purchase-event.ts";

/** Reads an account's own orders, the proof of a payment's outcome. */
export interface OrdersReader {
  /** Every order since a moment, each once. Throws a MarketplaceError. */
  since(userId: UserId, sinceMs: number): Promise<OrdersRead>;
  transaction(userId: UserId, transactionId: number): Promise<Transaction>;
  payment(userId: UserId, checkoutId: number): Promise<PaymentAnswer>;
}

export interface OrdersRead {
  readonly orders: readonly Order[];
  /** Complete by the list's own count. An incomplete list proves what it shows, but no absence. */
  readonly isComplete: boolean;
}

const MAX_PAGES = 50;
/** Upper bound of the difference between clocks: of this machine, before and after it was set, and of the marketplace. */
export const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

export function createOrdersReader(
  calls: AccountCalls,
  checkout: Pick<Checkout, "orders" | "transaction" | "payment">,
): OrdersReader {
  const readPage = (userId: UserId, page: number) =>
    calls.call(userId, (access) => checkout.orders(access, page), { retryOn401: true });
  return {
    async since(userId, sinceMs) {
      const pages: OrdersPage[] = [];
      for (let number = 1; number <= MAX_PAGES; number += 1) {
        const page = await readPage(userId, number);
        pages.push(page);
        // An old order may be listed among the newest, for a message for example.
        const isPast =
          page.orders.length > 0 &&
          page.orders.every((order) => order.createdAtMs < sinceMs - CLOCK_DIFFERENCE_MS);
        if (number >= page.totalPages || isPast)
          return { orders: distinct(pages), isComplete: isWhole(pages) };
      }
      return { orders: distinct(pages), isComplete: false };
    },
    transaction: (userId, transactionId) =>
      calls.call(userId, (access) => checkout.transaction(access, transactionId), { retryOn401: true }),
    payment: (userId, checkoutId) =>
      calls.call(userId, (access) => checkout.payment(access, checkoutId), { retryOn401: true }),
  };
}

function distinct(pages: readonly OrdersPage[]): readonly Order[] {
  const orders = pages.flatMap((page) => page.orders);
  return [...new Map(orders.map((order) => [order.transactionId, order])).values()];
}

/** All pages agree about the count, and no order is missing or duplicated: nothing moved between the reads. */
function isWhole(pages: readonly OrdersPage[]): boolean {
  const last = pages.at(-1);
  if (last === undefined) return false;
  const { totalEntries, totalPages, perPage } = last;
  const expectedCount = pages.length >= totalPages ? totalEntries : pages.length * perPage;
  const shownCount = pages.reduce((sum, page) => sum + page.orders.length, 0);
  return (
    pages.every((page) => page.totalEntries === totalEntries) &&
    shownCount === expectedCount &&
    distinct(pages).length === expectedCount
  );
}

/** Something happened, but not what: the answer is about another order, or its state is unknown. */
export class UnclearOrder extends Error {
  override readonly name = "UnclearOrder";
}

/**
 * Whether the transaction was this purchase's order, or its payment had an unknown outcome. One that was refused
 * definitely left the transaction open, which the person may pay by hand.
 */
export function mayHavePaid(purchase: PurchaseOfTransaction, transactionId: number): boolean {
  const { attemptTransactionId, hadUnknownOutcome } = purchase;
  if (purchase.transactionId === transactionId) return true;
  return attemptTransactionId === transactionId && hadUnknownOutcome;
}

/** A transaction as evidence of an order; null while nothing was paid. Throws an UnclearOrder. */
export function seenOrder(transaction: Transaction): SeenOrder | null {
  const { state, transactionId, totalCents, cancellation, confirmUrl } = transaction;
  if (state === "unknown") throw new UnclearOrder(`transaction ${transactionId} is in an unknown state`);
  if (state === "open") return null;
  return { transactionId, state, totalCents, cancellation, confirmUrl };
}
