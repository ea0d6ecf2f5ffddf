/** Which articles a filter that ignores relists leaves out, decided as the feed's relist book does (store/market/facts.ts). */
import { isIgnoredRelist } from "#domain/market/relist.ts";
import { type Article, keyOf } from "./replay-purchases.ts";

/** An article that was not seen for this long counts as listed for the first time. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** The listings of one article so far. */
interface Listed {
  lastListingId: number;
  lastSeenMs: number;
  lowestCents: number;
  /** The lowest price before the last listing; null: the last listing is no relist. */
  earlierLowestCents: number | null;
}

/** @param articles in order of time, every version that was news */
export function* withoutIgnoredRelists(articles: readonly Article[], apartMs: number): Iterable<Article> {
  const listedByKey = new Map<number, Listed>();
  for (const article of articles) {
    const key = keyOf(article);
    const listed = listedByKey.get(key);
    if (listed === undefined || article.firstSeenAtMs - listed.lastSeenMs > KEPT_MS) {
      listedByKey.set(key, firstOf(article));
      yield article;
    } else {
      const lowestPriceCents = noted(listed, article, apartMs);
      const relist = lowestPriceCents === null ? null : { lowestPriceCents };
      if (!isIgnoredRelist(relist, article.totalPriceCents)) yield article;
    }
  }
}

function firstOf({ listingId, firstSeenAtMs, totalPriceCents }: Article): Listed {
  return {
    lastListingId: listingId,
    lastSeenMs: firstSeenAtMs,
    lowestCents: totalPriceCents,
    earlierLowestCents: null,
  };
}

/** @returns the lowest price of the earlier listings; null: the listing is no relist */
function noted(listed: Listed, article: Article, apartMs: number): number | null {
  const { listingId, firstSeenAtMs, totalPriceCents } = article;
  const isTogether = firstSeenAtMs < listed.lastSeenMs + apartMs;
  if (listingId > listed.lastListingId && !isTogether) {
    listed.earlierLowestCents = listed.lowestCents;
    listed.lastListingId = listingId;
  }
  listed.lastSeenMs = Math.max(listed.lastSeenMs, firstSeenAtMs);
  listed.lowestCents = Math.min(listed.lowestCents, totalPriceCents);
  return listingId === listed.lastListingId ? listed.earlierLowestCents : null;
}
