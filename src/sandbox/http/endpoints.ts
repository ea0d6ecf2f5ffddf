import { z } from "zod";
import { catalogueEndpoints } from "./catalogue-endpoints.ts";
import { checkoutEndpoints } from "./checkout-endpoints.ts";
import { valid, type Endpoint, type EndpointParts } from "./endpoint.ts";
import { isShipped } from "../market/cancellation.ts";
import type { MarketOrder } from "../market/order.ts";
import { Refusal } from "../market/refusal.ts";
import * as present from "./wire.ts";

export function marketplaceEndpoints(parts: EndpointParts): readonly Endpoint[] {
  return [
    ...catalogueEndpoints(parts),
    ...checkoutEndpoints(parts),
    ...orderEndpoints(parts),
    refreshEndpoint(parts),
  ];
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
