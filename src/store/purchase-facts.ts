/** A purchase as it is kept, and the facts that decisions about it depend on. */
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

/** A purchase with what only the engine needs to know. */
export interface PurchaseRecord extends Purchase {
  /** When the wish arose, by a match or a click: staleness counts from here. */
  readonly wishedAtMs: number;
  /** Day ("2026-03-29") and month ("2026-03") in Europe/Paris whose budgets it is booked in. */
  readonly dayKey: string;
  readonly monthKey: string;
  /** The process that works on it; null: none. */
  readonly leaseOwner: string | null;
  /** End of the lease, or moment of the next order check; null: nothing left to do. */
  readonly dueAtMs: number | null;
  /** An INTENT is not submitted before: the marketplace asked to wait. */
  readonly notBeforeMs: number;
  readonly attemptCount: number;
  readonly attemptPhase: AttemptPhase;
  /** What the newest attempt pays, from the moment it is 'paying'. */
  readonly attemptTransactionId: number | null;
  readonly checkoutId: number | null;
  /** A payment of this listing by this person once had an unknown outcome, in this epoch or an earlier one. */
  readonly hadUnknownOutcome: boolean;
  readonly watch: Watch | null;
  /** The filter's group at the intent: in which it takes a place as long as it is not failed or cancelled. */
  readonly groupId: GroupId | null;
  /** It came to nothing, for a reason that counts against its filter's `maxFailures`. */
  readonly isSetback: boolean;
}

/** preparing: nothing paying can have left. paying: one paying request may be out. */
export type AttemptPhase = "none" | "preparing" | "paying";

/** How a purchase whose outcome lies with the marketplace is being watched. */
export interface Watch {
  /** From here on no paying request can still be in flight; waiting times count from it. */
  readonly sinceMs: number;
  /** Order checks so far. */
  readonly looks: number;
  /** Complete reads that showed nothing, counted only once they prove something. */
  readonly negativeReads: number;
  readonly lastNegativeAtMs: number | null;
}

/** Due moment of work whose process is gone: earlier than every reader's clock. */
export const FREED_AT_MS = 0;

/** A person's session with the marketplace. */
export interface AccountTokens {
  readonly refreshToken: Secret;
  readonly accessToken: Secret | null;
  readonly accessExpiresAtMs: number;
  /** Grows by one with each rotation and each token that the person saves. */
  readonly generation: number;
  readonly state: AccountState;
  /**
   * When the person last saved a token, which may belong to another marketplace account: orders before that moment
   * that no purchase names are not imported.
   */
  readonly connectedAtMs: number;
}

export interface ProposalFacts {
  readonly user: PlanTerms | null;
  /** Payment method, address, limits and account with which it would be bought. */
  readonly settings: MarketplaceSettings;
  /** Null for a click, and for a filter that is gone or another person's. */
  readonly filter: FilterTerms | null;
  readonly spending: SpendingFacts;
  /** Live purchases of the person in INTENT, SUBMITTING or UNKNOWN. */
  readonly beingPaidCount: number;
  /** Live purchases of the person that wait for their bank. */
  readonly awaitingCount: number;
  /** The person's purchases of this listing, newest epoch first. */
  readonly own: readonly PurchaseRecord[];
  /** The state of another person's live purchase of this listing. */
  readonly rivalState: PurchaseState | null;
  /** The person blocks the listing's seller. */
  readonly isSellerBlocked: boolean;
  readonly ruleFacts: RuleFacts;
}

/** What bounds a person's spending. */
export interface SpendingFacts {
  readonly isEveryoneStopped: boolean;
  /** Stopped by the operator, paused, or its person is suspended. */
  readonly isAccountStopped: boolean;
  readonly limits: MoneyLimits;
  /** The version of the mandate to buy automatically that the person has given; null: none. */
  readonly mandateVersion: number | null;
  readonly day: BudgetTotals;
  readonly month: BudgetTotals;
  /** Payments of the person whose outcome became unknown in the breaker's window. */
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

export type FilterTerms = Pick<
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
>;

/** What rules of buying are held against. */
export interface RuleFacts {
  /** Of a wish the filter's group; of a purchase that of its intent, null also when it is gone. */
  readonly group: GroupTerms | null;
  /** All purchases that take a place (neither failed nor cancelled), without the one that is decided about. */
  readonly taken: RuleSums;
  /** Those among them that are paid: the others may still free their place. */
  readonly paid: RuleSums;
}

/** What the purchases of a group, a filter or a seller come to, in the mode of the wish. */
export interface RuleSums {
  readonly groupCount: number;
  /** Held and charged. */
  readonly groupCents: number;
  readonly filterCount: number;
  readonly filterCents: number;
  /** Those of the day on which the wish is booked. */
  readonly filterDayCents: number;
  /** The newest decision; null: no purchase. */
  readonly latestAtMs: number | null;
  /** Of the seller on that day; 0 where the filter does not ask for it. */
  readonly sellerCount: number;
}

export type GroupTerms = Pick<FilterGroup, "id" | "maxPurchases" | "budgetEur">;

/** What a transition is decided by: the filter's current terms, not those of the wish. */
export interface PurchaseFacts extends SpendingFacts {
  /** Null for a click, and for a filter that is gone or another person's. */
  readonly filter: BindingTerms | null;
  /** The person blocks the listing's seller. */
  readonly isSellerBlocked: boolean;
  readonly ruleFacts: RuleFacts;
}

export type BindingTerms = Omit<FilterTerms, "paymentMethodId" | "priceFloorEur" | "bargainPercent">;
