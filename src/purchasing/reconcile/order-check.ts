import { LRUCache } from "lru-cache";
import type { Clock } from "#domain/clock.ts";
import type { BackgroundTasks } from "#domain/concurrency.ts";
import type { Log } from "#domain/log.ts";
import { isNotFound } from "#marketplace/errors.ts";
import type { Order } from "#marketplace/marketplace.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { PurchaseOfTransaction, PurchaseStore } from "#store/purchase-store.ts";
import type { AccountStore } from "#store/store.ts";
import { evidenceOf, paymentMeaning } from "../decide/classify.ts";
import type { Moves } from "../moves.ts";
import { CLOCK_DIFFERENCE_MS, mayHavePaid, seenOrder, UnclearOrder, type OrdersReader } from "./orders.ts";
import type { PurchaseEvent, SeenOrder } from "../decide/purchase-event.ts";
import type { PurchaseId } from "#domain/ids.ts";
import { type Attempts, openedAgain } from "../attempt/attempts.ts";
import type { BuyingStore, StoreRetry } from "../buying-store.ts";

/**
 * Order checks: reads the outcome of a purchase from the marketplace (an unknown outcome, a pending bank, a
 * cancellation). It only reads; decide.ts decides.
 */
export interface OrderChecks {
  /** Settles once the result is stored. Never rejects because of the marketplace. */
  check(record: PurchaseRecord): Promise<void>;
}

export interface OrderCheckDeps {
  readonly orders: OrdersReader;
  readonly purchases: Pick<PurchaseStore, "ownersOfTransactions">;
  readonly accounts: Pick<AccountStore, "tokens">;
  readonly moves: Moves;
  readonly clock: Clock;
  readonly log: Log;
}

type CheckResult = PurchaseEvent<"order_seen" | "order_absent" | "check_failed">;

export function createOrderChecks(deps: OrderCheckDeps): OrderChecks {
  const timeOfRead = createReadTimes(deps.clock);
  return {
    async check(record) {
      await deps.moves.move(record, await resultOf(deps, record, timeOfRead(record)));
    },
  };
}

/** The wait of a purchase that is evicted from the cache starts again. */
const MAX_WATCHED = 10_000;

/**
 * The time of a read that begins now, as a proof of absence may count it: the beginning of the watch and what this process
 * has seen of it since, by a monotonic clock. A step of the system time must not shorten the wait, and what passed before
 * this process looked for the first time was measured by clocks that may have been set meanwhile: it waits in full.
 */
function createReadTimes(clock: Clock): (record: PurchaseRecord) => number {
  const firstLooks = new LRUCache<PurchaseId, { readonly sinceMs: number; readonly lookedAtMs: number }>({
    max: MAX_WATCHED,
  });
  return ({ id, watch }) => {
    if (watch === null) return clock.nowMs();
    const { sinceMs } = watch;
    const lookedAtMs = clock.monotonicMs();
    const first = firstLooks.get(id);
    if (first?.sinceMs === sinceMs)
      return Math.min(clock.nowMs(), sinceMs + Math.trunc(lookedAtMs - first.lookedAtMs));
    firstLooks.set(id, { sinceMs, lookedAtMs });
    return Math.min(clock.nowMs(), sinceMs);
  };
}

async function resultOf(
  deps: OrderCheckDeps,
  record: PurchaseRecord,
  readStartedAtMs: number,
): Promise<CheckResult> {
  try {
    if (record.state === "unknown" || record.state === "quarantine")
      return await resultWhileUnknown(deps, record, readStartedAtMs);
    const own = await ownOrder(deps, record, record.transactionId);
    const order = own === null ? null : await withCharge(deps, record, own);
    return order === null ? { kind: "check_failed" } : { kind: "order_seen", order, readStartedAtMs };
  } catch (error) {
    deps.log.warn({ purchaseId: record.id, ...evidenceOf(error) }, "the orders could not be read");
    return { kind: "check_failed" };
  }
}

/**
 * Positive proof: an order of this account for this listing that belongs to no other purchase. The paid transaction is
 * read first; absence is proven by the complete list of orders.
 */
async function resultWhileUnknown(
  deps: OrderCheckDeps,
  record: PurchaseRecord,
  readStartedAtMs: number,
): Promise<CheckResult> {
  const own = await ownOrderIfReadable(deps, record);
  if (own !== "unclear" && own !== "not_found" && own !== null && isEffective(own))
    return { kind: "order_seen", order: own, readStartedAtMs };
  const found = await listedOrder(deps, record);
  if (found === "unclear") return { kind: "check_failed" };
  const order = found === null ? own : await detailed(deps, record, found);
  // Absence counts only if both were read: the transaction may exist before the list shows it.
  if (order === "unclear") return { kind: "check_failed" };
  if (order === "not_found" && (await mayBeAnotherAccount(deps, record))) return { kind: "check_failed" };
  const seen = order === null || order === "not_found" ? null : await withCharge(deps, record, order);
  return seen === null
    ? { kind: "order_absent", readStartedAtMs }
    : { kind: "order_seen", order: seen, readStartedAtMs };
}

/**
 * The state of a cancelled order does not tell whether it had been charged: its payment does. Without a charge it counts
 * as failed, and null means that it has no payment at all. Throws an UnclearOrder if the payment does not decide.
 */
async function withCharge(
  { orders }: OrderCheckDeps,
  record: PurchaseRecord,
  order: SeenOrder,
): Promise<SeenOrder | null> {
  const { userId, checkoutId, attemptTransactionId, chargedCents } = record;
  if (order.state !== "cancelled" || chargedCents !== null) return order;
  // The checkout belongs to the newest attempt: of any other order no payment can be read, and it counts as charged.
  if (checkoutId === null || order.transactionId !== attemptTransactionId) return order;
  try {
    const meaning = paymentMeaning(record, await orders.payment(userId, checkoutId));
    const status = meaning.kind === "decisive" ? meaning.answer.status : meaning.kind;
    if (status === "success") return order;
    if (status === "failure") return { ...order, state: "failed" };
    throw new UnclearOrder(`order ${order.transactionId} is cancelled, and its payment ${status}`);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function isEffective({ state }: SeenOrder): boolean {
  return state === "paid" || state === "awaiting";
}

/**
 * The person saved a token since the decision, as far as clocks can tell, and its account does not know the transaction:
 * another account's orders prove nothing about the one that paid.
 */
async function mayBeAnotherAccount({ accounts }: OrderCheckDeps, record: PurchaseRecord): Promise<boolean> {
  const tokens = await accounts.tokens(record.userId);
  return tokens === null || tokens.connectedAtMs >= record.decidedAtMs - CLOCK_DIFFERENCE_MS;
}

/** If it cannot be read, the list may still show the order. */
async function ownOrderIfReadable(
  deps: OrderCheckDeps,
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

/** Null if nothing was paid for the transaction. */
async function ownOrder(
  { orders }: OrderCheckDeps,
  record: PurchaseRecord,
  transactionId: number | null,
): Promise<SeenOrder | null> {
  if (transactionId === null) return null;
  const transaction = await orders.transaction(record.userId, transactionId);
  if (transaction.transactionId !== transactionId || transaction.listingId !== record.listingId)
    throw new UnclearOrder(`transaction ${transactionId} is about another`);
  return seenOrder(transaction);
}

/** unclear: an order in an unknown state, or an incomplete list. */
async function listedOrder(
  { orders, purchases }: OrderCheckDeps,
  record: PurchaseRecord,
): Promise<Order | "unclear" | null> {
  const { userId, listingId, wishedAtMs, attemptTransactionId } = record;
  const { orders: all, isComplete } = await orders.since(userId, wishedAtMs);
  // An order that is only open is a conversation: nothing was paid.
  const ofListing = all.filter(
    (order) => order.listingId === listingId && order.state !== "open" && mayBeThisPurchases(record, order),
  );
  const ids = ofListing.map((order) => order.transactionId);
  const others = (await purchases.ownersOfTransactions(userId, ids)).filter(({ id }) => id !== record.id);
  const ours = ofListing.filter(
    ({ transactionId }) =>
      transactionId === attemptTransactionId ||
      !others.some((other) => other.transactionId === transactionId || isLatePaymentOf(other, transactionId)),
  );
  if (ours.some((order) => order.state === "unknown")) return "unclear";
  const found = ours.find(({ state }) => state === "paid" || state === "awaiting");
  if (found !== undefined) return found;
  // Absence from an incomplete list proves nothing.
  return isComplete ? (ours[0] ?? null) : "unclear";
}

/**
 * A filter's failed purchase may have paid the transaction: the sweep of the account's orders books it for that filter
 * and its group, whose rules it uses up.
 */
function isLatePaymentOf(other: PurchaseOfTransaction, transactionId: number): boolean {
  return other.filterId !== null && other.state === "failed" && mayHavePaid(other, transactionId);
}

/**
 * An order from before the wish is not its outcome: the person may have bought and cancelled it by hand. A paid order
 * counts as this purchase's unless it is older than clocks may differ, since overlooking it would mean paying twice.
 */
function mayBeThisPurchases({ wishedAtMs, attemptTransactionId }: PurchaseRecord, order: Order): boolean {
  if (order.transactionId === attemptTransactionId) return true;
  const isOver = order.state === "cancelled" || order.state === "failed";
  return order.createdAtMs >= wishedAtMs - (isOver ? USUAL_CLOCK_DIFFERENCE_MS : CLOCK_DIFFERENCE_MS);
}

const USUAL_CLOCK_DIFFERENCE_MS = 10 * 60_000;

/** The transaction also has the charge and the bank's page. */
async function detailed(
  deps: OrderCheckDeps,
  record: PurchaseRecord,
  order: Order,
): Promise<SeenOrder | null> {
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

/**
 * Resumes due work: purchases whose lease ended with their process, and order checks of purchases whose outcome depends
 * on the marketplace. It never sends a payment again; only an INTENT, which has sent nothing, is resumed.
 */
export interface FollowUps {
  /** One round; settles once all due work has been started. */
  resumeDue(): Promise<void>;
}

export interface FollowUpsDeps extends StoreRetry {
  readonly store: Pick<BuyingStore, "purchases" | "settings">;
  readonly moves: Moves;
  readonly attempts: Attempts;
  readonly orderChecks: OrderChecks;
  readonly background: BackgroundTasks;
  readonly owner: string;
  /** Purchases that this process is working on now. */
  readonly busy: Set<PurchaseId>;
}

/** Concurrent checks: more would exceed the marketplace's budget, and the others follow soon. */
const MAX_AT_ONCE = 16;
/** Longer than any order check: each of its calls ends within 10 s. */
const LEASE_MS = 60_000;

export function createFollowUps(deps: FollowUpsDeps): FollowUps {
  const { store, background, clock, busy } = deps;
  let underWay = 0;
  return {
    async resumeDue() {
      const free = MAX_AT_ONCE - underWay;
      if (free <= 0) return;
      const due = await store.purchases.due(clock.nowMs(), MAX_AT_ONCE * 2);
      for (const record of due.filter(({ id }) => !busy.has(id)).slice(0, free)) {
        busy.add(record.id);
        underWay += 1;
        background.start("follow up", async () => {
          try {
            await followUp(deps, record);
          } finally {
            underWay -= 1;
            busy.delete(record.id);
          }
        });
      }
    },
  };
}

async function followUp(deps: FollowUpsDeps, due: PurchaseRecord): Promise<void> {
  const { moves, owner, clock } = deps;
  const leaseUntilMs = clock.nowMs() + LEASE_MS;
  const taken = await moves.move(due, { kind: "lease_ended", owner, leaseUntilMs });
  // Another process was faster, or the purchase moved on meanwhile.
  if (taken === null || !taken.hasMoved) return;
  const { record, snapshot } = taken;
  if (record.state === "intent") await deps.attempts.run(await openedAgain(deps, { record, snapshot }));
  else if (record.leaseOwner === owner) await deps.orderChecks.check(record);
}
