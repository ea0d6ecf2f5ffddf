import type { FilterId, PurchaseId, UserId } from "./ids.ts";
import type { Listing } from "./market/listing.ts";
import type { Standing } from "./standing.ts";
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
  /** Several purchases in a row were not paid: the person's automatic ones rest. */
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
  /** Several purchases in a row failed by the filter's rules: it rests. */
  | "rules_rest"
  | "stale"
  /** Too few similar listings were known to call the price a good one. */
  | "price_unsure"
  /** Too cheap to be true: the person may still click. */
  | "too_good"
  /** Bought by another person. */
  | "taken";

/** A listing that a person's filter wanted to buy, and that was let go. */
export interface MissedWish {
  readonly userId: UserId;
  readonly filterId: FilterId;
  readonly listing: Listing;
  readonly reason: MissReason;
  /** Where its price stood; null: not known, or of no importance to the reason. */
  readonly standing: Standing | null;
  readonly firstSeenAtMs: number;
  readonly matchedAtMs: number;
  readonly missedAtMs: number;
}

/** Where a purchase came from: known to the feed for a day, kept here for as long as the purchase. */
export interface PurchaseOrigin {
  readonly purchaseId: PurchaseId;
  readonly userId: UserId;
  readonly firstSeenAtMs: number;
  /** The leaves in one of which the listing lies; empty: not known closely enough. */
  readonly leafIds: readonly number[];
  /** What similar listings usually cost when it was matched; null: not known. */
  readonly usual: { readonly medianCents: number; readonly sampleSize: number } | null;
}

export interface PurchaseAttempt {
  readonly n: number;
  readonly startedAtMs: number;
  /** When the paying request was allowed to leave; null: it never was. */
  readonly sentAtMs: number | null;
  readonly endedAtMs: number | null;
}

export interface PurchaseStory {
  /** `wishedAtMs`: the match or the click; `monthKey`: "2026-03" in Europe/Paris. */
  readonly purchase: Purchase & { readonly wishedAtMs: number; readonly monthKey: string };
  /** Null where it was not written down. */
  readonly origin: PurchaseOrigin | null;
  /** Oldest first. */
  readonly attempts: readonly PurchaseAttempt[];
}

/** What a person's real purchases come to: simulated ones count nowhere. */
export interface PurchaseSums {
  /** Charges of purchases that were not cancelled, orders made elsewhere included; the newest week first. */
  readonly spending: readonly {
    /** "2026-03" in Europe/Paris. */
    readonly monthKey: string;
    /** The Monday, "2026-03-23"; a week that two months share comes once for each. */
    readonly weekKey: string;
    readonly chargedCents: number;
    readonly count: number;
  }[];
  /** Purchases that stand, without those made elsewhere. */
  readonly boughtCount: number;
  readonly failures: readonly { readonly reason: FailureReason | null; readonly count: number }[];
}
