import { z } from "zod";
import { checkoutEndpoints } from "./checkout-endpoints.ts";
import { valid, type Endpoint, type EndpointParts } from "./endpoint.ts";
import { isShipped } from "../market/cancellation.ts";
import type { MarketOrder } from "../market/order.ts";
import { Refusal } from "../market/refusal.ts";
import * as present from "./wire.ts";
import { readCatalogueQuery, MAX_PAGES, type CatalogueQuery, MAX_RESULTS } from "../market/search-index.ts";
import type { MarketListing } from "../market/listing.ts";
import { drawSellerProfile } from "../world/draw-listing.ts";

export function marketplaceEndpoints(parts: EndpointParts): readonly Endpoint[] {
  return [
    ...catalogueEndpoints(parts),
    ...checkoutEndpoints(parts),
    userEndpoint(parts),
    ...orderEndpoints(parts),
    refreshEndpoint(parts),
  ];
}

function userEndpoint({ market: { database, seed } }: EndpointParts): Endpoint {
  return {
    method: "GET",
    pattern: /^\/api\/v2\/users\/(\d{1,15})$/,
    route: "user",
    run({ id }) {
      const known = database.sellers.byId(id);
      if (known !== null) return present.presentSeller(id, known.login, known);
      const login = database.sellers.loginOf(id);
      if (login === null) throw new Refusal("not_found");
      return present.presentSeller(id, login, drawSellerProfile(seed, id));
    },
  };
}

const refreshBody = z.object({ refresh_token: z.string().min(1).max(4_096) });

function refreshEndpoint({ market: { sessions } }: EndpointParts): Endpoint {
  return {
    method: "POST",
    pattern: /^\/web\/api\/auth\/refresh$/,
    route: "refresh",
    run({ body, onDelivered }) {
      const tokens = sessions.refresh(valid(refreshBody, body).refresh_token);
      onDelivered(() => sessions.noteDelivered(tokens));
      return {
        access_token: tokens.accessToken,
        refresh_token: tokens.refreshToken,
        token_type: "Bearer",
        expires_in: tokens.expiresInS,
        code: 0,
      };
    },
  };
}

const MAX_ORDERS_PER_PAGE = 96;

function orderEndpoints({ market, links, nowMs }: EndpointParts): readonly Endpoint[] {
  const { sessions, cancellations, database } = market;
  const status = (order: MarketOrder): number => present.statusOf(order, isShipped(order, nowMs()));
  return [
    {
      method: "GET",
      pattern: /^\/api\/v2\/my_orders$/,
      route: "orders",
      run({ authorization, query, terms }) {
        const account = sessions.accountOf(authorization);
        const perPage = Math.min(MAX_ORDERS_PER_PAGE, pageNumber(query, "per_page", 20));
        const page = pageNumber(query, "page", 1);
        const known = { accountId: account.id, untilMs: terms.ordersUntilMs };
        const total = database.orders.purchaseCountOf(known);
        const orders = database.orders.purchasesOf(known, { offset: (page - 1) * perPage, limit: perPage });
        return {
          my_orders: orders.map((order) =>
            present.presentPurchase(order, status(order), market.stock.byId(order.listingId), links),
          ),
          pagination: {
            current_page: page,
            total_pages: Math.ceil(total / perPage),
            total_entries: total,
            per_page: perPage,
          },
          code: 0,
        };
      },
    },
    {
      method: "GET",
      pattern: /^\/api\/v2\/transactions\/(\d{1,15})$/,
      route: "transaction",
      run({ authorization, id }) {
        const account = sessions.accountOf(authorization);
        const order = database.orders.byId(id);
        if (order === null || order.accountId !== account.id) throw new Refusal("not_found");
        return present.presentTransaction(order, status(order), links);
      },
    },
    {
      method: "POST",
      pattern: /^\/api\/v2\/transactions\/(\d{1,15})\/cancel$/,
      route: "transaction",
      run({ authorization, id, terms }) {
        const order = cancellations.request(sessions.accountOf(authorization), id, terms.cancel);
        return present.presentTransaction(order, status(order), links);
      },
    },
  ];
}

function pageNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name) ?? String(fallback);
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Refusal("invalid_request");
  return Number(text);
}

function catalogueEndpoints({ market, links, nowMs }: EndpointParts): readonly Endpoint[] {
  return [
    {
      method: "GET",
      pattern: /^\/api\/v2\/catalog\/items$/,
      route: "catalog",
      run({ query: parameters, terms }) {
        const query = readCatalogueQuery(parameters);
        const found = market.searchIndex.newest(query, terms.catalogueUntilMs);
        const page = cataloguePage(found, query, nowMs());
        const items = page.listings.map((listing) => present.presentItem(listing, links));
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
          item: { ...present.presentItem(listing, links), is_closed: isClosed, is_reserved: isReserved },
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
