import { asListingId } from "#domain/ids.ts";
import type { FeedSliceMark, ListingStore } from "#store/store.ts";
import { entryOf } from "./recall-seen.ts";
import type { SeenListings } from "./seen-listings.ts";

/** More would keep the product from starting within seconds; the rest is recalled when a page shows it. */
const MAX_RESTORED = 20_000;

/**
 * Fills the memory with the latest of what an earlier process recorded: what still is on sale was recorded within
 * the last hour. Leaves are shared between listings of one slice, as they were then: a slice may name hundreds.
 * @param marks how far the slices were read: nothing that was recorded stands above them and what is restored
 */
export async function restoreSeen(
  store: Pick<ListingStore, "seenSince">,
  memory: SeenListings,
  { sinceMs, marks }: { readonly sinceMs: number; readonly marks: readonly FeedSliceMark[] },
): Promise<void> {
  const recorded = await store.seenSince(sinceMs, MAX_RESTORED);
  if (recorded.length === MAX_RESTORED) {
    const ids = [...recorded.map(({ listing }) => listing.id), ...marks.map((mark) => mark.highestListingId)];
    memory.markIncomplete(asListingId(ids.reduce((highest, id) => Math.max(highest, id), 0)));
  }
  const sharedLeafIds = new Map<string, readonly number[]>();
  for (const seen of recorded.toReversed()) {
    const key = seen.facts.leafIds.join();
    const leafIds = sharedLeafIds.get(key) ?? seen.facts.leafIds;
    sharedLeafIds.set(key, leafIds);
    memory.sight(entryOf({ ...seen, facts: { ...seen.facts, leafIds } }), seen.seenAtMs);
  }
}
