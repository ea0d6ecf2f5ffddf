/**
 * The listings of the last day, prepared for counting: how many a draft filter would find, and what similar things
 * usually cost. Filled from the store, so it answers on every node, also on one that does not read the market.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { Clock } from "#domain/clock.ts";
import type { FilterCriteria } from "#domain/filter.ts";
import type { ListingId } from "#domain/ids.ts";
import type { Listing } from "#domain/listing.ts";
import { UNKNOWN_ID } from "#matching/candidate.ts";
import { compileFilter } from "#matching/compile-filter.ts";
import type { ListingStore } from "#store/store.ts";
import {
  entryTestFor,
  leafSetOf,
  marketEntryOf,
  type EntryTest,
  type LeafSet,
  type MarketEntry,
  Surveyor,
  type MarketSurvey,
} from "./market-survey.ts";

export interface RecentMarket {
  /** Sends no request to the marketplace: listings that no filter's slice covered are not counted. */
  count(criteria: FilterCriteria): Promise<MarketCount>;
  /**
   * The usual prices of similar things, in the same order: same known brand, same condition, a category in common. Null
   * if too few were seen. Prices are item and protection, without shipping.
   */
  usualPrices(things: readonly LikeThis[]): Promise<readonly (UsualPrice | null)[]>;
  /** How many listings of the last hour the filters hold, and which searches would find many of them. */
  surveyLastHour(filters: readonly FilterCriteria[], maxFrequent: number): Promise<MarketSurvey>;
}

export interface MarketCount {
  readonly found: number;
  /**
   * Listings of the chosen categories that were examined; all if none is chosen, 0 for a filter that can match nothing.
   */
  readonly seenInTypes: number;
  /** Start of the counted period: a day ago, or later if less is remembered. */
  readonly sinceMs: number;
  /** Lowest and highest total price found; null if there was none. */
  readonly pricesCents: { readonly lowest: number; readonly highest: number } | null;
}

export interface LikeThis {
  readonly listing: Listing;
  /** The leaves that it may be in; empty: unknown, so nothing is similar. */
  readonly leafIds: readonly number[];
}

export interface UsualPrice {
  readonly medianCents: number;
  /** Number of listings behind the median. */
  readonly sampleSize: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Only the newest are remembered: about 15 MB. */
const MAX_ENTRIES = 20_000;
/** Within this time the last answer of the store is reused. */
const REFRESH_EVERY_MS = 2_000;
/** Entries examined between two yields to the event loop: a few milliseconds. */
const CHUNK_SIZE = 1_000;
/** With fewer listings there is no usual price. */
export const MIN_SAMPLE = 5;

interface RecentMarketDeps {
  readonly listings: Pick<ListingStore, "seenSince">;
  readonly clock: Pick<Clock, "nowMs">;
}

export function createRecentMarket(deps: RecentMarketDeps): RecentMarket {
  const memory = new MarketMemory(deps);
  return {
    async count(criteria) {
      await memory.refresh();
      const tally = new Tally();
      const test = entryTestOf(criteria);
      for await (const [, entry] of memory.entries()) {
        tally.earliestMs = Math.min(tally.earliestMs, entry.firstSeenAtMs);
        if (test === null || !test.isInTypes(entry)) continue;
        tally.seenInTypes += 1;
        if (test.holds(entry)) tally.add(entry.reading.totalPriceCents);
      }
      return tally.result(memory.coveredSinceMs, deps.clock.nowMs());
    },
    async usualPrices(things) {
      await memory.refresh();
      return await usualPricesOf(things, memory);
    },
    async surveyLastHour(filters, maxFrequent) {
      await memory.refresh();
      const surveyor = new Surveyor(filters.map(entryTestOf));
      const sinceMs = deps.clock.nowMs() - HOUR_MS;
      for await (const [, entry] of memory.entries()) if (entry.firstSeenAtMs >= sinceMs) surveyor.add(entry);
      return surveyor.result(maxFrequent);
    },
  };
}

/** Null for a filter that can match nothing. */
function entryTestOf(criteria: FilterCriteria): EntryTest | null {
  const spec = compileFilter(criteria);
  return spec === null ? null : entryTestFor(spec);
}

class Tally {
  seenInTypes = 0;
  earliestMs = Infinity;
  #found = 0;
  #lowest = Infinity;
  #highest = -Infinity;

  add(priceCents: number): void {
    this.#found += 1;
    this.#lowest = Math.min(this.#lowest, priceCents);
    this.#highest = Math.max(this.#highest, priceCents);
  }

  result(coveredSinceMs: number, nowMs: number): MarketCount {
    const earliestMs = this.earliestMs === Infinity ? nowMs : this.earliestMs;
    return {
      found: this.#found,
      seenInTypes: this.seenInTypes,
      sinceMs: Math.max(coveredSinceMs, earliestMs),
      pricesCents: this.#found === 0 ? null : { lowest: this.#lowest, highest: this.#highest },
    };
  }
}

/** Listings by the time they were last seen, oldest first; bounded by number and age. */
class MarketMemory {
  readonly #deps: RecentMarketDeps;
  readonly #entries = new Map<ListingId, MarketEntry>();
  readonly #leafSets = new Map<string, LeafSet>();
  #truncatedAtMs = -Infinity;
  #newestMs = -Infinity;
  #refreshedAtMs = -Infinity;
  #refreshing: Promise<void> | null = null;

  constructor(deps: RecentMarketDeps) {
    this.#deps = deps;
  }

  get coveredSinceMs(): number {
    return Math.max(this.#truncatedAtMs, this.#deps.clock.nowMs() - DAY_MS);
  }

  /** Concurrent callers share one reading. */
  async refresh(): Promise<void> {
    if (this.#deps.clock.nowMs() - this.#refreshedAtMs < REFRESH_EVERY_MS) return;
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  /**
   * A listing that is refreshed meanwhile may be returned twice or not at all, which is negligible in a count of
   * thousands.
   */
  async *entries(): AsyncIterable<readonly [ListingId, MarketEntry]> {
    const all = [...this.#entries];
    for (let start = 0; start < all.length; start += CHUNK_SIZE) {
      yield* all.slice(start, start + CHUNK_SIZE);
      await otherWork();
    }
  }

  async #read(): Promise<void> {
    const { listings, clock } = this.#deps;
    const nowMs = clock.nowMs();
    const sinceMs = Math.max(this.#newestMs, nowMs - DAY_MS);
    const seen = await listings.seenSince(sinceMs, MAX_ENTRIES);
    // The maximum number: listings between the remembered ones and these may be missing.
    if (seen.length === MAX_ENTRIES) {
      this.#entries.clear();
      this.#truncatedAtMs = seen.at(-1)?.seenAtMs ?? nowMs;
    }
    for (const [index, one] of seen.toReversed().entries()) {
      const { id } = one.listing;
      this.#entries.delete(id);
      this.#entries.set(id, marketEntryOf(one, this.#leafSet(one.facts.leafIds)));
      this.#newestMs = one.seenAtMs;
      if (index % CHUNK_SIZE === CHUNK_SIZE - 1) await otherWork();
    }
    this.#forget(nowMs - DAY_MS);
    this.#refreshedAtMs = nowMs;
  }

  #forget(oldestMs: number): void {
    for (const [id, { seenAtMs }] of this.#entries) {
      const isTooMuch = this.#entries.size > MAX_ENTRIES;
      if (!isTooMuch && seenAtMs >= oldestMs) return;
      if (isTooMuch) this.#truncatedAtMs = seenAtMs;
      this.#entries.delete(id);
    }
    if (this.#entries.size === 0) this.#leafSets.clear();
  }

  #leafSet(leafIds: readonly number[]): LeafSet {
    const key = leafIds.join();
    const known = this.#leafSets.get(key);
    if (known !== undefined) return known;
    // Slices change with the filters: sets that no listing uses any more must not accumulate.
    if (this.#leafSets.size >= MAX_ENTRIES) this.#leafSets.clear();
    const made = leafSetOf(leafIds);
    this.#leafSets.set(key, made);
    return made;
  }
}

/** One pass over the memory for all things; each is compared only with its own brand and condition. */
async function usualPricesOf(
  things: readonly LikeThis[],
  memory: MarketMemory,
): Promise<readonly (UsualPrice | null)[]> {
  const wanted = things.map(({ listing, leafIds }) => ({
    id: listing.id,
    leafIds: new Set(leafIds),
    key: likenessOf(marketEntryOf(asSeen(listing), NO_LEAVES)),
    pricesCents: new Array<number>(),
  }));
  const byKey = Map.groupBy(
    wanted.filter(({ key }) => key !== null),
    ({ key }) => key,
  );
  if (byKey.size === 0) return things.map(() => null);
  for await (const [id, entry] of memory.entries()) {
    for (const thing of byKey.get(likenessOf(entry)) ?? []) {
      const isOfItsTypes = entry.leaves.leafIds.some((leafId) => thing.leafIds.has(leafId));
      if (isOfItsTypes && id !== thing.id) thing.pricesCents.push(entry.reading.totalPriceCents);
    }
  }
  return wanted.map(({ pricesCents }) =>
    pricesCents.length < MIN_SAMPLE
      ? null
      : { medianCents: medianOf(pricesCents), sampleSize: pricesCents.length },
  );
}

const NO_LEAVES = leafSetOf([]);

function asSeen(listing: Listing) {
  return {
    listing,
    facts: { leafIds: [], marketplaceColourIds: [] },
    firstSeenAtMs: 0,
    seenAtMs: 0,
  };
}

/** Brand and condition as one key; null if either is unknown. */
function likenessOf({ reading: { brandId, conditionId } }: MarketEntry): string | null {
  return brandId === UNKNOWN_ID || conditionId === UNKNOWN_ID ? null : `${brandId} ${conditionId}`;
}

/** The middle value; of an even number the mean of the two middle ones, in whole cents. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? upper) + upper) / 2);
}
