import type { ListingStore } from "#store/store.ts";
import type { SeenListings } from "./seen-listings.ts";

/** More would keep the product from starting within seconds. */
const MAX_RESTORED = 20_000;

/**
 * Fills the memory with the latest of what an earlier process recorded: what still is on sale was recorded within
 * the last hour. Leaves are shared between listings of one slice, as they
 * were then: a slice may name hundreds.
 */
export async function restoreSeen(
  store: Pick<ListingStore, "seenSince">,
  memory: SeenListings,
  sinceMs: number,
): Promise<void> {
  const recorded = await store.seenSince(sinceMs, MAX_RESTORED);
  if (recorded.length === MAX_RESTORED) memory.markIncomplete();
  const sharedLeafIds = new Map<string, readonly number[]>();
  for (const seen of recorded.toReversed()) {
    const key = seen.facts.leafIds.join();
    const leafIds = sharedLeafIds.get(key) ?? seen.facts.leafIds;
    sharedLeafIds.set(key, leafIds);
    const { seenAtMs } = seen;
    memory.sight(
      {
        seen: { ...seen, facts: { ...seen.facts, leafIds } },
        // Whether it was certainly new when it was first seen is not written down.
        appearedAfterMs: null,
        lastSightMs: seenAtMs,
        recordedAtMs: seenAtMs,
      },
      seenAtMs,
    );
  }
}
