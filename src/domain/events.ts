import type { BuyingStop } from "./buying-rules.ts";
import type { MissedWish } from "./story.ts";
import type { FilterId, ListingId, PurchaseId, SessionId, UserId } from "./ids.ts";
import type { Relist } from "./market/relist.ts";
import type { SellerFacts } from "./market/seller.ts";
import type { Standing } from "./market/standing.ts";

/** Notifications between the parts of the product, sent after a commit; never commands. */
export type ProductEvent =
  /** Filters were saved, deleted or stopped; may name none. */
  | { readonly kind: "filters_changed"; readonly userId: UserId; readonly filterIds: readonly FilterId[] }
  /** A group of filters was created, or its terms changed. */
  | { readonly kind: "group_changed"; readonly userId: UserId; readonly filterIds: readonly FilterId[] }
  /** The product ended autobuy of filters; published at least once, in addition to `filters_changed`. */
  | ({ readonly kind: "autobuy_stopped"; readonly purchaseId: PurchaseId } & BuyingStop)
  /** The plan, suspension or stop switch of a person changed. */
  | { readonly kind: "user_changed"; readonly userId: UserId }
  | { readonly kind: "settings_changed"; readonly userId: UserId }
  /** The person's destinations or alert settings changed. */
  | { readonly kind: "alerts_changed"; readonly userId: UserId }
  /** The person blocked or unblocked sellers. */
  | { readonly kind: "sellers_changed"; readonly userId: UserId }
  | { readonly kind: "purchase_changed"; readonly userId: UserId; readonly purchaseId: PurchaseId }
  /** A listing is too cheap to be bought automatically: the person is asked. */
  | { readonly kind: "purchase_to_confirm"; readonly userId: UserId; readonly miss: MissedWish }
  | PriceRise
  /** A seller's facts were read from the marketplace. */
  | { readonly kind: "seller_known"; readonly sellerId: number; readonly seller: SellerFacts }
  /** A listing that was published is a relist. */
  | { readonly kind: "relist_known"; readonly listingId: ListingId; readonly relist: Relist }
  /** A purchase proved that a listing is no longer for sale, or its cancellation that it is again. */
  | { readonly kind: "availability_known"; readonly listingId: ListingId; readonly isGone: boolean }
  /** The operator erased the archive of the market. */
  | { readonly kind: "archive_erased" }
  /** The marketplace asked one account to wait until this moment. */
  | { readonly kind: "account_paused"; readonly userId: UserId; readonly untilMs: number }
  | { readonly kind: "session_ended"; readonly userId: UserId; readonly sessionId: SessionId };

/** A listing costs more than people were shown, according to a page of the market or a quote. */
export interface PriceRise {
  readonly kind: "price_rose";
  readonly listingId: ListingId;
  /** Item and buyer protection. */
  readonly totalPriceCents: number;
  readonly seenAtMs: number;
  /** The standing of the risen price; null or absent: unknown. */
  readonly standing?: Standing | null;
}

export interface EventBus {
  /** Settles when every local subscriber has handled it; a subscriber's failure is logged, not thrown. */
  publish(event: ProductEvent): Promise<void>;
  /** @returns ends the subscription */
  subscribe(listener: (event: ProductEvent) => void | Promise<void>): () => void;
}
