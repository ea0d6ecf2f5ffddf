import { createHash } from "node:crypto";

/** Who waits for a slice, the most urgent first: automatic buyers by lane, people who look, everybody else. */
export const SLICE_RANKS = ["thunder", "acquire", "watched", "rest"] as const;
export type SliceRank = (typeof SLICE_RANKS)[number];

/** How much a minute of waiting counts for each. */
export const RANK_WEIGHTS: Readonly<Record<SliceRank, number>> = {
  thunder: 64,
  acquire: 16,
  watched: 4,
  rest: 1,
};

/** One question to the marketplace, and what its answer proves of whatever comes back: one of these leaves, this colour. */
export interface Slice {
  /** The same for the same question, also after a restart. */
  readonly key: string;
  /** Ascending; empty: the whole market, which proves no category. */
  readonly leafIds: readonly number[];
  /** The same, or empty: leaves of many atoms tell no filter anything. */
  readonly provenLeafIds: readonly number[];
  /** One colour, or none: any. */
  readonly marketplaceColourIds: readonly number[];
  readonly rank: SliceRank;
  /** Nobody asks for it: its newest page only tells where else to look (scout.ts). */
  readonly isScout: boolean;
}

/** The newest of the whole market, read for what it tells of the slices. */
export const SCOUT_SLICE: Slice = {
  key: "scout",
  leafIds: [],
  provenLeafIds: [],
  marketplaceColourIds: [],
  rank: "rest",
  isScout: true,
};

/** @param marketplaceColourId null: any colour */
export function sliceOf(
  leafIds: readonly number[],
  marketplaceColourId: number | null,
  rank: SliceRank,
): Slice {
  const ascending = leafIds.toSorted((one, other) => one - other);
  // A slice may name hundreds of leaves: too long a key for an index of the store.
  const leaves =
    ascending.length === 0 ? "all" : createHash("sha256").update(ascending.join()).digest("base64url");
  return {
    key: `${leaves}:${marketplaceColourId ?? "any"}`,
    leafIds: ascending,
    provenLeafIds: ascending,
    marketplaceColourIds: marketplaceColourId === null ? [] : [marketplaceColourId],
    rank,
    isScout: false,
  };
}
