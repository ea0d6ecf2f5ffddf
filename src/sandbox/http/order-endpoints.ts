import { isShipped } from "../market/cancellation.ts";
import type { MarketOrder } from "../market/order.ts";
import { Refusal } from "../market/refusal.ts";
import type { Endpoint, EndpointParts } from "./endpoint.ts";
import * as present from "./wire-order.ts";

const MAX_ORDERS_PER_PAGE = 96;

export function orderEndpoints({ market, links, nowMs }: EndpointParts): readonly Endpoint[] {
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
