import type { PurchaseStore } from "#store/purchase-store.ts";
import type { BuyingStore } from "#purchasing/buying-store.ts";
import { auditMemoryBooks } from "./memory-audit.ts";
import { OVER } from "./memory-facts.ts";
import { createMemoryListings } from "./memory-listings.ts";
import {
  createMemoryAccounts,
  createMemoryFilters,
  createMemorySettings,
  createMemoryUsers,
} from "./memory-people.ts";
import { createMemoryReads } from "./memory-reads.ts";
import { createMemoryStops } from "./memory-stops.ts";
import { createTables, type MemoryTables } from "./memory-tables.ts";
import { advance, propose, recordExternal } from "./memory-transitions.ts";

/**
 * The store of buying in memory: the meaning of the real one, its unique indexes and checks included, at the speed
 * that thousands of simulated hours need. It passes the suite of the real books (memory-store.test.ts).
 */
export interface MemoryStore extends BuyingStore {
  readonly users: ReturnType<typeof createMemoryUsers>;
  readonly settings: ReturnType<typeof createMemorySettings>;
  readonly filters: ReturnType<typeof createMemoryFilters>;
  readonly listings: ReturnType<typeof createMemoryListings>;
  readonly tables: MemoryTables;
}

export function createMemoryStore(): MemoryStore {
  const tables = createTables();
  return {
    tables,
    users: createMemoryUsers(tables),
    settings: createMemorySettings(tables),
    accounts: createMemoryAccounts(tables),
    filters: createMemoryFilters(tables),
    purchases: createMemoryPurchases(tables),
    listings: createMemoryListings(tables),
    audit: {
      async append(entry) {
        tables.audited.push(entry);
      },
    },
    urgently: (work) => work(),
  };
}

function createMemoryPurchases(tables: MemoryTables): PurchaseStore {
  return {
    ...createMemoryReads(tables),
    ...createMemoryStops(tables),
    propose: async (proposal, decide) => propose(tables, proposal, decide),
    advance: async (key, nowMs, decide) => advance(tables, key, nowMs, decide),
    recordExternal: async (order) => recordExternal(tables, order),
    auditBooks: async (nowMs) => auditMemoryBooks(tables, nowMs),
    async hideFinal(userId, nowMs) {
      const shown = [...tables.purchases.rows()].filter(
        (record) =>
          record.userId === userId && !record.isHidden && record.reachedCheckout && OVER.has(record.state),
      );
      for (const record of shown)
        tables.purchases.put(record.id, { ...record, isHidden: true, updatedAtMs: nowMs });
      return shown.length;
    },
    async erase(userId) {
      for (const [key, attempt] of tables.attempts.entries())
        if (attempt.userId === userId) tables.attempts.remove(key);
      for (const record of tables.purchases.rows())
        if (record.userId === userId) tables.purchases.remove(record.id);
      tables.buyingAccounts.remove(userId);
    },
  };
}
