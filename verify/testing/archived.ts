import type { SeenListing } from "#domain/market/listing.ts";
import { encodeBlock } from "#market/archive/block.ts";
import { MarketMemory, type MarketMemoryDeps } from "#market/market-memory.ts";
import { Appraiser } from "#market/prices/appraiser.ts";
import type { ArchivePiece } from "#store/market-store.ts";
import type { Store } from "#store/store.ts";
import { aListing, aSeenListing } from "./a-listing.ts";
import { createQuietLog } from "./quiet-log.ts";

/** Archive versions of listings seen for the first time, in order. */
export function archived(
  seen: readonly SeenListing[],
  sellerHashOf = (sellerId: number): number => sellerId,
): ArchivePiece {
  const appraiser = new Appraiser(30, sellerHashOf);
  const versions = seen.map(
    (one) =>
      appraiser.appraise({ seen: one, before: null, kind: "new", newSinceMs: one.firstSeenAtMs }).version,
  );
  return { versions: versions.length, data: encodeBlock(versions) };
}

/** One of a month, with room for every listing of a test. */
export function aMarketMemory(
  deps: Pick<MarketMemoryDeps, "archive" | "clock"> & Partial<MarketMemoryDeps>,
): MarketMemory {
  const log = createQuietLog();
  return new MarketMemory({ log, windowDays: 30, maxBytes: 1e9, history: null, relistApartMs: 0, ...deps });
}

const FIRST_JACKET_ID = 5_900_000_000;

/** Records one listing 'Perfecto moutarde' per price, seen at this moment, and archives it. */
export async function recordJackets(
  { listings }: Pick<Store, "listings">,
  nowMs: number,
  pricesCents: readonly number[],
): Promise<void> {
  const seen = pricesCents.map((totalPriceCents, index) =>
    aSeenListing({
      listing: aListing({ id: FIRST_JACKET_ID + index, title: "Perfecto moutarde", totalPriceCents }),
      firstSeenAtMs: nowMs,
      seenAtMs: nowMs,
    }),
  );
  await listings.record({ listings: seen, matches: [], marks: [], archive: [archived(seen)] });
}
