import type { ListingId } from "../ids.ts";
import type { Relist } from "./relist.ts";
import type { SellerFacts } from "./seller.ts";
import type { Standing } from "./standing.ts";

/** A listing as the marketplace shows it: validated, amounts in cents, texts unchanged. */
export interface Listing {
  readonly id: ListingId;
  readonly title: string;
  readonly brandTitle: string;
  readonly sizeTitle: string;
  /** The French condition; "" if the marketplace gives none. */
  readonly conditionLabel: string;
  readonly itemPriceCents: number;
  /** Item and buyer protection, without shipping: shown on the card and compared with the filter's limit. */
  readonly totalPriceCents: number;
  /** Begins with "/". */
  readonly path: string;
  readonly photoUrl: string | null;
  readonly photoDominantColour: string | null;
  /** The best approximation of a publication time that the marketplace offers; null if absent. */
  readonly photoTakenAtUnixS: number | null;
  readonly seller: Seller;
  readonly isPromoted: boolean;
}

export interface Seller {
  readonly id: number;
  readonly login: string;
  readonly photoUrl: string | null;
}

/** A listing that the feed never saw, from an order. */
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
 * Facts that a listing does not show, but that the query which found it proves. `leafIds` is the slice's
 * whole atom: every active filter selects all of these leaves or none, so any of them represents the listing.
 * Empty: not proven.
 */
export interface ProvenFacts {
  readonly leafIds: readonly number[];
  readonly marketplaceColourIds: readonly number[];
}

export interface SeenListing {
  readonly listing: Listing;
  readonly facts: ProvenFacts;
  readonly firstSeenAtMs: number;
  /** When the answer with this version arrived. */
  readonly seenAtMs: number;
  /** When its price last fell; absent: never, or it has risen since. */
  readonly cheaperSinceMs?: number;
  /** Known facts that catalogue pages lack; never part of the stored document. */
  readonly background?: ListingBackground;
  /** The standing of this version's price; null or absent: unknown. */
  readonly standing?: Standing | null;
  /** The seller had listed the same title, size and brand before. */
  readonly isRelist?: boolean;
}

/** When it was published, by its photo; null: unknown, or not before the sighting. */
export function publishedAtMs(
  { photoTakenAtUnixS }: Pick<Listing, "photoTakenAtUnixS">,
  seenAtMs: number,
): number | null {
  const atMs = (photoTakenAtUnixS ?? Infinity) * 1_000;
  return atMs < seenAtMs ? atMs : null;
}

/**
 * The version with a higher price, for which nothing that was known of the lower one holds.
 * @param risen its standing is that of the risen price; absent: unknown
 */
export function withRisenPrice(
  known: SeenListing,
  risen: Pick<Listing, "totalPriceCents"> & Pick<SeenListing, "seenAtMs" | "standing">,
): SeenListing {
  const { totalPriceCents, seenAtMs, standing = null } = risen;
  const { cheaperSinceMs: _, ...seen } = known;
  return { ...seen, listing: { ...seen.listing, totalPriceCents }, seenAtMs, standing };
}

/** Facts that catalogue pages lack. */
export interface ListingBackground {
  readonly seller: SellerFacts | null;
  /** Null: not a relist, or unknown. */
  readonly relist: Relist | null;
  /** A purchase of any person proves that it is no longer for sale. Absent: unknown. */
  readonly isGone?: boolean;
}
