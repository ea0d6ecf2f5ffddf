import type { ListingId } from "./ids.ts";

/** A listing as the marketplace shows it, validated, with amounts in cents and texts untouched. */
export interface Listing {
  readonly id: ListingId;
  readonly title: string;
  readonly brandTitle: string;
  readonly sizeTitle: string;
  /** The French condition; "" where the marketplace gives none. */
  readonly conditionLabel: string;
  readonly itemPriceCents: number;
  /** Item and buyer protection, without shipping: what the card shows and the filter's limit bounds. */
  readonly totalPriceCents: number;
  /** Begins with "/". */
  readonly path: string;
  readonly photoUrl: string | null;
  readonly photoDominantColour: string | null;
  /** The nearest thing to a time of publication that the marketplace gives; null where absent. */
  readonly photoTakenAtUnixS: number | null;
  readonly seller: Seller;
  readonly isPromoted: boolean;
}

export interface Seller {
  readonly id: number;
  readonly login: string;
  readonly photoUrl: string | null;
}

/**
 * What the marketplace does not print on a listing but the request that found it proves.
 * `leafIds` is the slice's whole atom: every active filter holds all of its leaves or none, so any
 * of them stands for the listing. Empty: nothing proven yet.
 */
export interface ProvenFacts {
  readonly leafIds: readonly number[];
  readonly marketplaceColourIds: readonly number[];
}

export interface SeenListing {
  readonly listing: Listing;
  readonly facts: ProvenFacts;
  readonly firstSeenAtMs: number;
  /** When the answer that brought this version of it arrived. */
  readonly seenAtMs: number;
}
