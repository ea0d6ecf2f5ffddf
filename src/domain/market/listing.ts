import type { ListingId } from "../ids.ts";
import type { Relist } from "./relist.ts";
import type { SellerFacts } from "./seller.ts";
import type { Standing } from "../standing.ts";

/** A listing as the marketplace shows it: validated, amounts in cents, texts unchanged. */
export interface Listing {
  readonly id: ListingId;
  readonly title: string;
  readonly brandTitle: string;
  readonly sizeTitle: string;
  /** The French condition; "" where the marketplace gives none. */
  readonly conditionLabel: string;
  readonly itemPriceCents: number;
  /** Item and buyer protection, without shipping: shown on the card and compared with the filter's limit. */
  readonly totalPriceCents: number;
  /** Begins with "/". */
  readonly path: string;
  readonly photoUrl: string | null;
  readonly photoDominantColour: string | null;
  /** The closest substitute for a publication time that the marketplace offers; null where absent. */
  readonly photoTakenAtUnixS: number | null;
  readonly seller: Seller;
  readonly isPromoted: boolean;
}

export interface Seller {
  readonly id: number;
  readonly login: string;
  readonly photoUrl: string | null;
}

/** A listing that the feed never saw, known from an order alone. */
export function bareListing({
  id,
  title,
  photoUrl,
  totalCents,
}: Pick<Listing, "id" | "title" | "photoUrl"> & { readonly totalCents: number }): Listing {
  return {
    id,
    title,
    brandTitle: "",
    sizeTitle: "",
    conditionLabel: "",
    itemPriceCents: totalCents,
    totalPriceCents: totalCents,
    path: `/items/${id}`,
    photoUrl,
    photoDominantColour: null,
    photoTakenAtUnixS: null,
    seller: { id: 0, login: "", photoUrl: null },
    isPromoted: false,
  };
}

/**
 * Facts that the marketplace does not print on a listing but that the query which found it proves. `leafIds` is the
 * slice's whole atom: every active filter selects all of these leaves or none, so any of them represents the listing.
 * Empty: nothing proven yet.
 */
export interface ProvenFacts {
  readonly leafIds: readonly number[];
  readonly marketplaceColourIds: readonly number[];
}

export interface SeenListing {
  readonly listing: Listing;
  readonly facts: ProvenFacts;
  readonly firstSeenAtMs: number;
  /** When the answer with this version of it arrived. */
  readonly seenAtMs: number;
  /** When its price last fell; absent: it never did, or has risen since. */
  readonly cheaperSinceMs?: number;
  /** The facts known of it beside the catalogue, where anything is; never part of its stored document. */
  readonly background?: ListingBackground;
  /** Where this version's price stood among those of similar listings; null or absent: not known. */
  readonly standing?: Standing | null;
  /** An earlier listing of the seller had the same title, size and brand: it is offered again. */
  readonly isRelist?: boolean;
}

/** Facts that catalogue pages do not have. */
export interface ListingBackground {
  readonly seller: SellerFacts | null;
  /** Null also where it is not known whether the listing is a relist. */
  readonly relist: Relist | null;
}
