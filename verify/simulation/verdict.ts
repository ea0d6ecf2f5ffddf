import type { UserId } from "#domain/ids.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import { occupiesListing } from "./memory/memory-facts.ts";
import { judgeRules } from "./rules-verdict.ts";
import type { TrueOrder } from "./market-world.ts";
import type { Person } from "./people.ts";
import type { Plan } from "./plan.ts";
import type { Stage } from "./stage.ts";
import type { Violations } from "./violations.ts";
import type { AttemptRow, BudgetRow, LedgerRow, MemoryTables } from "./memory/memory-tables.ts";

interface EndOfRun {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly people: readonly Person[];
  readonly truth: StoredState;
  /** The list as the person sees it. */
  readonly list: PurchaseStore["list"];
  readonly violations: Violations;
}

/** At the end of a run: purchases, ledger and marketplace must agree to the cent. */
export async function judgeEnd(end: EndOfRun): Promise<string> {
  const orders = end.stage.world.ordersPaid();
  judgeOrders(end, orders);
  judgeConfirmed(end, orders);
  judgeCancelled(end, orders);
  judgeAmounts(end, orders);
  judgeMoney(end);
  judgeRows(end);
  judgeAttempts(end);
  judgeLiveness(end);
  judgeRules(end.stage, end.truth, orders);
  end.stage.sellerWatch.judgeEnd();
  return await judgeLists(end, orders);
}

/** Each person's list must add up to what the marketplace charged their account. @returns the total */
async function judgeLists(
  { stage, people, list, truth, violations }: EndOfRun,
  orders: readonly TrueOrder[],
) {
  let boughtCount = 0;
  let boughtCents = 0;
  let shownCents = 0;
  // An external order stays recorded when its account is reconnected.
  const booked = new Set(truth.purchases.map(({ transactionId }) => transactionId));
  for (const { name, userId } of people) {
    const shown = (await list(userId, MAX_SHOWN)).filter(
      ({ mode, state }) => mode === "live" && PAID_STATES.has(state),
    );
    const listedCents = shown.reduce((sum, { chargedCents }) => sum + (chargedCents ?? 0), 0);
    const paid = orders.filter(
      ({ order, accountName, checkoutId }) =>
        accountName === name &&
        order.state === "paid" &&
        (stage.networkWatch.paidCheckouts.has(checkoutId) ||
          booked.has(order.id) ||
          !isBaseline(stage, userId, order.createdAtMs)),
    );
    const paidCents = paid.reduce((sum, { chargedCents }) => sum + chargedCents, 0);
    if (listedCents !== paidCents)
      violations.report("I2", `${name} is shown ${listedCents} cents of purchases, and paid ${paidCents}`);
    boughtCount += paid.length;
    boughtCents += paidCents;
    shownCents += listedCents;
  }
  const bookedCents = truth.ledger.reduce(
    (sum, { kind, amountCents }) => sum + amountCents * (LEDGER_SIGNS.get(kind) ?? 0),
    0,
  );
  if (bookedCents !== boughtCents)
    violations.report("I6", `the ledger says ${bookedCents} cents, the marketplace ${boughtCents}`);
  return `${boughtCount} orders stand: ${boughtCents} cents by the marketplace's books, ${bookedCents} by the ledger, ${shownCents} by everybody's lists`;
}

const MAX_SHOWN = 100_000;
const PAID_STATES: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "confirmed",
  "cancelling",
  "cancel_unknown",
]);
/** Payments minus refunds. */
const LEDGER_SIGNS: ReadonlyMap<string, number> = new Map([
  ["capture", 1],
  ["overshoot", 1],
  ["external", 1],
  ["refund", -1],
]);

const isEffective = ({ order }: TrueOrder): boolean => order.state === "paid" || order.state === "awaiting";

/** I1 and I2: every payment of the product is one row, and nothing was paid twice. */
function judgeOrders({ stage, people, truth, violations }: EndOfRun, orders: readonly TrueOrder[]): void {
  const userIds = new Map(people.map(({ name, userId }) => [name, userId]));
  const ours = new Set<string>();
  for (const each of orders) {
    const { order, accountName, checkoutId } = each;
    const userId = userIds.get(accountName);
    const isOurs = stage.networkWatch.paidCheckouts.has(checkoutId);
    if (order.details.paymentsTaken > 1) violations.report("I1", `order ${order.id} was paid more than once`);
    if (isOurs && isEffective(each)) {
      const key = `${accountName} ${order.listingId}`;
      if (ours.has(key)) violations.report("I1", `${accountName} bought listing ${order.listingId} twice`);
      ours.add(key);
    }
    if (!isEffective(each) || userId === undefined) continue;
    if (!isOurs && isBaseline(stage, userId, order.createdAtMs)) continue;
    const rows = truth.purchases.filter(
      (record) => record.userId === userId && record.transactionId === order.id,
    );
    const current = rows.filter(({ state }) => CURRENT_STATES.has(state));
    // The product's own payment must not be recorded as external, because then no limit applied to it.
    if (current.length !== 1 || (isOurs && current[0]?.source === "external"))
      violations.report(
        "I2",
        `order ${order.id} of ${accountName} (${isOurs ? "ours" : "made elsewhere"}) is ${describe(rows)}`,
      );
  }
}

const CURRENT_STATES: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "awaiting",
  "confirmed",
  "cancelling",
  "cancel_unknown",
]);

function describe(rows: readonly PurchaseRecord[]): string {
  return rows.length === 0
    ? "no row"
    : rows.map(({ id, source, state }) => `${id} ${source} ${state}`).join(", ");
}

/** Orders from before the account was connected are ignored. */
function isBaseline(stage: Stage, userId: UserId, createdAtMs: number): boolean {
  const sinceMs = stage.parts.tables?.accounts.get(userId)?.ordersSinceMs;
  return sinceMs !== undefined && createdAtMs < sinceMs;
}

/** I3: every confirmed purchase was paid by that person for that amount. */
function judgeConfirmed({ people, truth, violations }: EndOfRun, orders: readonly TrueOrder[]): void {
  const names = new Map(people.map(({ name, userId }) => [userId, name]));
  for (const record of truth.purchases) {
    if (record.mode !== "live" || record.state !== "confirmed") continue;
    const found = orders.find(({ order }) => order.id === record.transactionId);
    const isThatOne =
      found !== undefined &&
      found.order.listingId === record.listingId &&
      found.accountName === names.get(record.userId) &&
      found.order.details.paymentsTaken === 1;
    if (!isThatOne) violations.report("I3", `${record.id} is confirmed, and there is no such order`);
    else if (found.order.state !== "paid")
      violations.report("I3", `${record.id} is confirmed, and its order ${found.order.state}`);
    else if (found.chargedCents !== record.chargedCents)
      violations.report("I3", `${record.id}: ${record.chargedCents} recorded, ${found.chargedCents} charged`);
  }
}

/** I3: a cancelled order is booked as charged exactly if it was. */
function judgeCancelled({ stage, truth, violations }: EndOfRun, orders: readonly TrueOrder[]): void {
  const cancelled = orders.filter(
    ({ order, checkoutId }) =>
      order.state === "cancelled" && stage.networkWatch.paidCheckouts.has(checkoutId),
  );
  for (const { order } of cancelled) {
    const rows = truth.purchases.filter(({ transactionId, attemptTransactionId }) =>
      [transactionId, attemptTransactionId].includes(order.id),
    );
    const isBooked = rows.some(({ chargedCents }) => chargedCents !== null);
    const isOver = rows.length > 0 && rows.every(({ state }) => state === "cancelled" || state === "failed");
    if (isOver && isBooked !== order.details.paymentsTaken > 0)
      violations.report(
        "I3",
        `order ${order.id}, charged ${order.details.paymentsTaken} times and cancelled, is ${describe(rows)}`,
      );
  }
}

/** I4: the quoted item price is within the limit, and the charge within the hold. */
function judgeAmounts({ stage, violations }: EndOfRun, orders: readonly TrueOrder[]): void {
  for (const { order, checkoutId } of orders) {
    const commit = stage.commitWatch.payingByCheckout.get(checkoutId);
    const { checkout } = order.details;
    if (commit === undefined || checkout === null) continue;
    if (checkout.quotedItemCents > commit.priceCapCents)
      violations.report("I4", `${commit.purchaseId}: ${checkout.quotedItemCents} above its limit`);
    if (checkout.quotedItemCents + checkout.quotedShippingCents > commit.holdCents)
      violations.report("I4", `${commit.purchaseId}: a quote above its hold of ${commit.holdCents}`);
  }
}

/** I6: budgets equal the sums of the ledger, and every hold was captured or released once. */
function judgeMoney({ truth, violations }: EndOfRun): void {
  for (const budget of truth.budgets) {
    const entries = truth.ledger.filter(
      ({ userId, dayKey, monthKey }) =>
        userId === budget.userId && (dayKey === budget.period || monthKey === budget.period),
    );
    const ledgerTotals = [
      entries.reduce((sum, entry) => sum + entry.heldDeltaCents, 0),
      entries.reduce((sum, entry) => sum + entry.capturedDeltaCents, 0),
      entries.reduce((sum, entry) => sum + entry.extraDeltaCents, 0),
      entries.reduce((sum, entry) => sum + entry.purchasesDelta, 0),
    ].join("/");
    const kept = [budget.heldCents, budget.capturedCents, budget.extraCents, budget.purchases].join("/");
    if (kept !== ledgerTotals)
      violations.report(
        "I6",
        `budget ${budget.period} of ${budget.userId}: ${kept}, its ledger ${ledgerTotals}`,
      );
  }
  const byPurchase = Map.groupBy(truth.ledger, ({ purchaseId }) => purchaseId);
  for (const record of truth.purchases) judgeLedgerOf(violations, record, byPurchase.get(record.id) ?? []);
}

function judgeLedgerOf(violations: Violations, record: PurchaseRecord, entries: StoredState["ledger"]): void {
  if (record.mode !== "live" || record.source === "external") return;
  const held = entries.reduce((sum, entry) => sum + entry.heldDeltaCents, 0);
  if (held !== record.holdCents)
    violations.report("I6", `${record.id} holds ${record.holdCents}, its ledger ${held}`);
  const ends = entries.filter(({ kind }) => kind === "capture" || kind === "release").length;
  const hasEnded = !["intent", "submitting", "unknown", "quarantine", "awaiting"].includes(record.state);
  if (ends !== (hasEnded ? 1 : 0))
    violations.report("I6", `the hold of ${record.id} (${record.state}) ended ${ends} times`);
  const paid = entries
    .filter(({ kind }) => kind === "capture" || kind === "overshoot")
    .reduce((sum, entry) => sum + entry.amountCents, 0);
  if (paid !== (record.chargedCents ?? 0) && record.state !== "awaiting")
    violations.report("I6", `${record.id}: ${record.chargedCents} charged, ${paid} in the ledger`);
}

/** I11: one row per person, listing, epoch and mode; one live purchase per listing over all people. */
function judgeRows({ truth, violations }: EndOfRun): void {
  const once = new Set<string>();
  const occupied = new Set<number>();
  for (const record of truth.purchases) {
    const key = [record.userId, record.listingId, record.epoch, record.mode].join(" ");
    if (once.has(key)) violations.report("I11", `${record.id} is the second of ${key}`);
    once.add(key);
    if (!occupiesListing(record)) continue;
    if (occupied.has(record.listingId)) violations.report("I11", `${record.id} is the second live one`);
    occupied.add(record.listingId);
  }
}

/** I8: attempts are numbered without gaps, and each begins after the end of the one before. */
function judgeAttempts({ truth, violations }: EndOfRun): void {
  const byPurchase = Map.groupBy(truth.attempts, ({ purchaseId }) => purchaseId);
  for (const [purchaseId, attempts] of byPurchase) {
    const inOrder = attempts.toSorted((one, other) => one.n - other.n);
    for (const [index, attempt] of inOrder.entries()) {
      const isLast = index === inOrder.length - 1;
      if (attempt.n !== index + 1) violations.report("I8", `${purchaseId} has no attempt ${index + 1}`);
      if (!isLast && (attempt.endedAtMs === null || attempt.outcome === "unknown"))
        violations.report("I8", `${purchaseId} n=${attempt.n} was followed without proof`);
    }
  }
}

/** I12: twenty calm minutes suffice for everything that does not wait for a person. */
function judgeLiveness({ truth, violations, plan }: EndOfRun): void {
  for (const { id, state, decidedAtMs } of truth.purchases)
    if (UNSETTLED.has(state) && decidedAtMs < plan.calmFromMs)
      violations.report("I12", `${id} is still ${state}`);
}

const UNSETTLED: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "intent",
  "submitting",
  "unknown",
  "cancelling",
]);

/** All rows of the books at the end of a run. */
export interface StoredState {
  readonly purchases: readonly PurchaseRecord[];
  readonly attempts: readonly AttemptRow[];
  readonly ledger: readonly LedgerRow[];
  readonly budgets: readonly BudgetRow[];
}

export function memoryStateOf({ purchases, attempts, ledger, budgets }: MemoryTables): StoredState {
  return {
    purchases: [...purchases.rows()],
    attempts: [...attempts.rows()],
    ledger: [...ledger.rows()],
    budgets: [...budgets.rows()],
  };
}
