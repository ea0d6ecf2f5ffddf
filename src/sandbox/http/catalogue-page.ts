import { MAX_PAGES, type CatalogueQuery } from "../market/catalogue-query.ts";
import type { MarketListing } from "../market/listing.ts";
import { MAX_RESULTS } from "../market/shelf.ts";

/** A page of search results and where it stands among them. */
export interface CataloguePage {
  readonly listings: readonly MarketListing[];
  readonly pagination: {
    readonly current_page: number;
    readonly total_pages: number;
    readonly total_entries: number;
    readonly per_page: number;
    readonly time: number;
  };
}

/** Where promoted listings are lifted to, beside their own place: the order is broken, and a listing comes twice. */
const PROMOTED_SLOTS = [3, 17] as const;
const MIN_RESULTS_TO_PROMOTE = 40;

export function cataloguePage(
  found: readonly MarketListing[],
  query: Pick<CatalogueQuery, "page" | "perPage">,
  nowMs: number,
): CataloguePage {
  const sequence = liftPromoted(found).slice(0, MAX_RESULTS);
  const totalPages = Math.min(MAX_PAGES, Math.ceil(sequence.length / query.perPage));
  const start = (query.page - 1) * query.perPage;
  return {
    listings: query.page > totalPages ? [] : sequence.slice(start, start + query.perPage),
    pagination: {
      current_page: query.page,
      total_pages: totalPages,
      total_entries: sequence.length,
      per_page: query.perPage,
      time: Math.floor(nowMs / 1_000),
    },
  };
}

function liftPromoted(found: readonly MarketListing[]): readonly MarketListing[] {
  if (found.length < MIN_RESULTS_TO_PROMOTE) return found;
  const lifted = found.slice(MIN_RESULTS_TO_PROMOTE / 2).filter(({ isPromoted }) => isPromoted);
  return PROMOTED_SLOTS.reduce<readonly MarketListing[]>((sequence, slot, index) => {
    const listing = lifted[index];
    return listing === undefined ? sequence : sequence.toSpliced(slot, 0, listing);
  }, found);
}
