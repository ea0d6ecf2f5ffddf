import type { Standing } from "./standing.ts";

/** What a filter would have found and bought in a period: the backtest. */
export interface Replay {
  /** Number of examined versions. */
  readonly examinedCount: number;
  readonly articleCount: number;
  /** Articles that were relists. */
  readonly relistCount: number;
  /** Listings with leaves inside and outside of the types: whether the filter holds them is unknown. */
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
  /** Additional articles without one condition; counted up to MAX_OTHERS. */
  readonly without: readonly { readonly condition: ReplayCondition; readonly count: number }[];
  /** The lowest price of what the filter would hold without its limit; null: nothing. */
  readonly cheapestCents: number | null;
  /** Additional articles with a higher limit, lowest first. */
  readonly higherLimits: readonly { readonly limitEur: number; readonly count: number }[];
  /** In order of time, the first MAX_REPLAY_IDS. */
  readonly ids: readonly number[];
  readonly boughtIds: readonly number[];
  readonly isTruncated: boolean;
}

export interface ReplayPurchases {
  readonly count: number;
  /** Without delivery. */
  readonly totalCents: number;
  /** Total saving against the usual price, over `comparedCount` purchases; negative: above it. */
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
/** Upper bound of counts of near misses. */
export const MAX_OTHERS = 10_000;
