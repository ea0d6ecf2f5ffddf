import { createHash } from "node:crypto";

/** Who waits for a slice, the most urgent first: automatic buyers by lane, people who look, everybody else. */
export const SLICE_RANKS = ["thunder", "acquire", "watched", "rest"] as const;
export type SliceRank = (typeof SLICE_RANKS)[number];

/** One question to the marketplace; whatever comes back has these leaves and this colour proven. */
export interface Slice {
  /** The same for the same question, also after a restart. */
  readonly key: string;
  /** Ascending; empty: the whole market, which proves no category. */
  readonly leafIds: readonly number[];
  /** One colour, or none: any. */
  readonly marketplaceColourIds: readonly number[];
  readonly rank: SliceRank;
}

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
    marketplaceColourIds: marketplaceColourId === null ? [] : [marketplaceColourId],
    rank,
  };
}
