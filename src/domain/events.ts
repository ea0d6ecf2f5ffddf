import type { FilterId, PurchaseId, SessionId, UserId } from "./ids.ts";

/** Notifications between the parts of the product, sent after a commit; never commands. */
export type ProductEvent =
  | { readonly kind: "filters_changed"; readonly userId: UserId; readonly filterIds: readonly FilterId[] }
  /** Plan, suspension or stop switch of a person. */
  | { readonly kind: "user_changed"; readonly userId: UserId }
  | { readonly kind: "settings_changed"; readonly userId: UserId }
  | { readonly kind: "purchase_changed"; readonly userId: UserId; readonly purchaseId: PurchaseId }
  /** The marketplace asked one account to wait until this moment. */
  | { readonly kind: "account_paused"; readonly userId: UserId; readonly untilMs: number }
  | { readonly kind: "session_ended"; readonly userId: UserId; readonly sessionId: SessionId };

export interface EventBus {
  /** Settles when every local subscriber has handled it; a subscriber's failure is logged, not thrown. */
  publish(event: ProductEvent): Promise<void>;
  /** @returns ends the subscription */
  subscribe(listener: (event: ProductEvent) => void | Promise<void>): () => void;
}
