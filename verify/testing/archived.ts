import type { SeenListing } from "#domain/market/listing.ts";
import { encodeBlock } from "#market/archive/block.ts";
import { Appraiser } from "#market/prices/appraiser.ts";
import type { ArchivePiece } from "#store/store.ts";

/** Listings as the archive keeps them when they are first seen, one after the other. */
export function archived(seen: readonly SeenListing[]): ArchivePiece {
  const appraiser = new Appraiser(30, (sellerId) => sellerId);
  const versions = seen.map(
    (one) =>
      appraiser.appraise({ seen: one, before: null, kind: "new", newSinceMs: one.firstSeenAtMs }).version,
  );
  return { versions: versions.length, data: encodeBlock(versions) };
}
