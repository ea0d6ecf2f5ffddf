/** The stores of facts that are learned after a match: held matches, sellers, relists. */
import { and, type AnyColumn, desc, eq, gt, lte, sql, type SQL, type SQLWrapper } from "drizzle-orm";
import type { HeldMatch } from "#domain/market/match.ts";
import { DAY_MS } from "#domain/clock.ts";
import type { Db } from "../engines/db.ts";
import {
  type HeldKey,
  type HeldMatchStore,
  type ListedArticle,
  MAX_SELLER_REQUESTS,
  type NewSellerClaim,
  type RelistStore,
  type SellerFactStore,
} from "../market-store.ts";
import { heldMatches, relists, seenListings, sellerFacts, sellerPauses } from "../schema/tables.ts";
import { provesListingGone, purchases } from "../schema/purchase-tables.ts";
import { batchOf, deleteInChunks, isOneOfNumbers } from "../sql/values.ts";
import { seenListingOf } from "./listings.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import type { ListingId } from "#domain/ids.ts";
import type { ListingBackground } from "#domain/market/listing.ts";
import type { Relist } from "#domain/market/relist.ts";

export function createHeldMatchStore(db: Db): HeldMatchStore {
  return {
    async hold(held, dueAtMs) {
      // A statement may touch a row only once; sorted by key, so that two concurrent batches cannot deadlock.
      const latest = new Map(held.map((match) => [keyOf(match), match]));
      const rows = [...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, match]) => match);
      if (rows.length > 0) await db.execute(holdStatement(rows, dueAtMs));
    },
    async takeDue({ nowMs, dueAtMs, limit }) {
      const due = sql`select listing_id, filter_id from ${heldMatches} where ${heldMatches.dueAtMs} <= ${nowMs}
        order by ${heldMatches.dueAtMs} limit ${limit} for update skip locked`;
      const taken = await db
        .update(heldMatches)
        .set({ dueAtMs })
        .where(sql`(${heldMatches.listingId}, ${heldMatches.filterId}) in (${due})`)
        .returning();
      if (taken.length === 0) return [];
      const ids = [...new Set(taken.map(({ listingId }) => listingId))];
      const listings = await db.select().from(seenListings).where(isOneOfNumbers(seenListings.id, ids));
      const byId = new Map(listings.map((row) => [row.id, seenListingOf(row)]));
      return taken.flatMap(({ listingId, ...row }): readonly HeldMatch[] => {
        const listing = byId.get(listingId);
        const { userId, filterId, appearedAfterMs, mayBuy, heldAtMs, untilMs } = row;
        if (listing === undefined) return [];
        return [{ userId, filterId, listing, appearedAfterMs, mayBuy, heldAtMs, untilMs }];
      });
    },
    async renew(keys, dueAtMs) {
      if (keys.length > 0) await db.update(heldMatches).set({ dueAtMs }).where(isOneOf(keys));
    },
    async end(keys) {
      if (keys.length > 0) await db.delete(heldMatches).where(isOneOf(keys));
    },
    prune: (beforeMs) => deleteInChunks(db, heldMatches, sql`${heldMatches.untilMs} < ${beforeMs}`),
  };
}

function holdStatement(rows: readonly HeldMatch[], dueAtMs: number) {
  const batch = batchOf({
    listing_id: ["bigint", rows.map(({ listing }) => listing.listing.id)],
    filter_id: ["text", rows.map(({ filterId }) => filterId)],
    user_id: ["text", rows.map(({ userId }) => userId)],
    appeared_after_ms: ["bigint", rows.map(({ appearedAfterMs }) => appearedAfterMs)],
    may_buy: ["boolean", rows.map(({ mayBuy }) => mayBuy)],
    held_at_ms: ["bigint", rows.map(({ heldAtMs }) => heldAtMs)],
    until_ms: ["bigint", rows.map(({ untilMs }) => untilMs)],
  });
  return sql`
    insert into ${heldMatches}
      (listing_id, filter_id, user_id, appeared_after_ms, may_buy, held_at_ms, until_ms, due_at_ms)
    select *, ${dueAtMs}::bigint from ${batch}
    on conflict (listing_id, filter_id) do update set
      appeared_after_ms = excluded.appeared_after_ms, may_buy = excluded.may_buy,
      held_at_ms = excluded.held_at_ms, until_ms = excluded.until_ms, due_at_ms = excluded.due_at_ms`;
}

function isOneOf(keys: readonly HeldKey[]) {
  const batch = batchOf({
    listing_id: ["bigint", keys.map(({ listingId }) => listingId)],
    filter_id: ["text", keys.map(({ filterId }) => filterId)],
  });
  return sql`(${heldMatches.listingId}, ${heldMatches.filterId}) in (select * from ${batch})`;
}

function keyOf({ listing, filterId }: HeldMatch): string {
  return `${listing.listing.id} ${filterId}`;
}

const FIRST_PAUSE_MS = 10 * 60_000;
/** After this many doublings a pause has reached a day. */
const MAX_DOUBLINGS = 8;
/** The pause's only row. */
const PAUSE_ID = 1;

export function createSellerFactStore(db: Db): SellerFactStore {
  const pausedUntil: SellerFactStore["pausedUntil"] = async (nowMs) => {
    const [row] = await db
      .select({ untilMs: sellerPauses.untilMs })
      .from(sellerPauses)
      .where(gt(sellerPauses.untilMs, nowMs));
    return row?.untilMs ?? null;
  };
  return {
    known: (sellerIds, nowMs) => knownSellers(db, sellerIds, nowMs),
    pausedUntil,
    async claim(sellerId, claim) {
      const pauseEndMs = await pausedUntil(claim.nowMs);
      if (pauseEndMs !== null) return { kind: "paused", untilMs: pauseEndMs };
      if (await claimed(db, sellerId, claim)) return { kind: "claimed" };
      const own = (await knownSellers(db, [sellerId], claim.nowMs)).get(sellerId);
      if (own !== undefined) return { kind: "known", facts: own };
      const [row] = await db
        .select({ untilMs: sellerFacts.claimedUntilMs })
        .from(sellerFacts)
        .where(eq(sellerFacts.sellerId, sellerId));
      return { kind: "taken", untilMs: row?.untilMs ?? 0 };
    },
    async save(sellerId, { rating, reviewCount, countryCode }, nowMs) {
      await db.execute(sql`
        with answered as (
          update ${sellerFacts} set rating = ${rating}, review_count = ${reviewCount}, country_code = ${countryCode},
            known_at_ms = ${nowMs}, claimed_until_ms = 0
          where ${sellerFacts.sellerId} = ${sellerId}
        )
        update ${sellerPauses} set refusals = 0
        where ${sellerPauses.refusals} > 0 and ${sellerPauses.untilMs} <= ${nowMs}`);
    },
    async release(sellerId, untilMs) {
      await db
        .update(sellerFacts)
        .set({ claimedUntilMs: 0 })
        .where(and(eq(sellerFacts.sellerId, sellerId), eq(sellerFacts.claimedUntilMs, untilMs)));
    },
    async pause(nowMs, retryAfterMs) {
      const [row] = await db
        .insert(sellerPauses)
        .values({
          id: PAUSE_ID,
          untilMs: nowMs + (retryAfterMs ?? FIRST_PAUSE_MS),
          refusals: retryAfterMs === null ? 1 : 0,
        })
        .onConflictDoUpdate({
          target: sellerPauses.id,
          set: pauseAfter(nowMs, retryAfterMs),
          // Refusals of requests that were in flight when the pause began do not prolong it.
          setWhere: sql`${sellerPauses.untilMs} <= ${nowMs}`,
        })
        .returning({ untilMs: sellerPauses.untilMs });
      return row?.untilMs ?? (await pausedUntil(nowMs)) ?? nowMs;
    },
    prune: (beforeMs) => deleteInChunks(db, sellerFacts, sql`${sellerFacts.askedSinceMs} < ${beforeMs}`),
  };
}

async function knownSellers(
  db: Db,
  sellerIds: readonly number[],
  nowMs: number,
): Promise<ReadonlyMap<number, SellerFacts>> {
  const { sellerId, rating, reviewCount, countryCode } = sellerFacts;
  if (sellerIds.length === 0) return new Map();
  const rows = await db
    .select({ sellerId, facts: { rating, reviewCount, countryCode } })
    .from(sellerFacts)
    .where(and(isOneOfNumbers(sellerId, sellerIds), gt(sellerFacts.knownAtMs, nowMs - DAY_MS)));
  return new Map(rows.map((row) => [row.sellerId, row.facts]));
}

function pauseAfter(nowMs: number, retryAfterMs: number | null) {
  if (retryAfterMs !== null) return { untilMs: nowMs + retryAfterMs };
  const doublings = sql`least(${sellerPauses.refusals}, ${MAX_DOUBLINGS})`;
  return {
    untilMs: sql`${nowMs}::bigint + least(${DAY_MS}::bigint, ${FIRST_PAUSE_MS}::bigint * (1 << ${doublings}))`,
    refusals: sql`${doublings} + 1`,
  };
}

async function claimed(
  db: Db,
  sellerId: number,
  { nowMs, untilMs, lapsedUntilMs }: NewSellerClaim,
): Promise<boolean> {
  const dayAgoMs = nowMs - DAY_MS;
  const isNewDay = lte(sellerFacts.askedSinceMs, dayAgoMs);
  const rows = await db
    .insert(sellerFacts)
    .values({ sellerId, requests: 1, askedSinceMs: nowMs, claimedUntilMs: untilMs })
    .onConflictDoUpdate({
      target: sellerFacts.sellerId,
      set: {
        requests: sql`case when ${isNewDay} then 1 else ${sellerFacts.requests} + 1 end`,
        askedSinceMs: sql`case when ${isNewDay} then ${nowMs}::bigint else ${sellerFacts.askedSinceMs} end`,
        claimedUntilMs: untilMs,
      },
      setWhere: sql`(${sellerFacts.knownAtMs} is null or ${sellerFacts.knownAtMs} <= ${dayAgoMs})
        and ${sellerFacts.claimedUntilMs} in (0, ${lapsedUntilMs ?? 0}::bigint)
        and (${isNewDay} or ${sellerFacts.requests} < ${MAX_SELLER_REQUESTS})`,
    })
    .returning({ sellerId: sellerFacts.sellerId });
  return rows.length > 0;
}

/** An article that was not seen for this long counts as listed for the first time. */
const KEPT_MS = 30 * 24 * 3_600_000;

export function createRelistStore(db: Db): RelistStore {
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
      const [rows, sellers, goneAtMs] = await Promise.all([
        db.select().from(relists).where(isOneOfNumbers(relists.lastListingId, ids)),
        knownSellers(db, sellerIds, nowMs),
        goneTimes(db, ids),
      ]);
      const byListing = new Map(rows.map((row) => [row.lastListingId, relistOf(row)]));
      const known = listings.flatMap(({ listing, seenAtMs }): readonly [ListingId, ListingBackground][] => {
        const relist = byListing.get(listing.id) ?? null;
        const seller = sellers.get(listing.seller.id) ?? null;
        // The market has shown it since: it is for sale again.
        const isGone = (goneAtMs.get(listing.id) ?? -Infinity) >= seenAtMs;
        if (relist === null && seller === null && !isGone) return [];
        return [[listing.id, { relist, seller, ...(isGone ? { isGone } : {}) }]];
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

/** When a purchase last showed that a listing is gone. */
async function goneTimes(db: Db, ids: readonly ListingId[]): Promise<ReadonlyMap<ListingId, number>> {
  const rows = await db
    .select({ listingId: purchases.listingId, atMs: purchases.updatedAtMs })
    .from(purchases)
    .where(and(isOneOfNumbers(purchases.listingId, ids), provesListingGone(purchases)))
    .orderBy(purchases.updatedAtMs);
  return new Map(rows.map(({ listingId, atMs }) => [listingId, atMs]));
}

type RelistRow = typeof relists.$inferSelect;

function relistOf({ count, earlierLowestCents, firstPriceCents, firstSeenAtMs }: RelistRow): Relist | null {
  if (count < 2 || earlierLowestCents === null) return null;
  return { earlierCount: count - 1, firstSeenAtMs, firstPriceCents, lowestPriceCents: earlierLowestCents };
}

/** A statement may touch a row only once: later listings of one article go into later statements. */
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

/** The row of an article whose first listing this is. */
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

/**
 * The noted listing is the last one again, was posted together with it or before it, or is a relist. Listing
 * ids increase with time and order listings of the same timestamp.
 */
function changesBy(apartMs: number) {
  const isKnown = sql`excluded.last_listing_id <= ${relists.lastListingId}`;
  const isTogether = sql`excluded.last_seen_at_ms < ${relists.lastSeenAtMs} + ${apartMs}`;
  const isForgotten = sql`excluded.last_seen_at_ms - ${relists.lastSeenAtMs} > ${KEPT_MS}`;
  const column = (own: AnyColumn, anew: SQL, relisted: SQLWrapper = anew): SQL =>
    sql`case when ${isKnown} or ${isTogether} then ${own} when ${isForgotten} then ${anew} else ${relisted} end`;
  const lowest = sql`least(${relists.lowestPriceCents}, excluded.lowest_price_cents)`;
  return {
    count: column(relists.count, sql`1`, sql`${relists.count} + 1`),
    firstPriceCents: column(
      relists.firstPriceCents,
      sql`excluded.first_price_cents`,
      relists.firstPriceCents,
    ),
    earlierLowestCents: column(relists.earlierLowestCents, sql`null`, relists.lowestPriceCents),
    lowestPriceCents: sql`case when ${isForgotten} then excluded.lowest_price_cents else ${lowest} end`,
    firstSeenAtMs: column(relists.firstSeenAtMs, sql`excluded.first_seen_at_ms`, relists.firstSeenAtMs),
    lastSeenAtMs: sql`greatest(${relists.lastSeenAtMs}, excluded.last_seen_at_ms)`,
    lastListingId: column(relists.lastListingId, sql`excluded.last_listing_id`),
  };
}
