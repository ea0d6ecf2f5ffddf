import { DEFAULT_LIMITS } from "#domain/settings.ts";
import { describe, expect, it } from "vitest";
import { eq } from "drizzle-orm";
import { sleep, type Clock } from "#domain/clock.ts";
import type { User } from "#domain/user.ts";
import { systemClock } from "#server/clock.ts";
import { budgets } from "#store/schema/purchase-tables.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { createBreaker, createGuards } from "./breaker.ts";
import { paymentsTaken, type BuyingWorld } from "../buying-world.suite.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";
import { aHeldPayment } from "../attempt/held-payment.suite.ts";
import type { ClickOutcome } from "../purchasing.ts";

const start = buyingWorldPerTest();

const clickOnNew = async (current: BuyingWorld, person: User): Promise<ClickOutcome> =>
  await current.click(person, await current.listing());

/** A clock that a test can advance; timers keep real time. */
function pushableClock(): Clock & { push(byMs: number): void } {
  let offsetMs = 0;
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + offsetMs,
    push(byMs) {
      offsetMs += byMs;
    },
  };
}

describe("the operator", () => {
  it("stops everybody, clicks included, and lifts the stop", async () => {
    const current = await start();
    const person = await current.person("thunder-all");
    const filter = await current.autobuyFilter(person);
    const [clicked, wished] = [await current.listing(), await current.listing()];
    const { operator } = current.purchasing();
    await operator.stop("everyone", "a rehearsal");
    expect(await operator.stops()).toMatchObject([{ by: "operator", reason: "a rehearsal" }]);
    expect(await current.click(person, clicked)).toMatchObject({ kind: "stopped" });
    current.purchasing().offer([current.wish(person, filter, wished)]);
    await expect.poll(() => current.logged.map(({ fields }) => fields["refusal"])).toContain("stopped");
    await operator.resume("everyone");
    expect(await operator.stops()).toEqual([]);
    expect((await current.click(person, clicked)).kind).toBe("accepted");
  });

  it("stops one account, and nobody else", async () => {
    const current = await start();
    const [one, other] = [
      await current.person("seeker-one", "seeker"),
      await current.person("seeker-two", "seeker"),
    ];
    const [first, second] = [await current.listing(), await current.listing()];
    await current.purchasing().operator.stop(one.id, "a complaint");
    expect(await current.click(one, first)).toMatchObject({ kind: "stopped" });
    expect((await current.click(other, second)).kind).toBe("accepted");
    await current.purchasing().operator.resume(one.id);
    expect((await current.click(one, first)).kind).toBe("accepted");
  });

  it("settles only an undecided purchase", async () => {
    const clock = pushableClock();
    const current = await start({ overrides: { clock } });
    const person = await current.person("seeker-resolve", "seeker");
    const [harmless, listing] = [await current.listing(), await current.listing()];
    // Reads the account's orders once, without which no outcome can become unknown.
    await current.click(person, harmless);
    await current.sandbox.arm({
      route: "payment",
      kind: "reset",
      variant: "after_effect",
      rate: 1,
      count: 1,
    });
    for (const route of ["orders", "transaction"])
      await current.sandbox.arm({ route, kind: "server_error", rate: 1 });
    const buying = current.click(person, listing);
    const purchase = await current.settled(person, listing, "unknown");
    const { operator } = current.purchasing();
    expect(await operator.resolve(purchase.id, "confirmed")).toEqual({ kind: "not_undecided" });
    clock.push(16 * 60_000);
    await current.settled(person, listing, "quarantine");
    await buying;
    expect(await operator.resolve(purchase.id, "confirmed")).toMatchObject({
      kind: "resolved",
      purchase: { state: "confirmed" },
    });
    const [order] = await current.truth(listing);
    expect((await current.record(person, listing))?.transactionId).toBe(order?.transaction_id);
    expect(await operator.resolve("nothing" as typeof purchase.id, "cancelled")).toEqual({
      kind: "not_found",
    });
  });
});

describe("'Tout arrêter'", () => {
  it("lets no automatic payment leave later than a second after it is answered, even if the payment was delayed", async () => {
    const payment = aHeldPayment();
    const current = await start(payment.options);
    const person = await current.person("thunder-stop");
    const filter = await current.autobuyFilter(person);
    const listing = await current.listing();
    current.purchasing().offer([current.wish(person, filter, listing)]);
    await payment.isHeld;
    expect(await current.record(person, listing)).toMatchObject({ attemptPhase: "paying" });
    await current.limit(person, { isStopped: true });
    await sleep(systemClock, 1_000);
    payment.release();
    const record = await current.settled(person, listing, "failed", "confirmed");
    expect(record).toMatchObject({ state: "failed", failureReason: "stopped", holdCents: 0 });
    expect(paymentsTaken(await current.truth(listing))).toBe(0);
  });
});

describe("a click whose seller is blocked while it is under way", () => {
  it("pays nothing and reports that the seller is blocked", async () => {
    const { promise: isUnderWay, resolve: begin } = Promise.withResolvers<void>();
    const { promise: isBlocked, resolve: goOn } = Promise.withResolvers<void>();
    const current = await start({
      async intercept(name, call) {
        if (name === "buildCheckout") {
          begin();
          await isBlocked;
        }
        return await call();
      },
    });
    const person = await current.person("seeker-blocks", "seeker");
    const listing = await current.listing();
    const clicked = current.click(person, listing);
    await isUnderWay;
    const { id: sellerId, login } = listing.seller;
    await current.store.sellers.block(person.id, [{ sellerId, login }], { nowMs: Date.now(), limit: 10 });
    goOn();
    expect(await clicked).toMatchObject({ kind: "seller_blocked" });
    expect(paymentsTaken(await current.truth(listing))).toBe(0);
  });
});

describe("breakers", () => {
  it("stop everybody while the marketplace fails, and lift themselves a minute after it recovered", async () => {
    const clock = pushableClock();
    const current = await start({ overrides: { clock } });
    const people = await Promise.all(
      Array.from({ length: 8 }, (_, index) => current.person(`seeker-${index}`, "seeker")),
    );
    const listings = await Promise.all(people.map(() => current.listing()));
    await current.sandbox.arm({ route: "conversation", kind: "server_error", rate: 1 });
    const clicks = people.flatMap((person, index) =>
      listings.slice(index, index + 1).map((listing) => () => current.click(person, listing)),
    );
    await Promise.all(clicks.map((again) => again()));
    const stops = () => current.purchasing().operator.stops();
    await expect.poll(stops).toMatchObject([{ by: "breaker" }]);
    await current.sandbox.clearFaults();
    expect(await clicks[0]?.()).toMatchObject({ kind: "stopped" });
    clock.push(61_000);
    await expect.poll(stops).toEqual([]);
    expect(await clicks[0]?.()).toMatchObject({ kind: "accepted" });
  });

  it("stop nobody else while the marketplace answers a single account wrongly", async () => {
    let isOdd = true;
    const current = await start({
      intercept: async (name, call) => {
        const answer = await call();
        // A marketplace that formats this one person's address in a way of its own.
        if (isOdd && name === "updateCheckout") throw new MarketplaceError("unreadable");
        return answer;
      },
    });
    const [odd, other] = [
      await current.person("seeker-odd", "seeker"),
      await current.person("seeker-other", "seeker"),
    ];
    // Three attempts of three calls each, a third of which fail: far more than the breaker's limit.
    for (let n = 0; n < 5; n += 1)
      expect(await clickOnNew(current, odd)).toMatchObject({ kind: "marketplace_unavailable" });
    isOdd = false;
    expect((await clickOnNew(current, other)).kind).toBe("accepted");
  });

  it("pause the one account whose calls fail, and stop nobody else, however often its owner clicks", async () => {
    let isOdd = true;
    const current = await start({
      intercept: async (name, call) => {
        // A marketplace that redirects a banned account, or fails on its address.
        if (isOdd && name === "openTransaction") throw new MarketplaceError("redirected", { status: 302 });
        return await call();
      },
    });
    const [odd, other] = [
      await current.person("seeker-odd", "seeker"),
      await current.person("seeker-other", "seeker"),
    ];
    // Each click makes three attempts of one call; the first one also reads the orders.
    for (let n = 0; n < 9; n += 1) await clickOnNew(current, odd);
    await expect.poll(() => clickOnNew(current, odd)).toMatchObject({ kind: "stopped" });
    expect(await current.purchasing().operator.stops()).toEqual([]);
    const { account } = await current.purchasing().status(odd.id, DEFAULT_LIMITS);
    expect(account?.untilMs).toBeGreaterThan(Date.now());
    isOdd = false;
    expect((await clickOnNew(current, other)).kind).toBe("accepted");
  });

  it("do not lift the stop of everybody that a failed ledger audit sets", async () => {
    const current = await start();
    const person = await current.person("seeker-books", "seeker");
    const listing = await current.listing();
    await current.click(person, listing);
    await current.settled(person, listing, "confirmed");
    await current.store.db.update(budgets).set({ extraCents: 1 }).where(eq(budgets.userId, person.id));
    const { purchases } = current.store;
    const log = createQuietLog();
    const storeRetry = { clock: systemClock, isStoreAway: () => false };
    const guards = createGuards({ ...storeRetry, purchases, breaker: createBreaker(systemClock), log });
    await guards.auditLedger();
    expect(await current.purchasing().operator.stops()).toMatchObject([{ by: "auditor" }]);
    // Unlike the breaker, this stop is never lifted automatically.
    await guards.updateBreaker();
    expect(await current.purchasing().operator.stops()).toHaveLength(1);
    expect(log.lines.map(({ level }) => level)).toContain("error");
  });
});

describe("an engine that is stopped", () => {
  it("takes no more wishes and leaves nothing running", async () => {
    const current = await start();
    const person = await current.person("thunder-end");
    const filter = await current.autobuyFilter(person);
    const listing = await current.listing();
    const purchasing = current.purchasing();
    await purchasing.stop();
    purchasing.offer([current.wish(person, filter, listing)]);
    await purchasing.stop();
    expect(await current.truth(listing)).toEqual([]);
  });
});
