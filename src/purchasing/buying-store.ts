import { sleep, type Clock } from "#domain/clock.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import type { ListingStore } from "#store/market-store.ts";
import type { AccountStore, AuditStore, SellerStore, SettingsStore } from "#store/store.ts";

/** What retrying a store call needs. */
export interface StoreRetry {
  readonly clock: Clock;
  /** Whether a failure is temporary, so that the store may answer the same call a moment later. */
  readonly isStoreAway: (error: unknown) => boolean;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;

/**
 * Retries a store call while the store is unavailable, until `giveUpAtMs`; then, and for any other failure, rethrows.
 * Whether the failed call took effect is unknown: `ask` must be idempotent, and receives true on a retry.
 */
export async function retryWhileAway<Answer>(
  { clock, isStoreAway }: StoreRetry,
  giveUpAtMs: number,
  ask: (isRepeated: boolean) => Promise<Answer>,
): Promise<Answer> {
  let waitMs = FIRST_WAIT_MS;
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await ask(isRepeated);
    } catch (error) {
      if (!isStoreAway(error) || clock.nowMs() + waitMs > giveUpAtMs) throw error;
      await sleep(clock, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}

/** The store's ports that the engine uses. */
export interface BuyingStore {
  readonly purchases: PurchaseStore;
  readonly accounts: AccountStore;
  readonly settings: Pick<SettingsStore, "get">;
  readonly listings: Pick<ListingStore, "byId" | "record">;
  readonly audit: Pick<AuditStore, "append">;
  readonly sellers: Pick<SellerStore, "blockedOf">;
}
