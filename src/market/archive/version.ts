import type { Standing } from "#domain/market/standing.ts";

/**
 * new, past, changed, cheaper: news as matching received it (feed/read/ingest.ts).
 * closing: the listing is no longer seen; only its id, its leaves and its times are kept.
 */
export const VERSION_KINDS = ["new", "past", "changed", "cheaper", "closing"] as const;
export type VersionKind = (typeof VERSION_KINDS)[number];

/** One version of a listing in the archive: facts without the seller's name, photo or address. */
export interface Version {
  readonly listingId: number;
  readonly kind: VersionKind;
  readonly seenAtMs: number;
  readonly firstSeenAtMs: number;
  /** The listing is new to a filter that was active by this moment; null: it may have been on the market before. */
  readonly newSinceMs: number | null;
  /** The leaves that it may be in; empty: nothing is proven. */
  readonly leafIds: readonly number[];
  readonly marketplaceColourIds: readonly number[];
  /** As resolved when it was seen; 0: unknown. */
  readonly brandId: number;
  readonly conditionId: number;
  /** One for each size group of its leaves, in the order of `leafSetOf`; 0: unknown. */
  readonly sizeIds: readonly number[];
  readonly totalPriceCents: number;
  readonly foldedTitle: string;
  /** 32 bits of a keyed hash of the seller's id. */
  readonly sellerHash: number;
  readonly standing: Standing | null;
  /** Its price counts towards usual prices. */
  readonly isCounted: boolean;
  readonly isRelist: boolean;
}

/** Whether a listing is seen for the first time with a version of this kind. */
export function isFirstSight(kind: VersionKind): boolean {
  return kind === "new" || kind === "past";
}
