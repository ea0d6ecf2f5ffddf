import type { Marketplace } from "#marketplace/marketplace.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Instruments } from "./instruments.ts";

/** A marketplace whose calls are counted by outcome, and timed. */
export function meteredMarketplace(market: Marketplace, instruments: Instruments): Marketplace {
  const metered =
    <Given extends readonly unknown[], Result>(call: string, act: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const end = instruments.marketSeconds.startTimer({ call });
      let outcome = "ok";
      try {
        return await act(...given);
      } catch (error) {
        outcome = error instanceof MarketplaceError ? error.code : "bug";
        throw error;
      } finally {
        end();
        instruments.marketRequests.inc({ call, outcome });
      }
    };
  return {
    searchNewest: metered("search", (...given: Parameters<Marketplace["searchNewest"]>) =>
      market.searchNewest(...given),
    ),
    openTransaction: metered("conversation", (...given: Parameters<Marketplace["openTransaction"]>) =>
      market.openTransaction(...given),
    ),
    buildCheckout: metered("build", (...given: Parameters<Marketplace["buildCheckout"]>) =>
      market.buildCheckout(...given),
    ),
    updateCheckout: metered("checkout", (...given: Parameters<Marketplace["updateCheckout"]>) =>
      market.updateCheckout(...given),
    ),
    nearbyPickupPoints: metered("points", (...given: Parameters<Marketplace["nearbyPickupPoints"]>) =>
      market.nearbyPickupPoints(...given),
    ),
    // A wait in the product's own budget, not a call.
    turnToPay: (...given: Parameters<Marketplace["turnToPay"]>) => market.turnToPay(...given),
    pay: metered("payment", (...given: Parameters<Marketplace["pay"]>) => market.pay(...given)),
    payment: metered("payment_read", (...given: Parameters<Marketplace["payment"]>) =>
      market.payment(...given),
    ),
    orders: metered("orders", (...given: Parameters<Marketplace["orders"]>) => market.orders(...given)),
    transaction: metered("transaction", (...given: Parameters<Marketplace["transaction"]>) =>
      market.transaction(...given),
    ),
    requestCancel: metered("cancel", (...given: Parameters<Marketplace["requestCancel"]>) =>
      market.requestCancel(...given),
    ),
    refreshTokens: metered("refresh", (...given: Parameters<Marketplace["refreshTokens"]>) =>
      market.refreshTokens(...given),
    ),
  };
}
