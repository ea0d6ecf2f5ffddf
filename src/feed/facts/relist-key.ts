/** Names an article over all of its listings, without naming its seller. Pure. */
import { createHash } from "node:crypto";
import { foldText } from "#catalogue/fold-text.ts";
import type { Listing } from "#domain/market/listing.ts";

/** The same 64 bits for all listings of a seller with the same title, size and brand, case and accents ignored. */
export function relistKey(
  hash: number,
  { title, sizeTitle, brandTitle }: Pick<Listing, "title" | "sizeTitle" | "brandTitle">,
): bigint {
  const parts = [String(hash), foldText(title), foldText(sizeTitle), foldText(brandTitle)];
  return createHash("sha256").update(parts.join("\n")).digest().readBigInt64BE(0);
}
