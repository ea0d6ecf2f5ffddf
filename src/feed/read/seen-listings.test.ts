import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { loadForgotten, SeenListings } from "./seen-listings.ts";

test("a listing evicted from memory is loaded from the store when a page shows it", async () => {
  await using opened = await openTestStore();
  const { listings } = opened.store;
  const [known, newer] = [
    aSeenListing({ listing: aListing({ id: 7 }) }),
    aSeenListing({ listing: aListing({ id: 9 }) }),
  ];
  await listings.record({ listings: [known, newer], matches: [], marks: [] });
  const page = {
    listings: [newer.listing, aListing({ id: 8 }), known.listing],
    droppedCount: 0,
    totalPages: 1,
    receivedAtMs: known.seenAtMs,
  };
  const memory = new SeenListings({ maxEntries: 10, maxAgeMs: 86_400_000 });
  await loadForgotten(listings, memory, page);
  expect(memory.size).toBe(0);
  // No listing above id 8 was ever evicted: id 9 is not loaded.
  memory.markIncomplete(asListingId(8));
  await loadForgotten(listings, memory, page);
  expect(Array.from(memory.all(), ({ seen }) => seen)).toEqual([known]);
});

test("evictions for lack of space are distinguished from those for age", () => {
  const memory = new SeenListings({ maxEntries: 2, maxAgeMs: 1_000 });
  const sight = (id: number, nowMs: number): void => {
    const seen = aSeenListing({ listing: aListing({ id }) });
    memory.markSeen({ seen, appearedAfterMs: null, lastSeenMs: nowMs, recordedAtMs: nowMs }, nowMs);
  };
  sight(5, 0);
  sight(6, 5_000);
  const old = asListingId(5);
  expect([memory.mayHaveForgotten(old), memory.wasNeverSeen(old)]).toEqual([false, false]);
  sight(3, 5_000);
  sight(4, 5_000);
  expect([6, 5, 4, 7].map((id) => memory.mayHaveForgotten(asListingId(id)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([6, 4, 7].map((id) => memory.wasNeverSeen(asListingId(id)))).toEqual([false, false, true]);
});
