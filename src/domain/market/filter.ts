import type { ColourName } from "#catalogue/colours.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { AlertMode } from "../alert.ts";
import type { AutobuyEnd, BuyingRules } from "../buying-rules.ts";
import type { FilterId, GroupId, ListingId, UserId } from "../ids.ts";
import { ANY_SELLER, asksForSeller, type SellerCondition } from "./seller.ts";

export const BARGAIN_PERCENTS = [25, 10, 5] as const;
export type BargainPercent = (typeof BARGAIN_PERCENTS)[number];

/** The criteria for listings. An empty list, or no colour, means all. */
export interface FilterCriteria {
  /** Leaves, or branches that stand for all of their leaves. */
  readonly categoryIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly sizeIds: readonly number[];
  readonly conditionIds: readonly number[];
  readonly colourName: ColourName | null;
  /** Highest total price (item and protection, without shipping) in whole EUR; 0 matches nothing. */
  readonly priceCapEur: number;
  /** Lowest total price in whole EUR, at most the cap; 0: none. */
  readonly priceFloorEur: number;
  /** The price is among the cheapest N percent of similar listings; null: any price. */
  readonly bargainPercent: BargainPercent | null;
  /** Of each group, one alternative must be in the title. */
  readonly includeWords: readonly WordGroup[];
  /** No alternative of any group may be in the title. */
  readonly excludeWords: readonly WordGroup[];
  /** Tested after the match, because listings do not show it. */
  readonly seller: SellerCondition;
  /** Skips relists, unless cheaper than ever before. Tested after the match. */
  readonly ignoresRelists: boolean;
}

/** The criteria that every listing satisfies, apart from the price cap. */
export const openCriteria: Omit<FilterCriteria, "priceCapEur"> = {
  categoryIds: [],
  brandIds: [],
  sizeIds: [],
  conditionIds: [],
  colourName: null,
  priceFloorEur: 0,
  bargainPercent: null,
  includeWords: [],
  excludeWords: [],
  seller: ANY_SELLER,
  ignoresRelists: false,
};

/** The criteria of a filter, without its other fields. */
export function criteriaOf(filter: FilterCriteria): FilterCriteria {
  const { categoryIds, brandIds, sizeIds, conditionIds, colourName } = filter;
  const { priceCapEur, priceFloorEur, bargainPercent, includeWords, excludeWords, seller, ignoresRelists } =
    filter;
  return {
    categoryIds,
    brandIds,
    sizeIds,
    conditionIds,
    colourName,
    priceCapEur,
    priceFloorEur,
    bargainPercent,
    includeWords,
    excludeWords,
    seller,
    ignoresRelists,
  };
}

/** Whether matches of the filter wait for facts that listings lack. */
export function asksForFacts({
  seller,
  ignoresRelists,
}: Pick<FilterCriteria, "seller" | "ignoresRelists">): boolean {
  return ignoresRelists || asksForSeller(seller);
}

/** Folded words or phrases, one of which must occur, such as "tech fleece" and "techfleece"; never empty. */
export type WordGroup = readonly string[];

export interface Filter extends FilterCriteria {
  readonly id: FilterId;
  readonly userId: UserId;
  readonly tag: string;
  readonly info: string;
  readonly isActive: boolean;
  readonly isAutobuy: boolean;
  readonly isPrivate: boolean;
  readonly paymentMethodId: PaymentMethodId;
  /** Auto-buy switches itself off after this many open and confirmed purchases; null: never. */
  readonly maxPurchases: number | null;
  readonly rules: BuyingRules;
  /** Auto-buy decides and records, but pays nothing. */
  readonly isSimulation: boolean;
  readonly createdAtMs: number;
  /** When it last became active; null: inactive. Auto-buy takes only listings first seen after it. */
  readonly activatedAtMs: number | null;
  /**
   * When auto-buy was last switched on, or its simulation ended later; null: never, or before this was recorded.
   * What matched before it is not bought.
   */
  readonly autobuySinceMs: number | null;
  readonly alertMode: AlertMode;
  /** Articles per hour that are announced one by one; others are counted. */
  readonly alertMaxPerHour: number;
  /** How many other people copied it. */
  readonly copies: number;
  /** The group in which it buys; null: none. */
  readonly groupId: GroupId | null;
  /** Why the product switched auto-buy off; null: it is on, or the person switched it off. */
  readonly autobuyEnd: AutobuyEnd | null;
}

/** A filter as other people see it. */
export interface PublicFilter {
  readonly id: FilterId;
  readonly tag: string;
  readonly criteria: FilterCriteria;
  readonly copies: number;
}

/** What a filter has recently found and bought. */
export interface FilterActivity {
  readonly filterId: FilterId;
  /** Number of distinct listings. */
  readonly foundCount: number;
  /** Null if it found nothing, or no listing that is still stored. */
  readonly latest: {
    readonly listingId: ListingId;
    readonly title: string;
    readonly foundAtMs: number;
  } | null;
  /** Awaiting, confirmed, being cancelled or in quarantine; simulated ones for a filter that simulates. */
  readonly purchaseCount: number;
}

export const MAX_FILTERS_PER_USER = 200;

/** Upper bound of the categories, brands, sizes and conditions in all filters of a person. */
export const MAX_CHOICES_PER_USER = 10_000;

export const CHOICE_BOUNDS = {
  choices: MAX_CHOICES_PER_USER,
  /** A filter of up to this number is saved regardless of the others: `MAX_FILTERS_PER_USER` of them are within the bound. */
  fewChoices: MAX_CHOICES_PER_USER / MAX_FILTERS_PER_USER,
};

/** Number of catalogue entries that a filter names; each is stored, listed and sent with its name. */
export function choiceCount({ categoryIds, brandIds, sizeIds, conditionIds }: FilterCriteria): number {
  return categoryIds.length + brandIds.length + sizeIds.length + conditionIds.length;
}
