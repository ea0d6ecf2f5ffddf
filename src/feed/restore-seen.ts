import type { SeenListing } from "#domain/listing.ts";
import type { SeenListings } from "./seen-listings.ts";

/**
 * Fills the memory with what an earlier process recorded. Leaves are shared between listings of one slice, as they
 * were then: a slice may name hundreds.
 * @param recorded the newest first
 */
export function restoreSeen(recorded: readonly SeenListing[], memory: SeenListings): void {
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
