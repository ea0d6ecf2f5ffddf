import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { isNotFound } from "#marketplace/errors.ts";
import type { Order } from "#marketplace/marketplace.ts";
import type { PurchaseRecord, PurchaseStore } from "#store/purchase-store.ts";
import type { AccountStore } from "#store/store.ts";
import { evidenceOf } from "./classify.ts";
import type { Moves } from "./moves.ts";
import { CLOCK_DIFFERENCE_MS, seenOrder, UnclearOrder, type OrdersReader } from "./orders.ts";
import type { PurchaseEvent, SeenOrder } from "./purchase-event.ts";

/**
 * Order checks: reads the outcome of a purchase from the marketplace (an unknown outcome, a pending bank, a
 * cancellation). It only reads; decide.ts decides.
 */
export interface Looks {
  /** Settles once the result is stored. Never rejects because of the marketplace. */
  look(record: PurchaseRecord): Promise<void>;
}

export interface LooksDeps {
  readonly orders: OrdersReader;
  readonly purchases: Pick<PurchaseStore, "ownersOfTransactions">;
  readonly accounts: Pick<AccountStore, "tokens">;
  readonly moves: Moves;
  readonly clock: Clock;
  readonly log: Log;
}

type News = PurchaseEvent<"order_seen" | "order_absent" | "look_failed">;

export function createLooks(deps: LooksDeps): Looks {
  return {
    async look(record) {
      await deps.moves.move(record, await newsOf(deps, record));
    },
  };
}

async function newsOf(deps: LooksDeps, record: PurchaseRecord): Promise<News> {
  const readStartedAtMs = deps.clock.nowMs();
  try {
    if (record.state === "unknown" || record.state === "quarantine")
      return await newsOfDoubt(deps, record, readStartedAtMs);
    const order = await ownOrder(deps, record, record.transactionId);
    return order === null ? { kind: "look_failed" } : { kind: "order_seen", order, readStartedAtMs };
  } catch (error) {
    deps.log.warn({ purchaseId: record.id, ...evidenceOf(error) }, "the orders could not be read");
    return { kind: "look_failed" };
  }
}

/**
 * Positive proof: an order of this account for this listing that belongs to no other purchase. The paid transaction is
 * read first; absence is proven by the complete list of orders.
 */
async function newsOfDoubt(deps: LooksDeps, record: PurchaseRecord, readStartedAtMs: number): Promise<News> {
  const own = await ownOrderIfReadable(deps, record);
  if (own !== "unclear" && own !== "not_found" && own !== null && isEffective(own))
    return { kind: "order_seen", order: own, readStartedAtMs };
  const found = await listedOrder(deps, record);
  if (found === "unclear") return { kind: "look_failed" };
  const order = found === null ? own : await detailed(deps, record, found);
  // Absence counts only if both were read: the transaction may exist before the list shows it.
  if (order === "unclear") return { kind: "look_failed" };
  if (order === "not_found" && (await mayBeAnotherAccount(deps, record))) return { kind: "look_failed" };
  return order === null || order === "not_found"
    ? { kind: "order_absent", readStartedAtMs }
    : { kind: "order_seen", order, readStartedAtMs };
}

function isEffective({ state }: SeenOrder): boolean {
  return state === "paid" || state === "awaiting";
}

/**
 * The person saved a token since the decision, and its account does not know the transaction: another account's orders
 * prove nothing about the one that paid.
 */
async function mayBeAnotherAccount({ accounts }: LooksDeps, record: PurchaseRecord): Promise<boolean> {
  const tokens = await accounts.tokens(record.userId);
  return tokens === null || tokens.connectedAtMs >= record.decidedAtMs;
}

/** If it cannot be read, the list may still show the order. */
async function ownOrderIfReadable(
  deps: LooksDeps,
  record: PurchaseRecord,
): Promise<SeenOrder | "unclear" | "not_found" | null> {
  try {
    return await ownOrder(deps, record, record.attemptTransactionId);
  } catch (error) {
    if (isNotFound(error)) return "not_found";
    deps.log.warn({ purchaseId: record.id, ...evidenceOf(error) }, "a transaction could not be read");
    return "unclear";
  }
}

/** Null for one for which nothing was paid. */
async function ownOrder(
  { orders }: LooksDeps,
  record: PurchaseRecord,
  transactionId: number | null,
): Promise<SeenOrder | null> {
  if (transactionId === null) return null;
  const transaction = await orders.transaction(record.userId, transactionId);
  if (transaction.transactionId !== transactionId || transaction.listingId !== record.listingId)
    throw new UnclearOrder(`transaction ${transactionId} speaks of another`);
  return seenOrder(transaction);
}

/** unclear: an order in an unknown state, or an incomplete list. */
async function listedOrder(
  { orders, purchases }: LooksDeps,
  record: PurchaseRecord,
): Promise<Order | "unclear" | null> {
  const { userId, listingId, wishedAtMs, attemptTransactionId } = record;
  const { orders: all, isComplete } = await orders.since(userId, wishedAtMs);
  // An order that is only open is a conversation: nothing was paid.
  const ofListing = all.filter(
    (order) => order.listingId === listingId && order.state !== "open" && mayBeOurs(record, order),
  );
  const ids = ofListing.map((order) => order.transactionId);
  const others = (await purchases.ownersOfTransactions(userId, ids)).filter(({ id }) => id !== record.id);
  const ours = ofListing.filter(
    ({ transactionId }) =>
      transactionId === attemptTransactionId ||
      !others.some((other) => other.transactionId === transactionId),
  );
  if (ours.some((order) => order.state === "unknown")) return "unclear";
  const found = ours.find(({ state }) => state === "paid" || state === "awaiting");
  if (found !== undefined) return found;
  // Absence from an incomplete list proves nothing.
  return isComplete ? (ours[0] ?? null) : "unclear";
}

/**
 * An order from before the wish is not its outcome: the person may have bought and cancelled it by hand. A paid order
 * counts as this purchase's unless it is older than clocks may differ, since overlooking it would mean paying twice.
 */
function mayBeOurs({ wishedAtMs, attemptTransactionId }: PurchaseRecord, order: Order): boolean {
  if (order.transactionId === attemptTransactionId) return true;
  const isOver = order.state === "cancelled" || order.state === "failed";
  return order.createdAtMs >= wishedAtMs - (isOver ? USUAL_CLOCK_DIFFERENCE_MS : CLOCK_DIFFERENCE_MS);
}

const USUAL_CLOCK_DIFFERENCE_MS = 10 * 60_000;

/** The transaction has more than the list: the charge and the bank's page. */
async function detailed(deps: LooksDeps, record: PurchaseRecord, order: Order): Promise<SeenOrder | null> {
  try {
    const seen = await ownOrder(deps, record, order.transactionId);
    if (seen !== null) return seen;
  } catch (error) {
    deps.log.warn({ purchaseId: record.id, ...evidenceOf(error) }, "a transaction could not be read");
  }
  const { state, transactionId, totalCents } = order;
  if (state === "open" || state === "unknown") return null;
  return { transactionId, state, totalCents, cancellation: "none", confirmUrl: null };
}
