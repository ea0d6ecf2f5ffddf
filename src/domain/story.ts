import type { FilterId, PurchaseId, UserId } from "./ids.ts";
import type { Listing } from "./market/listing.ts";
import type { Standing } from "./market/standing.ts";
import type { FailureReason, Purchase } from "./purchase.ts";

/** The history of purchases and missed wishes, for display only: no decision depends on it. */

/** Why an automatic wish was never attempted. */
export type MissReason =
  | "limit_day"
  | "limit_month"
  | "limit_count"
  | "stopped"
  | "no_account"
  | "no_address"
  | "no_mandate"
  /** Several purchases in a row were not paid: the person's automatic purchases are suspended. */
  | "cannot_pay"
  | "price_rose"
  | "filter_full"
  /** Outside of the filter's hours or days. */
  | "hours"
  | "price_floor"
  /** Too soon after the filter's last purchase. */
  | "pause"
  | "seller_count"
  | "group_full"
  | "group_budget"
  | "budget_day"
  | "budget_total"
  /** Several purchases in a row failed by the filter's rules: it is suspended. */
  | "rules_rest"
  | "stale"
  /** Too few similar listings were known to call the price a good one. */
  | "price_unsure"
  /** Too cheap to be true: the person may still click. */
  | "too_good"
  /** Bought by another person. */
  | "taken";

/** A listing that a filter wanted to buy, but that was not attempted. */
export interface MissedWish {
  readonly userId: UserId;
  readonly filterId: FilterId;
  readonly listing: Listing;
  readonly reason: MissReason;
  /** Its price's standing; null: unknown, or irrelevant to the reason. */
  readonly standing: Standing | null;
  readonly firstSeenAtMs: number;
  readonly matchedAtMs: number;
  readonly missedAtMs: number;
}

/** The origin of a purchase, stored with it because the feed forgets it after a day. */
export interface PurchaseOrigin {
  readonly purchaseId: PurchaseId;
  readonly userId: UserId;
  readonly firstSeenAtMs: number;
  /** The leaves that the listing may be in; empty: unknown. */
  readonly leafIds: readonly number[];
  /** The usual price of similar listings when it was matched; null: unknown. */
  readonly usual: { readonly medianCents: number; readonly sampleSize: number } | null;
}

export interface PurchaseAttempt {
  readonly n: number;
  readonly startedAtMs: number;
  /** When the paying request was released for sending; null: never. */
  readonly sentAtMs: number | null;
  readonly endedAtMs: number | null;
}

export interface PurchaseStory {
  /** `wishedAtMs`: the match or the click; `monthKey`: "2026-03" in Europe/Paris. */
  readonly purchase: Purchase & { readonly wishedAtMs: number; readonly monthKey: string };
  /** Null if it was not recorded. */
  readonly origin: PurchaseOrigin | null;
  /** Oldest first. */
  readonly attempts: readonly PurchaseAttempt[];
}

/** Totals of a person's real purchases, without simulated ones. */
export interface PurchaseSums {
  /** Charges of purchases that were not cancelled, external orders included; newest week first. */
  readonly spending: readonly {
    /** "2026-03" in Europe/Paris. */
    readonly monthKey: string;
    /** Its Monday, "2026-03-23"; a week in two months has an entry for each. */
    readonly weekKey: string;
    readonly chargedCents: number;
    readonly count: number;
  }[];
  /** Paid purchases that were not cancelled, without external orders. */
  readonly boughtCount: number;
  readonly failures: readonly { readonly reason: FailureReason | null; readonly count: number }[];
}
