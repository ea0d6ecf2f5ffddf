import { FREED_AT_MS, type PurchaseRecord } from "#store/purchase-facts.ts";
import { holdingStops, stopOfEntry } from "#store/purchases/operations.ts";
import { type Reads, SETTLED } from "#store/purchases/reads.ts";
import { OVER, totalsOf } from "./memory-facts.ts";
import type { MemoryTables } from "./memory-tables.ts";

/** The read-only queries of store/purchases/reads.ts. */
export function createMemoryReads(tables: MemoryTables): Reads {
  return { ...ofOnePerson(tables), ...ofEverybody(tables) };
}

function newestFirst(one: PurchaseRecord, other: PurchaseRecord): number {
  return other.decidedAtMs - one.decidedAtMs || (one.id < other.id ? 1 : -1);
}

function ofOnePerson(
  tables: MemoryTables,
): Pick<
  Reads,
  "record" | "list" | "journal" | "openCount" | "totals" | "byTransaction" | "ownersOfTransactions"
> {
  const { purchases, attempts } = tables;
  const ofUser = (userId: PurchaseRecord["userId"]): readonly PurchaseRecord[] =>
    [...purchases.rows()].filter((record) => record.userId === userId).toSorted(newestFirst);
  return {
    async record({ id, userId }) {
      const found = purchases.get(id);
      return found?.userId === userId ? found : null;
    },
    async list(userId, limit, before) {
      const all = ofUser(userId);
      const mark = before === undefined ? -1 : all.findIndex(({ id }) => id === before);
      return all
        .slice(before !== undefined && mark < 0 ? all.length : mark + 1)
        .filter(
          ({ isHidden, state, reachedCheckout }) => !isHidden && (state !== "failed" || reachedCheckout),
        )
        .slice(0, limit);
    },
    async journal(userId, limit) {
      const byPurchase = Map.groupBy(attempts.rows(), ({ purchaseId }) => purchaseId);
      return ofUser(userId)
        .slice(0, limit)
        .map((purchase) => ({
          purchase,
          attempts: (byPurchase.get(purchase.id) ?? []).toSorted((one, other) => one.n - other.n),
        }));
    },
    async openCount(userId) {
      return ofUser(userId).filter(({ state }) => !SETTLED.includes(state)).length;
    },
    async totals(userId, period) {
      return totalsOf(tables, userId, period);
    },
    async byTransaction(userId, transactionId) {
      const ofOrder = ofUser(userId).filter((record) => record.transactionId === transactionId);
      return ofOrder.find(({ state }) => !OVER.has(state)) ?? ofOrder[0] ?? null;
    },
    async ownersOfTransactions(userId, transactionIds) {
      const isNamed = (id: number | null): boolean => id !== null && transactionIds.includes(id);
      return [...purchases.rows()]
        .filter((record) => record.userId === userId)
        .filter((record) => isNamed(record.transactionId) || isNamed(record.attemptTransactionId));
    },
  };
}

function ofEverybody(
  tables: MemoryTables,
): Pick<
  Reads,
  | "find"
  | "due"
  | "unpublished"
  | "stopsOf"
  | "endForeignLeases"
  | "userIdsWithOpenPurchases"
  | "userIdsWithAutobuy"
> {
  const { purchases, unpublished, filters, accounts } = tables;
  const earliestDue = { version: -1, atMs: Infinity };
  return {
    async find(id) {
      return purchases.get(id) ?? null;
    },
    async due(nowMs, limit) {
      // Cached, because every node asks four times a second and there is nearly always nothing due.
      if (earliestDue.version !== purchases.version) {
        earliestDue.version = purchases.version;
        earliestDue.atMs = purchases
          .rows()
          .reduce((least, { dueAtMs }) => Math.min(least, dueAtMs ?? Infinity), Infinity);
      }
      if (earliestDue.atMs > nowMs) return [];
      return [...purchases.rows()]
        .filter(({ dueAtMs }) => dueAtMs !== null && dueAtMs <= nowMs)
        .toSorted((one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0))
        .slice(0, limit);
    },
    async stopsOf({ id, userId }) {
      const stops = tables.audited
        .filter((entry) => entry.kind === "autobuy.stopped" && entry.details["purchaseId"] === id)
        .map(({ details }) => stopOfEntry(details, userId))
        .filter((stop) => stop !== null);
      return holdingStops(stops, (filterId) => filters.get(filterId)?.autobuyEnd?.reason);
    },
    async unpublished(movedBeforeMs, limit) {
      return [...unpublished.rows()]
        .flatMap((id) => purchases.get(id) ?? [])
        .filter(({ updatedAtMs }) => updatedAtMs <= movedBeforeMs)
        .toSorted((one, other) => one.updatedAtMs - other.updatedAtMs)
        .slice(0, limit);
    },
    async endForeignLeases(owner, nowMs) {
      return tables.transaction(() => endForeignLeases(tables, owner, nowMs));
    },
    async userIdsWithOpenPurchases() {
      const open = [...purchases.rows()].filter(({ dueAtMs }) => dueAtMs !== null);
      return [...new Set(open.map(({ userId }) => userId))];
    },
    async userIdsWithAutobuy() {
      const buying = [...filters.rows()].filter(
        ({ userId, isActive, isAutobuy }) =>
          isActive && isAutobuy && accounts.get(userId)?.state === "connected",
      );
      return [...new Set(buying.map(({ userId }) => userId))];
    },
  };
}

function endForeignLeases({ accounts, purchases }: MemoryTables, owner: string, nowMs: number): number {
  const claimed = accounts
    .entries()
    .filter(([, { refreshOwner }]) => refreshOwner !== null && refreshOwner !== owner);
  for (const [userId, account] of claimed.toArray())
    accounts.put(userId, { ...account, refreshOwner: null, refreshUntilMs: 0 });
  const ended = [...purchases.rows()].filter(
    ({ leaseOwner, dueAtMs }) => leaseOwner !== owner && dueAtMs !== null && dueAtMs > nowMs,
  );
  for (const record of ended) purchases.put(record.id, { ...record, dueAtMs: FREED_AT_MS });
  return ended.length;
}
