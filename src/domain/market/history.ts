import type { Listing } from "./listing.ts";

/** A listing of the past: no page of the market shows it. */
export interface PastListing {
  /** Its place in the history, from 1. */
  readonly number: number;
  readonly listing: Listing;
  readonly leafId: number;
  readonly marketplaceColourIds: readonly number[];
  /** When it was first seen. */
  readonly atMs: number;
}

/** A marketplace's listings from before the product first read it; only the sandbox has them. */
export interface MarketHistory {
  /**
   * The next listings, in order of time; none: that is all so far.
   * @param after a number up to which the product has everything durably
   */
  page(after: number): Promise<{
    readonly listings: readonly PastListing[];
    /** More may be given later. */
    readonly isOpen: boolean;
  }>;
}
