import { brandIdForTitle } from "#catalogue/brand-titles.ts";
import { categoryById } from "#catalogue/categories.ts";
import { marketplaceColours } from "#catalogue/colours.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { tokensOf } from "#catalogue/fold-text.ts";
import { sizeIdsForTitle } from "#catalogue/sizes.ts";
import type { MarketListing } from "./listing.ts";
import type { CatalogueQuery } from "./catalogue-query.ts";

/**
 * Everything that is for sale, in memory, for searching. The books are the truth; the shelf follows them.
 * Cost of a search: the listings of the leaves asked for, or the newest of all until enough are found.
 */
export interface Shelf {
  /** Puts a listing up, or replaces what is known of it; anything but an available one is not found by searches. */
  put(listing: MarketListing): void;
  remove(id: number): void;
  byId(id: number): MarketListing | null;
  /** The newest listings that fit and were published by then, newest first, at most `MAX_RESULTS`. */
  newest(query: CatalogueQuery, untilMs?: number): readonly MarketListing[];
  /** Everything on it, oldest first. */
  all(): Iterable<MarketListing>;
  readonly size: number;
}

/** As far as the marketplace lets anybody look. */
export const MAX_RESULTS = 960;

interface Entry {
  listing: MarketListing;
  isGone: boolean;
  readonly brandId: number | null;
  readonly sizeIds: readonly number[];
  readonly conditionId: number | null;
  readonly colourMask: number;
}

/** Beyond this many candidates, looking through the newest of all is cheaper than sorting those of the leaves. */
const MAX_SORTED_CANDIDATES = 6_000;

export function createShelf(): Shelf {
  const entries = new Map<number, Entry>();
  const order = createNewestFirst();
  const byLeaf = new Map<number, NewestFirst>();

  const shelfOf = (leafId: number): NewestFirst => {
    const known = byLeaf.get(leafId);
    if (known !== undefined) return known;
    const created = createNewestFirst();
    byLeaf.set(leafId, created);
    return created;
  };

  return {
    put(listing) {
      const known = entries.get(listing.id);
      if (known !== undefined) {
        known.listing = listing;
        return;
      }
      const entry = toEntry(listing);
      entries.set(listing.id, entry);
      order.add(entry);
      shelfOf(listing.leafId).add(entry);
    },
    remove(id) {
      const entry = entries.get(id);
      if (entry === undefined) return;
      entry.isGone = true;
      entries.delete(id);
      order.noteGone();
      shelfOf(entry.listing.leafId).noteGone();
    },
    byId: (id) => entries.get(id)?.listing ?? null,
    newest(query, untilMs = Infinity) {
      const shelves = query.leafIds === null ? null : [...query.leafIds].map((id) => byLeaf.get(id));
      const candidateCount = shelves?.reduce((sum, shelf) => sum + (shelf?.length ?? 0), 0) ?? Infinity;
      const candidates =
        shelves === null || candidateCount > MAX_SORTED_CANDIDATES
          ? order.newestFirst()
          : mergeNewestFirst(shelves);
      return collect(candidates, query, untilMs);
    },
    *all() {
      for (const { listing } of entries.values()) yield listing;
    },
    get size() {
      return entries.size;
    },
  };
}

function collect(
  candidates: Iterable<Entry>,
  query: CatalogueQuery,
  untilMs: number,
): readonly MarketListing[] {
  const found: MarketListing[] = [];
  const colourMask = query.colourIds === null ? ANY_COLOUR : maskOf(query.colourIds) | (1 << NO_COLOUR_BIT);
  for (const entry of candidates) {
    if ((entry.colourMask & colourMask) === 0 && colourMask !== ANY_COLOUR) continue;
    if (entry.listing.publishedAtMs > untilMs || !fits(entry, query)) continue;
    found.push(entry.listing);
    if (found.length === MAX_RESULTS) break;
  }
  return found;
}

function fits({ listing, isGone, brandId, sizeIds, conditionId }: Entry, query: CatalogueQuery): boolean {
  if (isGone || listing.state !== "available") return false;
  if (query.leafIds !== null && !query.leafIds.has(listing.leafId)) return false;
  if (listing.priceCents < query.priceFromCents || listing.priceCents > query.priceToCents) return false;
  if (query.brandIds !== null && (brandId === null || !query.brandIds.has(brandId))) return false;
  if (query.conditionIds !== null && (conditionId === null || !query.conditionIds.has(conditionId)))
    return false;
  if (!holdsAny(query.sizeIds, sizeIds)) return false;
  return query.words.length === 0 || holdsWords(listing, query.words);
}

function holdsAny(wanted: ReadonlySet<number> | null, ids: readonly number[]): boolean {
  return wanted === null || ids.some((id) => wanted.has(id));
}

function holdsWords(listing: MarketListing, words: readonly string[]): boolean {
  const tokens = new Set(tokensOf(`${listing.title} ${listing.brandTitle}`));
  return words.every((word) => tokens.has(word));
}

const ANY_COLOUR = 0;
/** Above every colour id there is: a search for none of them finds nothing, rather than everything. */
const NO_COLOUR_BIT = 31;

/** The marketplace's colours are few enough for a bit each: a search for a colour looks at every listing. */
function maskOf(colourIds: Iterable<number>): number {
  let mask = 0;
  for (const id of colourIds) mask |= bitOf.get(id) ?? 0;
  return mask;
}

const bitOf = new Map(marketplaceColours.map(({ id }, index) => [id, 1 << index]));

function toEntry(listing: MarketListing): Entry {
  const sizeGroupIds = categoryById(listing.leafId)?.sizeGroupIds ?? [];
  return {
    listing,
    isGone: false,
    brandId: brandIdForTitle(listing.brandTitle),
    sizeIds: sizeIdsForTitle(listing.sizeTitle, sizeGroupIds),
    conditionId: conditionIdForLabel(listing.conditionLabel),
    colourMask: maskOf(listing.colourIds),
  };
}

interface NewestFirst {
  add(entry: Entry): void;
  noteGone(): void;
  newestFirst(): Iterable<Entry>;
  readonly length: number;
}

const MIN_GONE_TO_COMPACT = 64;

/** Entries by id; those gone stay until they are a third, so that selling one costs nothing. */
function createNewestFirst(): NewestFirst {
  let entries: Entry[] = [];
  let goneCount = 0;
  return {
    add(entry) {
      entries.push(entry);
    },
    noteGone() {
      goneCount += 1;
      if (goneCount < MIN_GONE_TO_COMPACT || goneCount * 3 < entries.length) return;
      entries = entries.filter(({ isGone }) => !isGone);
      goneCount = 0;
    },
    *newestFirst() {
      for (let index = entries.length - 1; index >= 0; index -= 1) {
        const entry = entries[index];
        if (entry !== undefined) yield entry;
      }
    },
    get length() {
      return entries.length;
    },
  };
}

function mergeNewestFirst(shelves: readonly (NewestFirst | undefined)[]): readonly Entry[] {
  const entries = shelves.flatMap((shelf) => (shelf === undefined ? [] : [...shelf.newestFirst()]));
  return entries.sort((one, other) => other.listing.id - one.listing.id);
}
