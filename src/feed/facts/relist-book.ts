import { createHash } from "node:crypto";
import { foldText } from "#catalogue/fold-text.ts";
import { batchCalls } from "#domain/concurrency.ts";
import { type Clock, withTimeout } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { ListedArticle, RelistStore } from "#store/market-store.ts";
import { sellerHash } from "#market/prices/relist-keys.ts";

export interface RelistBookParts {
  readonly store: Pick<RelistStore, "note">;
  /** Key of the hash that stands for a seller. */
  readonly secret: Uint8Array;
  /** Listings of one article first seen within this time were posted together and are not relists. */
  readonly apartMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A later answer is useless: the listing is already on people's screens. */
const PATIENCE_MS = 250;
const MAX_BATCH = 200;

/** Stores the listings that matched a filter and finds the relists among them. Batches concurrent calls. */
export class RelistBook {
  readonly #parts: RelistBookParts;
  readonly #note: (article: ListedArticle) => Promise<Relist | null>;

  constructor(parts: RelistBookParts) {
    this.#parts = parts;
    this.#note = batchCalls(async (articles: readonly ListedArticle[]) => {
      const found = await parts.store.note(articles, parts.apartMs);
      return ({ seen }) => found.get(seen.listing.id) ?? null;
    }, MAX_BATCH);
  }

  /** Null: the listing is not a relist, or the store did not answer within 250 ms. Never rejects. */
  async of(seen: SeenListing): Promise<Relist | null> {
    const { clock, log, secret } = this.#parts;
    const key = relistKey(sellerHash(secret, seen.listing.seller.id), seen.listing);
    const noted = this.#note({ key, seen }).catch((error: unknown) => {
      log.warn(describeError(error), "a listing could not be compared with earlier ones");
      return null;
    });
    return await withTimeout(clock, PATIENCE_MS, noted, null);
  }
}

/** A 64-bit hash of seller, title, size and brand, ignoring case and accents. */
function relistKey(
  hash: number,
  { title, sizeTitle, brandTitle }: Pick<Listing, "title" | "sizeTitle" | "brandTitle">,
): bigint {
  const parts = [String(hash), foldText(title), foldText(sizeTitle), foldText(brandTitle)];
  return createHash("sha256").update(parts.join("\n")).digest().readBigInt64BE(0);
}
