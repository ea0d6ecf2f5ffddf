import type { FilterId, ListingId, UserId } from "./ids.ts";
import type { SeenListing } from "./listing.ts";

/** Who is served first when several people want one listing. */
export type Lane = "thunder" | "acquire" | "click";

/** One listing that one person's filters let through. */
export interface UserMatch {
  readonly userId: UserId;
  readonly listing: SeenListing;
  /** The person's filters that hold it, never empty. */
  readonly filterIds: readonly FilterId[];
  /**
   * Where the match stands in the person's stream: a decimal text that grows with time, unique for the
   * person and comparable as an integer. What the browser sends back as `depuis`.
   */
  readonly cursor: string;
  readonly matchedAtMs: number;
}

/** By the marketplace's own order: of one reading, deeper pages are told later and are older. */
export function newestFirst(one: UserMatch, other: UserMatch): number {
  return other.listing.listing.id - one.listing.listing.id;
}

/** An automatic filter's wish to buy a listing, in the order in which wishes must be served. */
export interface AutobuyWish {
  readonly userId: UserId;
  readonly filterId: FilterId;
  readonly listingId: ListingId;
  readonly lane: Exclude<Lane, "click">;
  readonly listing: SeenListing;
  readonly matchedAtMs: number;
  /** The filter decides and pays nothing: such a wish waits for nobody's purchase of the listing. */
  readonly isSimulation?: boolean;
}
