import type { Clock } from "#domain/clock.ts";
import type { OpenStore } from "#store/open-store.ts";
import type { PurchaseRecord, PurchaseStore } from "#store/purchase-store.ts";
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
    async advance(key, nowMs, decide) {
      const end = instruments.storeSeconds.startTimer({ work: "advance" });
      const advance = await purchases.advance(key, nowMs, decide);
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
