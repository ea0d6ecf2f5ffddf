/**
 * What the product saw of the market in the last day, kept ready to be counted: how much a filter that is still being
 * written would find, and what things like a purchase usually cost. Filled from the store, so that it answers on every
 * node, also on one that does not read the market itself.
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
} from "./market-entry.ts";
import { Surveyor, type MarketSurvey } from "./market-survey.ts";

export interface RecentMarket {
  /** Reads nothing of the marketplace: what nobody's filters asked for was never seen, and is not counted. */
  count(criteria: FilterCriteria): Promise<MarketCount>;
  /**
   * What things like these usually cost, in the order given: same known brand, same condition, a type in common.
   * Null where too few were seen to say. Prices are item and protection, without shipping.
   */
  usualPrices(things: readonly LikeThis[]): Promise<readonly (UsualPrice | null)[]>;
  /** What of the listings first seen in the last hour these filters hold, and which searches would find many of them. */
  surveyLastHour(filters: readonly FilterCriteria[], maxFrequent: number): Promise<MarketSurvey>;
}

export interface MarketCount {
  readonly found: number;
  /** Listings of the chosen types that were looked at; all of them where no type is chosen, 0 for the impossible. */
  readonly seenInTypes: number;
  /** How far back the count reaches: a day, or less where less is remembered. */
  readonly sinceMs: number;
  /** Lowest and highest total price of what was found; null when nothing was. */
  readonly pricesCents: { readonly lowest: number; readonly highest: number } | null;
}

export interface LikeThis {
  readonly listing: Listing;
  /** The leaves in one of which it lies; empty: not known, so nothing is like it. */
  readonly leafIds: readonly number[];
}

export interface UsualPrice {
  readonly medianCents: number;
  /** How many listings it is the median of. */
  readonly sampleSize: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** The newest so many are remembered: some 15 MB. */
const MAX_ENTRIES = 20_000;
/** Asked for more often, the last answer of the store still stands. */
const REFRESH_EVERY_MS = 2_000;
/** Entries looked at before everything else gets its turn: a few milliseconds. */
const CHUNK_SIZE = 1_000;
/** Fewer say nothing about what is usual. */
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

/** Listings in the order of their last sight, the oldest first; bounded in number and age. */
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

  /** Everybody who asks at once waits for one and the same reading. */
  async refresh(): Promise<void> {
    if (this.#deps.clock.nowMs() - this.#refreshedAtMs < REFRESH_EVERY_MS) return;
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  /** A listing that is sighted anew meanwhile may come twice or not at all: a count of thousands bears it. */
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
    // As many as there may be at most: between what is remembered and these there may be a gap.
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
    // Slices change with the filters: what no listing uses any more must not pile up.
    if (this.#leafSets.size >= MAX_ENTRIES) this.#leafSets.clear();
    const made = leafSetOf(leafIds);
    this.#leafSets.set(key, made);
    return made;
  }
}

/** One walk over the memory for all things; each is compared only with its own brand and condition. */
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

/** Brand and condition as one key; null where either is not known. */
function likenessOf({ reading: { brandId, conditionId } }: MarketEntry): string | null {
  return brandId === UNKNOWN_ID || conditionId === UNKNOWN_ID ? null : `${brandId} ${conditionId}`;
}

/** The middle one; of an even number the mean of the two in the middle, in whole cents. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? upper) + upper) / 2);
}
