import { describe, expect, it } from "vitest";
import { sleep, type Clock } from "#domain/clock.ts";
import { asGroupId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { systemClock } from "#server/clock.ts";
import { lockPerson } from "#store/purchases/buying-accounts.ts";
import { startCuttingProxy, type CuttingProxy } from "#verify/testing/cutting-proxy.ts";
import {
  centsOf,
  paymentsTaken,
  startBuyingWorld,
  type BuyingWorld,
  type BuyingWorldOptions,
  type Call,
} from "./buying-world.suite.ts";
import { postgresWorld } from "./postgres-world.suite.ts";

/** Each listing is wanted by two filters, on two nodes. */
const GROUP_LISTINGS = Number(process.env["GROUP_LISTINGS"] ?? 15);

/** Longer than decisions about a person are repeated at once, shorter than a click may take. */
const LONG_WRITE_MS = 6_000;

/** Several nodes on one PostgreSQL database, each with its own connections, which are cut. */
const postgres = postgresWorld();

async function start(options: BuyingWorldOptions = {}): Promise<{
  readonly current: BuyingWorld;
  readonly databaseUrl: string;
}> {
  const databaseUrl = await postgres.freshDatabase();
  const current = await startBuyingWorld({ openStore: () => postgres.openStore(databaseUrl), ...options });
  postgres.resources().use(current);
  return { current, databaseUrl };
}

describe("two nodes on one database", () => {
  it("that are offered the same wishes pay each listing once, and share one ledger", async () => {
    const { current, databaseUrl } = await start({ overrides: { isSoleNode: false } });
    const { store } = postgres.resources().use(await postgres.openStore(databaseUrl));
    const other = await current.anotherNode({ store });
    const people = await Promise.all(
      ["thunder-a", "thunder-b", "acquire-c"].map((name) => current.person(name)),
    );
    const dresses = [await current.listing(), await current.listing(), await current.listing()];
    const wishes: AutobuyWish[] = [];
    for (const someone of people) {
      await current.limit(someone, { dayEur: 25 });
      const filter = await current.autobuyFilter(someone);
      for (const dress of dresses) wishes.push(current.wish(someone, filter, dress));
    }
    current.purchasing().offer(wishes);
    other.offer(wishes.toReversed());
    for (const dress of dresses)
      await expect.poll(async () => paymentsTaken(await current.truth(dress))).toBe(1);
    await sleep(systemClock, 1_000);
    for (const dress of dresses) expect(paymentsTaken(await current.truth(dress))).toBe(1);
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it.each(["click", "wish"])(
    "let a %s wait for a long write of the other about its person, which is no other buyer",
    async (kind) => {
      const { current } = await start();
      const lea = await current.person("thunder-lea");
      const filter = await current.autobuyFilter(lea);
      const dress = await current.listing();
      const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
      const writing = current.store.db.transaction(async (tx) => {
        await lockPerson(tx, lea.id);
        held();
        await sleep(systemClock, LONG_WRITE_MS);
      });
      await isHeld;
      if (kind === "wish") current.purchasing().offer([current.wish(lea, filter, dress)]);
      else expect((await current.click(lea, dress)).kind).toBe("accepted");
      await writing;
      await current.settled(lea, dress, "confirmed");
      expect(paymentsTaken(await current.truth(dress))).toBe(1);
    },
  );

  it("pay no more than a group of filters allows, however many wishes they are both offered", async () => {
    const { current, databaseUrl } = await start({ overrides: { isSoleNode: false } });
    const { store } = postgres.resources().use(await postgres.openStore(databaseUrl));
    const other = await current.anotherNode({ store });
    const lea = await current.person("thunder-group");
    await current.limit(lea, { dayEur: 10_000, monthEur: 10_000, purchasesPerDay: 1_000 });
    const filters = [await current.autobuyFilter(lea), await current.autobuyFilter(lea)];
    const group = { id: asGroupId("group"), userId: lea.id, name: "Manteau", maxPurchases: 3, budgetEur: 40 };
    const filterIds = filters.map(({ id }) => id);
    await current.store.groups.add({ ...group, filterIds }, { nowMs: systemClock.nowMs(), limit: 50 });
    const dresses: Listing[] = [];
    for (let n = 0; n < GROUP_LISTINGS; n += 1) dresses.push(await current.listing({ price: 10 }));
    const wishes = dresses.flatMap((dress) => filters.map((filter) => current.wish(lea, filter, dress)));
    // Some are sold to others: their places in the group become free again for either node.
    for (const dress of dresses.filter((_unused, n) => n % 4 === 0))
      await current.sandbox.sellToSomebodyElse(dress.id);
    current.purchasing().offer(wishes);
    other.offer(wishes.toReversed());
    const state = async () => {
      const journal = await current.store.purchases.journal(lea.id, 1_000);
      const areOff = (await current.store.filters.ofUser(lea.id)).every(({ isAutobuy }) => !isAutobuy);
      // The purchases are for the message, should automatic buying never end.
      return {
        areOff,
        purchases: journal.map(
          ({ purchase: one }) => `${one.state} ${one.failureReason ?? ""} ${one.updatedAtMs}`,
        ),
      };
    };
    await expect.poll(state).toMatchObject({ areOff: true });
    await sleep(systemClock, 1_000);
    const orders = (await Promise.all(dresses.map((dress) => current.truth(dress)))).flat();
    expect(paymentsTaken(orders)).toBe(3);
    expect(orders.reduce((sum, order) => sum + centsOf(order), 0)).toBeLessThanOrEqual(4_000);
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });

  it("wait both if the marketplace asked one of them to wait with an account, and one that starts later too", async () => {
    const calledAtMs: number[] = [];
    const { current, databaseUrl } = await start({
      overrides: { isSoleNode: false },
      intercept: async (_name, call) => {
        calledAtMs.push(systemClock.nowMs());
        return await call();
      },
    });
    const lea = await current.person("thunder-lea");
    const filter = await current.autobuyFilter(lea);
    const dress = await current.listing();
    await current.sandbox.arm({ route: "payment", kind: "rate_limit", retry_after: 5, rate: 1, count: 1 });
    current.purchasing().offer([current.wish(lea, filter, dress)]);
    // The purchase learns of the wait a moment later than the account.
    const { notBeforeMs } = await current.settled(lea, dress, "intent");
    calledAtMs.splice(0);
    await current.crash();
    const { store } = postgres.resources().use(await postgres.openStore(databaseUrl));
    const other = await current.anotherNode({ store });
    const shirt = await current.listing();
    other.offer([current.wish(lea, filter, shirt)]);
    await current.settled(lea, shirt, "confirmed");
    expect((calledAtMs[0] ?? 0) - notBeforeMs).toBeGreaterThan(-500);
  });

  it("do not resend what the other is sending, even if the clock of one is minutes ahead", async () => {
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const calls: Call[] = [];
    const { current, databaseUrl } = await start({
      overrides: { isSoleNode: false },
      intercept: async (name, call) => {
        calls.push(name);
        const answer = await call();
        if (name !== "pay") return answer;
        held();
        await isReleased;
        return answer;
      },
    });
    const lea = await current.person("thunder-lea");
    const filter = await current.autobuyFilter(lea);
    const dress = await current.listing();
    current.purchasing().offer([current.wish(lea, filter, dress)]);
    await isHeld;
    const { store } = postgres.resources().use(await postgres.openStore(databaseUrl));
    const ahead: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 5 * 60_000 };
    await current.anotherNode({ store, clock: ahead });
    await current.settled(lea, dress, "confirmed");
    release();
    await sleep(systemClock, 500);
    expect(await current.record(lea, dress)).toMatchObject({ state: "confirmed", attemptCount: 1 });
    expect(calls.filter((name) => name === "pay")).toHaveLength(1);
    expect(paymentsTaken(await current.truth(dress))).toBe(1);
    expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
  });
});

/** The writes of a purchase: intent with attempt, quote, outcome. */
const WRITES = [1, 2, 3];

describe("a connection to the database that is cut", () => {
  it.each(WRITES.flatMap((n) => [["before", n] as const, ["after", n] as const]))(
    "%s the write number %i took effect loses no payment and makes none twice",
    async (moment, n) => {
      let proxy: CuttingProxy | undefined;
      const databaseUrl = await postgres.freshDatabase();
      const { current } = await start({
        openStore: async () => {
          proxy = await startCuttingProxy(databaseUrl);
          return await postgres.openStore(proxy.databaseUrl);
        },
      });
      if (proxy !== undefined) postgres.resources().use(proxy);
      const lea = await current.person("thunder-lea");
      const filter = await current.autobuyFilter(lea);
      const dress = await current.listing();
      await current.ordersRead(lea);
      proxy?.cutAtWrite(n, moment);
      current.purchasing().offer([current.wish(lea, filter, dress)]);
      await expect.poll(() => proxy?.cutCount()).toBe(1);
      // The node resumes the unacknowledged purchase after its restart.
      await sleep(systemClock, 500);
      await current.crash();
      await sleep(systemClock, 500);
      const record = await current.record(lea, dress);
      if (record !== null) await current.settled(lea, dress, "confirmed", "failed");
      const payments = paymentsTaken(await current.truth(dress));
      expect(payments).toBeLessThanOrEqual(1);
      const settled = await current.record(lea, dress);
      expect(settled?.state === "confirmed").toBe(payments === 1);
      expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
    },
  );
});
