import type { PurchaseStore } from "#store/purchase-store.ts";
import type { BuyingStore } from "#purchasing/buying-store.ts";
import { OVER } from "./memory-facts.ts";
import {
  createMemoryAccounts,
  createMemoryFilters,
  createMemorySellers,
  createMemorySettings,
  createMemoryUsers,
} from "./memory-people.ts";
import { createMemoryHeld, createMemoryRelists, createMemorySellerFacts } from "./memory-match-facts.ts";
import { createMemoryReads } from "./memory-reads.ts";
import { createTables, type MemoryTables, pairKey, type BudgetRow, type LedgerRow } from "./memory-tables.ts";
import { changeAccount, createMemoryOperations, recordExternal } from "./memory-operations.ts";
import { createDecisions } from "#store/purchases/decisions.ts";
import type {
  GroupStore,
  HeldMatchStore,
  ListingStore,
  RelistStore,
  SellerFactStore,
} from "#store/market-store.ts";
import type { SellerStore } from "#store/store.ts";
import { createMemoryGroups } from "./memory-rules.ts";
import type { UserId } from "#domain/ids.ts";
import { LONGEST_PAUSE_MS, pauseLengthMs, type Stops } from "#store/purchases/buying-accounts.ts";

/**
 * The purchase store in memory: the semantics of the real one, including its unique indexes and checks, fast
 * enough for thousands of simulated hours. It passes the suite of the real store (memory-store.test.ts).
 */
export interface MemoryStore extends BuyingStore {
  readonly users: ReturnType<typeof createMemoryUsers>;
  readonly settings: ReturnType<typeof createMemorySettings>;
  readonly filters: ReturnType<typeof createMemoryFilters>;
  readonly groups: GroupStore;
  readonly sellers: SellerStore;
  readonly listings: ReturnType<typeof createMemoryListings>;
  readonly held: HeldMatchStore;
  readonly sellerFacts: SellerFactStore;
  readonly relists: RelistStore;
  readonly tables: MemoryTables;
}

export function createMemoryStore(): MemoryStore {
  const tables = createTables();
  const listings = createMemoryListings(tables);
  return {
    tables,
    users: createMemoryUsers(tables),
    settings: createMemorySettings(tables),
    accounts: createMemoryAccounts(tables),
    filters: createMemoryFilters(tables),
    groups: createMemoryGroups(tables),
    sellers: createMemorySellers(tables),
    purchases: createMemoryPurchases(tables),
    listings,
    held: createMemoryHeld(listings),
    sellerFacts: createMemorySellerFacts(),
    relists: createMemoryRelists(),
    audit: {
      async append(entry) {
        tables.audited.push(entry);
      },
    },
  };
}

function createMemoryPurchases(tables: MemoryTables): PurchaseStore {
  const operations = createMemoryOperations(tables);
  return {
    ...createMemoryReads(tables),
    ...createMemoryStops(tables),
    ...operations,
    ...createDecisions(operations),
    recordExternal: async (order) => recordExternal(tables, order),
    auditLedger: async (nowMs) => auditMemoryLedger(tables, nowMs),
    async hideFinal(userId, nowMs) {
      const shown = [...tables.purchases.rows()].filter(
        (record) =>
          record.userId === userId && !record.isHidden && record.reachedCheckout && OVER.has(record.state),
      );
      for (const record of shown)
        tables.purchases.put(record.id, { ...record, isHidden: true, updatedAtMs: nowMs });
      return shown.length;
    },
  };
}

const WINDOW_MS = 3 * 60_000;

/** As store/purchases/purchases.ts does: compares budgets with the ledger and the holds of purchases. */
function auditMemoryLedger(tables: MemoryTables, nowMs: number): readonly string[] {
  const moved = [...tables.ledger.rows()].filter(({ atMs }) => atMs >= nowMs - WINDOW_MS);
  const keys = new Set(
    moved.flatMap(({ userId, dayKey, monthKey }) => [pairKey(userId, dayKey), pairKey(userId, monthKey)]),
  );
  return [...keys].flatMap((key) => {
    const budget = tables.budgets.get(key);
    return budget === undefined ? [] : findingsOf(tables, budget);
  });
}

/** The differences between a budget and its ledger entries or purchases. */
function findingsOf(tables: MemoryTables, budget: BudgetRow): readonly string[] {
  const { userId, period, heldCents } = budget;
  const isOfPeriod = (row: Pick<LedgerRow, "userId" | "dayKey" | "monthKey">): boolean =>
    row.userId === userId && (row.dayKey === period || row.monthKey === period);
  const entries = [...tables.ledger.rows()].filter(isOfPeriod);
  const sum = (amount: (entry: LedgerRow) => number): number =>
    entries.reduce((total, entry) => total + amount(entry), 0);
  const kept = [heldCents, budget.capturedCents, budget.extraCents, budget.purchases].join("/");
  const ledgerTotals = [
    sum((entry) => entry.heldDeltaCents),
    sum((entry) => entry.capturedDeltaCents),
    sum((entry) => entry.extraDeltaCents),
    sum((entry) => entry.purchasesDelta),
  ].join("/");
  const heldByPurchases = [...tables.purchases.rows()]
    .filter(isOfPeriod)
    .reduce((total, { holdCents }) => total + holdCents, 0);
  const where = `budget ${period} of ${userId}`;
  return [
    ...(kept === ledgerTotals ? [] : [`${where}: the row says ${kept}, its ledger ${ledgerTotals}`]),
    ...(heldCents === heldByPurchases
      ? []
      : [`${where}: ${heldCents} held, its purchases hold ${heldByPurchases}`]),
  ];
}

type KnownListings = Pick<
  ListingStore,
  | "record"
  | "byId"
  | "byIds"
  | "sliceMarks"
  | "seenSince"
  | "recentMatches"
  | "matchesAfter"
  | "matchesBetween"
>;

/** The listings that the feed has seen, and their matches. */
function createMemoryListings({ listings, matches, marks, transaction }: MemoryTables): KnownListings {
  const matchesAfter: KnownListings["matchesAfter"] = async (userId, { cursor, sinceMs, limit }) =>
    [...matches.rows()]
      .filter((match) => match.userId === userId && match.matchedAtMs >= sinceMs)
      .filter((match) => cursor === null || BigInt(match.cursor) > BigInt(cursor))
      .toSorted((one, other) => (BigInt(one.cursor) < BigInt(other.cursor) ? 1 : -1))
      .slice(0, limit);
  return {
    byId: async (id) => listings.get(id) ?? null,
    byIds: async (ids) =>
      Array.from(new Set(ids), (id) => listings.get(id)).filter((seen) => seen !== undefined),
    async record(batch) {
      transaction(() => {
        for (const seen of batch.listings) {
          const firstSeenAtMs = listings.get(seen.listing.id)?.firstSeenAtMs ?? seen.firstSeenAtMs;
          listings.put(seen.listing.id, { ...seen, firstSeenAtMs });
        }
        for (const match of batch.matches)
          matches.put(pairKey(match.userId, match.listing.listing.id), match);
        for (const { key, lastReadAtMs, highestListingId } of batch.marks) {
          const before = marks.get(key);
          marks.put(key, {
            key,
            lastReadAtMs: Math.max(lastReadAtMs, before?.lastReadAtMs ?? 0),
            highestListingId: Math.max(highestListingId, before?.highestListingId ?? 0),
          });
        }
      });
    },
    sliceMarks: async () => [...marks.rows()].toSorted((one, other) => (one.key < other.key ? -1 : 1)),
    seenSince: async (sinceMs, limit) =>
      [...listings.rows()]
        .filter(({ seenAtMs }) => seenAtMs >= sinceMs)
        .toSorted((one, other) => other.seenAtMs - one.seenAtMs || other.listing.id - one.listing.id)
        .slice(0, limit),
    recentMatches: async (userId, limit) => matchesAfter(userId, { cursor: null, sinceMs: 0, limit }),
    matchesAfter,
    matchesBetween: async (fromMs, toMs) => {
      const within = [...matches.rows()].filter(
        ({ matchedAtMs }) => matchedAtMs >= fromMs && matchedAtMs <= toMs,
      );
      const inOrder = within.toSorted((one, other) => (BigInt(one.cursor) < BigInt(other.cursor) ? -1 : 1));
      const latest = inOrder.map((match) => ({
        ...match,
        listing: listings.get(match.listing.listing.id) ?? match.listing,
      }));
      return { matches: latest, nextMs: null };
    },
  };
}

/** The stop switches and pauses, as in store/purchases/buying-accounts.ts. */
function createMemoryStops(tables: MemoryTables): Stops {
  return {
    async switches() {
      return [...tables.switches.rows()];
    },
    async setSwitch(change) {
      tables.transaction(() => tables.switches.put(change.name, change));
    },
    async accountStop(userId) {
      const row = tables.buyingAccounts.get(userId);
      if (row === undefined) return null;
      if (row.isStopped) return { untilMs: null, reason: row.stopReason };
      return row.pausedUntilMs > 0 ? { untilMs: row.pausedUntilMs, reason: row.stopReason } : null;
    },
    async stopAccount(userId, reason) {
      tables.transaction(() => changeAccount(tables, userId, { isStopped: true, stopReason: reason }));
    },
    async stopUnlessStopped(userId, reason) {
      tables.transaction(() => {
        if (tables.buyingAccounts.get(userId)?.isStopped !== true)
          changeAccount(tables, userId, { isStopped: true, stopReason: reason });
      });
    },
    async endAccountStop(userId, reason) {
      tables.transaction(() => {
        if (tables.buyingAccounts.get(userId)?.stopReason === reason)
          changeAccount(tables, userId, { isStopped: false, stopReason: "" });
      });
    },
    async pauseAccount(userId, reason, nowMs) {
      return tables.transaction(() => pauseAccount(tables, userId, { reason, nowMs }));
    },
    async resumeAccount(userId, nowMs) {
      return tables.transaction(() => resumeAccount(tables, userId, nowMs));
    },
    async claimSweep(userId, nowMs, sweptBeforeMs) {
      return tables.transaction(() => {
        const row = tables.buyingAccounts.get(userId);
        const latestPossibleMs = nowMs + (nowMs - sweptBeforeMs);
        if (row !== undefined && row.sweptAtMs >= sweptBeforeMs && row.sweptAtMs <= latestPossibleMs)
          return false;
        changeAccount(tables, userId, { sweptAtMs: nowMs });
        return true;
      });
    },
  };
}

function pauseAccount(
  tables: MemoryTables,
  userId: UserId,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): number {
  const row = tables.buyingAccounts.get(userId);
  if (row !== undefined && row.pausedUntilMs > nowMs) return row.pausedUntilMs;
  const isRepeated = row !== undefined && nowMs - row.pausedUntilMs < LONGEST_PAUSE_MS;
  const pauseCount = isRepeated ? row.pauseCount + 1 : 1;
  const pausedUntilMs = nowMs + pauseLengthMs(pauseCount);
  const stopReason = row?.isStopped === true ? row.stopReason : reason;
  changeAccount(tables, userId, { pausedUntilMs, pauseCount, stopReason });
  return pausedUntilMs;
}

function resumeAccount(tables: MemoryTables, userId: UserId, nowMs: number): boolean {
  const settings = tables.settings.get(userId);
  const account = tables.buyingAccounts.get(userId);
  const isLifted =
    settings !== undefined &&
    settings.limits.isStopped &&
    account !== undefined &&
    account.stopThrownAtMs > settings.resumedAtMs;
  if (isLifted)
    tables.settings.put(userId, {
      ...settings,
      limits: { ...settings.limits, isStopped: false },
      resumedAtMs: nowMs,
    });
  if (account !== undefined)
    changeAccount(tables, userId, { isStopped: false, pausedUntilMs: 0, pauseCount: 0, stopReason: "" });
  return isLifted;
}
