import type { Money } from "#domain/money.ts";
import type { ListingId, PurchaseId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import type { FailureReason, Purchase } from "#domain/purchase.ts";
import type { Service } from "#domain/service.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { ReachedLimit } from "./decide/limits.ts";

/** The engine of all purchases, clicked or automatic. */
export interface Purchasing extends Service {
  /** Takes wishes in the order in which they must be served. Never throws; outcomes are published as events. */
  offer(wishes: readonly AutobuyWish[]): void;
  /** Settles when the outcome is known, at the latest after 15 s. */
  click(request: ClickRequest): Promise<ClickOutcome>;
  /** Cancels a confirmed purchase: settles once the request to cancel is durable. */
  cancel(userId: UserId, transactionId: number): Promise<CancelOutcome>;
  /** The person's purchases, newest first, without hidden ones and bare attempts: one page. */
  list(userId: UserId, page?: PurchasePage): Promise<readonly Purchase[]>;
  byId(userId: UserId, id: PurchaseId): Promise<Purchase | null>;
  /** Hides the person's cancelled and failed purchases. @returns how many */
  hideCancelled(userId: UserId): Promise<number>;
  /** The stops that apply to the person now, what they spent today, and which of their limits is reached. */
  status(userId: UserId, limits: MoneyLimits): Promise<PurchasingStatus>;
  readonly operator: PurchasingOperator;
}

export interface PurchasePage {
  readonly limit: number;
  /** The last purchase of the page before; undefined: the newest ones. */
  readonly before: PurchaseId | undefined;
}

export interface PurchasingStatus {
  /** The stops of all buying; empty when there is none. */
  readonly everyone: readonly ActiveStop[];
  /** This account's own stop (`untilMs` null: until the operator lifts it) or pause; null: none. */
  readonly account: { readonly untilMs: number | null } | null;
  /** As the limits count it: held, charged, and spent outside of the product. */
  readonly spentTodayCents: number;
  /** The limit that leaves less than 1 EUR or no further purchase; null: none. `untilMs` null: not today. */
  readonly reachedLimit: { readonly limit: ReachedLimit; readonly untilMs: number | null } | null;
}

/** The operator's commands (contract §6). */
export interface PurchasingOperator {
  /** Stops all purchases, or one account's, clicks included, until resumed. Requests already sent complete. */
  stop(scope: StopScope, reason: string): Promise<void>;
  /** Lifts every stop of the scope, and a person's own when a breaker switched it on. */
  resume(scope: StopScope): Promise<void>;
  /** Decides an outcome that the product could not establish. */
  resolve(id: PurchaseId, as: "confirmed" | "cancelled"): Promise<ResolveOutcome>;
  /** The active stops of all buying. */
  stops(): Promise<readonly ActiveStop[]>;
}

type StopScope = "everyone" | UserId;

interface ActiveStop {
  /** breaker: lifts itself; auditor: the ledger is inconsistent. */
  readonly by: "operator" | "breaker" | "auditor";
  readonly reason: string;
  readonly sinceMs: number;
}

type ResolveOutcome =
  | { readonly kind: "resolved"; readonly purchase: Purchase }
  | { readonly kind: "not_found" }
  /** Only 'Inconnu', an uncertain cancellation and a bank pending for over a day can be resolved manually. */
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
      /** The purchase that failed; absent when none was created. */
      readonly purchaseId?: PurchaseId;
    });

export type RefusedClick =
  | { readonly kind: "unknown_listing" }
  | { readonly kind: "already_bought"; readonly purchase: Purchase }
  | { readonly kind: "taken_by_other" }
  /** The person blocks the listing's seller. */
  | { readonly kind: "seller_blocked" }
  | { readonly kind: "price_rose"; readonly nowCents: number }
  | { readonly kind: "limit_reached"; readonly limit: "day" | "month" | "count" | "concurrent" }
  | { readonly kind: "missing"; readonly what: readonly ("account" | "address" | "payment")[] }
  | { readonly kind: "failed"; readonly reason: FailureReason }
  /** Purchases are stopped (all, this account's or by the breaker), or the plan has just ended. */
  | { readonly kind: "stopped" }
  /** The marketplace failed before anything was paid. */
  | { readonly kind: "marketplace_unavailable" };

export type CancelOutcome =
  | { readonly kind: "asked" }
  | { readonly kind: "not_found" }
  | { readonly kind: "not_confirmed" };
