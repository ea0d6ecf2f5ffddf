import { readCatalogueQuery, MAX_PAGES, type CatalogueQuery, MAX_RESULTS } from "../market/search-index.ts";
import { Refusal } from "../market/refusal.ts";
import type { Endpoint, EndpointParts } from "./endpoint.ts";
import { presentItem } from "./wire.ts";
import type { MarketListing } from "../market/listing.ts";

export function catalogueEndpoints({ market, links, nowMs }: EndpointParts): readonly Endpoint[] {
  return [
    {
      method: "GET",
      pattern: /^\/api\/v2\/catalog\/items$/,
      route: "catalog",
      run({ query: parameters, terms }) {
        const query = readCatalogueQuery(parameters);
        const found = market.searchIndex.newest(query, terms.catalogueUntilMs);
        const page = cataloguePage(found, query, nowMs());
        const items = page.listings.map((listing) => presentItem(listing, links));
        return { items, dominant_brand: null, pagination: page.pagination, code: 0 };
      },
    },
    {
      method: "GET",
      pattern: /^\/api\/v2\/items\/(\d{1,15})$/,
      route: "catalog",
      run({ id }) {
        const listing = market.stock.byId(id);
        if (listing === null) throw new Refusal("not_found");
        if (listing.state === "withdrawn") throw new Refusal("item_withdrawn");
        const isClosed = listing.state === "sold";
        const isReserved = listing.state === "reserved";
        return {
          item: { ...presentItem(listing, links), is_closed: isClosed, is_reserved: isReserved },
          code: 0,
        };
      },
    },
  ];
}

/** A page of search results with its pagination. */
interface CataloguePage {
  readonly listings: readonly MarketListing[];
  readonly pagination: {
    readonly current_page: number;
    readonly total_pages: number;
    readonly total_entries: number;
    readonly per_page: number;
    readonly time: number;
  };
}

/** Positions where promoted listings appear in addition to their own: out of order and duplicated. */
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
