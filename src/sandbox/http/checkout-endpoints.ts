import { wireCheckoutUpdate } from "#marketplace/wire.ts";
import { z } from "zod";
import type { MarketOrder } from "../market/order.ts";
import { Refusal } from "../market/refusal.ts";
import { valid, type Endpoint, type EndpointParts } from "./endpoint.ts";
import * as present from "./wire.ts";

const conversationBody = z.object({
  initiator: z.literal("buy"),
  item_id: z.number().int().positive(),
  opposite_user_id: z.number().int().positive(),
});
const buildBody = z.object({
  purchase_items: z.tuple([z.object({ id: z.number().int().positive(), type: z.literal("transaction") })]),
});
const paymentBody = z.object({ checksum: z.string().min(1).max(200), payment_options: z.unknown() });

export function checkoutEndpoints(parts: EndpointParts): readonly Endpoint[] {
  return [...quoteEndpoints(parts), ...paymentEndpoints(parts)];
}

function quoteEndpoints({ market }: EndpointParts): readonly Endpoint[] {
  const { checkouts, sessions } = market;
  const checkout = (order: MarketOrder): object => {
    const state = order.details.checkout;
    const homeCents = market.stock.byId(order.listingId)?.homeShippingCents;
    if (state === null || homeCents === undefined) throw new Refusal("not_found");
    return present.presentCheckout(order, state, homeCents);
  };
  return [
    {
      method: "POST",
      pattern: /^\/api\/v2\/conversations$/,
      route: "conversation",
      run({ authorization, body }) {
        const account = sessions.accountOf(authorization);
        const wanted = valid(conversationBody, body);
        const listingId = wanted.item_id;
        const sellerId = wanted.opposite_user_id;
        return present.presentConversation(checkouts.openTransaction(account, { listingId, sellerId }));
      },
    },
    {
      method: "POST",
      pattern: /^\/api\/v2\/purchases\/checkout\/build$/,
      route: "build",
      run({ authorization, body }) {
        const account = sessions.accountOf(authorization);
        return checkout(checkouts.build(account, valid(buildBody, body).purchase_items[0].id));
      },
    },
    {
      method: "PUT",
      pattern: /^\/api\/v2\/purchases\/(\d{1,15})\/checkout$/,
      route: "checkout",
      run({ authorization, id, body }) {
        const account = sessions.accountOf(authorization);
        return checkout(checkouts.update(account, id, valid(wireCheckoutUpdate, body)));
      },
    },
    {
      method: "GET",
      pattern: /^\/api\/v2\/shipping_orders\/(\d{1,15})\/nearby_pickup_points$/,
      route: "points",
      run({ authorization, id, query }) {
        const account = sessions.accountOf(authorization);
        const latitude = degrees(query, "latitude", 90);
        const longitude = degrees(query, "longitude", 180);
        return present.presentPoints(checkouts.pointsNear(account, id, { latitude, longitude }));
      },
    },
  ];
}

function paymentEndpoints({ market, links, nowMs }: EndpointParts): readonly Endpoint[] {
  const { payments, sessions } = market;
  return [
    {
      method: "POST",
      pattern: /^\/api\/v2\/purchases\/(\d{1,15})\/checkout\/payment$/,
      route: "payment",
      run({ authorization, id, body, terms }) {
        const account = sessions.accountOf(authorization);
        const { checksum } = valid(paymentBody, body);
        return present.presentPayment(
          payments.pay(account, { checkoutId: id, checksum }, terms.payment),
          nowMs(),
          links,
        );
      },
    },
    {
      method: "GET",
      pattern: /^\/api\/v2\/purchases\/(\d{1,15})\/checkout\/payment$/,
      route: "payment",
      run({ authorization, id }) {
        const order = payments.payment(sessions.accountOf(authorization), id);
        return present.presentPayment(order, nowMs(), links);
      },
    },
  ];
}

function degrees(query: URLSearchParams, name: string, limit: number): number {
  const value = Number(query.get(name) ?? Number.NaN);
  if (!(Math.abs(value) <= limit)) throw new Refusal("invalid_request");
  return value;
}
