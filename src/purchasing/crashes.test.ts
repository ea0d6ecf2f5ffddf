import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { systemClock } from "#server/clock.ts";
import { createEventBus } from "#server/events.ts";
import type { Clock } from "#domain/clock.ts";
import type { ProductEvent } from "#domain/events.ts";
import { BackgroundTasks } from "#domain/concurrency.ts";
import { asPurchaseId, type UserId } from "#domain/ids.ts";
import { purchases } from "#store/schema/purchase-tables.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { centsOf, paymentsTaken, type Call } from "./buying-world.suite.ts";
import { buyingWorldPerTest } from "./world-per-test.suite.ts";
import { aHeldPayment } from "./attempt/held-payment.suite.ts";
import { budgetKeys } from "./decide/limits.ts";
import { createMoves } from "./moves.ts";

/** A purchase under kill -9 and a suspended process: paid at most once, ledger consistent. */
const start = buyingWorldPerTest();

const NEVER = new Promise<never>(() => undefined);

/** Far longer than a payment may wait between its commit and its first byte. */
const ASLEEP_MS = 20_000;

/** Longer than a restart, shorter than a wish lives. */
const WAIT_S = 5;

/** Hangs the first such call forever, before it is sent or after it took effect. */
function hangOnce(point: Call, moment: "before" | "after") {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const hang = async (): Promise<never> => {
    isOver = true;
    resolve();
    return await NEVER;
  };
  const intercept = async (name: Call, call: () => Promise<unknown>): Promise<unknown> => {
    const isHere = name === point && !isOver;
    if (isHere && moment === "before") return await hang();
    const answer = await call();
    return isHere ? await hang() : answer;
  };
  return { reached, intercept };
}

describe("after kill -9", () => {
  it.each([
    ["openTransaction", "before", 1],
    ["openTransaction", "after", 1],
    ["buildCheckout", "after", 1],
    ["updateCheckout", "after", 1],
    // From here on 'paying' is committed: whether it was sent is unknown, so it is never sent again.
    ["pay", "before", 0],
    ["pay", "after", 1],
  ] as const)(
    "%s (%s the call) the purchase comes to one end, with %i payment",
    async (point, moment, payments) => {
      const { reached, intercept } = hangOnce(point, moment);
      const { person, autobuyFilter, listing, wish, purchasing, crash, settled, truth, store } = await start({
        intercept,
      });
      const lea = await person("thunder-lea");
      const filter = await autobuyFilter(lea);
      const dress = await listing();
      purchasing().offer([wish(lea, filter, dress)]);
      await reached;
      await crash();
      const record = await settled(lea, dress, "confirmed", "failed");
      const orders = await truth(dress);
      expect(paymentsTaken(orders)).toBe(payments);
      expect(record).toMatchObject(
        payments === 1
          ? { state: "confirmed", transactionId: orders[0]?.transaction_id }
          : { state: "failed", failureReason: "never_effective", holdCents: 0 },
      );
      if (payments === 1 && orders[0] !== undefined) expect(record.chargedCents).toBe(centsOf(orders[0]));
      expect(await store.purchases.auditLedger(Date.now())).toEqual([]);
    },
  );

  it("a cancel whose answer was lost ends in the state that the marketplace shows", async () => {
    const { reached, intercept } = hangOnce("requestCancel", "after");
    const { person, listing, purchasing, click, crash, settled, truth } = await start({ intercept });
    const sam = await person("seeker-sam", "seeker");
    const dress = await listing();
    await click(sam, dress);
    const { transactionId } = await settled(sam, dress, "confirmed");
    await purchasing().cancel(sam.id, transactionId ?? 0);
    await reached;
    await crash();
    await settled(sam, dress, "cancelled");
    expect((await truth(dress))[0]?.state).toBe("cancelled");
  });

  it("a cancel whose request never left leaves the purchase confirmed, after proof", async () => {
    const { reached, intercept } = hangOnce("requestCancel", "before");
    const { person, listing, purchasing, click, crash, settled, truth } = await start({ intercept });
    const sam = await person("seeker-sam", "seeker");
    const dress = await listing();
    await click(sam, dress);
    const { transactionId } = await settled(sam, dress, "confirmed");
    await purchasing().cancel(sam.id, transactionId ?? 0);
    await reached;
    await crash();
    await settled(sam, dress, "cancel_unknown");
    await settled(sam, dress, "confirmed");
    expect((await truth(dress))[0]?.state).toBe("paid");
  });

  it("events left unpublished by a crash are published by the next process", async () => {
    const { person, listing, crash, store, published } = await start();
    const sam = await person("seeker-sam", "seeker");
    const dress = await listing();
    const nowMs = systemClock.nowMs() - 60_000;
    const id = asPurchaseId("0197-unpublished");
    const opening = { source: "click", filterId: null, wishedAtMs: nowMs, nowMs } as const;
    await store.purchases.propose(
      {
        ...opening,
        id,
        userId: sam.id,
        listing: dress,
        ...budgetKeys(nowMs),
        owner: "a process that is gone",
        leaseUntilMs: nowMs,
      },
      () => ({
        kind: "admit",
        mode: "simulation",
        lane: "click",
        epoch: 0,
        priceCapCents: 0,
        holdCents: 0,
        paymentMethodId: 1,
        hadUnknownOutcome: false,
      }),
    );
    await crash();
    await expect
      .poll(() => published)
      .toContainEqual({ kind: "purchase_changed", userId: sam.id, purchaseId: id });
    await expect.poll(() => store.purchases.unpublished(systemClock.nowMs(), 10)).toEqual([]);
  });

  it.each(["made a stop", "made none", "belongs to somebody whose settings cannot be read"])(
    "an unpublished change of an open purchase that %s is published within ten seconds, with a stop that there may be",
    async (change) => {
      const isStopped = change === "made a stop";
      const areUnread = change.endsWith("cannot be read");
      const { person, listing, click, settled, store } = await start();
      const sam = await person("seeker-sam", "seeker");
      const dress = await listing({ secure: true });
      await click(sam, dress);
      const { id } = await settled(sam, dress, "awaiting");
      await store.settings.change(sam.id, { limits: { isStopped } }, systemClock.nowMs());
      const clock = new FakeClock(systemClock.nowMs());
      const log = createQuietLog();
      const published: ProductEvent[] = [];
      const events = createEventBus(log);
      events.subscribe((event) => void published.push(event));
      const settings = {
        ...store.settings,
        get: async (userId: UserId) => {
          if (areUnread) throw new Error("unreadable");
          return await store.settings.get(userId);
        },
      };
      const moves = createMoves({
        store: { ...store, settings },
        clock,
        events,
        log,
        isStoreAway: () => false,
        random: createFakeRandom(),
        background: new BackgroundTasks(() => undefined),
        reconcileMs: 1,
      });
      const changeEvent = { kind: "purchase_changed", userId: sam.id, purchaseId: id };
      for (let passedMs = 0; passedMs <= 10_000; passedMs += 5_000) {
        expect(published).not.toContainEqual(changeEvent);
        // Another process committed it and died; each check of the bank's answer renews `updatedAtMs`.
        const changes = { isPublished: false, updatedAtMs: clock.nowMs() };
        await store.db.update(purchases).set(changes).where(eq(purchases.id, id));
        await moves.publishPending();
        await clock.advance(5_000);
      }
      // The person's change would also end a rest after refused payments.
      const stop = [
        { kind: "user_changed", userId: sam.id },
        { kind: "settings_changed", userId: sam.id },
      ];
      expect(published).toEqual([...(isStopped || areUnread ? stop : []), changeEvent]);
    },
  );

  it("an account that was asked to wait is not called before that time by the next process either", async () => {
    const calledAtMs: number[] = [];
    const { person, autobuyFilter, listing, wish, purchasing, crash, settled, sandbox } = await start({
      intercept: async (_name, call) => {
        calledAtMs.push(systemClock.nowMs());
        return await call();
      },
    });
    const lea = await person("thunder-lea");
    const filter = await autobuyFilter(lea);
    const dress = await listing();
    await sandbox.arm({ route: "payment", kind: "rate_limit", retry_after: WAIT_S, rate: 1, count: 1 });
    purchasing().offer([wish(lea, filter, dress)]);
    // The purchase learns of the wait a moment later than the account.
    const { notBeforeMs } = await settled(lea, dress, "intent");
    calledAtMs.splice(0);
    await crash();
    await settled(lea, dress, "confirmed");
    expect((calledAtMs[0] ?? 0) - notBeforeMs).toBeGreaterThan(-500);
  });

  it("an order that awaits the bank is checked by the next process", async () => {
    const { person, listing, click, crash, settled, sandbox } = await start();
    const sam = await person("seeker-sam", "seeker");
    const dress = await listing({ secure: true });
    await click(sam, dress);
    const { transactionId } = await settled(sam, dress, "awaiting");
    await crash();
    await sandbox.confirm(transactionId ?? 0);
    await settled(sam, dress, "confirmed");
  });
});

describe("a process that sleeps between its commit and the request", () => {
  /** A clock shared by all parts, which a test can advance. */
  function adjustableClock(): Clock & { push(byMs: number): void } {
    let offsetMs = 0;
    return {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + offsetMs,
      push(byMs) {
        offsetMs += byMs;
      },
    };
  }

  it("does not send it when it wakes: another process may have taken the lease", async () => {
    const clock = adjustableClock();
    const payment = aHeldPayment();
    const current = await start({ overrides: { clock }, ...payment.options });
    const lea = await current.person("thunder-lea");
    const filter = await current.autobuyFilter(lea);
    const dress = await current.listing();
    const wish = current.wish(lea, filter, dress);
    // As fresh after the sleep as a new one, however slow the machine is.
    current.purchasing().offer([{ ...wish, matchedAtMs: wish.matchedAtMs + ASLEEP_MS }]);
    await payment.isHeld;
    const sleeping = await current.settled(lea, dress, "submitting");
    expect(sleeping.attemptPhase).toBe("paying");
    clock.push(ASLEEP_MS);
    payment.release();
    const record = await current.settled(lea, dress, "confirmed", "failed");
    // It returned to INTENT and was retried while the wish was fresh.
    expect(record).toMatchObject({ state: "confirmed", attemptCount: 2 });
    expect(payment.calls.filter((name) => name === "pay")).toHaveLength(1);
    expect(paymentsTaken(await current.truth(dress))).toBe(1);
  });

  it.each(["its lease ended", "it was counted out"])(
    "does not send a cancel when it wakes after %s: another may have proven that it never arrived",
    async (change) => {
      const clock = adjustableClock();
      const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      let hold: (() => void) | null = null;
      let isAlive = true;
      const current = await start({
        overrides: { clock, isAlive: () => isAlive },
        beforeAccess: async () => {
          const isFirst = hold !== null;
          hold?.();
          hold = null;
          if (isFirst) await isReleased;
        },
      });
      const sam = await current.person("seeker-sam", "seeker");
      const dress = await current.listing();
      await current.click(sam, dress);
      const { transactionId } = await current.settled(sam, dress, "confirmed");
      hold = held;
      await current.purchasing().cancel(sam.id, transactionId ?? 0);
      await isHeld;
      if (change === "its lease ended") {
        clock.push(50_000);
        await current.settled(sam, dress, "cancel_unknown");
        await current.settled(sam, dress, "confirmed");
      } else isAlive = false;
      release();
      await expect
        .poll(() => current.logged.find(({ message }) => message === "a cancel was not granted"))
        .toMatchObject({ fields: { code: "too_late" } });
      await current.settled(sam, dress, "confirmed");
      expect((await current.truth(dress))[0]?.state).toBe("paid");
    },
  );
});

it("a purchase goes on although the store is away for a moment between two attempts", async () => {
  const away = new Error("the store is away");
  let isAway = false;
  const openStore = async (): Promise<TestStore> => {
    const opened = await openTestStore();
    const { settings } = opened.store;
    const get: typeof settings.get = async (userId) => {
      if (!isAway) return await settings.get(userId);
      isAway = false;
      throw away;
    };
    return { ...opened, store: { ...opened.store, settings: { ...settings, get } } };
  };
  const current = await start({
    openStore,
    overrides: { isStoreAway: (error) => error === away },
    intercept: async (name, call) => {
      if (name === "pay") isAway = true;
      return await call();
    },
  });
  const lea = await current.person("thunder-lea");
  const filter = await current.autobuyFilter(lea);
  const dress = await current.listing();
  await current.sandbox.arm({ route: "payment", kind: "rate_limit", variant: "seconds", rate: 1, count: 1 });
  current.purchasing().offer([current.wish(lea, filter, dress)]);
  const record = await current.settled(lea, dress, "confirmed", "failed");
  expect(record.state).toBe("confirmed");
  // On a busy machine a paying request may be too late to be sent.
  expect(record.attemptCount).toBeGreaterThan(1);
});
