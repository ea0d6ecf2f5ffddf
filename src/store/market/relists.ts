import { desc, sql, type AnyColumn, type SQL } from "drizzle-orm";
import type { ListingId } from "#domain/ids.ts";
import type { ListingBackground } from "#domain/market/listing.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { Db } from "../engines/db.ts";
import type { ListedArticle, RelistStore, SellerFactStore } from "../facts-store.ts";
import { relists } from "../schema/tables.ts";
import { deleteInChunks, isOneOfNumbers } from "../sql/values.ts";

/** An article that was not seen for so long is listed for the first time. */
const KEPT_MS = 30 * 24 * 3_600_000;

export function createRelistStore({
  db,
  sellerFacts,
}: {
  readonly db: Db;
  readonly sellerFacts: Pick<SellerFactStore, "known">;
}): RelistStore {
  return {
    async note(articles, apartMs) {
      const found = new Map<ListingId, Relist>();
      for (const round of roundsOf(articles)) {
        const noted = await db
          .insert(relists)
          .values(round.map(firstRow))
          .onConflictDoUpdate({ target: relists.key, set: changesBy(apartMs) })
          .returning();
        for (const row of noted) {
          const relist = relistOf(row);
          if (relist !== null) found.set(row.lastListingId, relist);
        }
      }
      return found;
    },
    async backgrounds(listings, nowMs) {
      if (listings.length === 0) return new Map();
      const ids = listings.map(({ listing }) => listing.id);
      const sellerIds = [...new Set(listings.map(({ listing }) => listing.seller.id))];
      const [rows, sellers] = await Promise.all([
        db.select().from(relists).where(isOneOfNumbers(relists.lastListingId, ids)),
        sellerFacts.known(sellerIds, nowMs),
      ]);
      const byListing = new Map(rows.map((row) => [row.lastListingId, relistOf(row)]));
      const known = listings.flatMap(({ listing }): readonly [ListingId, ListingBackground][] => {
        const background = {
          relist: byListing.get(listing.id) ?? null,
          seller: sellers.get(listing.seller.id) ?? null,
        };
        return background.relist === null && background.seller === null ? [] : [[listing.id, background]];
      });
      return new Map(known);
    },
    async prune(beforeMs, limit) {
      await deleteInChunks(db, relists, sql`${relists.lastSeenAtMs} < ${beforeMs}`);
      const [beyond] = await db
        .select({ atMs: relists.lastSeenAtMs })
        .from(relists)
        .orderBy(desc(relists.lastSeenAtMs))
        .offset(limit)
        .limit(1);
      if (beyond !== undefined)
        await deleteInChunks(db, relists, sql`${relists.lastSeenAtMs} <= ${beyond.atMs}`);
    },
  };
}

type RelistRow = typeof relists.$inferSelect;

function relistOf({ count, earlierLowestCents, firstPriceCents, firstSeenAtMs }: RelistRow): Relist | null {
  if (count < 2 || earlierLowestCents === null) return null;
  return { earlierCount: count - 1, firstSeenAtMs, firstPriceCents, lowestPriceCents: earlierLowestCents };
}

/** A statement may touch a row only once: of several listings of one article the earliest goes first. */
function roundsOf(articles: readonly ListedArticle[]): readonly (readonly ListedArticle[])[] {
  const ofListing = new Map(articles.map((article) => [article.seen.listing.id, article]));
  const byKey = Map.groupBy(
    [...ofListing.values()].toSorted(
      (a, b) => a.seen.firstSeenAtMs - b.seen.firstSeenAtMs || a.seen.listing.id - b.seen.listing.id,
    ),
    ({ key }) => key,
  );
  const inOrder = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => own);
  const length = inOrder.reduce((most, own) => Math.max(most, own.length), 0);
  return Array.from({ length }, (_, index) => inOrder.flatMap((own) => own.slice(index, index + 1)));
}

/** The article as it stands if this is its first listing. */
function firstRow({ key, seen }: ListedArticle): typeof relists.$inferInsert {
  const { id: lastListingId, totalPriceCents } = seen.listing;
  const { firstSeenAtMs } = seen;
  return {
    key,
    count: 1,
    firstPriceCents: totalPriceCents,
    lowestPriceCents: totalPriceCents,
    firstSeenAtMs,
    lastSeenAtMs: firstSeenAtMs,
    lastListingId,
  };
}

/** The noted listing is the last one again, was posted together with it or before it, or is a relist. */
function changesBy(apartMs: number) {
  const isSame = sql`${relists.lastListingId} = excluded.last_listing_id`;
  const isTogether = sql`excluded.last_seen_at_ms < ${relists.lastSeenAtMs} + ${apartMs}`;
  const isForgotten = sql`excluded.last_seen_at_ms - ${relists.lastSeenAtMs} > ${KEPT_MS}`;
  const column = (own: AnyColumn, { anew, relisted }: { readonly anew: SQL; readonly relisted: SQL }): SQL =>
    sql`case when ${isSame} or ${isTogether} then ${own} when ${isForgotten} then ${anew} else ${relisted} end`;
  const lowest = sql`least(${relists.lowestPriceCents}, excluded.lowest_price_cents)`;
  return {
    count: column(relists.count, { anew: sql`1`, relisted: sql`${relists.count} + 1` }),
    firstPriceCents: column(relists.firstPriceCents, {
      anew: sql`excluded.first_price_cents`,
      relisted: sql`${relists.firstPriceCents}`,
    }),
    earlierLowestCents: column(relists.earlierLowestCents, {
      anew: sql`null`,
      relisted: sql`${relists.lowestPriceCents}`,
    }),
    lowestPriceCents: sql`case when ${isForgotten} then excluded.lowest_price_cents else ${lowest} end`,
    firstSeenAtMs: column(relists.firstSeenAtMs, {
      anew: sql`excluded.first_seen_at_ms`,
      relisted: sql`${relists.firstSeenAtMs}`,
    }),
    lastSeenAtMs: sql`greatest(${relists.lastSeenAtMs}, excluded.last_seen_at_ms)`,
    lastListingId: column(relists.lastListingId, {
      anew: sql`excluded.last_listing_id`,
      relisted: sql`excluded.last_listing_id`,
    }),
  };
}
