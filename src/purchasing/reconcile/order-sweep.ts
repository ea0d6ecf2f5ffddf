import type { Clock, Random } from "#domain/clock.ts";
import { type UserId, asPurchaseId } from "#domain/ids.ts";
import { bareListing, type Listing } from "#domain/market/listing.ts";
import type { Log } from "#domain/log.ts";
import { isNotFound, MarketplaceError } from "#marketplace/errors.ts";
import type { Order, Transaction } from "#marketplace/marketplace.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import { isOver } from "../decide/admit.ts";
import type { BuyingStore } from "../buying-store.ts";
import { budgetKeys } from "../decide/limits.ts";
import type { Moves } from "../moves.ts";
import { mayHavePaid, seenOrder, UnclearOrder, type OrdersRead, type OrdersReader } from "./orders.ts";

/**
 * Compares an account's orders with the stored purchases. An order without a purchase was made elsewhere and is
 * recorded as such; a purchase that the marketplace undid is cancelled. Orders from before the account was connected
 * are a baseline and are not recorded, unless the product may have paid them; a refusal begins no new baseline.
 */
export interface OrderSweep {
  /**
   * Throws if the orders cannot be read completely; those that were shown are stored nevertheless. Throws a
   * MarketplaceError `session_refused` if no account is connected and nothing was read, and `unauthorised`, storing
   * nothing, if another account was connected meanwhile.
   * @returns `connectedAtMs` of the account that was read
   */
  sweep(userId: UserId): Promise<number>;
}

export interface OrderSweepDeps {
  readonly store: Pick<BuyingStore, "purchases" | "accounts" | "listings">;
  readonly orders: OrdersReader;
  readonly moves: Moves;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function createOrderSweep(deps: OrderSweepDeps): OrderSweep {
  return {
    async sweep(userId) {
      const { orders, isComplete, baselineMs, connectedAtMs } = await ordersOfOneAccount(deps, userId);
      const ids = orders.map((order) => order.transactionId);
      const owners = await deps.store.purchases.ownersOfTransactions(userId, ids);
      for (const order of orders) {
        const owner = owners.find(
          ({ transactionId, state }) => transactionId === order.transactionId && !isOver(state),
        );
        const payers = owners.filter((each) => mayHavePaid(each, order.transactionId));
        if (owner !== undefined) await compare(deps, { ...owner, userId }, order);
        // Orders that the product may have paid are never part of the baseline, whenever the account was connected.
        else if (order.state === "paid" && (isExternalPurchase(order, baselineMs) || payers.length > 0))
          await bookExternal(deps, userId, {
            order,
            // A click counts for no rules; a filter's wish for a listing is opened once.
            paidBy: payers.find(({ filterId }) => filterId !== null) ?? payers[0] ?? null,
          });
      }
      if (!isComplete) throw new IncompleteOrders("a part of the orders is missing by their own count");
      return connectedAtMs;
    },
  };
}

/** Each page is read in the session that is saved by then: the orders of two accounts must not share a baseline. */
async function ordersOfOneAccount(
  { store, orders, clock }: OrderSweepDeps,
  userId: UserId,
): Promise<OrdersRead & { readonly baselineMs: number; readonly connectedAtMs: number }> {
  const before = await store.accounts.tokens(userId);
  if (before === null || before.state !== "connected") throw new MarketplaceError("session_refused");
  const read = await orders.since(userId, clock.nowMs() - SWEPT_BACK_MS);
  const after = await store.accounts.tokens(userId);
  if (after?.connectedAtMs !== before.connectedAtMs) throw new MarketplaceError("unauthorised");
  return { ...read, baselineMs: before.ordersSinceMs, connectedAtMs: before.connectedAtMs };
}

/** An incomplete list: the rest may contain orders of an earlier process. */
class IncompleteOrders extends Error {
  override readonly name = "IncompleteOrders";
}

type Owner = Awaited<ReturnType<PurchaseStore["ownersOfTransactions"]>>[number];

/** Older orders and cancellations were swept many times. */
const SWEPT_BACK_MS = 31 * 24 * 60 * 60_000;

/** Bought by hand since the account was connected, in EUR. Timestamps have one-second resolution. */
function isExternalPurchase(order: Order, sinceMs: number): boolean {
  return order.totalCents !== null && order.createdAtMs >= Math.floor(sinceMs / 1_000) * 1_000;
}

/** All other changes of known orders are followed by the order checks. */
async function compare(
  deps: OrderSweepDeps,
  owner: Pick<PurchaseRecord, "id" | "userId" | "state">,
  order: Order,
): Promise<void> {
  const { moves, clock } = deps;
  if (owner.state !== "confirmed" || (order.state !== "cancelled" && order.state !== "failed")) return;
  const readStartedAtMs = clock.nowMs();
  // The list may lag or shift: only the transaction itself undoes a confirmed purchase.
  const transaction = await transactionOf(deps, owner.userId, order);
  const seen = transaction === null ? null : seenOrder(transaction);
  if (seen !== null) await moves.move(owner, { kind: "order_seen", order: seen, readStartedAtMs });
}

/** Null if the marketplace does not know the transaction: the order then decides and prevents nothing. */
async function transactionOf(
  { orders, log }: OrderSweepDeps,
  userId: UserId,
  { transactionId }: Order,
): Promise<Transaction | null> {
  try {
    return await orders.transaction(userId, transactionId);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    log.warn({ userId, transactionId }, "an order is listed whose transaction the marketplace does not know");
    return null;
  }
}

async function bookExternal(
  deps: OrderSweepDeps,
  userId: UserId,
  { order, paidBy }: { readonly order: Order; readonly paidBy: Owner | null },
): Promise<void> {
  const { store, random, clock, log, moves } = deps;
  const transaction = await transactionOf(deps, userId, order);
  if (transaction?.state !== "paid" || transaction.listingId !== order.listingId) return;
  const nowMs = clock.nowMs();
  const id = asPurchaseId(random.uuid(nowMs));
  const totalCents = transaction.totalCents ?? order.totalCents;
  if (totalCents === null)
    throw new UnclearOrder(`order ${order.transactionId} was paid in another currency`);
  const record = await store.purchases.recordExternal({
    id,
    userId,
    transactionId: order.transactionId,
    attemptTransactionId: paidBy === null ? null : order.transactionId,
    // A purchase recorded as failed and paid after all counts towards the rules of its filter.
    filterId: paidBy?.filterId ?? null,
    groupId: paidBy?.groupId ?? null,
    listingId: order.listingId,
    listing: await listingOf(deps, order, totalCents),
    totalCents,
    orderedAtMs: order.createdAtMs,
    nowMs,
    ...budgetKeys(order.createdAtMs),
  });
  if (record === null) return;
  log.warn({ userId, purchaseId: id }, "an order that was made elsewhere is booked");
  // It may have ended automatic buying.
  moves.announceOpened({ record, stops: await store.purchases.stopsOf(record) });
}

async function listingOf({ store }: OrderSweepDeps, order: Order, totalCents: number): Promise<Listing> {
  const seen = await store.listings.byId(order.listingId);
  if (seen !== null) return seen.listing;
  const { listingId, title, photoUrl } = order;
  return bareListing({ id: listingId, title, photoUrl, totalCents });
}
