/** Queries on the archive that take one pass over its blocks: counts, surveys, prices, frequent pairs, contents. */
import type { MarketPrices, PriceRange } from "#domain/market/standing.ts";
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import type { FilterCriteria } from "#domain/market/filter.ts";
import { UNKNOWN_ID } from "#matching/candidate.ts";
import { compileFilter } from "#matching/compile-filter.ts";
import type { Block } from "../archive/block.ts";
import { isFirstSight } from "../archive/version.ts";
import { createDayCounter, dayOfNumber } from "../paris-days.ts";
import { isOfSeller, VersionMatcher } from "./version-matcher.ts";

export interface MarketCount {
  readonly found: number;
  /** Listings of the chosen types; all if none is chosen. */
  readonly seenInTypes: number;
  /** When the first version of one of them was seen; null if there was none. */
  readonly firstMs: number | null;
  /** Lowest and highest total price found; null if there was none. */
  readonly pricesCents: { readonly lowest: number; readonly highest: number } | null;
}

export interface CountInput {
  readonly criteria: FilterCriteria;
  readonly sinceMs: number;
  /** Hashes of the sellers whose listings are not found. */
  readonly blockedSellers: readonly number[];
}

/** Facts of the newest version of each listing. */
class Newest<Facts> {
  readonly #byListing = new Map<number, { readonly seenAtMs: number; readonly facts: Facts }>();

  put(listingId: number, seenAtMs: number, facts: () => Facts): void {
    const known = this.#byListing.get(listingId);
    if (known === undefined || known.seenAtMs <= seenAtMs)
      this.#byListing.set(listingId, { seenAtMs, facts: facts() });
  }

  *all(): Iterable<Facts> {
    for (const { facts } of this.#byListing.values()) yield facts;
  }
}

/** How many listings a draft filter would have found. */
export class CountRun {
  readonly #input: CountInput;
  readonly #test: VersionMatcher | null;
  readonly #blocked: ReadonlySet<number>;
  readonly #newest = new Newest<number | null>();
  #firstMs = Infinity;

  constructor(input: CountInput) {
    const spec = compileFilter(input.criteria);
    this.#input = input;
    this.#blocked = new Set(input.blockedSellers);
    this.#test = spec === null ? null : new VersionMatcher(spec);
  }

  take(block: Block): void {
    const test = this.#test;
    if (test === null) return;
    for (const index of versionsSince(block, this.#input.sinceMs)) {
      if (test.placeOf(block.leafSetAt(index)) !== "inside") continue;
      const seenAtMs = block.seenAt()[index] ?? 0;
      this.#firstMs = Math.min(this.#firstMs, seenAtMs);
      this.#newest.put(block.listingIds()[index] ?? 0, seenAtMs, () =>
        this.#finds(test, block, index) ? (block.prices()[index] ?? 0) : null,
      );
    }
  }

  #finds(test: VersionMatcher, block: Block, index: number): boolean {
    if (isOfSeller(this.#blocked, block, index)) return false;
    return test.missed(block, index) === 0 && test.holds(block, index);
  }

  finish(): MarketCount {
    let [seenInTypes, found, lowest, highest] = [0, 0, Infinity, -Infinity];
    for (const cents of this.#newest.all()) {
      seenInTypes += 1;
      if (cents === null) continue;
      found += 1;
      lowest = Math.min(lowest, cents);
      highest = Math.max(highest, cents);
    }
    return {
      found,
      seenInTypes,
      firstMs: seenInTypes === 0 ? null : this.#firstMs,
      pricesCents: found === 0 ? null : { lowest, highest },
    };
  }
}

/** A frequent brand, within one category if the readings prove one. */
interface FrequentSearch {
  readonly brandId: number;
  /** Null if only the brand is known. */
  readonly categoryId: number | null;
  /** Upper quartile of their prices, rounded up to a multiple of 5 EUR. */
  readonly priceCapEur: number;
  /** How many of them cost at most the cap. */
  readonly found: number;
}

export interface MarketSurvey {
  /** Number of listings per given filter, in the same order. */
  readonly found: readonly number[];
  /** The most frequent first, each brand once. */
  readonly frequent: readonly FrequentSearch[];
}

export interface SurveyInput {
  readonly filters: readonly FilterCriteria[];
  readonly sinceMs: number;
  readonly maxFrequent: number;
}

/** Minimum number of listings to count as frequent. */
const MIN_FREQUENT = 3;
const CAP_STEP_CENTS = 500;
const CAP_SHARE = 0.75;

/** Suggestions for a person without filters, from listings first seen recently. */
export class SurveyRun {
  readonly #input: SurveyInput;
  readonly #tests: readonly (VersionMatcher | null)[];
  readonly #newest = new Newest<{
    readonly held: readonly boolean[];
    readonly pair: { readonly brandId: number; readonly categoryId: number | null; readonly cents: number };
  }>();

  constructor(input: SurveyInput) {
    this.#input = input;
    this.#tests = input.filters.map((criteria) => {
      const spec = compileFilter(criteria);
      return spec === null ? null : new VersionMatcher(spec);
    });
  }

  take(block: Block): void {
    const { sinceMs } = this.#input;
    for (const index of versionsSince(block, sinceMs)) {
      if ((block.firstSeenAt()[index] ?? 0) < sinceMs) continue;
      this.#newest.put(block.listingIds()[index] ?? 0, block.seenAt()[index] ?? 0, () => ({
        held: this.#tests.map((test) => test?.holds(block, index) === true),
        pair: {
          brandId: block.brands()[index] ?? UNKNOWN_ID,
          categoryId: block.leafSetAt(index).categoryId,
          cents: block.prices()[index] ?? 0,
        },
      }));
    }
  }

  finish(): MarketSurvey {
    const found = this.#tests.map(() => 0);
    const pairs = new Map<string, { brandId: number; categoryId: number | null; prices: number[] }>();
    for (const { held, pair } of this.#newest.all()) {
      for (const [place, isHeld] of held.entries()) if (isHeld) found[place] = (found[place] ?? 0) + 1;
      const { brandId, categoryId, cents } = pair;
      if (brandId === UNKNOWN_ID) continue;
      const key = `${brandId} ${categoryId}`;
      const known = pairs.get(key);
      if (known === undefined) pairs.set(key, { brandId, categoryId, prices: [cents] });
      else known.prices.push(cents);
    }
    // A pair of brand and category is more specific than a brand alone.
    const inOrder = [...pairs.values()]
      .filter(({ prices }) => prices.length >= MIN_FREQUENT)
      .toSorted(
        (one, other) =>
          Number(other.categoryId !== null) - Number(one.categoryId !== null) ||
          other.prices.length - one.prices.length ||
          one.brandId - other.brandId,
      );
    const byBrand = new Map<number, FrequentSearch>();
    for (const { brandId, categoryId, prices } of inOrder)
      if (!byBrand.has(brandId)) byBrand.set(brandId, { brandId, categoryId, ...cappedAt(prices) });
    return { found, frequent: [...byBrand.values()].slice(0, this.#input.maxFrequent) };
  }
}

function cappedAt(prices: readonly number[]): Pick<FrequentSearch, "priceCapEur" | "found"> {
  const sorted = prices.toSorted((one, other) => one - other);
  const upper = sorted[Math.ceil(sorted.length * CAP_SHARE) - 1] ?? 0;
  const capCents = Math.ceil(upper / CAP_STEP_CENTS) * CAP_STEP_CENTS;
  return { priceCapEur: capCents / 100, found: sorted.filter((cents) => cents <= capCents).length };
}

export interface PricesInput {
  readonly typeId: number;
  /** Null: any. */
  readonly brandId: number | null;
  readonly sinceMs: number;
  readonly untilMs: number;
}

const LEAST_PRICES = 5;
const MAX_RANGES = 20;

/** The counted prices of a type, or of one brand in it. */
export class PricesRun {
  readonly #input: PricesInput;
  readonly #leafIds: ReadonlySet<number>;
  readonly #counted = new Map<
    number,
    { readonly cents: number; readonly seenAtMs: number; readonly ids: readonly [number, number, number] }
  >();

  constructor(input: PricesInput) {
    this.#input = input;
    this.#leafIds = new Set(leafIdsUnder(input.typeId));
  }

  take(block: Block): void {
    const { brandId, sinceMs } = this.#input;
    for (const index of versionsSince(block, sinceMs)) {
      if (!block.isCountedAt(index)) continue;
      const own = block.brands()[index] ?? UNKNOWN_ID;
      if (brandId !== null && own !== brandId) continue;
      const { leafIds } = block.leafSetAt(index);
      if (!leafIds.every((id) => this.#leafIds.has(id))) continue;
      this.#counted.set(block.listingIds()[index] ?? 0, {
        cents: block.prices()[index] ?? 0,
        seenAtMs: block.seenAt()[index] ?? 0,
        ids: [block.conditions()[index] ?? 0, block.sizesAt(index)[0] ?? 0, own],
      });
    }
  }

  finish(): MarketPrices {
    const counted = [...this.#counted.values()];
    const dayOf = createDayCounter();
    const last = dayOf(this.#input.untilMs);
    const first = dayOf(this.#input.sinceMs);
    const byDay = Map.groupBy(counted, ({ seenAtMs }) => dayOf(seenAtMs));
    return {
      all: rangeOf(counted.map(({ cents }) => cents)),
      conditions: this.#rangesBy(0),
      sizes: this.#rangesBy(1),
      brands: this.#input.brandId === null ? this.#rangesBy(2) : [],
      days: Array.from({ length: last - first + 1 }, (_, index) => {
        const prices = (byDay.get(first + index) ?? []).map(({ cents }) => cents);
        const medianCents = prices.length === 0 ? null : quartilesOf(prices)[1];
        return { day: dayOfNumber(first + index), count: prices.length, medianCents };
      }),
    };
  }

  /** By condition, size or brand: the most frequent known values. */
  #rangesBy(place: 0 | 1 | 2): readonly (PriceRange & { readonly id: number })[] {
    const groups = Map.groupBy(this.#counted.values(), ({ ids }) => ids[place]);
    return Array.from(groups, ([id, own]) => ({ id, ...rangeOf(own.map(({ cents }) => cents)) }))
      .filter(({ id }) => id !== UNKNOWN_ID)
      .toSorted((one, other) => other.count - one.count || one.id - other.id)
      .slice(0, MAX_RANGES);
  }
}

function rangeOf(prices: readonly number[]): PriceRange {
  return { count: prices.length, quartilesCents: prices.length < LEAST_PRICES ? null : quartilesOf(prices) };
}

function quartilesOf(prices: readonly number[]): readonly [number, number, number] {
  const sorted = prices.toSorted((one, other) => one - other);
  const at = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const lower = sorted[Math.floor(place)] ?? 0;
    const upper = sorted[Math.ceil(place)] ?? lower;
    return Math.round(lower + (upper - lower) * (place - Math.floor(place)));
  };
  return [at(0.25), at(0.5), at(0.75)];
}

/** A type and a brand that many counted listings have. */
export interface PopularPair {
  readonly typeId: number;
  readonly brandId: number;
  readonly count: number;
  readonly medianCents: number;
}

const MAX_PAIRS = 24;

export class PopularRun {
  readonly #sinceMs: number;
  readonly #counted = new Map<
    number,
    { readonly typeId: number; readonly brandId: number; readonly cents: number }
  >();

  constructor({ sinceMs }: { readonly sinceMs: number }) {
    this.#sinceMs = sinceMs;
  }

  take(block: Block): void {
    for (const index of versionsSince(block, this.#sinceMs)) {
      const brandId = block.brands()[index] ?? UNKNOWN_ID;
      const { typeId } = block.leafSetAt(index);
      if (!block.isCountedAt(index) || brandId === UNKNOWN_ID || typeId === null) continue;
      const cents = block.prices()[index] ?? 0;
      this.#counted.set(block.listingIds()[index] ?? 0, { typeId, brandId, cents });
    }
  }

  finish(): readonly PopularPair[] {
    const groups = Map.groupBy(this.#counted.values(), ({ typeId, brandId }) => `${typeId} ${brandId}`);
    return Array.from(groups.values(), (own) => {
      const { typeId = 0, brandId = 0 } = own[0] ?? {};
      return {
        typeId,
        brandId,
        count: own.length,
        medianCents: quartilesOf(own.map(({ cents }) => cents))[1],
      };
    })
      .filter(({ typeId, count }) => count >= LEAST_PRICES && categoryById(typeId) !== undefined)
      .toSorted(
        (one, other) => other.count - one.count || one.typeId - other.typeId || one.brandId - other.brandId,
      )
      .slice(0, MAX_PAIRS);
  }
}

/** Content of a part of the archive, for the operator. */
export interface ArchiveContent {
  /** First sights. */
  readonly listings: number;
  readonly firstMs: number | null;
}

/** Stores no listing ids: the archive may have tens of millions. */
export class ContentRun {
  #listings = 0;
  #firstMs = Infinity;

  take(block: Block): void {
    const seenAt = block.seenAt();
    for (let index = 0; index < block.count; index += 1) {
      if (isFirstSight(block.kindAt(index))) this.#listings += 1;
      this.#firstMs = Math.min(this.#firstMs, seenAt[index] ?? Infinity);
    }
  }

  finish(): ArchiveContent {
    return { listings: this.#listings, firstMs: this.#firstMs === Infinity ? null : this.#firstMs };
  }
}

function* versionsSince(block: Block, sinceMs: number): Iterable<number> {
  const seenAt = block.seenAt();
  for (let index = 0; index < block.count; index += 1)
    if ((seenAt[index] ?? 0) >= sinceMs && block.kindAt(index) !== "closing") yield index;
}
