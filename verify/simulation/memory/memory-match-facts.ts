import type { ListingId } from "#domain/ids.ts";
import type { ListingBackground } from "#domain/market/listing.ts";
import type { HeldMatch } from "#domain/market/match.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import { DAY_MS } from "#domain/clock.ts";
import {
  type HeldKey,
  type HeldMatchStore,
  type ListingStore,
  MAX_SELLER_REQUESTS,
  type RelistStore,
  type SellerFactStore,
} from "#store/market-store.ts";

/** Held matches; like those of the real store they survive the nodes. */
export function createMemoryHeld(listings: Pick<ListingStore, "byIds">): HeldMatchStore {
  const rows = new Map<string, { readonly held: HeldMatch; dueAtMs: number }>();
  const keyOf = ({ listingId, filterId }: HeldKey): string => `${listingId} ${filterId}`;
  return {
    async hold(held, dueAtMs) {
      for (const match of held)
        rows.set(keyOf({ listingId: match.listing.listing.id, filterId: match.filterId }), {
          held: match,
          dueAtMs,
        });
    },
    async takeDue({ nowMs, dueAtMs, limit }) {
      const due = [...rows.values()].filter((row) => row.dueAtMs <= nowMs).slice(0, limit);
      for (const row of due) row.dueAtMs = dueAtMs;
      const found = await listings.byIds(due.map(({ held }) => held.listing.listing.id));
      const latest = new Map(found.map((seen) => [seen.listing.id, seen]));
      return due.flatMap(({ held }) => {
        const listing = latest.get(held.listing.listing.id);
        return listing === undefined ? [] : [{ ...held, listing }];
      });
    },
    async renew(keys, dueAtMs) {
      for (const key of keys) {
        const row = rows.get(keyOf(key));
        if (row !== undefined) row.dueAtMs = dueAtMs;
      }
    },
    async end(keys) {
      for (const key of keys) rows.delete(keyOf(key));
    },
    async prune(beforeMs) {
      for (const [key, { held }] of rows) if (held.untilMs < beforeMs) rows.delete(key);
    },
  };
}

interface SellerRow {
  facts: SellerFacts | null;
  knownAtMs: number;
  requests: number;
  askedSinceMs: number;
  claimedUntilMs: number;
}

const FIRST_PAUSE_MS = 10 * 60_000;

export function createMemorySellerFacts(): SellerFactStore {
  const rows = new Map<number, SellerRow>();
  const pause = { untilMs: 0, refusals: 0 };
  const knownOf = (sellerId: number, nowMs: number): SellerFacts | null => {
    const row = rows.get(sellerId);
    return row === undefined || row.knownAtMs <= nowMs - DAY_MS ? null : row.facts;
  };
  return {
    async known(sellerIds, nowMs) {
      const found = sellerIds.map((id) => [id, knownOf(id, nowMs)] as const);
      return new Map(found.flatMap(([id, facts]) => (facts === null ? [] : [[id, facts] as const])));
    },
    async claim(sellerId, { nowMs, untilMs, lapsedUntilMs }) {
      if (pause.untilMs > nowMs) return { kind: "paused", untilMs: pause.untilMs };
      const facts = knownOf(sellerId, nowMs);
      if (facts !== null) return { kind: "known", facts };
      const before = rows.get(sellerId);
      const row = before ?? {
        facts: null,
        knownAtMs: -Infinity,
        requests: 0,
        askedSinceMs: nowMs,
        claimedUntilMs: 0,
      };
      const { claimedUntilMs } = row;
      if (claimedUntilMs !== 0 && claimedUntilMs !== lapsedUntilMs)
        return { kind: "taken", untilMs: claimedUntilMs };
      if (row.askedSinceMs <= nowMs - DAY_MS) Object.assign(row, { requests: 0, askedSinceMs: nowMs });
      if (row.requests >= MAX_SELLER_REQUESTS) return { kind: "taken", untilMs: claimedUntilMs };
      rows.set(sellerId, { ...row, requests: row.requests + 1, claimedUntilMs: untilMs });
      return { kind: "claimed" };
    },
    async save(sellerId, facts, nowMs) {
      const row = rows.get(sellerId);
      if (row !== undefined) rows.set(sellerId, { ...row, facts, knownAtMs: nowMs, claimedUntilMs: 0 });
      if (pause.untilMs <= nowMs) pause.refusals = 0;
    },
    async release(sellerId, untilMs) {
      const row = rows.get(sellerId);
      if (row?.claimedUntilMs === untilMs) row.claimedUntilMs = 0;
    },
    async pause(nowMs, retryAfterMs) {
      if (pause.untilMs > nowMs) return pause.untilMs;
      pause.untilMs = nowMs + (retryAfterMs ?? Math.min(DAY_MS, FIRST_PAUSE_MS * 2 ** pause.refusals));
      if (retryAfterMs === null) pause.refusals += 1;
      return pause.untilMs;
    },
    pausedUntil: async (nowMs) => (pause.untilMs > nowMs ? pause.untilMs : null),
    prune: async () => undefined,
  };
}

interface ArticleRow {
  readonly count: number;
  readonly firstPriceCents: number;
  readonly firstSeenAtMs: number;
  readonly lowestPriceCents: number;
  readonly earlierLowestCents: number | null;
  readonly lastSeenAtMs: number;
  readonly lastListingId: ListingId;
}

export function createMemoryRelists(): RelistStore {
  const rows = new Map<bigint, ArticleRow>();
  return {
    async note(articles, apartMs) {
      const found = new Map<ListingId, Relist>();
      for (const { key, seen } of articles.toSorted((a, b) => a.seen.firstSeenAtMs - b.seen.firstSeenAtMs)) {
        const row = noted(rows.get(key), seen, apartMs);
        rows.set(key, row);
        if (row.lastListingId === seen.listing.id && row.earlierLowestCents !== null)
          found.set(seen.listing.id, {
            earlierCount: row.count - 1,
            firstSeenAtMs: row.firstSeenAtMs,
            firstPriceCents: row.firstPriceCents,
            lowestPriceCents: row.earlierLowestCents,
          });
      }
      return found;
    },
    backgrounds: async () => new Map<ListingId, ListingBackground>(),
    prune: async () => undefined,
  };
}

function noted(
  before: ArticleRow | undefined,
  { listing, firstSeenAtMs }: Parameters<RelistStore["note"]>[0][number]["seen"],
  apartMs: number,
): ArticleRow {
  const { id: lastListingId, totalPriceCents } = listing;
  if (before === undefined)
    return {
      count: 1,
      firstPriceCents: totalPriceCents,
      firstSeenAtMs,
      lowestPriceCents: totalPriceCents,
      earlierLowestCents: null,
      lastSeenAtMs: firstSeenAtMs,
      lastListingId,
    };
  const lowestPriceCents = Math.min(before.lowestPriceCents, totalPriceCents);
  const lastSeenAtMs = Math.max(before.lastSeenAtMs, firstSeenAtMs);
  const isKnown = lastListingId <= before.lastListingId;
  if (isKnown || firstSeenAtMs < before.lastSeenAtMs + apartMs)
    return { ...before, lowestPriceCents, lastSeenAtMs };
  return {
    ...before,
    count: before.count + 1,
    lowestPriceCents,
    earlierLowestCents: before.lowestPriceCents,
    lastSeenAtMs,
    lastListingId,
  };
}
