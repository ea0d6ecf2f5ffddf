/** When and how much a filter, and a group of filters, may buy automatically. */
import type { FilterId, GroupId, UserId } from "./ids.ts";

/** The rules of one filter. Null or an empty list: no such rule. */
export interface BuyingRules {
  /** Whole EUR, all in, of the purchases decided on one day of Europe/Paris. */
  readonly dayBudgetEur: number | null;
  /** Whole EUR, all in, of all purchases of the filter; autobuy switches itself off when it is reached. */
  readonly totalBudgetEur: number | null;
  readonly hours: BuyingHours | null;
  /** 1 (Monday) to 7; hours that pass midnight belong to the day on which they begin. */
  readonly days: readonly number[];
  /** Minimum time between the decisions of two purchases. */
  readonly pauseMinutes: number | null;
  /** Maximum purchases from one seller per day, whichever filter or click makes them. */
  readonly perSellerAndDay: number | null;
  /** This number of failed purchases switches autobuy off. */
  readonly maxFailures: number | null;
}

/** From a time of day, inclusive, to another, exclusive, in minutes of the day of Europe/Paris. */
export interface BuyingHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

export const NO_RULES: BuyingRules = {
  dayBudgetEur: null,
  totalBudgetEur: null,
  hours: null,
  days: [],
  pauseMinutes: null,
  perSellerAndDay: null,
  maxFailures: null,
};

/** Filters that share a number of purchases and a budget. */
export interface FilterGroup {
  readonly id: GroupId;
  readonly userId: UserId;
  readonly name: string;
  readonly maxPurchases: number;
  /** Whole EUR, all in, of all purchases together; null: no budget. */
  readonly budgetEur: number | null;
  readonly createdAtMs: number;
}

/** A group with its filters and what they bought for real money. */
export interface GroupState extends FilterGroup {
  /** In order of creation. */
  readonly filterIds: readonly FilterId[];
  /** Purchases that are neither failed nor cancelled, with what they hold and cost. */
  readonly taken: { readonly count: number; readonly cents: number };
  /** Its maximum of purchases is paid, or less than 1 EUR of its budget is left. */
  readonly isComplete: boolean;
}

/** Why autobuy switched itself off. */
export type EndReason = "group" | "max_purchases" | "total_budget" | "failures";

/** The end of a filter's automatic buying. */
export interface AutobuyEnd {
  readonly reason: EndReason;
  readonly atMs: number;
}

/** The end of autobuy for one filter, or for several of a group. */
export interface BuyingStop {
  readonly userId: UserId;
  readonly reason: EndReason;
  /** The filters that bought until then. */
  readonly filterIds: readonly FilterId[];
  /** The group that is complete; null for the other reasons. */
  readonly groupId: GroupId | null;
}

/** A budget counts as spent if less than this is left. */
export const LEAST_LEFT_CENTS = 100;

export const MAX_GROUPS_PER_USER = 50;
