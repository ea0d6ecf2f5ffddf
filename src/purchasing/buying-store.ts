import type { PurchaseStore } from "#store/purchase-store.ts";
import type {
  AccountStore,
  AuditStore,
  FilterStore,
  ListingStore,
  SettingsStore,
  Store,
} from "#store/store.ts";

/** All that the engine asks of the store. */
export interface BuyingStore {
  readonly purchases: PurchaseStore;
  readonly accounts: AccountStore;
  readonly settings: Pick<SettingsStore, "get">;
  readonly filters: Pick<FilterStore, "stopAutobuy">;
  readonly listings: Pick<ListingStore, "byId" | "record">;
  readonly audit: Pick<AuditStore, "append">;
  readonly urgently: Store["urgently"];
}
