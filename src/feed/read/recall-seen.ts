import type { ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import type { ListingStore } from "#store/store.ts";
import type { SeenEntry, SeenListings } from "./seen-listings.ts";

/**
 * Where memory was too small for the last day, asks the store for what a page shows and memory may have forgotten: so
 * nothing is taken for new that was told before. Cost: nothing for a page of what is known or newer than all that
 * was forgotten, else one question.
 */
export async function recallSeen(
  store: Pick<ListingStore, "byIds">,
  memory: SeenListings,
  { listings }: SearchPage,
): Promise<void> {
  const ids = new Set<ListingId>(listings.map(({ id }) => id).filter((id) => memory.mayHaveForgotten(id)));
  if (ids.size === 0) return;
  for (const seen of await store.byIds([...ids]))
    if (memory.get(seen.listing.id) === undefined) memory.sight(entryOf(seen), seen.seenAtMs);
}

/** Whether it was certainly new when it was first seen is not written down. */
export function entryOf(seen: SeenListing): SeenEntry {
  const { seenAtMs } = seen;
  return { seen, appearedAfterMs: null, lastSightMs: seenAtMs, recordedAtMs: seenAtMs };
}
