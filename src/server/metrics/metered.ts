import type { Clock } from "#domain/clock.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import type { OpenStore } from "#store/open-store.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import type { Instruments } from "./instruments.ts";

/** A store whose writes are counted and whose commits are timed. */
export function meteredStore(store: OpenStore, instruments: Instruments, clock: Clock): OpenStore {
  return {
    ...store,
    listings: {
      ...store.listings,
      async record(batch) {
        await store.listings.record(batch);
        instruments.listings.inc(batch.listings.length);
        instruments.matches.inc(batch.matches.length);
        for (const { listing, matchedAtMs } of batch.matches)
          instruments.seenToMatched.observe(Math.max(0, matchedAtMs - listing.seenAtMs) / 1_000);
      },
    },
    purchases: meteredPurchases(store.purchases, instruments, clock),
    async ping() {
      const end = instruments.storeSeconds.startTimer({ work: "ping" });
      await store.ping();
      end();
    },
  };
}

function meteredPurchases(purchases: PurchaseStore, instruments: Instruments, clock: Clock): PurchaseStore {
  const sinceWish = ({ wishedAtMs }: PurchaseRecord): number =>
    Math.max(0, clock.nowMs() - wishedAtMs) / 1_000;

  function entered(record: PurchaseRecord): void {
    instruments.purchaseMoves.inc({ state: record.state });
  }

  return {
    ...purchases,
    async propose(proposal, decide) {
      const end = instruments.storeSeconds.startTimer({ work: "propose" });
      const outcome = await purchases.propose(proposal, decide);
      end();
      if (outcome.kind === "opened") {
        entered(outcome.record);
        instruments.wishToIntent.observe({ lane: outcome.record.lane }, sinceWish(outcome.record));
      }
      return outcome;
    },
    async advance(key, nowMs, decide, snapshot) {
      const end = instruments.storeSeconds.startTimer({ work: "advance" });
      const advance = await purchases.advance(key, nowMs, decide, snapshot);
      end();
      if (advance === null || advance.change === null) return advance;
      const { before, after } = advance;
      if (after.attemptPhase === "paying" && before.attemptPhase !== "paying")
        instruments.wishToPaying.observe({ lane: after.lane }, sinceWish(after));
      if (after.state !== before.state) {
        entered(after);
        if (OUTCOMES.has(after.state) && before.state === "submitting")
          instruments.wishToOutcome.observe({ lane: after.lane, state: after.state }, sinceWish(after));
      }
      return advance;
    },
  };
}

const OUTCOMES: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "confirmed",
  "awaiting",
  "failed",
  "unknown",
]);

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
    searchNewest: metered("search", (...given) => market.searchNewest(...given)),
    seller: metered("user", (...given) => market.seller(...given)),
    openTransaction: metered("conversation", (...given) => market.openTransaction(...given)),
    buildCheckout: metered("build", (...given) => market.buildCheckout(...given)),
    updateCheckout: metered("checkout", (...given) => market.updateCheckout(...given)),
    nearbyPickupPoints: metered("points", (...given) => market.nearbyPickupPoints(...given)),
    // A wait for the product's own budget, not a call.
    turnToPay: (...given) => market.turnToPay(...given),
    pay: metered("payment", (...given) => market.pay(...given)),
    payment: metered("payment_read", (...given) => market.payment(...given)),
    orders: metered("orders", (...given) => market.orders(...given)),
    transaction: metered("transaction", (...given) => market.transaction(...given)),
    requestCancel: metered("cancel", (...given) => market.requestCancel(...given)),
    refreshTokens: metered("refresh", (...given) => market.refreshTokens(...given)),
  };
}
