import type { Filter } from "#domain/market/filter.ts";
import type { FilterId } from "#domain/ids.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { Move, Moved, Proposal, PurchaseStore } from "#store/purchase-store.ts";
import type { AccountStore } from "#store/store.ts";
import { blocksSeller, isAccountStopped } from "./memory/memory-facts.ts";
import { pairKey, type MemoryTables } from "./memory/memory-tables.ts";
import type { NodeStore } from "./node.ts";
import { createRulesWatch, type RulesWatch } from "./rules-watch.ts";
import type { TurnWatch } from "./turn-watch.ts";
import { priceFault, standingOf } from "./usual-prices.ts";
import type { Trace } from "./trace.ts";
import type { Violations } from "./violations.ts";
import type { PurchaseState } from "#domain/purchase.ts";

/** The committed right to send one payment request. */
interface PayingCommit {
  readonly purchaseId: string;
  readonly n: number;
  readonly holdCents: number;
  readonly priceCapCents: number;
  /** By the clock of the process that committed it. */
  readonly committedAtMs: number;
  isSent: boolean;
  /** Taken over by another process before the request was sent, and reconciled as if it had been sent. */
  isTakenOver: boolean;
  /** The end of the attempt is committed; sending the request after it is a violation. */
  isOver: boolean;
}

/** Observes every commit of purchases in order and checks it immediately. */
export interface CommitWatch {
  /** Wraps a store so that every decision is observed. */
  watched(store: NodeStore): NodeStore;
  readonly payingByCheckout: ReadonlyMap<number, PayingCommit>;
  readonly rules: RulesWatch;
  /** All access tokens that were ever in the store. */
  readonly committedTokens: ReadonlySet<string>;
}

interface CommitWatchParts {
  readonly trace: Trace;
  readonly violations: Violations;
  /** The tables for checks at the instant of a commit; null when they are not in memory. */
  readonly tables: MemoryTables | null;
  readonly turns: TurnWatch;
  readonly seed: number;
  /** When each filter that an import replaced was active from, as the import left it. */
  readonly imported: ReadonlyMap<FilterId, number | null>;
}

export function createCommitWatch(parts: CommitWatchParts): CommitWatch {
  const payingByCheckout = new Map<number, PayingCommit>();
  const committedTokens = new Set<string>();
  const rules = createRulesWatch(parts);
  const latestPaying = new Map<string, PayingCommit>();

  const onMove = ({ before, change, nowMs }: Move, moved: Moved): void => {
    const after = change.next;
    noteMove(parts, before, after);
    rules.moved(before, after, moved);
    if (change.stopsUser) parts.trace.count("breaker: one person");
    if (change.money.some(({ kind }) => kind === "overshoot")) parts.trace.count("overshoot");
    const paying = latestPaying.get(after.id);
    // An unknown outcome allows for a request still to be sent; any other end asserts that none will be.
    if (paying !== undefined && !isOpenForPayment(after)) paying.isOver = true;
    if (paying !== undefined && after.state === "unknown") paying.isTakenOver = true;
    if (before.attemptPhase === "paying" || after.attemptPhase !== "paying") return;
    const commit: PayingCommit = {
      purchaseId: after.id,
      n: after.attemptCount,
      holdCents: after.holdCents,
      priceCapCents: after.priceCapCents,
      committedAtMs: after.updatedAtMs,
      isSent: false,
      isTakenOver: false,
      isOver: false,
    };
    latestPaying.set(after.id, commit);
    if (after.checkoutId !== null) payingByCheckout.set(after.checkoutId, commit);
    judgePaying(parts, after, nowMs);
    rules.paying(after);
  };

  return {
    payingByCheckout,
    rules,
    committedTokens,
    watched: (store) => ({
      ...store,
      purchases: watchedPurchases({ ...parts, rules }, store.purchases, onMove),
      accounts: watchedAccounts(parts, store.accounts, committedTokens),
    }),
  };
}

function watchedAccounts(
  { trace }: CommitWatchParts,
  accounts: AccountStore,
  committedTokens: Set<string>,
): AccountStore {
  return {
    ...accounts,
    async markRefused(userId, generation, nowMs) {
      trace.count("refresh refused");
      await accounts.markRefused(userId, generation, nowMs);
    },
    async saveRotation(userId, rotation) {
      const isSaved = await accounts.saveRotation(userId, rotation);
      if (isSaved) committedTokens.add(rotation.accessToken.reveal());
      return isSaved;
    },
  };
}

function watchedPurchases(
  parts: CommitWatchParts & { readonly rules: RulesWatch },
  purchases: PurchaseStore,
  onMove: (move: Move, moved: Moved) => void,
): PurchaseStore {
  const { trace, violations } = parts;
  return {
    ...purchases,
    async open(openings) {
      const results = await purchases.open(openings);
      for (const [n, { change }] of openings.entries()) {
        const kind = results[n]?.kind;
        if (kind === "opened") {
          onOpened(parts, change.next);
          parts.rules.opened(change.next);
        } else trace.count(`an opening was ${kind}`);
      }
      return results;
    },
    async move(move) {
      const moved = await purchases.move(move);
      if (moved === null) trace.count("a step was stale");
      else onMove(move, moved);
      return moved;
    },
    async setSwitch(change) {
      await purchases.setSwitch(change);
      trace.note("switch", `${change.name} ${change.isOn}`);
      if (change.name === "breaker" && change.isOn) trace.count("breaker: everybody");
      if (change.name === "auditor" && change.isOn) violations.report("I6", change.reason);
    },
    async pauseAccount(userId, reason, nowMs) {
      trace.count("breaker: an account rests");
      return await purchases.pauseAccount(userId, reason, nowMs);
    },
    async recordExternal(order) {
      const record = await purchases.recordExternal(order);
      if (record === null) return null;
      trace.count("external order");
      trace.note("external", `${order.userId} ${order.transactionId} ${order.totalCents}`);
      return record;
    },
  };
}

function isOpenForPayment({ state, attemptPhase }: PurchaseRecord): boolean {
  if (state === "unknown" || state === "quarantine") return true;
  return state === "submitting" && attemptPhase === "paying";
}

function onOpened(parts: CommitWatchParts, record: PurchaseRecord): void {
  const { trace, violations, tables, turns, imported } = parts;
  const { id, userId, filterId, listing, source, mode, epoch, leaseOwner } = record;
  if (leaseOwner !== null && mode === "live" && record.lane === "acquire")
    turns.acquireOpened(leaseOwner, record);
  trace.note("open", `${id} ${userId} ${listing.id} ${mode} hold ${record.holdCents}`);
  if (mode === "simulation") trace.count("simulated purchase");
  if (epoch > 0) trace.count("second epoch");
  if (tables === null) return;
  const isNextInLine = tables.purchases
    .rows()
    .some(
      (other) =>
        other.listingId === listing.id &&
        other.mode === "live" &&
        other.state === "failed" &&
        other.id !== id,
    );
  if (isNextInLine && epoch === 0 && mode === "live") trace.count("next in line");
  const filter = filterId === null ? undefined : tables.filters.get(filterId);
  if (source === "auto" && (filter === undefined || listing.totalPriceCents > filter.priceCapEur * 100))
    violations.report("I4", `${id} was decided above its filter's limit`);
  if (source === "auto" && filter !== undefined) judgePrice(parts, record, filter);
  judgeSpending(violations, tables, record);
  // A filter whose limit this purchase reaches stops buying in the same commit.
  if (mode === "live") judgeStops({ violations, tables, imported }, record, record.decidedAtMs);
  judgeSeller({ violations, tables }, record);
}

function judgePrice(
  { trace, violations, tables, seed }: CommitWatchParts,
  { id, userId, listing }: PurchaseRecord,
  filter: Filter,
): void {
  if (filter.bargainPercent !== null) trace.count("bought at a good price");
  const isPrudent = tables?.settings.get(userId)?.limits.isPrudent !== false;
  const fault = priceFault(filter, listing, { standing: standingOf(seed, listing), isPrudent });
  if (fault !== null) violations.report("I25", `${id} is of ${listing.id}, ${fault}`);
}

/** Another person of the product is buying the listing at this moment. */
export function isTaken(tables: MemoryTables, { userId, listing }: Proposal): boolean {
  return tables.purchases
    .rows()
    .some(
      (record) =>
        record.listingId === listing.id &&
        record.userId !== userId &&
        record.mode === "live" &&
        (record.state === "intent" || record.state === "submitting" || record.state === "unknown"),
    );
}

const BEFORE_ITS_OUTCOME: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "submitting",
  "unknown",
  "awaiting",
]);

/** The trace counter of purchases within one hour of the run. */
export function boughtIn(hour: number): string {
  return `bought in hour ${String(hour + 1).padStart(2)}`;
}

function noteMove(
  { trace, violations, tables }: CommitWatchParts,
  before: PurchaseRecord,
  after: PurchaseRecord,
): void {
  const { id, attemptCount, attemptPhase, failureReason } = after;
  trace.note(
    "advance",
    `${id} ${before.state} → ${after.state} n=${attemptCount} ${attemptPhase} ${failureReason ?? ""}`,
  );
  if (!isArrow(before.state, after.state))
    violations.report("I10", `${id} moved ${before.state} → ${after.state}`);
  if (before.userId !== after.userId || before.id !== after.id)
    violations.report("I14", `an act on ${before.id} changed ${after.id}`);
  if (before.state !== after.state) trace.count(`${before.state} → ${after.state}`);
  if (BEFORE_ITS_OUTCOME.has(before.state) && after.state === "confirmed")
    trace.count(boughtIn(trace.hour()));
  if (after.state === "failed" && before.state !== "failed")
    trace.count(`failed: ${failureReason ?? "no reason"}`);
  if (
    before.state !== "failed" &&
    failureReason === "stopped" &&
    tables !== null &&
    blocksSeller(tables, after)
  )
    trace.count("seller blocked between intent and quote");
  if (before.leaseOwner !== null && after.leaseOwner !== null && before.leaseOwner !== after.leaseOwner)
    trace.count(`lease takeover: ${before.state}`);
  if (before.state === "submitting" && before.attemptPhase === "preparing" && after.state === "intent")
    trace.count("another attempt");
}

/** Checks that nothing forbids the payment at the instant of the commit that allows its request. */
function judgePaying(
  { violations, tables, imported }: CommitWatchParts,
  record: PurchaseRecord,
  nowMs: number,
): void {
  if (record.mode !== "live") violations.report("I9", `${record.id} is a simulation and pays`);
  if (tables === null) return;
  judgeSpending(violations, tables, record);
  judgeStops({ violations, tables, imported }, record, nowMs);
  judgeSeller({ violations, tables }, record);
  const attempt = tables.attempts.get(pairKey(record.id, record.attemptCount));
  if (attempt === undefined || attempt.sentAtMs === null)
    violations.report("I7", `${record.id} pays without a durable attempt`);
}

function judgeSpending(violations: Violations, tables: MemoryTables, record: PurchaseRecord): void {
  if (record.mode !== "live") return;
  const limits = tables.settings.get(record.userId)?.limits;
  if (limits === undefined) return;
  const spent = (period: string): number => {
    const row = tables.budgets.get(pairKey(record.userId, period));
    return row === undefined ? 0 : row.heldCents + row.capturedCents + row.extraCents;
  };
  const day = tables.budgets.get(pairKey(record.userId, record.dayKey));
  if (spent(record.dayKey) > limits.dayEur * 100)
    violations.report("I5", `${record.id}: the day's ${spent(record.dayKey)} pass ${limits.dayEur} EUR`);
  if (spent(record.monthKey) > limits.monthEur * 100)
    violations.report(
      "I5",
      `${record.id}: the month's ${spent(record.monthKey)} pass ${limits.monthEur} EUR`,
    );
  const isDecided = record.attemptPhase !== "paying";
  if (isDecided && (day?.purchases ?? 0) > limits.purchasesPerDay)
    violations.report("I5", `${record.id}: ${day?.purchases} purchases of ${limits.purchasesPerDay} a day`);
}

interface Judge {
  readonly violations: Violations;
  readonly tables: MemoryTables;
}

/** No intent or payment request may follow the commit of a block, whatever the matchers have cached. */
function judgeSeller({ violations, tables }: Judge, record: PurchaseRecord): void {
  if (blocksSeller(tables, record))
    violations.report("I21", `${record.id} is of a seller whom ${record.userId} blocks`);
}

function judgeStops(
  { violations, tables, imported }: Judge & Pick<CommitWatchParts, "imported">,
  record: PurchaseRecord,
  nowMs: number,
): void {
  const { id, userId, source, filterId } = record;
  if (tables.switches.rows().some(({ isOn }) => isOn) || isAccountStopped(tables, userId, nowMs))
    violations.report("I9", `${id} went on under a stop`);
  if (source !== "auto") return;
  const filter = filterId === null ? undefined : tables.filters.get(filterId);
  const isFilterOn = filter !== undefined && filter.isActive && filter.isAutobuy;
  if (tables.settings.get(userId)?.limits.isStopped === true || !isFilterOn)
    violations.report("I9", `${id} went on although the person had stopped it`);
  // Its owner's switch gives it another moment.
  if (filter !== undefined && imported.get(filter.id) === filter.activatedAtMs)
    violations.report("I24", `${id} went on by a filter that came from a file`);
}

/**
 * The state transitions of docs/purchase.md, repeated independently of the engine: the code that decides on a
 * transition must not also check it.
 */
const ARROWS: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  intent: ["submitting", "failed"],
  submitting: ["intent", "awaiting", "confirmed", "failed", "unknown"],
  unknown: ["confirmed", "awaiting", "failed", "quarantine", "cancelled"],
  awaiting: ["confirmed", "failed", "cancelled"],
  confirmed: ["cancelling", "cancelled"],
  cancelling: ["cancelled", "confirmed", "cancel_unknown"],
  cancel_unknown: ["cancelled", "confirmed"],
  quarantine: ["confirmed", "awaiting", "failed", "cancelled"],
  cancelled: [],
  failed: [],
};

function isArrow(from: PurchaseState, to: PurchaseState): boolean {
  return from === to ? ARROWS[from].length > 0 : ARROWS[from].includes(to);
}
