import type { UserId } from "#domain/ids.ts";
import type { Checkout, Order, Transaction } from "#marketplace/marketplace.ts";
import type { AccountCalls } from "./account-calls.ts";
import type { SeenOrder } from "./purchase-event.ts";

/** Reading an account's own orders: what proves what became of a payment. */
export interface OrdersReader {
  /**
   * Every order since a moment, each once.
   * Throws a MarketplaceError, or an IncompleteOrders when there are more pages than are ever read: a part of
   * the orders proves nothing.
   */
  since(userId: UserId, sinceMs: number): Promise<readonly Order[]>;
  transaction(userId: UserId, transactionId: number): Promise<Transaction>;
}

export class IncompleteOrders extends Error {
  override readonly name = "IncompleteOrders";
}

const MAX_PAGES = 50;
/** Our clock and the marketplace's may differ, and the list is only roughly newest first. */
const MARGIN_MS = 24 * 60 * 60_000;

export function createOrdersReader(calls: AccountCalls, checkout: Checkout): OrdersReader {
  const readPage = (userId: UserId, page: number) =>
    calls.call(userId, (access) => checkout.orders(access, page), { retryOn401: true });
  return {
    async since(userId, sinceMs) {
      const byTransaction = new Map<number, Order>();
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const { orders, totalPages } = await readPage(userId, page);
        for (const order of orders) byTransaction.set(order.transactionId, order);
        const isPast = orders.some((order) => order.createdAtMs < sinceMs - MARGIN_MS);
        if (page >= totalPages || isPast) return [...byTransaction.values()];
      }
      throw new IncompleteOrders(`more than ${MAX_PAGES} pages of orders`);
    },
    transaction: (userId, transactionId) =>
      calls.call(userId, (access) => checkout.transaction(access, transactionId), { retryOn401: true }),
  };
}

/** It says that something happened, not what: another order's, or a state that is none of those agreed on. */
export class UnclearOrder extends Error {
  override readonly name = "UnclearOrder";
}

/** A transaction as news of an order; null while nothing was paid. Throws an UnclearOrder. */
export function seenOrder(transaction: Transaction): SeenOrder | null {
  const { state, transactionId, totalCents, cancellation, confirmUrl } = transaction;
  if (state === "unknown") throw new UnclearOrder(`transaction ${transactionId} is in an unknown state`);
  if (state === "open") return null;
  return { transactionId, state, totalCents, cancellation, confirmUrl };
}
