import type { Log } from "#domain/log.ts";
import { openMarketDatabase } from "#sandbox/database/market-database.ts";
import { createFaults, type Faults, faultKinds } from "#sandbox/faults/faults.ts";
import { marketplaceEndpoints } from "#sandbox/http/endpoints.ts";
import { createLinks, createRequestCounters } from "#sandbox/http/endpoint.ts";
import { createMarketplaceApi, type MarketplaceApi } from "#sandbox/http/marketplace-api.ts";
import { createMarket, type Market } from "#sandbox/market/market.ts";
import { checkoutIdOf, type MarketOrder } from "#sandbox/market/order.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The sandbox's marketplace on simulated time, without its HTTP server; its database is the ground truth. */
export interface MarketWorld extends Disposable {
  readonly market: Market;
  readonly faults: Faults;
  readonly api: MarketplaceApi;
  /** Orders that were paid or await 3-D Secure, including cancelled ones, oldest first. */
  ordersPaid(): readonly TrueOrder[];
}

/** An order in the marketplace's database. */
export interface TrueOrder {
  readonly order: MarketOrder;
  readonly accountName: string;
  readonly checkoutId: number;
  readonly chargedCents: number;
}

export const ORIGIN = "http://market.invalid";

export function createMarketWorld(parts: {
  readonly time: VirtualTime;
  readonly seed: number;
  readonly log: Log;
}): MarketWorld {
  const { time: clock, seed, log } = parts;
  const database = openMarketDatabase(null);
  const market = createMarket({ database, clock, seed });
  const faults = createFaults({ kinds: faultKinds, clock, seed });
  const links = createLinks(ORIGIN);
  const endpoints = marketplaceEndpoints({ market, links, nowMs: () => clock.nowMs() });
  const counters = createRequestCounters();
  return {
    market,
    faults,
    api: createMarketplaceApi({ market, endpoints, faults, counters, clock, log }),
    ordersPaid: () =>
      database.orders
        .all()
        .filter(({ details }) => details.charge !== null)
        .map((order) => ({
          order,
          accountName: database.accounts.byId(order.accountId)?.name ?? "",
          checkoutId: checkoutIdOf(order.id),
          chargedCents: order.details.charge?.totalCents ?? 0,
        })),
    [Symbol.dispose]() {
      market[Symbol.dispose]();
      database[Symbol.dispose]();
    },
  };
}
