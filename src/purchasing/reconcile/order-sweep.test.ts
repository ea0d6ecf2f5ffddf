import { describe, expect, it } from "vitest";
import { sleep, type Clock } from "#domain/clock.ts";
import type { Listing } from "#domain/market/listing.ts";
import { isLatePayment } from "#domain/purchase.ts";
import { Secret } from "#domain/secret.ts";
import type { User } from "#domain/user.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import type { Order, OrdersPage } from "#marketplace/marketplace.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { systemClock } from "#server/clock.ts";
import { RECONCILE_MS, paymentsTaken, type BuyingWorld, type Call } from "../buying-world.suite.ts";
import { budgetKeys } from "../decide/limits.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";

/** Orders that differ from the stored purchases: read at each start and every ten minutes. */
const start = buyingWorldPerTest();

/** A timer may be a millisecond early. */
const TIMER_SLACK_MS = 10;

/** A filter's automatic payment, or a click's, that takes effect only after its purchase was recorded as failed. */
async function payLate(name: string, by: "filter" | "click" = "filter") {
  const current = await start();
  const person = await current.person(name);
  const filter = await current.autobuyFilter(person, { maxPurchases: 1 });
  const listing = await current.listing();
  // The proof of absence comes first; clearing the faults then lets the payment take effect.
  const late = { kind: "late_effect", delay_ms: 600_000, rate: 1, count: 1 };
  await current.sandbox.arm({ route: "payment", ...late });
  if (by === "filter") current.purchasing().offer([current.wish(person, filter, listing)]);
  else void current.click(person, listing);
  await current.settled(person, listing, "failed");
  await current.sandbox.clearFaults();
  await expect.poll(async () => paymentsTaken(await current.truth(listing))).toBe(1);
  return { current, person, filter, listing };
}

/** Pays in the marketplace's own pages, once the wallet suffices, with the transaction that is still open. */
async function payByHand({ store, sandbox }: BuyingWorld, person: User, listing: Listing): Promise<number> {
  const free = { perSecond: Infinity, burst: 1 };
  const budget = createRequestBudget(systemClock, { read: free, buy: free });
  const http = { origin: sandbox.url, userAgent: "tests", clock: systemClock, budget };
  await using marketplace = createHttpMarketplace(http);
  const access = (await store.accounts.tokens(person.id))?.accessToken;
  const { address } = await store.settings.get(person.id);
  if (!access || address === null) throw new Error("not connected");
  const wanted = { listingId: listing.id, sellerId: listing.seller.id };
  const { transactionId } = await marketplace.openTransaction(access, wanted);
  await sandbox.changePrice(listing.id, 10);
  const { checkoutId } = await marketplace.buildCheckout(access, transactionId);
  const choices = { paymentMethodId: 11, cardId: null, address, pickupPoint: null } as const;
  const { checksum } = await marketplace.updateCheckout(access, checkoutId, choices);
  await marketplace.pay(access, checkoutId, checksum, systemClock.nowMs() + 10_000);
  return transactionId;
}

/** Settles in the next second: the marketplace's timestamps are whole ones. */
async function secondIsOver(): Promise<void> {
  await sleep(systemClock, 1_000 - (systemClock.nowMs() % 1_000) + TIMER_SLACK_MS);
}

/** Saving the token that is connected already would change nothing. */
async function reconnect({ store }: BuyingWorld, { id }: User, account: string): Promise<void> {
  for (const refreshToken of [null, new Secret(`sandbox-${account}`)])
    await store.settings.change(id, { refreshToken }, systemClock.nowMs());
}

describe("the order sweep", () => {
  it("records an order made outside: listed, counted, and not subject to any limit", async () => {
    const current = await start();
    const person = await current.person("seeker-elsewhere", "seeker");
    await current.limit(person, { dayEur: 5 });
    await current.sandbox.arm({ kind: "orders_lag", variant: "outside_purchase", rate: 1, count: 1 });
    await current.crash();
    await expect
      .poll(() => current.purchasing().list(person.id))
      .toMatchObject([{ source: "external", state: "confirmed", mode: "live" }]);
    const [order] = (await current.sandbox.orders()).filter(({ account }) => account === "seeker-elsewhere");
    const [listed] = await current.purchasing().list(person.id);
    expect(listed?.transactionId).toBe(order?.transaction_id);
    const listing = await current.listing();
    await current.limit(person, { dayEur: 20 });
    expect(await current.click(person, listing)).toEqual({ kind: "limit_reached", limit: "day" });
    await current.crash();
    await sleep(systemClock, 500);
    expect(await current.purchasing().list(person.id)).toHaveLength(1);
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it("ignores outside orders in another currency, and lets the account buy", async () => {
    const current = await start({
      intercept: async (name, call) => {
        const answer = await call();
        if (name !== "orders") return answer;
        const page = answer as OrdersPage;
        return { ...page, orders: page.orders.map((order) => ({ ...order, totalCents: null })) };
      },
    });
    const person = await current.person("seeker-abroad", "seeker");
    await current.sandbox.arm({ kind: "orders_lag", variant: "outside_purchase", rate: 1, count: 1 });
    await current.crash();
    await expect
      .poll(async () => (await current.sandbox.orders()).map(({ account }) => account))
      .toContain("seeker-abroad");
    const listing = await current.listing();
    expect((await current.click(person, listing)).kind).toBe("accepted");
    expect((await current.purchasing().list(person.id)).map(({ source }) => source)).toEqual(["click"]);
  });

  it("does not record orders made before the account was connected", async () => {
    const current = await start();
    const earlier = await current.person("seeker-shared", "seeker");
    const listing = await current.listing();
    await current.click(earlier, listing);
    await current.settled(earlier, listing, "confirmed");
    await secondIsOver();
    const later = await current.person("seeker-later", "seeker");
    const sameAccount = { refreshToken: new Secret("sandbox-seeker-shared") };
    await current.store.settings.change(later.id, sameAccount, systemClock.nowMs());
    await current.crash();
    const another = await current.listing();
    // Submitting waits for the first read of the account's orders.
    expect((await current.click(later, another)).kind).toBe("accepted");
    expect((await current.purchasing().list(later.id)).map(({ source }) => source)).toEqual(["click"]);
  });

  it("does not record earlier orders of an account that is connected in place of another during a sweep", async () => {
    let connectAnother: (() => Promise<void>) | null = null;
    const current = await start({
      intercept: async (name, call) => {
        if (name !== "orders" || connectAnother === null) return await call();
        await connectAnother();
        connectAnother = null;
        // Its session ended: the call is repeated with the token that is saved by now.
        throw new MarketplaceError("unauthorised");
      },
    });
    const person = await current.person("seeker-first", "seeker");
    const elsewhere = await current.person("seeker-second", "seeker");
    const listing = await current.listing();
    await current.click(elsewhere, listing);
    await current.settled(elsewhere, listing, "confirmed");
    await secondIsOver();
    connectAnother = () => reconnect(current, person, "seeker-second");
    expect((await current.click(person, await current.listing())).kind).toBe("accepted");
    expect(connectAnother).toBeNull();
    expect((await current.purchasing().list(person.id)).map(({ source }) => source)).toEqual(["click"]);
  });

  it("records orders made while the marketplace refused the account, once it is reconnected", async () => {
    const current = await start();
    const person = await current.person("seeker-refused", "seeker");
    const { generation = 0 } = (await current.store.accounts.tokens(person.id)) ?? {};
    await current.store.accounts.markRefused(person.id, generation, systemClock.nowMs());
    const itsToken = { refreshToken: new Secret("sandbox-seeker-refused") };
    const elsewhere = await current.person("seeker-elsewhere", "seeker");
    await current.store.settings.change(elsewhere.id, itsToken, systemClock.nowMs());
    const listing = await current.listing();
    await current.click(elsewhere, listing);
    const { transactionId } = await current.settled(elsewhere, listing, "confirmed");
    await secondIsOver();
    await current.store.settings.change(person.id, itsToken, systemClock.nowMs());
    await current.crash();
    await expect
      .poll(() => current.purchasing().list(person.id))
      .toMatchObject([{ source: "external", state: "confirmed", transactionId }]);
  });

  it("records our own late payment, by its filter, even if the account was reconnected meanwhile", async () => {
    const { current, person, filter } = await payLate("thunder-late");
    await secondIsOver();
    await reconnect(current, person, "thunder-late");
    await current.crash();
    await expect
      .poll(() => current.purchasing().list(person.id))
      .toMatchObject([
        { source: "external", state: "confirmed", filterId: filter.id },
        { state: "failed", filterId: filter.id },
      ]);
    // It is the last purchase that the filter allows: the nodes and the person hear of it.
    await expect
      .poll(() => current.published)
      .toContainEqual(
        expect.objectContaining({
          kind: "autobuy_stopped",
          reason: "max_purchases",
          filterIds: [filter.id],
        }),
      );
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it("records a click's own late payment as such, counts it, and pays the listing no second time", async () => {
    const { current, person, listing } = await payLate("seeker-late-click", "click");
    await current.crash();
    const list = () => current.purchasing().list(person.id);
    await expect.poll(async () => (await list()).map(({ state }) => state)).toEqual(["confirmed", "failed"]);
    const [late] = await list();
    if (late === undefined) throw new Error("nothing was bought");
    expect(isLatePayment(late)).toBe(true);
    expect(await current.click(person, listing)).toMatchObject({
      kind: "already_bought",
      purchase: { id: late.id },
    });
    expect(paymentsTaken(await current.truth(listing))).toBe(1);
    const { dayKey } = budgetKeys(late.decidedAtMs);
    const { extraCents, purchases } = await current.store.purchases.totals(person.id, dayKey);
    expect({ extraCents, purchases }).toEqual({ extraCents: late.chargedCents, purchases: 1 });
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it("records our own late payment by its filter, even if the person clicks the listing before", async () => {
    const { current, person, filter, listing } = await payLate("thunder-late-click");
    await current.click(person, listing);
    await expect
      .poll(async () => (await current.purchasing().list(person.id)).map(({ state }) => state))
      .toEqual(["failed", "failed"]);
    await current.crash();
    await expect
      .poll(() => current.purchasing().list(person.id))
      .toMatchObject([
        { source: "click", state: "failed" },
        { source: "external", state: "confirmed", filterId: filter.id },
        { source: "auto", state: "failed", filterId: filter.id },
      ]);
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it("records an order that the person pays after the filter was refused as the person's own", async () => {
    const current = await start();
    const person = await current.person("thunder-by-hand");
    await current.limit(person, { dayEur: 5_000, monthEur: 5_000 });
    const wallet = { paymentMethodId: 11, priceCapEur: 2_000, maxPurchases: 1 } as const;
    const filter = await current.autobuyFilter(person, wallet);
    // More expensive than any wallet of the sandbox can pay.
    const listing = await current.listing({ price: 900 });
    current.purchasing().offer([current.wish(person, filter, listing)]);
    const failed = await current.settled(person, listing, "failed");
    expect(failed).toMatchObject({ failureReason: "insufficient_funds", isSetback: true });
    expect(await payByHand(current, person, listing)).toBe(failed.attemptTransactionId);
    await current.crash();
    await expect
      .poll(() => current.purchasing().list(person.id))
      .toContainEqual(expect.objectContaining({ source: "external", state: "confirmed", filterId: null }));
    expect(await current.store.purchases.find(failed.id)).toMatchObject({ isSetback: true });
    expect((await current.store.filters.ofUser(person.id)).map(({ isAutobuy }) => isAutobuy)).toEqual([true]);
  });

  it("leaves an order of before the account was connected alone, though a refused purchase named it", async () => {
    const current = await start();
    const person = await current.person("thunder-baseline");
    await current.limit(person, { dayEur: 5_000, monthEur: 5_000 });
    const wallet = { paymentMethodId: 11, priceCapEur: 2_000 } as const;
    const filter = await current.autobuyFilter(person, wallet);
    const listing = await current.listing({ price: 900 });
    current.purchasing().offer([current.wish(person, filter, listing)]);
    await current.settled(person, listing, "failed");
    await payByHand(current, person, listing);
    await secondIsOver();
    await reconnect(current, person, "thunder-baseline");
    await current.crash();
    // Submitting waits for the first read of the account's orders.
    expect((await current.click(person, await current.listing())).kind).toBe("accepted");
    expect((await current.purchasing().list(person.id)).map(({ source }) => source)).toEqual([
      "click",
      "auto",
    ]);
  });

  it("buys nothing for an account until its list of orders is complete", async () => {
    const current = await start();
    const person = await current.person("seeker-part", "seeker");
    const [known, wanted] = [await current.listing(), await current.listing()];
    await current.click(person, known);
    await current.settled(person, known, "confirmed");
    await current.sandbox.arm({ kind: "orders_lag", variant: "missing_page", rate: 1 });
    await current.crash();
    expect(await current.click(person, wanted)).toMatchObject({ kind: "marketplace_unavailable" });
    await current.sandbox.clearFaults();
    expect((await current.click(person, wanted)).kind).toBe("accepted");
  });

  it("cancels a confirmed purchase that the seller cancelled", async () => {
    const current = await start();
    const person = await current.person("seeker-undone", "seeker");
    const listing = await current.listing();
    await current.click(person, listing);
    const { transactionId } = await current.settled(person, listing, "confirmed");
    await current.sandbox.cancelBySeller(transactionId ?? 0);
    await current.crash();
    await current.settled(person, listing, "cancelled");
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it("skips an order whose transaction the marketplace does not know", async () => {
    let isUnknown = true;
    const current = await start({
      intercept: async (name, call) => {
        if (isUnknown && name === "transaction") throw new MarketplaceError("not_found", { status: 404 });
        return await call();
      },
    });
    const person = await current.person("seeker-ghost", "seeker");
    await current.sandbox.arm({ kind: "orders_lag", variant: "outside_purchase", rate: 1, count: 1 });
    await current.crash();
    const listing = await current.listing();
    expect((await current.click(person, listing)).kind).toBe("accepted");
    expect((await current.purchasing().list(person.id)).map(({ source }) => source)).toEqual(["click"]);
    isUnknown = false;
    await current.crash();
    await expect.poll(() => current.purchasing().list(person.id)).toHaveLength(2);
  });

  it.each<Call>(["orders", "updateCheckout"])(
    "does not treat a listing as withdrawn when %s is answered with 404",
    async (unknown) => {
      const current = await start({
        intercept: async (name, call) => {
          if (name === unknown) throw new MarketplaceError("not_found", { status: 404 });
          return await call();
        },
      });
      const person = await current.person("seeker-404", "seeker");
      const listing = await current.listing();
      expect(await current.click(person, listing)).toMatchObject({ kind: "marketplace_unavailable" });
    },
  );

  it("keeps an account from buying while its orders cannot be read after a start", async () => {
    const current = await start();
    const person = await current.person("seeker-unread", "seeker");
    const listing = await current.listing();
    await current.sandbox.arm({ route: "orders", kind: "server_error", rate: 1 });
    await current.crash();
    expect(await current.click(person, listing)).toMatchObject({ kind: "marketplace_unavailable" });
    expect((await current.sandbox.requests()).by_route["conversation"] ?? 0).toBe(0);
    await current.sandbox.clearFaults();
    expect((await current.click(person, listing)).kind).toBe("accepted");
  });
});

describe("an unknown outcome with an incorrect list of orders", () => {
  it.each(["lag", "shift", "missing_page"])(
    "(%s) is never settled as unpaid when it was paid",
    async (variant) => {
      const current = await start();
      const person = await current.person("seeker-doubt", "seeker");
      const listing = await current.listing();
      await current.sandbox.arm({ kind: "orders_lag", variant, rate: 1, delay_ms: 1_000 });
      await current.sandbox.arm({
        route: "payment",
        kind: "reset",
        variant: "after_effect",
        rate: 1,
        count: 1,
      });
      await current.click(person, listing);
      await current.settled(person, listing, "confirmed");
      expect(paymentsTaken(await current.truth(listing))).toBe(1);
    },
  );

  it("is not settled by an order of the same listing that the person made and cancelled before", async () => {
    let earlier: Order | null = null;
    const current = await start({
      intercept: async (name, call) => {
        const answer = await call();
        if (name !== "orders" || earlier === null) return answer;
        const page = answer as OrdersPage;
        return { ...page, orders: [...page.orders, earlier], totalEntries: page.totalEntries + 1 };
      },
    });
    const person = await current.person("seeker-before", "seeker");
    const listing = await current.listing();
    const { id: listingId, title } = listing;
    earlier = {
      transactionId: 8_000_000_001,
      listingId,
      title,
      totalCents: 4_000,
      state: "cancelled",
      createdAtMs: systemClock.nowMs() - 60 * 60_000,
      photoUrl: null,
    };
    await current.sandbox.arm({ route: "payment", kind: "reset", rate: 1, count: 1 });
    await current.purchasing().click({ userId: person.id, listingId, seenPrice: null });
    expect(await current.settled(person, listing, "failed", "cancelled")).toMatchObject({
      state: "failed",
      failureReason: "never_effective",
      chargedCents: null,
    });
    expect((await current.store.settings.get(person.id)).limits.isStopped).toBe(false);
  });

  it("is not proven absent by the orders of another account that the person connected meanwhile", async () => {
    const current = await start();
    const person = await current.person("seeker-switch", "seeker");
    const listing = await current.listing();
    const lost = { kind: "reset", variant: "after_effect", rate: 1, count: 1 };
    await current.sandbox.arm({ route: "payment", ...lost });
    const connect = (account: string) =>
      current.store.settings.change(
        person.id,
        { refreshToken: new Secret(`sandbox-${account}`) },
        systemClock.nowMs(),
      );
    void current.click(person, listing);
    await current.settled(person, listing, "unknown");
    await connect("seeker-other");
    // Far beyond RECONCILE_SECONDS and three reads of the wrong account's orders.
    await sleep(systemClock, 5 * RECONCILE_MS);
    expect(await current.record(person, listing)).toMatchObject({ state: "unknown" });
    await connect("seeker-switch");
    await current.settled(person, listing, "confirmed");
  });

  it("is not proven absent by another account, though the clock was set back between decision and connection", async () => {
    const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 60 * 60_000 };
    const current = await start({ overrides: { clock } });
    const person = await current.person("seeker-early", "seeker");
    const listing = await current.listing();
    const lost = { kind: "reset", variant: "after_effect", rate: 1, count: 1 };
    await current.sandbox.arm({ route: "payment", ...lost });
    void current.click(person, listing);
    await current.settled(person, listing, "unknown");
    // By the clock of the store's caller, an hour before the decision.
    await reconnect(current, person, "seeker-other-early");
    const looks = async () => (await current.record(person, listing))?.watch?.looks ?? 0;
    await expect.poll(looks).toBeGreaterThan(2);
    expect(await current.record(person, listing)).toMatchObject({
      state: "unknown",
      watch: { negativeReads: 0 },
    });
    await reconnect(current, person, "seeker-early");
    await current.settled(person, listing, "confirmed");
  });

  it("stays unknown, with its hold, while neither the order nor its absence can be read", async () => {
    const current = await start();
    const person = await current.person("seeker-dark", "seeker");
    const listing = await current.listing();
    await current.sandbox.arm({
      route: "payment",
      kind: "reset",
      variant: "after_effect",
      rate: 1,
      count: 1,
    });
    await current.sandbox.arm({ route: "transaction", kind: "server_error", rate: 1 });
    await current.sandbox.arm({ kind: "orders_lag", variant: "missing_page", rate: 1 });
    await current.click(person, listing);
    const record = await current.record(person, listing);
    expect(record).toMatchObject({ state: "unknown", watch: { negativeReads: 0 } });
    expect(record?.holdCents).toBeGreaterThan(0);
    await current.sandbox.clearFaults();
    await current.settled(person, listing, "confirmed");
  });
});
