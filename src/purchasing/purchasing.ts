import type { Money } from "#domain/money.ts";
import type { ListingId, PurchaseId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/match.ts";
import type { FailureReason, Purchase } from "#domain/purchase.ts";
import type { Service } from "#domain/service.ts";

/** The one engine through which every purchase goes, clicked or automatic. */
export interface Purchasing extends Service {
  /** Takes wishes in the order in which they must be served. Never throws; what becomes of them is told by events. */
  offer(wishes: readonly AutobuyWish[]): void;
  /** Settles when the outcome is known, at the latest after the click's patience (15 s). */
  click(request: ClickRequest): Promise<ClickOutcome>;
  /** Cancels a confirmed purchase: settles once the wish to cancel is durable. */
  cancel(userId: UserId, transactionId: number): Promise<CancelOutcome>;
  /** The person's purchases, newest first, without hidden ones and bare attempts: one page. */
  list(userId: UserId, page?: PurchasePage): Promise<readonly Purchase[]>;
  byId(userId: UserId, id: PurchaseId): Promise<Purchase | null>;
  /** Hides the person's cancelled and failed purchases; the answer counts them. */
  hideCancelled(userId: UserId): Promise<number>;
  /** What stands in the way of the person's purchases now, and what the day has cost them. */
  standing(userId: UserId): Promise<Standing>;
  readonly operator: PurchasingOperator;
}

export interface PurchasePage {
  readonly limit: number;
  /** The last purchase of the page before; undefined: the newest ones. */
  readonly before: PurchaseId | undefined;
}

export interface Standing {
  /** Why everybody is stopped; empty when nobody is. */
  readonly everyone: readonly ActiveStop[];
  /** This account's own stop (`untilMs` null: until the operator lifts it) or pause; null: none. */
  readonly account: { readonly untilMs: number | null } | null;
  /** As the limits count it: held, charged, and spent outside of the product. */
  readonly spentTodayCents: number;
}

/** What the operator alone may do (contract §6). */
export interface PurchasingOperator {
  /** Everybody's purchases, or one account's, clicks included, until resumed. At most what was sent finishes. */
  stop(scope: StopScope, reason: string): Promise<void>;
  /** Lifts every stop of the scope, and a person's own when a breaker threw it. */
  resume(scope: StopScope): Promise<void>;
  /** Settles what the product could not establish by itself. */
  resolve(id: PurchaseId, as: "confirmed" | "cancelled"): Promise<ResolveOutcome>;
  /** Why everybody is stopped now; empty when nobody is. */
  stops(): Promise<readonly ActiveStop[]>;
}

export type StopScope = "everyone" | UserId;

export interface ActiveStop {
  /** breaker: lifts itself; auditor: the books contradict themselves. */
  readonly by: "operator" | "breaker" | "auditor";
  readonly reason: string;
  readonly sinceMs: number;
}

export type ResolveOutcome =
  | { readonly kind: "resolved"; readonly purchase: Purchase }
  | { readonly kind: "not_found" }
  /** Only 'Inconnu' and an ambiguous cancel are a person's to decide. */
  | { readonly kind: "not_undecided" };

export interface ClickRequest {
  readonly userId: UserId;
  readonly listingId: ListingId;
  /** The price that the person saw; null: the last known one. */
  readonly seenPrice: Money | null;
}

export type ClickOutcome =
  /** Confirmed, awaiting the bank, or still being established. */
  | { readonly kind: "accepted"; readonly purchase: Purchase }
  | (RefusedClick & {
      /** The purchase that failed; absent where none was begun. */
      readonly purchaseId?: PurchaseId;
    });

export type RefusedClick =
  | { readonly kind: "unknown_listing" }
  | { readonly kind: "already_bought"; readonly purchase: Purchase }
  | { readonly kind: "taken_by_other" }
  | { readonly kind: "price_rose"; readonly nowCents: number }
  | { readonly kind: "limit_reached"; readonly limit: "day" | "month" | "count" | "concurrent" }
  | { readonly kind: "missing"; readonly what: readonly ("account" | "address" | "payment")[] }
  | { readonly kind: "failed"; readonly reason: FailureReason }
  /** Everything is stopped by the operator. */
  | { readonly kind: "stopped" }
  /** The marketplace is at fault and no payment can be left behind. */
  | { readonly kind: "marketplace_unavailable" };

export type CancelOutcome =
  | { readonly kind: "asked" }
  | { readonly kind: "not_found" }
  | { readonly kind: "not_confirmed" };
