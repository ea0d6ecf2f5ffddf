import { brandIdForTitle } from "#catalogue/brand-titles.ts";
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import { marketplaceColours } from "#catalogue/colours.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { tokensOf } from "#catalogue/fold-text.ts";
import { sizeIdsForTitle } from "#catalogue/sizes.ts";
import type { MarketListing } from "./listing.ts";
import { parseCents } from "#domain/money.ts";
import { Refusal } from "./refusal.ts";

/**
 * An in-memory index of the listings that are for sale, updated after each database write. A search costs the
 * number of listings in the requested leaves, or a scan of the newest listings until enough match.
 */
export interface SearchIndex {
  /** Adds or replaces a listing; searches find only available ones. */
  put(listing: MarketListing): void;
  remove(id: number): void;
  byId(id: number): MarketListing | null;
  /** Matching listings published no later than `untilMs`, newest first, at most `MAX_RESULTS`. */
  newest(query: CatalogueQuery, untilMs?: number): readonly MarketListing[];
  /** All listings, in the order in which they came or came back. */
  all(): Iterable<MarketListing>;
  readonly size: number;
}

/** The marketplace never returns more results than this. */
export const MAX_RESULTS = 960;

interface Entry {
  listing: MarketListing;
  isGone: boolean;
  readonly brandId: number | null;
  readonly sizeIds: readonly number[];
  readonly conditionId: number | null;
  readonly colourMask: number;
}

/** Above this number of candidates, scanning all listings is cheaper than sorting those of the leaves. */
const MAX_SORTED_CANDIDATES = 6_000;

export function createSearchIndex(): SearchIndex {
  const entries = new Map<number, Entry>();
  const order = createNewestFirst();
  const byLeaf = new Map<number, NewestFirst>();

  const partOf = (leafId: number): NewestFirst => {
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
      partOf(listing.leafId).add(entry);
    },
    remove(id) {
      const entry = entries.get(id);
      if (entry === undefined) return;
      entry.isGone = true;
      entries.delete(id);
      order.noteGone();
      partOf(entry.listing.leafId).noteGone();
    },
    byId: (id) => entries.get(id)?.listing ?? null,
    newest(query, untilMs = Infinity) {
      const parts = query.leafIds === null ? null : [...query.leafIds].map((id) => byLeaf.get(id));
      const candidateCount = parts?.reduce((sum, part) => sum + (part?.length ?? 0), 0) ?? Infinity;
      const candidates =
        parts === null || candidateCount > MAX_SORTED_CANDIDATES
          ? order.newestFirst()
          : mergeNewestFirst(parts);
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
/** A bit no colour uses: a search for unknown colours finds nothing instead of everything. */
const NO_COLOUR_BIT = 31;

/** One bit per colour, because a colour search tests every listing. */
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

/**
 * Entries in order of id. Removed entries are compacted once they make up a third, so that removal is cheap.
 */
function createNewestFirst(): NewestFirst {
  let entries: Entry[] = [];
  let goneCount = 0;
  return {
    add(entry) {
      // A listing that comes back, when its purchase is cancelled, is not the newest.
      const place = entries.findLastIndex(({ listing }) => listing.id < entry.listing.id) + 1;
      entries.splice(place, 0, entry);
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

function mergeNewestFirst(parts: readonly (NewestFirst | undefined)[]): readonly Entry[] {
  const entries = parts.flatMap((part) => (part === undefined ? [] : [...part.newestFirst()]));
  return entries.sort((one, other) => other.listing.id - one.listing.id);
}

/** The parameters of a catalogue search; null means no restriction. */
export interface CatalogueQuery {
  readonly leafIds: ReadonlySet<number> | null;
  readonly brandIds: ReadonlySet<number> | null;
  readonly sizeIds: ReadonlySet<number> | null;
  readonly conditionIds: ReadonlySet<number> | null;
  readonly colourIds: ReadonlySet<number> | null;
  readonly priceFromCents: number;
  readonly priceToCents: number;
  /** Folded tokens, all of which must occur in the title or brand. */
  readonly words: readonly string[];
  /** From 1. */
  readonly page: number;
  /** 20–96. */
  readonly perPage: number;
}

export const MAX_PAGES = 10;
const MIN_PER_PAGE = 20;
const MAX_PER_PAGE = 96;

/** @throws Refusal `invalid_request` for malformed numbers */
export function readCatalogueQuery(parameters: URLSearchParams): CatalogueQuery {
  const categoryIds = idList(parameters, "catalog_ids");
  return {
    leafIds: categoryIds === null ? null : new Set([...categoryIds].flatMap((id) => leafIdsUnder(id))),
    brandIds: idList(parameters, "brand_ids"),
    sizeIds: idList(parameters, "size_ids"),
    conditionIds: idList(parameters, "status_ids"),
    colourIds: idList(parameters, "color_ids"),
    priceFromCents: cents(parameters, "price_from") ?? 0,
    priceToCents: cents(parameters, "price_to") ?? Infinity,
    words: tokensOf(parameters.get("search_text") ?? ""),
    page: Math.max(1, wholeNumber(parameters, "page", 1)),
    perPage: Math.min(
      MAX_PER_PAGE,
      Math.max(MIN_PER_PAGE, wholeNumber(parameters, "per_page", MAX_PER_PAGE)),
    ),
  };
}

function idList(parameters: URLSearchParams, name: string): ReadonlySet<number> | null {
  const text = parameters.get(name);
  if (text === null || text === "") return null;
  return new Set(text.split(",").map(parseWhole));
}

function wholeNumber(parameters: URLSearchParams, name: string, fallback: number): number {
  const text = parameters.get(name);
  return text === null || text === "" ? fallback : parseWhole(text);
}

function parseWhole(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new Refusal("invalid_request");
  return Number(text);
}

function cents(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  if (text === null || text === "") return null;
  const value = parseCents(text);
  if (value === null) throw new Refusal("invalid_request");
  return value;
}
