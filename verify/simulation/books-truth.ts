import type { PurchaseRecord } from "#store/purchase-store.ts";
import type { AttemptRow, BudgetRow, LedgerRow, MemoryTables } from "./memory/memory-tables.ts";

/** Every row of the books, as they lie at the end of a run. */
export interface BooksTruth {
  readonly purchases: readonly PurchaseRecord[];
  readonly attempts: readonly AttemptRow[];
  readonly ledger: readonly LedgerRow[];
  readonly budgets: readonly BudgetRow[];
}

export function memoryTruthOf({ purchases, attempts, ledger, budgets }: MemoryTables): BooksTruth {
  return {
    purchases: [...purchases.rows()],
    attempts: [...attempts.rows()],
    ledger: [...ledger.rows()],
    budgets: [...budgets.rows()],
  };
}
