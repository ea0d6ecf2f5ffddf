import { createHash } from "node:crypto";

/** Who waits for a slice, most urgent first: automatic buyers by lane, people with an open stream, everyone else. */
export const SLICE_RANKS = ["thunder", "acquire", "watched", "rest"] as const;
export type SliceRank = (typeof SLICE_RANKS)[number];

/** Relative cost of a minute of waiting, by rank. */
export const RANK_WEIGHTS: Readonly<Record<SliceRank, number>> = {
  thunder: 64,
  acquire: 16,
  watched: 4,
  rest: 1,
};

/**
 * One search query, and what its results prove about each listing: it is in one of these leaves and has this colour.
 */
export interface Slice {
  /** Stable: the same query has the same key in every process. */
  readonly key: string;
  /** Ascending; empty: the whole market, which proves no category. */
  readonly leafIds: readonly number[];
  /** `leafIds`, or empty if they span several atoms and thus prove no category for any filter. */
  readonly provenLeafIds: readonly number[];
  /** At most one; empty: any colour. */
  readonly marketplaceColourIds: readonly number[];
  readonly rank: SliceRank;
  /** No filter needs it: its newest page only predicts which slice to read next (scout.ts). */
  readonly isScout: boolean;
  /** No filter needs it: it shows the market to people without one, and is read seldom. */
  readonly isPreview: boolean;
}

/** The newest listings of the whole market, read to predict where they belong. */
export const SCOUT_SLICE: Slice = {
  key: "scout",
  leafIds: [],
  provenLeafIds: [],
  marketplaceColourIds: [],
  rank: "rest",
  isScout: true,
  isPreview: false,
};

/** @param marketplaceColourId null: any colour */
export function sliceOf(
  leafIds: readonly number[],
  marketplaceColourId: number | null,
  rank: SliceRank,
): Slice {
  const ascending = leafIds.toSorted((one, other) => one - other);
  // A slice may have hundreds of leaves, which would be too long for an indexed column.
  const leaves =
    ascending.length === 0 ? "all" : createHash("sha256").update(ascending.join()).digest("base64url");
  return {
    key: `${leaves}:${marketplaceColourId ?? "any"}`,
    leafIds: ascending,
    provenLeafIds: ascending,
    marketplaceColourIds: marketplaceColourId === null ? [] : [marketplaceColourId],
    rank,
    isScout: false,
    isPreview: false,
  };
}

/** The whole market, while no filter is active. */
export const PREVIEW_SLICE: Slice = { ...sliceOf([], null, "rest"), isPreview: true };
