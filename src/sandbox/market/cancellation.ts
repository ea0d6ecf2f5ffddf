import type { Clock } from "#domain/clock.ts";
import type { MarketDatabase, MarketAccount } from "../database/market-database.ts";
import type { Deadlines, MarketOrder } from "./order.ts";
import { Refusal } from "./refusal.ts";
import type { Stock } from "./stock.ts";
import { drawsFor } from "../world/draws.ts";

/** Cancellations: requested by the buyer and decided a moment later, or made by the seller. */
export interface Cancellations {
  /** @throws Refusal `cancel_refused` once shipped or when the order is not paid */
  request(account: MarketAccount, orderId: number, terms: CancelTerms): MarketOrder;
  /** Null for an unknown order; unchanged when the order has already ended. */
  bySeller(orderId: number): MarketOrder | null;
  settle(order: MarketOrder): void;
}

export interface CancelTerms {
  readonly verdict: "granted" | "refused";
  /** Null means the usual delay, well below 2 s. */
  readonly decidedAfterMs: number | null;
}

export const USUAL_CANCEL_TERMS: CancelTerms = { verdict: "granted", decidedAfterMs: null };

/** Time from payment to shipping. */
const SHIPPED_AFTER_MS = 36 * 3_600_000;
const WALLET = 11;

export function isShipped(order: MarketOrder, nowMs: number): boolean {
  const takenAtMs = order.details.charge?.atMs;
  return order.state === "paid" && takenAtMs !== undefined && nowMs - takenAtMs > SHIPPED_AFTER_MS;
}

export function createCancellations(parts: {
  database: MarketDatabase;
  stock: Stock;
  clock: Clock;
  deadlines: Deadlines;
  seed: number;
}): Cancellations {
  const { database, stock, clock, deadlines, seed } = parts;

  const save = (order: MarketOrder): MarketOrder => {
    database.orders.update(order);
    deadlines.note(order);
    return order;
  };

  /** Refunds the order and sets the listing's new state. */
  const undo = (order: MarketOrder, listingState: "available" | "withdrawn"): MarketOrder =>
    database.write(() => {
      const { charge, cancellation } = order.details;
      const holdsListing = order.state === "paid" || order.state === "awaiting";
      if (order.state === "paid" && charge?.methodId === WALLET) {
        database.accounts.moveWallet(order.accountId, charge.totalCents);
      }
      // An unpaid order must not change a listing that others may have bought.
      if (holdsListing) stock.setState(order.listingId, listingState);
      return save({
        ...order,
        state: "cancelled",
        details: {
          ...order.details,
          cancellation: { ...cancellation, status: "granted", decidedAtMs: null },
        },
      });
    });

  return {
    request(account, orderId, terms) {
      const order = database.orders.byId(orderId);
      if (order === null || order.accountId !== account.id) throw new Refusal("not_found");
      if (order.state === "cancelled" || order.details.cancellation.status === "requested") return order;
      if (order.state !== "paid" || isShipped(order, clock.nowMs())) throw new Refusal("cancel_refused");
      const usualMs = drawsFor(seed, "cancel", orderId).whole(300, 1_200);
      const decidedAtMs = clock.nowMs() + (terms.decidedAfterMs ?? usualMs);
      const cancellation = { status: "requested" as const, decidedAtMs, verdict: terms.verdict };
      return save({ ...order, details: { ...order.details, cancellation } });
    },
    bySeller(orderId) {
      const order = database.orders.byId(orderId);
      if (order === null || order.state === "cancelled" || order.state === "failed") return order;
      return undo(order, "withdrawn");
    },
    settle(order) {
      const { cancellation } = order.details;
      if (cancellation.status !== "requested" || cancellation.decidedAtMs === null) return;
      if (cancellation.decidedAtMs > clock.nowMs()) deadlines.note(order);
      else if (cancellation.verdict === "granted" && order.state === "paid") undo(order, "available");
      else {
        save({
          ...order,
          details: {
            ...order.details,
            cancellation: { ...cancellation, status: "refused", decidedAtMs: null },
          },
        });
      }
    },
  };
}
