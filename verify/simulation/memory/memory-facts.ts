import type { Filter } from "#domain/filter.ts";
import type { UserId } from "#domain/ids.ts";
import type { PurchaseMode, PurchaseState } from "#domain/purchase.ts";
import type {
  BudgetTotals,
  Proposal,
  ProposalFacts,
  PurchaseFacts,
  PurchaseRecord,
  SpendingFacts,
} from "#store/purchase-store.ts";
import { settingsIn } from "./memory-people.ts";
import { pairKey, type MemoryTables } from "./memory-tables.ts";

/** What a decision about a person's money must know, as in store/purchases/facts.ts. */

const DOUBTS_WINDOW_MS = 10 * 60_000;
const NOTHING: BudgetTotals = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };
const BEING_PAID: ReadonlySet<PurchaseState> = new Set(["intent", "submitting", "unknown"]);
export const OVER: ReadonlySet<PurchaseState> = new Set(["failed", "cancelled"]);

const NOBODY: SpendingFacts = {
  isEveryoneStopped: false,
  isAccountStopped: true,
  limits: { dayEur: 0, monthEur: 0, purchasesPerDay: 0, isStopped: true },
  mandateVersion: null,
  day: NOTHING,
  month: NOTHING,
  recentUnknownOutcomes: 0,
};

export function readFacts(tables: MemoryTables, record: PurchaseRecord, nowMs: number): PurchaseFacts {
  return { ...readSpending(tables, record, nowMs), filter: filterOf(tables, record) };
}

function filterOf(
  tables: MemoryTables,
  { userId, filterId }: Pick<Proposal, "userId" | "filterId">,
): Filter | null {
  const filter = filterId === null ? undefined : tables.filters.get(filterId);
  return filter?.userId === userId ? filter : null;
}

type Booked = Pick<PurchaseRecord, "userId" | "dayKey" | "monthKey">;

function readSpending(tables: MemoryTables, booked: Booked, nowMs: number): SpendingFacts {
  const { userId } = booked;
  const settings = tables.settings.get(userId);
  if (settings === undefined) return NOBODY;
  return {
    isEveryoneStopped: tables.switches.rows().some(({ isOn }) => isOn),
    isAccountStopped: isAccountStopped(tables, userId, nowMs),
    limits: settings.limits,
    mandateVersion: settings.mandate?.version ?? null,
    day: totalsOf(tables, userId, booked.dayKey),
    month: totalsOf(tables, userId, booked.monthKey),
    recentUnknownOutcomes: countRecentDoubts(
      tables,
      userId,
      Math.max(nowMs - DOUBTS_WINDOW_MS, settings.resumedAtMs),
    ),
  };
}

/** Stopped, paused, or its person is suspended. */
export function isAccountStopped(tables: MemoryTables, userId: UserId, nowMs: number): boolean {
  const account = tables.buyingAccounts.get(userId);
  if (account !== undefined && (account.isStopped || account.pausedUntilMs > nowMs)) return true;
  return tables.users.get(userId)?.isSuspended ?? false;
}

export function totalsOf(tables: MemoryTables, userId: UserId, period: string): BudgetTotals {
  const row = tables.budgets.get(pairKey(userId, period));
  if (row === undefined) return NOTHING;
  const { heldCents, capturedCents, extraCents, purchases } = row;
  return { heldCents, capturedCents, extraCents, purchases };
}

function countRecentDoubts(tables: MemoryTables, userId: UserId, afterMs: number): number {
  let count = 0;
  for (const attempt of tables.attempts.rows())
    if (attempt.userId === userId && attempt.outcome === "unknown" && (attempt.endedAtMs ?? 0) > afterMs)
      count += 1;
  return count;
}

export function readProposalFacts(tables: MemoryTables, proposal: Proposal): ProposalFacts {
  const { userId, listing, nowMs } = proposal;
  const spending = readSpending(tables, proposal, nowMs);
  const own = [...tables.purchases.rows()]
    .filter((record) => record.userId === userId && record.listingId === listing.id)
    .toSorted((one, other) => other.epoch - one.epoch);
  const user = tables.users.get(userId);
  if (user === undefined)
    return {
      user: null,
      settings: settingsIn(tables, userId),
      filter: null,
      spending,
      beingPaidCount: 0,
      awaitingCount: 0,
      own,
      rivalState: null,
      filterPurchases: { live: 0, simulation: 0 },
    };
  const { plan, planEndsAtMs, isSuspended } = user;
  return {
    user: { plan, planEndsAtMs, isSuspended },
    settings: settingsIn(tables, userId),
    filter: filterOf(tables, proposal),
    spending,
    own,
    ...countsOf(tables, proposal),
  };
}

type Counts = Pick<ProposalFacts, "beingPaidCount" | "awaitingCount" | "rivalState" | "filterPurchases">;

function countsOf(tables: MemoryTables, { userId, filterId, listing }: Proposal): Counts {
  let beingPaidCount = 0;
  let awaitingCount = 0;
  let rivalState: PurchaseState | null = null;
  const filterPurchases: Record<PurchaseMode, number> = { live: 0, simulation: 0 };
  for (const record of tables.purchases.rows()) {
    const isLive = record.mode === "live";
    if (record.userId === userId && isLive && BEING_PAID.has(record.state)) beingPaidCount += 1;
    if (record.userId === userId && isLive && record.state === "awaiting") awaitingCount += 1;
    if (record.listingId === listing.id && occupiesListing(record)) rivalState = record.state;
    if (filterId !== null && record.filterId === filterId && !OVER.has(record.state))
      filterPurchases[record.mode] += 1;
  }
  return { beingPaidCount, awaitingCount, rivalState, filterPurchases };
}

/** The words of the partial unique index `purchases_one_live_per_listing`. */
export function occupiesListing({ mode, source, state }: PurchaseRecord): boolean {
  return mode === "live" && source !== "external" && !OVER.has(state);
}
