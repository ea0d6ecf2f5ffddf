import { describe } from "vitest";
import type { PurchaseStoreUnderTest } from "#store/purchases/purchases-under-test.suite.ts";
import { describePurchases } from "#store/purchases/purchases.suite.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";
import { pairKey } from "./memory-tables.ts";

/** The store in memory must pass the suite of the real one, or the simulation proves nothing. */
function underTest({
  tables,
  users,
  settings,
  sellers,
  filters,
  groups,
  purchases,
}: MemoryStore): PurchaseStoreUnderTest {
  return {
    users,
    settings,
    sellers,
    filters,
    groups,
    purchases,
    behind: {
      auditOf: async (userId) => tables.audited.filter((entry) => entry.userId === userId),
      budgetsOf: async (userId) => [...tables.budgets.rows()].filter((row) => row.userId === userId),
      ledgerOf: async (userId) => [...tables.ledger.rows()].filter((row) => row.userId === userId),
      async miscount(period, heldCents) {
        for (const row of tables.budgets.rows())
          if (row.period === period) tables.budgets.put(pairKey(row.userId, period), { ...row, heldCents });
      },
    },
  };
}

describe("purchases in the simulation's store", () => {
  const shared = underTest(createMemoryStore());
  describePurchases({
    shared: () => shared,
    open: async () => ({
      store: underTest(createMemoryStore()),
      async [Symbol.asyncDispose]() {
        // Nothing is open.
      },
    }),
  });
});
