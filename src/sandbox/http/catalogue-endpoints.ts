import { readCatalogueQuery } from "../market/catalogue-query.ts";
import { Refusal } from "../market/refusal.ts";
import { cataloguePage } from "./catalogue-page.ts";
import type { Endpoint, EndpointParts } from "./endpoint.ts";
import { presentItem } from "./wire-item.ts";

export function catalogueEndpoints({ market, links, nowMs }: EndpointParts): readonly Endpoint[] {
  return [
    {
      method: "GET",
      pattern: /^\/api\/v2\/catalog\/items$/,
      route: "catalog",
      run({ query: parameters, terms }) {
        const query = readCatalogueQuery(parameters);
        const found = market.shelf.newest(query, terms.catalogueUntilMs);
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
