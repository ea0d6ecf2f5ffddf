import type { Listing } from "./listing.ts";

/** A listing of the past, which no page of the market shows. */
export interface PastListing {
  /** Its number in the history, from 1. */
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
   * The next listings, in order of time; empty: no more for now.
   * @param after the number up to which all listings are stored
   */
  page(after: number): Promise<{
    readonly listings: readonly PastListing[];
    /** More may follow later. */
    readonly isOpen: boolean;
  }>;
}
