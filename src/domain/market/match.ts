import type { FilterId, ListingId, UserId } from "../ids.ts";
import type { SeenListing } from "./listing.ts";

/** The order of service when several people want one listing. */
export type Lane = "thunder" | "acquire" | "click";

/** One listing that a person's filters hold. */
export interface UserMatch {
  readonly userId: UserId;
  readonly listing: SeenListing;
  /** The person's filters that hold it; a stored match omits filters that were deleted since. */
  readonly filterIds: readonly FilterId[];
  /**
   * The position in the person's stream: increasing decimal text, unique per person and comparable as an
   * integer. The browser sends it back as `depuis`.
   */
  readonly cursor: string;
  readonly matchedAtMs: number;
}

/** A match of a filter that requires facts beyond the listing: published once they allow it. */
export interface HeldMatch {
  readonly userId: UserId;
  readonly filterId: FilterId;
  readonly listing: SeenListing;
  /** The listing was certainly not on the market at this time; null: it may have been there before. */
  readonly appearedAfterMs: number | null;
  /** False for a listing that is only shown, because it is older than an edit of the filter. */
  readonly mayBuy: boolean;
  readonly heldAtMs: number;
  /** When it is published or dropped if the facts are still unknown. */
  readonly untilMs: number;
}

/** By id: within one reading, further pages are published later but are older. */
export function newestFirst(one: UserMatch, other: UserMatch): number {
  return other.listing.listing.id - one.listing.listing.id;
}

/** A listing that an automatic filter wants to buy, in the order of service. */
export interface AutobuyWish {
  readonly userId: UserId;
  readonly filterId: FilterId;
  /** The person's other filters that match it, oldest first: fallbacks if that one refuses. */
  readonly otherFilterIds?: readonly FilterId[];
  readonly listingId: ListingId;
  readonly lane: Exclude<Lane, "click">;
  readonly listing: SeenListing;
  readonly matchedAtMs: number;
  /** When the filters were found to hold the listing again, after a restart; absent: at the match. */
  readonly heldAgainAtMs?: number | undefined;
  /** The filter decides but pays nothing: the wish does not wait for other people's purchases. */
  readonly isSimulation?: boolean;
}

/** The filters that may buy a wish's listing, in the order in which they are tried. */
export function filterIdsOf({ filterId, otherFilterIds = [] }: AutobuyWish): readonly FilterId[] {
  return [filterId, ...otherFilterIds];
}
