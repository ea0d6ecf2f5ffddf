import { describe, expect, it } from "vitest";
import { sleep } from "#domain/clock.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { User } from "#domain/user.ts";
import { systemClock } from "#server/clock.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import type { TrueOrder } from "#verify/testing/sandbox-client.ts";
import { centsOf, type BuyingWorld } from "./buying-world.suite.ts";
import { buyingWorldPerTest } from "./world-per-test.suite.ts";

/**
 * Many people, many faults at once and two crashes; then a healthy marketplace, and the ledger is compared
 * with its orders (docs/purchase.md, the numbered invariants).
 */
const start = buyingWorldPerTest();

/**
 * Unknown outcomes are finally checked once a minute: two such checks may be needed after the last fault, and more time
 * on a busy machine.
 */
const CALM_MS = 480_000;
/** Far longer than the delays of the faults, also on a busy machine: within it no absence is proven. */
const RECONCILE_MS = 3_000;
const FAULTS = [
  { route: "payment", kind: "timeout_before_effect", delay_ms: 300 },
  { route: "payment", kind: "timeout_after_effect", delay_ms: 300 },
  { route: "payment", kind: "late_effect", delay_ms: 700 },
  { route: "payment", kind: "reset", variant: "mid_body" },
  { route: "payment", kind: "server_error", variant: "after_effect" },
  { route: "payment", kind: "malformed" },
  { route: "payment", kind: "rate_limit", variant: "zero" },
  { route: "payment", kind: "unauthorised" },
  { route: "build", kind: "server_error" },
  { route: "checkout", kind: "price_changed", variant: "up" },
  { route: "conversation", kind: "sold_first" },
  { route: "orders", kind: "server_error" },
  { kind: "orders_lag", variant: "lag", delay_ms: 700 },
] as const;

/** States in which nothing may remain after the calm. */
const UNSETTLED = new Set(["intent", "submitting", "unknown", "cancelling"]);

/** Waits until none of the people's purchases is unsettled. */
async function settledAll(current: BuyingWorld, people: readonly User[]): Promise<void> {
  const unsettled = async (): Promise<number> => {
    const journals = await Promise.all(people.map(({ id }) => current.store.purchases.journal(id, 500)));
    return journals.flat().filter(({ purchase }) => UNSETTLED.has(purchase.state)).length;
  };
  await expect.poll(unsettled, { timeout: CALM_MS, interval: 250 }).toBe(0);
}

function checkAgainstTruth(
  records: readonly PurchaseRecord[],
  orders: readonly TrueOrder[],
  limits: Limits,
): void {
  const effective = orders.filter(({ payments }) => payments > 0);
  // I1: no listing was paid more than once, over all people.
  expect(effective.every(({ payments }) => payments === 1)).toBe(true);
  const paidListings = effective.map(({ item_id: id }) => id);
  expect(new Set(paidListings).size).toBe(paidListings.length);
  // I2: every paid order is one row.
  for (const order of effective) {
    const rows = records.filter(({ transactionId }) => transactionId === order.transaction_id);
    expect(rows.map(({ state }) => state)).toEqual([order.state === "cancelled" ? "cancelled" : "confirmed"]);
    expect(rows[0]?.chargedCents).toBe(centsOf(order));
  }
  // I3: every confirmed row has an order.
  const claimed = records.filter(({ state }) => state === "confirmed");
  expect(
    claimed.every(({ transactionId }) => effective.some((order) => order.transaction_id === transactionId)),
  ).toBe(true);
  for (const { priceCapCents, chargedCents, holdCents } of claimed) {
    // I4: shipping is free in this test, so the charge is the item total.
    expect(chargedCents).toBeLessThanOrEqual(priceCapCents);
    expect(holdCents).toBe(0);
  }
  // I5
  const byPerson = Map.groupBy(claimed, ({ userId }) => userId);
  for (const own of byPerson.values()) {
    const spent = own.reduce((sum, { chargedCents }) => sum + (chargedCents ?? 0), 0);
    expect(spent).toBeLessThanOrEqual(limits.dayCents);
    expect(own.length).toBeLessThanOrEqual(limits.purchases);
  }
}

interface Limits {
  readonly dayCents: number;
  readonly purchases: number;
}

describe("under many faults and two crashes", () => {
  it.each([1, 2])(
    "nothing is paid twice, lost or invented, and no limit is passed (seed %i)",
    async (seed) => {
      const current = await start({ overrides: { reconcileMs: RECONCILE_MS } });
      const random = createFakeRandom(seed);
      const people = await Promise.all(
        ["thunder-a", "thunder-b", "acquire-c", "acquire-d"].map((name) =>
          current.person(`${name}-${seed}`, name.startsWith("thunder") ? "thunder" : "acquire"),
        ),
      );
      const filters = await Promise.all(
        people.map((person) => current.autobuyFilter(person, { priceCapEur: 12 })),
      );
      for (const person of people) await current.limit(person, { dayEur: 60, purchasesPerDay: 5 });
      for (const fault of FAULTS) await current.sandbox.arm({ ...fault, rate: 0.12 });
      const listings: Listing[] = [];
      for (let round = 0; round < 3; round += 1) {
        const fresh = await Promise.all(Array.from({ length: 8 }, () => current.listing({ price: 10 })));
        listings.push(...fresh);
        for (const listing of fresh)
          people.forEach((person, index) => {
            const filter = filters[index];
            if (filter !== undefined && random.next() < 0.6)
              current.purchasing().offer([current.wish(person, filter, listing)]);
          });
        await sleep(systemClock, 700 + Math.round(random.next() * 800));
        if (round < 2) await current.crash();
      }
      await current.sandbox.clearFaults();
      await settledAll(current, people);
      // A wish that waited for a place begins now: its payment ends before the ledger is read.
      await current.purchasing().stop();
      await current.crash();
      await settledAll(current, people);
      const journals = await Promise.all(people.map(({ id }) => current.store.purchases.journal(id, 500)));
      const records = journals.flat().map(({ purchase }) => purchase);
      checkAgainstTruth(records, await current.sandbox.orders(), { dayCents: 6_000, purchases: 5 });
      expect(records.some(({ state }) => state === "confirmed")).toBe(true);
      expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
    },
  );
});
