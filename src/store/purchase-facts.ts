/** Stored purchases, and the facts that decisions about them depend on. */
import type { FilterGroup } from "#domain/buying-rules.ts";
import type { GroupId, PurchaseId, UserId } from "#domain/ids.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { Purchase, PurchaseState } from "#domain/purchase.ts";
import type { AccountState, MarketplaceSettings, MoneyLimits } from "#domain/settings.ts";
import type { PlanTerms } from "#domain/user.ts";
import type { Secret } from "#domain/secret.ts";

export interface PurchaseKey {
  readonly id: PurchaseId;
  readonly userId: UserId;
}

/** A purchase with the engine's internal state. */
export interface PurchaseRecord extends Purchase {
  /** Time of the match or click; staleness counts from here. */
  readonly wishedAtMs: number;
  /** Day ("2026-03-29") and month ("2026-03") in Europe/Paris of the budgets that it counts towards. */
  readonly dayKey: string;
  readonly monthKey: string;
  /** The process that holds the lease; null: none. */
  readonly leaseOwner: string | null;
  /** End of the lease, or time of the next order check; null: nothing left to do. */
  readonly dueAtMs: number | null;
  /** Not submitted before this time, because the marketplace asked to wait. */
  readonly notBeforeMs: number;
  readonly attemptCount: number;
  readonly attemptPhase: AttemptPhase;
  readonly checkoutId: number | null;
  /** A payment of this listing by this person once had an unknown outcome, in this epoch or an earlier one. */
  readonly hadUnknownOutcome: boolean;
  readonly watch: Watch | null;
  /** The filter's group at the intent; counts the purchase unless it is failed or cancelled. */
  readonly groupId: GroupId | null;
  /** It failed for a reason that counts towards its filter's `maxFailures`. */
  readonly isSetback: boolean;
}

/** preparing: no paying request can have been sent. paying: one may have been sent. */
export type AttemptPhase = "none" | "preparing" | "paying";

/** The progress of order checks while the outcome depends on the marketplace. */
export interface Watch {
  /** From here on no paying request can be in flight; delays count from it. */
  readonly sinceMs: number;
  /** Order checks so far. */
  readonly looks: number;
  /** Complete reads without the order, counted only from when they prove something. */
  readonly negativeReads: number;
  readonly lastNegativeAtMs: number | null;
}

/** Due time of work whose process is gone: earlier than any clock. */
export const FREED_AT_MS = 0;

/** A person's session with the marketplace. */
export interface AccountTokens {
  readonly refreshToken: Secret;
  readonly accessToken: Secret | null;
  readonly accessExpiresAtMs: number;
  /** Increases by one with each rotation and each token that the person saves. */
  readonly generation: number;
  readonly state: AccountState;
  /** When the person last saved a token, which may belong to another marketplace account. */
  readonly connectedAtMs: number;
  /**
   * Earlier orders are not imported unless a purchase names them: when the account was connected. A refusal by the
   * marketplace does not end that connection, because purchases may have been made before it that are recorded
   * nowhere, such as those after the backup that was restored.
   */
  readonly ordersSinceMs: number;
  /** Until when the marketplace asked to send nothing for this account; 0: it never asked. */
  readonly askedToWaitUntilMs: number;
}

export interface ProposalFacts {
  readonly user: PlanTerms | null;
  /** The person's payment method, address, limits and account. */
  readonly settings: MarketplaceSettings;
  /** Null for a click, and if the filter was deleted or is another person's. */
  readonly filter: FilterTerms | null;
  readonly spending: SpendingFacts;
  /** Live purchases of the person in INTENT, SUBMITTING or UNKNOWN. */
  readonly beingPaidCount: number;
  /** Live purchases of the person that await the bank. */
  readonly awaitingCount: number;
  /** The person's purchases of this listing, newest epoch first. */
  readonly own: readonly PurchaseRecord[];
  /** The state of another person's live purchase of this listing. */
  readonly rivalState: PurchaseState | null;
  /** The person blocks the listing's seller. */
  readonly isSellerBlocked: boolean;
  readonly ruleFacts: RuleFacts;
}

/** The limits of a person's spending, and what counts towards them. */
export interface SpendingFacts {
  readonly isEveryoneStopped: boolean;
  /** Stopped by the operator, paused, or suspended. */
  readonly isAccountStopped: boolean;
  readonly limits: MoneyLimits;
  /** The version of the mandate to buy automatically that the person has given; null: none. */
  readonly mandateVersion: number | null;
  readonly day: BudgetTotals;
  readonly month: BudgetTotals;
  /** Payments of the person whose outcome became unknown within the breaker's window. */
  readonly recentUnknownOutcomes: number;
}

export interface BudgetTotals {
  readonly heldCents: number;
  readonly capturedCents: number;
  /** Spent without a decision of the product: orders made elsewhere, overshoots. */
  readonly extraCents: number;
  /** Held and captured purchases. */
  readonly purchases: number;
}

export interface FilterTerms extends Pick<
  Filter,
  | "isActive"
  | "isAutobuy"
  | "isSimulation"
  | "priceCapEur"
  | "priceFloorEur"
  | "bargainPercent"
  | "maxPurchases"
  | "paymentMethodId"
  | "activatedAtMs"
  | "rules"
> {
  /** When its criteria besides the price last changed, which a wish of before may no longer satisfy; null: never. */
  readonly criteriaSinceMs: number | null;
}

/** The facts that buying rules are checked against. */
export interface RuleFacts {
  /** For a wish the filter's group; for a purchase that of its intent, null also if it was deleted. */
  readonly group: GroupTerms | null;
  /** All purchases that are neither failed nor cancelled, without the one that is decided about. */
  readonly taken: RuleSums;
  /** The paid ones among them: the others may still fail and make room. */
  readonly paid: RuleSums;
}

/** Totals over the purchases of a group, a filter or a seller, in the mode of the wish. */
export interface RuleSums {
  readonly groupCount: number;
  /** Held and charged. */
  readonly groupCents: number;
  readonly filterCount: number;
  readonly filterCents: number;
  /** Of the day whose budget the wish counts towards. */
  readonly filterDayCents: number;
  /** The newest decision; null: no purchase. */
  readonly latestAtMs: number | null;
  /** Purchases from the seller on that day; 0 if the filter has no such rule. */
  readonly sellerCount: number;
}

export type GroupTerms = Pick<FilterGroup, "id" | "maxPurchases" | "budgetEur">;

/** The facts of a transition: the filter's current terms, not those at the time of the wish. */
export interface PurchaseFacts extends SpendingFacts {
  /** Null for a click, and if the filter was deleted or is another person's. */
  readonly filter: BindingTerms | null;
  /** The person blocks the listing's seller. */
  readonly isSellerBlocked: boolean;
  readonly ruleFacts: RuleFacts;
}

export type BindingTerms = Omit<FilterTerms, "paymentMethodId" | "priceFloorEur" | "bargainPercent">;
