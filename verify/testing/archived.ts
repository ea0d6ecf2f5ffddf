import type { SeenListing } from "#domain/market/listing.ts";
import { encodeBlock } from "#market/archive/block.ts";
import { Appraiser } from "#market/prices/appraiser.ts";
import type { ArchivePiece } from "#store/market-store.ts";
import type { Store } from "#store/store.ts";
import { aListing, aSeenListing } from "./a-listing.ts";

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
