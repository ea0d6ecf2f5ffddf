import type { Standing } from "../standing.ts";

/** What a filter would have found and bought in a period: the backtest. */
export interface Replay {
  /** Versions of listings that were looked at. */
  readonly examinedCount: number;
  readonly articleCount: number;
  /** Of the articles: offered before under another number. */
  readonly relistCount: number;
  /** Listings whose leaves lie only partly in the types: whether the filter holds them is unknown. */
  readonly uncertainCount: number;
  /** Null without automatic buying. */
  readonly purchases: ReplayPurchases | null;
  /** Articles that were not bought, by cause. */
  readonly losses: readonly { readonly cause: ReplayLoss; readonly count: number }[];
  /** One entry per day of the period, oldest first. */
  readonly days: readonly {
    readonly day: string;
    readonly articleCount: number;
    readonly purchaseCount: number;
  }[];
  readonly cheapest: readonly ReplayArticle[];
  readonly dearest: readonly ReplayArticle[];
  /** How many more there would be without a condition; counted up to MAX_OTHERS. */
  readonly without: readonly { readonly condition: ReplayCondition; readonly count: number }[];
  /** Of everything that the filter holds but for its limit; null: nothing. */
  readonly cheapestCents: number | null;
  /** How many more there would be with a higher limit. */
  readonly higherLimits: readonly { readonly limitEur: number; readonly count: number }[];
  /** In order of time, the first MAX_IDS. */
  readonly ids: readonly number[];
  readonly boughtIds: readonly number[];
  readonly isTruncated: boolean;
}

export interface ReplayPurchases {
  readonly count: number;
  /** Without delivery. */
  readonly totalCents: number;
  /** Below the usual price, over those that could be compared; negative: above it. */
  readonly savedCents: number;
  readonly comparedCount: number;
}

export const REPLAY_LOSSES = [
  "limit_day",
  "limit_month",
  "limit_count",
  "filter_full",
  "rule",
  "price_unsure",
  "too_good",
  "relist",
] as const;
export type ReplayLoss = (typeof REPLAY_LOSSES)[number];

export const REPLAY_CONDITIONS = [
  "brands",
  "sizes",
  "status",
  "color",
  "mots",
  "exclure",
  "bon_prix",
] as const;
export type ReplayCondition = (typeof REPLAY_CONDITIONS)[number];

export interface ReplayArticle {
  readonly listingId: number;
  readonly foldedTitle: string;
  readonly brandId: number;
  readonly sizeId: number;
  readonly conditionId: number;
  readonly totalPriceCents: number;
  readonly standing: Standing | null;
  readonly seenAtMs: number;
  readonly isBought: boolean;
}

export const MAX_REPLAY_IDS = 5_000;
/** Counts of what is not an article stop here. */
export const MAX_OTHERS = 10_000;
