import { asFilterId, asUserId } from "#domain/ids.ts";
import type { AutobuyWish, UserMatch } from "#domain/market/match.ts";
import { aSeenListing } from "./a-listing.ts";
import { A_MOMENT_MS } from "./fake-clock.ts";

const CURSORS_PER_MS = 4_096n;

export function aMatch(traits: Partial<UserMatch> = {}): UserMatch {
  return {
    userId: asUserId("0193-user"),
    listing: aSeenListing(),
    filterIds: [asFilterId("0193-filter")],
    cursor: String(BigInt(A_MOMENT_MS) * CURSORS_PER_MS),
    matchedAtMs: A_MOMENT_MS,
    ...traits,
  };
}

export function aWish(traits: Partial<AutobuyWish> = {}): AutobuyWish {
  const listing = traits.listing ?? aSeenListing();
  return {
    userId: asUserId("0193-user"),
    filterId: asFilterId("0193-filter"),
    listingId: listing.listing.id,
    lane: "thunder",
    listing,
    matchedAtMs: A_MOMENT_MS,
    ...traits,
  };
}
