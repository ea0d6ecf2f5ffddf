import { asFilterId, asUserId, type UserId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { AutobuyWish, UserMatch } from "#domain/market/match.ts";
import type { Store } from "#store/store.ts";
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

/** Records matches of the filter "f1", each seen a millisecond after the one before. */
export async function recordMatches(
  { listings }: Pick<Store, "listings">,
  userId: UserId,
  nowMs: number,
  matched: readonly Listing[],
): Promise<void> {
  const seen = matched.map((listing, index) =>
    aSeenListing({ listing, firstSeenAtMs: nowMs, seenAtMs: nowMs + index }),
  );
  const matches = seen.map((listing, index) =>
    aMatch({
      userId,
      listing,
      filterIds: [asFilterId("f1")],
      cursor: String(BigInt(nowMs) * CURSORS_PER_MS + BigInt(index)),
      matchedAtMs: nowMs,
    }),
  );
  await listings.record({ listings: seen, matches, marks: [] });
}
