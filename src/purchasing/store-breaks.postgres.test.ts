import { describe, expect, it } from "vitest";
import { sleep } from "#domain/clock.ts";
import { systemClock } from "#server/clock.ts";
import { isStoreAway } from "#store/errors.ts";
import { startCuttingProxy, type CuttingProxy } from "#verify/testing/cutting-proxy.ts";
import {
  paymentsTaken,
  startBuyingWorld,
  type BuyingWorld,
  type BuyingWorldOptions,
} from "./buying-world.suite.ts";
import { postgresWorld } from "./postgres-world.suite.ts";

/** A process that outlives an outage of its database. */
const postgres = postgresWorld();

async function start(options: BuyingWorldOptions = {}): Promise<{
  readonly current: BuyingWorld;
  readonly proxy: CuttingProxy;
}> {
  const proxy = postgres.resources().use(await startCuttingProxy(await postgres.freshDatabase()));
  const current = await startBuyingWorld({
    openStore: () => postgres.openStore(proxy.databaseUrl),
    ...options,
  });
  postgres.resources().use(current);
  return { current, proxy };
}

/** The writes of an automatic purchase: intent with attempt, quote, outcome. */
const WRITES = [1, 2, 3];
/** Those of a click: intent, attempt, quote, outcome. */
const WRITES_OF_CLICK = [1, 2, 3, 4];
const AWAY_MS = 1_200;

describe("a process whose database", () => {
  it.each(WRITES.flatMap((n) => [["before", n] as const, ["after", n] as const]))(
    "is cut off %s write number %i takes effect makes an automatic purchase once",
    async (moment, n) => {
      const { current, proxy } = await start();
      const lea = await current.person("thunder-lea");
      const filter = await current.autobuyFilter(lea);
      const dress = await current.listing();
      await current.ordersRead(lea);
      proxy.cutAtWrite(n, moment);
      current.purchasing().offer([current.wish(lea, filter, dress)]);
      await current.settled(lea, dress, "confirmed");
      expect(proxy.cutCount()).toBe(1);
      expect(paymentsTaken(await current.truth(dress))).toBe(1);
      expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
    },
  );

  it.each(WRITES_OF_CLICK.flatMap((n) => [["before", n] as const, ["after", n] as const]))(
    "is cut off %s write number %i of a click takes effect answers with its outcome, and pays once",
    async (moment, n) => {
      const { current, proxy } = await start();
      const lea = await current.person("seeker-lea", "seeker");
      const dress = await current.listing();
      await current.ordersRead(lea);
      proxy.cutAtWrite(n, moment);
      expect(await current.click(lea, dress)).toMatchObject({ kind: "accepted" });
      await current.settled(lea, dress, "confirmed");
      expect(proxy.cutCount()).toBe(1);
      expect(paymentsTaken(await current.truth(dress))).toBe(1);
    },
  );

  it("is away from the commit of a click until another node takes it over does not have it paid", async () => {
    const databaseUrl = await postgres.freshDatabase();
    const proxy = postgres.resources().use(await startCuttingProxy(databaseUrl));
    const overrides = { isSoleNode: false };
    const openStore = () => postgres.openStore(proxy.databaseUrl);
    const current = postgres.resources().use(await startBuyingWorld({ openStore, overrides }));
    const { store } = postgres.resources().use(await postgres.openStore(databaseUrl));
    const lea = await current.person("seeker-lea", "seeker");
    const dress = await current.listing();
    await current.ordersRead(lea);
    proxy.leaveAtWrite(1, "after");
    // A failure is answered with 503.
    const answer = current.click(lea, dress).catch((error: unknown) => ({ kind: error }));
    await expect.poll(() => proxy.cutCount()).toBe(1);
    // What the table of nodes does once a node's life has ended.
    await store.purchases.endForeignLeases("another", Date.now());
    await current.anotherNode({ store });
    const recordOf = async () => (await store.purchases.journal(lea.id, 10))[0]?.purchase;
    await expect.poll(recordOf).toMatchObject({ state: "failed", failureReason: "stale", attemptCount: 0 });
    expect(isStoreAway((await answer).kind)).toBe(true);
    proxy.setAway(false);
    expect(paymentsTaken(await current.truth(dress))).toBe(0);
  });

  it("is away while a click's payment has an unknown outcome answers with the state 'unknown'", async () => {
    let cut = (): void => undefined;
    let isPaid = false;
    const { current, proxy } = await start({
      intercept: async (name, call) => {
        if (isPaid) cut();
        if (name === "pay") isPaid = true;
        return await call();
      },
    });
    const lea = await current.person("seeker-lea", "seeker");
    const dress = await current.listing();
    await current.ordersRead(lea);
    await current.sandbox.arm({
      route: "payment",
      kind: "reset",
      variant: "after_effect",
      rate: 1,
      count: 1,
    });
    cut = () => {
      cut = () => undefined;
      proxy.setAway(true);
    };
    const outcome = await current.click(lea, dress);
    expect(outcome).toMatchObject({ kind: "accepted", purchase: { state: "unknown" } });
    proxy.setAway(false);
    await current.settled(lea, dress, "confirmed");
    expect(paymentsTaken(await current.truth(dress))).toBe(1);
  });

  it("is unavailable when a wish arrives buys once it is available again", async () => {
    const { current, proxy } = await start();
    const lea = await current.person("thunder-lea");
    const filter = await current.autobuyFilter(lea);
    const dress = await current.listing();
    await current.ordersRead(lea);
    proxy.setAway(true);
    current.purchasing().offer([current.wish(lea, filter, dress)]);
    await sleep(systemClock, AWAY_MS);
    proxy.setAway(false);
    await current.settled(lea, dress, "confirmed");
    expect(paymentsTaken(await current.truth(dress))).toBe(1);
  });

  it.each(["openTransaction", "updateCheckout", "pay"] as const)(
    "becomes unavailable at the call %s buys once it is available again, and pays once",
    async (cutAt) => {
      let cut = (): void => undefined;
      const { current, proxy } = await start({
        intercept: async (name, call) => {
          if (name === cutAt) cut();
          return await call();
        },
      });
      const lea = await current.person("thunder-lea");
      const filter = await current.autobuyFilter(lea);
      const dress = await current.listing();
      await current.ordersRead(lea);
      const { promise: isBack, resolve: back } = Promise.withResolvers<void>();
      cut = () => {
        cut = () => undefined;
        proxy.setAway(true);
        setTimeout(() => {
          proxy.setAway(false);
          back();
        }, AWAY_MS);
      };
      current.purchasing().offer([current.wish(lea, filter, dress)]);
      await isBack;
      await current.settled(lea, dress, "confirmed");
      expect(paymentsTaken(await current.truth(dress))).toBe(1);
      expect(await current.store.purchases.auditLedger(Date.now())).toEqual([]);
    },
  );

  it("was unavailable for so long that the node may count as dead pays once its node counts as alive again", async () => {
    const life = { isAlive: true };
    const { current } = await start({ overrides: { isAlive: () => life.isAlive } });
    const lea = await current.person("thunder-lea");
    const filter = await current.autobuyFilter(lea);
    const dress = await current.listing();
    await current.ordersRead(lea);
    life.isAlive = false;
    current.purchasing().offer([current.wish(lea, filter, dress)]);
    await sleep(systemClock, AWAY_MS);
    expect(paymentsTaken(await current.truth(dress))).toBe(0);
    life.isAlive = true;
    await current.settled(lea, dress, "confirmed");
    expect(paymentsTaken(await current.truth(dress))).toBe(1);
  });

  it("was unavailable for longer than a wish lasts records the wish as missed", async () => {
    const proxy = postgres.resources().use(await startCuttingProxy(await postgres.freshDatabase()));
    const stories = postgres.resources().use(await postgres.openStore(proxy.databaseUrl)).store.stories;
    const current = postgres.resources().use(
      await startBuyingWorld({
        openStore: () => postgres.openStore(proxy.databaseUrl),
        overrides: { stories },
      }),
    );
    const lea = await current.person("thunder-lea");
    const filter = await current.autobuyFilter(lea);
    const dress = await current.listing();
    await current.ordersRead(lea);
    proxy.setAway(true);
    const wish = current.wish(lea, filter, dress);
    // The wish expires half a second after the outage begins.
    current.purchasing().offer([{ ...wish, matchedAtMs: wish.matchedAtMs - 29_500 }]);
    await sleep(systemClock, AWAY_MS);
    proxy.setAway(false);
    await expect
      .poll(async () => (await stories.misses(lea.id, 10)).map(({ reason }) => reason))
      .toEqual(["stale"]);
    expect(await current.record(lea, dress)).toBeNull();
  });
});
