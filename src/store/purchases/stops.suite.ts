import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import type { User } from "#domain/user.ts";
import type { OpenStore } from "../open-store.ts";
import { readPurchase } from "./facts.ts";
import { lockPerson } from "./locks.ts";
import {
  aProposal,
  actsOn,
  underTest,
  withinLimits,
  type PurchasesUnderTest,
} from "./purchases-under-test.suite.ts";
import { NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeStops({ shared: at, open }: PurchasesUnderTest): void {
  const { opened, limit } = actsOn(at);

  describe("stop switches", () => {
    test("bind every decision that had not committed when the switch was thrown", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      let isThrown = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 40 }, () =>
        store.purchases.propose(aProposal(user), (facts) => {
          if (isThrown) late.push(facts.spending.isEveryoneStopped);
          return withinLimits(facts);
        }),
      );
      await store.purchases.setSwitch({ name: "operator", isOn: true, reason: "test", changedAtMs: NOW_MS });
      isThrown = true;
      await Promise.all(proposing);
      const after = await store.purchases.propose(aProposal(user), withinLimits);
      expect(after).toEqual({ kind: "refused", refusal: "stopped" });
      expect(late.every(Boolean)).toBe(true);
    });

    test("of one person bind like the others", async () => {
      const user = await aPersonOf(at());
      let isThrown = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 20 }, () =>
        at().purchases.propose(aProposal(user), (facts) => {
          if (isThrown) late.push(facts.spending.limits.isStopped);
          return withinLimits(facts);
        }),
      );
      await limit(user, { isStopped: true });
      isThrown = true;
      await Promise.all(proposing);
      expect(late.every(Boolean)).toBe(true);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({
        refusal: "stopped",
      });
    });

    test("of an account pause longer each time, and the operator's stop has no end", async () => {
      const user = await aPersonOf(at());
      const pauseAt = (nowMs: number): Promise<number> => at().purchases.pauseAccount(user.id, "403", nowMs);
      expect(await pauseAt(NOW_MS)).toBe(NOW_MS + 60_000);
      expect(await pauseAt(NOW_MS + 1)).toBe(NOW_MS + 60_000);
      expect(await pauseAt(NOW_MS + 60_000)).toBe(NOW_MS + 180_000);
      const stopsAt = async (nowMs: number): Promise<boolean> => {
        let isStopped = false;
        await at().purchases.propose(aProposal(user, { nowMs }), (facts) => {
          isStopped = facts.spending.isAccountStopped;
          return { kind: "refuse", refusal: "seen" };
        });
        return isStopped;
      };
      expect([await stopsAt(NOW_MS + 179_999), await stopsAt(NOW_MS + 180_000)]).toEqual([true, false]);
      await at().purchases.stopAccount(user.id, "operator", NOW_MS);
      expect(await stopsAt(NOW_MS + 10 ** 9)).toBe(true);
      expect(await at().purchases.accountStop(user.id)).toEqual({ untilMs: null, reason: "operator" });
      await at().purchases.resumeAccount(user.id, NOW_MS);
      expect(await stopsAt(NOW_MS)).toBe(false);
      expect(await at().purchases.accountStop(user.id)).toBeNull();
    });

    test("that yield to any other never change its reason, and are ended by theirs alone", async () => {
      const user = await aPersonOf(at());
      const reasonOf = async () => (await at().purchases.accountStop(user.id))?.reason;
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      expect(await reasonOf()).toBe("erasure");
      await at().purchases.stopAccount(user.id, "operator", NOW_MS);
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      await at().purchases.endAccountStop(user.id, "erasure");
      expect(await reasonOf()).toBe("operator");
    });

    test("keep their reason when the account is paused meanwhile, so that whoever threw one can end it", async () => {
      const user = await aPersonOf(at());
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      await at().purchases.pauseAccount(user.id, "403", NOW_MS);
      expect(await at().purchases.accountStop(user.id)).toEqual({ untilMs: null, reason: "erasure" });
      await at().purchases.endAccountStop(user.id, "erasure");
      expect(await at().purchases.accountStop(user.id)).toMatchObject({ untilMs: NOW_MS + 60_000 });
    });
  });

  describe("a suspension", () => {
    test("stops what is not yet paid, whoever wished it, until it is lifted", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user, { source: "click" });
      const stopsIt = async (): Promise<boolean | null> => {
        let isStopped: boolean | null = null;
        await at().purchases.advance(record, NOW_MS, (_before, facts) => {
          isStopped = facts.isAccountStopped;
          return null;
        });
        return isStopped;
      };
      expect(await stopsIt()).toBe(false);
      await at().users.setSuspended(user.id, true);
      expect(await stopsIt()).toBe(true);
      await at().users.setSuspended(user.id, false);
      expect(await stopsIt()).toBe(false);
    });

    test("binds every decision that had not committed", async () => {
      const user = await aPersonOf(at());
      let isSuspended = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 20 }, () =>
        at().purchases.propose(aProposal(user), (facts) => {
          if (isSuspended) late.push(facts.spending.isAccountStopped);
          return withinLimits(facts);
        }),
      );
      await at().users.setSuspended(user.id, true);
      isSuspended = true;
      await Promise.all(proposing);
      expect(late.every(Boolean)).toBe(true);
    });
  });
}

/** What only engines with locks of their own can get wrong. */
export function describePurchaseLocks(at: () => OpenStore): void {
  const { opened } = actsOn(() => underTest(at()));

  describe("stop switches and decisions that are under way", () => {
    const throwSwitch = (isOn: boolean): Promise<void> =>
      at().purchases.setSwitch({ name: "operator", isOn, reason: "test", changedAtMs: NOW_MS });
    afterEach(() => throwSwitch(false));

    const stops: readonly (readonly [string, (user: User) => Promise<void>])[] = [
      ["a person's switch", (user) => at().settings.change(user.id, { limits: { isStopped: true } }, NOW_MS)],
      ["a suspension", (user) => at().users.setSuspended(user.id, true)],
      ["the operator's switch", () => throwSwitch(true)],
    ];

    test.each(stops)("wait for a decision that has read %s as off", async (_what, stop) => {
      const user = await aPersonOf(at());
      const purchase = await opened(user);
      let hasStopped = false;
      const { promise: hasRead, resolve: tellRead } = Promise.withResolvers<void>();
      const stopping = hasRead.then(async () => {
        await stop(user);
        hasStopped = true;
      });
      const isOvertaken = await at().db.transaction(async (tx) => {
        await lockPerson(tx, user.id);
        await readPurchase(tx, purchase, NOW_MS);
        tellRead();
        await tx.execute(sql`select pg_sleep(0.3)`);
        return hasStopped;
      });
      await stopping;
      expect([isOvertaken, hasStopped]).toEqual([false, true]);
    });

    test("are seen by a decision that begins while a person's own is thrown", async () => {
      const user = await aPersonOf(at());
      const { promise: isBeingThrown, resolve: tellThrown } = Promise.withResolvers<void>();
      const proposing = isBeingThrown.then(() =>
        at().purchases.propose(aProposal(user), ({ spending }) => ({
          kind: "refuse",
          refusal: spending.limits.isStopped ? "stopped" : "overlooked",
        })),
      );
      await at().db.transaction(async (tx) => {
        await tx.execute(sql`update settings set is_stopped = true where user_id = ${user.id}`);
        tellThrown();
        await tx.execute(sql`select pg_sleep(0.3)`);
      });
      expect(await proposing).toEqual({ kind: "refused", refusal: "stopped" });
    });
  });
}
