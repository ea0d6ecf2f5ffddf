/** Hashes by which a listing is recognised that returns under another id. */
import { createHmac } from "node:crypto";

/**
 * A keyed 32-bit hash of a seller, who cannot be identified without the secret.
 * @param secret the same in every process that shares a database
 */
export function sellerHash(secret: Uint8Array, sellerId: number): number {
  return createHmac("sha256", secret).update(String(sellerId)).digest().readUInt32BE(0);
}

/** FNV-1a over what a listing keeps when its seller relists it. */
export function relistKeyOf(listing: {
  readonly sellerHash: number;
  readonly foldedTitle: string;
  readonly sizeIds: readonly number[];
  readonly brandId: number;
}): number {
  let hash = mixed(0x811c_9dc5, listing.sellerHash);
  for (let index = 0; index < listing.foldedTitle.length; index += 1)
    hash = Math.imul(hash ^ listing.foldedTitle.charCodeAt(index), 0x0100_0193);
  hash = mixed(hash, listing.sizeIds[0] ?? 0);
  hash = mixed(hash, listing.brandId);
  return finished(hash);
}

/** One 32-bit value more. */
export function mixed(hash: number, value: number): number {
  return Math.imul(Math.imul(hash ^ (value & 0xffff), 0x0100_0193) ^ (value >>> 16), 0x0100_0193);
}

/** The key: every bit of a mixed hash affects all of it. */
export function finished(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return (spread ^ (spread >>> 13)) >>> 0;
}
