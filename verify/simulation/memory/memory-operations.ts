import type { UserId } from "#domain/ids.ts";
import type { PurchaseKey, PurchaseRecord } from "#store/purchase-facts.ts";
import type {
  AttemptMove,
  ExternalOrder,
  Move,
  Moved,
  MoneyMove,
  Opening,
  OpenResult,
  PurchaseOperations,
  Versions,
} from "#store/purchase-store.ts";
import { mayHavePaid } from "#purchasing/reconcile/orders.ts";
import { externalEntryOf, externalRecordOf } from "#store/purchases/purchases.ts";
import { storableText } from "#store/sql/values.ts";
import { occupiesListing, OVER, readFacts, versionsOf } from "./memory-facts.ts";
import { endBuying } from "./memory-rules.ts";
import {
  pairKey,
  type AttemptRow,
  type BuyingAccountRow,
  type MemoryTables,
  type BudgetRow,
  ConstraintViolated,
} from "./memory-tables.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import { deltasOf, ledgerAmount } from "#store/purchases/operations.ts";

/** The purchase that an amount is booked for. */
type Booking = Pick<PurchaseRecord, "id" | "userId" | "dayKey" | "monthKey">;

/** The operations of store/purchases/operations.ts in memory, with the same versions and constraints. */
export function createMemoryOperations(tables: MemoryTables): PurchaseOperations {
  return {
    facts: async (questions) => questions.map((question) => readFacts(tables, question)),
    open: async (openings) =>
      tables.transaction(() => openings.map((opening) => openPurchase(tables, opening))),
    move: async (move) => tables.transaction(() => movePurchase(tables, move)),
    async published(records) {
      for (const { id, state, updatedAtMs } of records) {
        const now = tables.purchases.get(id);
        if (now?.state === state && now.updatedAtMs === updatedAtMs) tables.unpublished.remove(id);
      }
    },
  };
}

function isCurrent(tables: MemoryTables, userId: UserId, { person, switches }: Versions): boolean {
  const now = versionsOf(tables, userId);
  return person !== null && now.person === person && now.switches === switches;
}

function openPurchase(tables: MemoryTables, { versions, change, limits }: Opening): OpenResult {
  const { next: record, money, audit } = change;
  if (!isCurrent(tables, record.userId, versions)) return { kind: "stale" };
  if (isAgainstAnIndex(tables, record)) return { kind: "taken" };
  putPurchase(tables, record);
  tables.raiseVersion(record.userId);
  if (change.isNews === true) tables.unpublished.put(record.id, record.id);
  bookMoney(tables, record, money, { nowMs: record.decidedAtMs, limits });
  for (const move of change.attempts) recordAttempt(tables, record, move, record.decidedAtMs);
  if (audit !== undefined) tables.audited.push(audit);
  return { kind: "opened", stops: endBuying(tables, record, record.decidedAtMs) };
}

function movePurchase(tables: MemoryTables, move: Move): Moved | null {
  const { before, revision, versions, change, limits, nowMs } = move;
  const { id, userId } = before;
  if (!isCurrent(tables, userId, versions) || tables.revisions.get(id) !== revision) return null;
  putPurchase(tables, { ...change.next, id, userId, listing: before.listing });
  tables.raiseVersion(userId);
  const { person: version } = versionsOf(tables, userId);
  bookMoney(tables, before, change.money, { nowMs, limits });
  for (const each of change.attempts) recordAttempt(tables, before, each, nowMs);
  if (change.stopsUser) throwStop(tables, change.next, nowMs);
  if (change.isNews === true) tables.unpublished.put(id, id);
  if (change.audit !== undefined) tables.audited.push(change.audit);
  return { version: version ?? 0, stops: endBuying(tables, change.next, nowMs) };
}

/** Records an order that no purchase of the product explains, as in store/purchases/purchases.ts. */
export function recordExternal(tables: MemoryTables, order: ExternalOrder): PurchaseRecord | null {
  return tables.transaction(() => {
    const own = [...tables.purchases.rows()].filter(({ userId }) => userId === order.userId);
    if (own.some((record) => explains(record, order))) return null;
    const epochs = own
      .filter(({ listingId, mode }) => listingId === order.listingId && mode === "live")
      .map(({ epoch }) => epoch);
    const record = externalRecordOf(order, Math.max(-1, ...epochs) + 1);
    putPurchase(tables, record);
    for (const each of own)
      if (each.isSetback && mayHavePaid(each, order.transactionId))
        putPurchase(tables, { ...each, isSetback: false });
    tables.raiseVersion(order.userId);
    const booked = { kind: "external", cents: order.totalCents } as const;
    bookMoney(tables, record, [booked], { nowMs: order.nowMs, limits: null });
    tables.unpublished.put(record.id, record.id);
    tables.audited.push(externalEntryOf(record));
    endBuying(tables, record, order.nowMs);
    return record;
  });
}

const UNDECIDED: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "intent",
  "submitting",
  "unknown",
  "quarantine",
  "awaiting",
]);

function explains(record: PurchaseRecord, { transactionId, listingId }: ExternalOrder): boolean {
  if (record.transactionId === transactionId && !OVER.has(record.state)) return true;
  return record.listingId === listingId && record.mode === "live" && UNDECIDED.has(record.state);
}

function isAgainstAnIndex(tables: MemoryTables, record: PurchaseRecord): boolean {
  return tables.purchases.rows().some((other) => {
    if (other.id === record.id) return true;
    if (other.listingId !== record.listingId) return false;
    const isSame =
      other.userId === record.userId && other.epoch === record.epoch && other.mode === record.mode;
    return isSame || (occupiesListing(other) && occupiesListing(record));
  });
}

function putPurchase(tables: MemoryTables, record: PurchaseRecord): void {
  if (record.holdCents < 0) throw new ConstraintViolated("purchases_hold");
  const isFinal = OVER.has(record.state) || record.state === "confirmed";
  if (isFinal && record.holdCents !== 0) throw new ConstraintViolated("purchases_final_holds_nothing");
  const before = tables.purchases.get(record.id);
  const isOccupying = occupiesListing(record) && (before === undefined || !occupiesListing(before));
  if (isOccupying && isTaken(tables, record)) throw new ConstraintViolated("purchases_one_live_per_listing");
  const confirmUrl = record.confirmUrl === null ? null : storableText(record.confirmUrl);
  tables.purchases.put(record.id, { ...record, confirmUrl });
}

function isTaken(tables: MemoryTables, { id, listingId }: PurchaseRecord): boolean {
  return tables.purchases
    .rows()
    .some((other) => other.id !== id && other.listingId === listingId && occupiesListing(other));
}

function recordAttempt(
  tables: MemoryTables,
  { id, userId }: PurchaseKey,
  move: AttemptMove,
  nowMs: number,
): void {
  const key = pairKey(id, move.n);
  const before = tables.attempts.get(key);
  if (move.kind === "opened") {
    if (before !== undefined) throw new ConstraintViolated("purchase_attempts_pkey");
    tables.attempts.put(key, { ...NEW_ATTEMPT, purchaseId: id, n: move.n, userId, startedAtMs: nowMs });
    return;
  }
  if (before === undefined) return;
  const fields =
    move.kind === "paying"
      ? { digest: move.digest, sentAtMs: nowMs, deadlineMs: move.deadlineMs }
      : { endedAtMs: nowMs, outcome: move.outcome, evidence: move.evidence };
  tables.attempts.put(key, { ...before, ...fields });
}

const NEW_ATTEMPT: Omit<AttemptRow, "purchaseId" | "n" | "userId" | "startedAtMs"> = {
  digest: null,
  sentAtMs: null,
  deadlineMs: null,
  endedAtMs: null,
  outcome: null,
  evidence: null,
};

function throwStop(tables: MemoryTables, { id, userId, state }: PurchaseRecord, nowMs: number): void {
  const settings = tables.settings.get(userId);
  const isThrown = settings !== undefined && !settings.limits.isStopped;
  if (isThrown) {
    tables.settings.put(userId, { ...settings, limits: { ...settings.limits, isStopped: true } });
    changeAccount(tables, userId, { stopThrownAtMs: nowMs });
  }
  const reason = state === "unknown" ? "unknown_outcomes" : "overcharge";
  const isTold = tables.audited.some(
    ({ kind, details }) =>
      kind === "buying.stopped" && details["purchaseId"] === id && details["reason"] === "overcharge",
  );
  if (!isThrown && (reason === "unknown_outcomes" || isTold)) return;
  tables.audited.push({ atMs: nowMs, kind: "buying.stopped", userId, details: { purchaseId: id, reason } });
}

/** Updates the buying account, creating it when absent. */
export function changeAccount(tables: MemoryTables, userId: UserId, change: Partial<BuyingAccountRow>): void {
  const before = tables.buyingAccounts.get(userId) ?? { ...NEW_ACCOUNT, userId };
  tables.buyingAccounts.put(userId, { ...before, ...change });
}

const NEW_ACCOUNT: Omit<BuyingAccountRow, "userId"> = {
  version: 0,
  isStopped: false,
  pausedUntilMs: 0,
  stopReason: "",
  pauseCount: 0,
  stopThrownAtMs: 0,
  sweptAtMs: 0,
};

/** Books amounts into the ledger and both budgets, with the checks of the real tables. */
function bookMoney(
  tables: MemoryTables,
  booking: Booking,
  moves: readonly MoneyMove[],
  at: { readonly nowMs: number; readonly limits: MoneyLimits | null },
): void {
  if (moves.length === 0) return;
  const { dayKey, monthKey } = booking;
  bookPeriod(tables, booking, moves, { period: dayKey, limitEur: at.limits?.dayEur ?? null });
  bookPeriod(tables, booking, moves, { period: monthKey, limitEur: at.limits?.monthEur ?? null });
  for (const move of moves) appendLedger(tables, booking, move, at.nowMs);
}

interface Period {
  readonly period: string;
  /** Null leaves the cap unchanged. */
  readonly limitEur: number | null;
}

function bookPeriod(
  tables: MemoryTables,
  { userId }: Booking,
  moves: readonly MoneyMove[],
  { period, limitEur }: Period,
): void {
  const key = pairKey(userId, period);
  const isFirst = moves.some((move) => move.kind === "external" || (move.kind === "hold" && move.isFirst));
  const before = tables.budgets.get(key);
  if (before === undefined && !isFirst) return;
  const row = before ?? emptyBudget({ userId, period });
  const cap = limitEur === null ? row.capCents : Math.max(limitEur * 100, row.heldCents + row.capturedCents);
  let next: BudgetRow = { ...row, capCents: cap };
  for (const delta of moves.map(deltasOf))
    next = {
      ...next,
      heldCents: next.heldCents + delta.held,
      capturedCents: next.capturedCents + delta.captured,
      extraCents: next.extraCents + delta.extra,
      purchases: next.purchases + delta.purchases,
    };
  checkBudget(next);
  tables.budgets.put(key, next);
}

function emptyBudget(key: Pick<BudgetRow, "userId" | "period">): BudgetRow {
  return { ...key, capCents: 0, heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };
}

function checkBudget({ heldCents, capturedCents, capCents }: BudgetRow): void {
  if (heldCents < 0 || capturedCents < 0) throw new ConstraintViolated("budgets_amounts");
  if (heldCents + capturedCents > capCents) throw new ConstraintViolated("budgets_cap");
}

function appendLedger(tables: MemoryTables, booking: Booking, move: MoneyMove, atMs: number): void {
  const id = tables.ledger.size + 1;
  const deltas = deltasOf(move);
  tables.ledger.put(id, {
    id,
    atMs,
    userId: booking.userId,
    purchaseId: booking.id,
    kind: move.kind,
    amountCents: ledgerAmount(move),
    heldDeltaCents: deltas.held,
    capturedDeltaCents: deltas.captured,
    extraDeltaCents: deltas.extra,
    purchasesDelta: deltas.purchases,
    dayKey: booking.dayKey,
    monthKey: booking.monthKey,
  });
}
