import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "#domain/settings.ts";
import type { User } from "#domain/user.ts";
import type { Seller } from "#domain/market/listing.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import type { OpenStore } from "../open-store.ts";
import { isStoreAway } from "../errors.ts";
import { createDecisions } from "./decisions.ts";
import { lockPerson } from "./buying-accounts.ts";
import {
  aProposal,
  actsOn,
  changed,
  DAY,
  nextNumber,
  released,
  underTest,
  withinLimits,
  type PurchaseStoreUnderTest,
  type PurchasesUnderTest,
} from "./purchases-under-test.suite.ts";
import { NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeStops(underTest: PurchasesUnderTest): void {
  describeBlockedSellers(underTest);
  const { shared: at, open } = underTest;
  const { opened, limit } = actsOn(at);

  describe("stop switches", () => {
    /** The number of these wishes that become purchases once the stop is durable. */
    async function openedAfter(
      store: PurchaseStoreUnderTest,
      user: User,
      stop: () => Promise<void>,
    ): Promise<number> {
      const proposing = Array.from({ length: 40 }, () =>
        store.purchases.propose(aProposal(user), withinLimits),
      );
      await stop();
      const countOpened = async (): Promise<number> => (await store.purchases.journal(user.id, 100)).length;
      const openedBefore = await countOpened();
      await Promise.all(proposing);
      return (await countOpened()) - openedBefore;
    }

    test("apply to every decision that had not committed when the switch was set", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      const change = { name: "operator", isOn: true, reason: "test", changedAtMs: NOW_MS } as const;
      expect(await openedAfter(store, user, () => store.purchases.setSwitch(change))).toBe(0);
      const after = await store.purchases.propose(aProposal(user), withinLimits);
      expect(after).toEqual({ kind: "refused", refusal: "stopped" });
    });

    test("of one person apply in the same way", async () => {
      const user = await aPersonOf(at());
      expect(await openedAfter(at(), user, () => limit(user, { isStopped: true }))).toBe(0);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({
        refusal: "stopped",
      });
    });

    test("of an account apply in the same way, and so does a suspension", async () => {
      const [stopped, suspended] = [await aPersonOf(at()), await aPersonOf(at())];
      const stop = () => at().purchases.stopAccount(stopped.id, "test");
      expect(await openedAfter(at(), stopped, stop)).toBe(0);
      const suspend = () => at().users.setSuspended(suspended.id, true);
      expect(await openedAfter(at(), suspended, suspend)).toBe(0);
    });

    test("of an account pause longer each time, and the operator's stop does not expire", async () => {
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
      await at().purchases.stopAccount(user.id, "operator");
      expect(await stopsAt(NOW_MS + 10 ** 9)).toBe(true);
      expect(await at().purchases.accountStop(user.id)).toEqual({ untilMs: null, reason: "operator" });
      await at().purchases.resumeAccount(user.id, NOW_MS);
      expect(await stopsAt(NOW_MS)).toBe(false);
      expect(await at().purchases.accountStop(user.id)).toBeNull();
    });

    test("set only on an account without one keep its reason, and end only their own", async () => {
      const user = await aPersonOf(at());
      const reasonOf = async () => (await at().purchases.accountStop(user.id))?.reason;
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      expect(await reasonOf()).toBe("erasure");
      await at().purchases.stopAccount(user.id, "operator");
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      await at().purchases.endAccountStop(user.id, "erasure");
      expect(await reasonOf()).toBe("operator");
    });

    test("keep their reason when the account is paused meanwhile, so that whatever set them can end them", async () => {
      const user = await aPersonOf(at());
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      await at().purchases.pauseAccount(user.id, "403", NOW_MS);
      expect(await at().purchases.accountStop(user.id)).toEqual({ untilMs: null, reason: "erasure" });
      await at().purchases.endAccountStop(user.id, "erasure");
      expect(await at().purchases.accountStop(user.id)).toMatchObject({ untilMs: NOW_MS + 60_000 });
    });
  });

  describe("a suspension", () => {
    test("stops unpaid purchases, clicks included, until it is lifted", async () => {
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
  });
}

/** Block lists that change while their owner buys. */
function describeBlockedSellers({ shared: at }: PurchasesUnderTest): void {
  const { opened } = actsOn(at);
  const limit = 2_000;

  describe("a blocked seller", () => {
    const blockedAtIntent = async (user: User, seller: Seller): Promise<boolean | null> => {
      let isBlocked: boolean | null = null;
      await at().purchases.propose(aProposal(user, { listing: aListing({ seller }) }), (facts) => {
        isBlocked = facts.isSellerBlocked;
        return { kind: "refuse", refusal: "seen" };
      });
      return isBlocked;
    };
    const blockedLater = async (record: PurchaseRecord): Promise<boolean | null> => {
      let isBlocked: boolean | null = null;
      await at().purchases.advance(record, NOW_MS, (_before, facts) => {
        isBlocked = facts.isSellerBlocked;
        return null;
      });
      return isBlocked;
    };
    const listingOf = (seller: Seller) => aListing({ id: 8_000_000 + nextNumber(), seller });

    test("is known to intents and to every later step, by id, or by login if the id is unknown", async () => {
      const [user, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const lea = { id: 71, login: "Lea75", photoUrl: null };
      const tom = { id: 72, login: "Tom", photoUrl: null };
      const records = [
        await opened(user, { listing: listingOf(lea), source: "click" }),
        await opened(user, { listing: listingOf(tom) }),
      ] as const;
      expect([await blockedLater(records[0]), await blockedLater(records[1])]).toEqual([false, false]);
      const names = [
        { sellerId: 71, login: "called otherwise" },
        { sellerId: null, login: "tOM" },
      ];
      await at().sellers.block(user.id, names, { nowMs: NOW_MS, limit });
      expect([await blockedLater(records[0]), await blockedLater(records[1])]).toEqual([true, true]);
      expect(await blockedAtIntent(user, lea)).toBe(true);
      expect(await blockedAtIntent(user, tom)).toBe(true);
      expect(await blockedAtIntent(user, { ...lea, id: 73 })).toBe(false);
      expect(await blockedAtIntent(other, lea)).toBe(false);
      await at().sellers.unblock(user.id, "called otherwise");
      expect([await blockedLater(records[0]), await blockedAtIntent(user, lea)]).toEqual([false, false]);
    });

    test("applies to every decision that had not committed", async () => {
      const user = await aPersonOf(at());
      const seller = { id: 74, login: "lea", photoUrl: null };
      let isBlocked = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 20 }, () =>
        at().purchases.propose(aProposal(user, { listing: listingOf(seller) }), (facts) => {
          if (isBlocked) late.push(facts.isSellerBlocked);
          return withinLimits(facts);
        }),
      );
      await at().sellers.block(user.id, [{ sellerId: 74, login: "lea" }], { nowMs: NOW_MS, limit });
      isBlocked = true;
      await Promise.all(proposing);
      expect(late.every(Boolean)).toBe(true);
      expect(await blockedAtIntent(user, seller)).toBe(true);
    });
  });
}

/** Concurrency that only stores with row locks have to handle. */
export function describePurchaseLocks(at: () => OpenStore): void {
  const { opened } = actsOn(() => underTest(at()));

  describe("stop switches and concurrent decisions", () => {
    const setOperatorSwitch = (isOn: boolean): Promise<void> =>
      at().purchases.setSwitch({ name: "operator", isOn, reason: "test", changedAtMs: NOW_MS });
    afterEach(() => setOperatorSwitch(false));

    const stops: readonly (readonly [string, (user: User) => Promise<void>])[] = [
      ["a person's switch", (user) => at().settings.change(user.id, { limits: { isStopped: true } }, NOW_MS)],
      [
        "a blocked seller",
        async (user) => {
          const { seller } = aListing();
          await at().sellers.block(user.id, [{ sellerId: seller.id, login: seller.login }], {
            nowMs: NOW_MS,
            limit: 10,
          });
        },
      ],
      ["a suspension", (user) => at().users.setSuspended(user.id, true)],
      ["the operator's stop of an account", (user) => at().purchases.stopAccount(user.id, "test")],
      ["the operator's switch", () => setOperatorSwitch(true)],
    ];

    test.each(stops)("wait for a write that has read %s as off", async (_what, stop) => {
      const user = await aPersonOf(at());
      let hasStopped = false;
      const { promise: isHeld, resolve: resolveHeld } = Promise.withResolvers<void>();
      const stopping = isHeld.then(async () => {
        await stop(user);
        hasStopped = true;
      });
      const isOvertaken = await at().db.transaction(async (tx) => {
        // The locks that open.sql and move.sql take.
        await tx.execute(sql`select 1 from switch_state for share`);
        await lockPerson(tx, user.id);
        resolveHeld();
        await tx.execute(sql`select pg_sleep(0.3)`);
        return hasStopped;
      });
      await stopping;
      expect([isOvertaken, hasStopped]).toEqual([false, true]);
    });

    test.each(stops)(
      "invalidate a decision taken before %s, of which nothing is written",
      async (_what, stop) => {
        const user = await aPersonOf(at());
        const purchase = await opened(user);
        const { purchases } = at();
        const wish = aProposal(user);
        const [ofWish] = await purchases.facts([{ kind: "wish", ...wish }]);
        const [ofPurchase] = await purchases.facts([{ ...purchase, kind: "purchase", nowMs: NOW_MS }]);
        await stop(user);
        const limits = DEFAULT_LIMITS;
        const { versions } = required(ofWish);
        const opening = { versions, limits, origin: null, change: changed({ ...purchase, id: wish.id }) };
        expect(await purchases.open([opening])).toEqual([{ kind: "stale" }]);
        const { revision } = required(required(ofPurchase).purchase);
        const change = released(purchase);
        const move = { before: purchase, revision, versions: required(ofPurchase).versions, change, limits };
        expect(await purchases.move({ ...move, nowMs: NOW_MS })).toBeNull();
        expect(await purchases.journal(user.id, 10)).toMatchObject([{ purchase }]);
        expect(await purchases.totals(user.id, DAY)).toMatchObject({ heldCents: 1_000, purchases: 1 });
      },
    );

    test("invalidate a step that was decided before its lease was ended", async () => {
      const purchase = await opened(await aPersonOf(at()));
      const { purchases } = at();
      const facts = required((await purchases.facts([{ ...purchase, kind: "purchase", nowMs: NOW_MS }]))[0]);
      expect(await purchases.endForeignLeases("another node", NOW_MS)).toBeGreaterThan(0);
      const { revision } = required(facts.purchase);
      const { versions } = facts;
      const step = { before: purchase, revision, versions, limits: DEFAULT_LIMITS, nowMs: NOW_MS };
      expect(await purchases.move({ ...step, change: changed({ ...purchase, attemptCount: 1 }) })).toBeNull();
      expect(await purchases.record(purchase)).toMatchObject({ attemptCount: 0, dueAtMs: 0 });
    });

    test("of several processes about one person see each other's writes", async () => {
      const user = await aPersonOf(at());
      await at().settings.change(user.id, { limits: { dayEur: 1_000 } }, NOW_MS);
      // Checked in the decision, because the table itself refuses an exceeded budget.
      const sevenADay: typeof withinLimits = (facts) =>
        facts.spending.day.purchases < 7 ? withinLimits(facts) : { kind: "refuse", refusal: "limit" };
      // Enough for several to read the facts before the last allowed purchase.
      const processes = Array.from({ length: 6 }, () => createDecisions(at().purchases));
      const outcomes = await Promise.allSettled(
        processes.flatMap((decisions) =>
          Array.from({ length: 8 }, () => decisions.propose(aProposal(user), sevenADay)),
        ),
      );
      const kinds = outcomes.map((each) => (each.status === "fulfilled" ? each.value.kind : "too busy"));
      const failures = outcomes
        .filter((each) => each.status === "rejected")
        .map(({ reason }): unknown => reason);
      expect(failures.filter((reason) => !isStoreAway(reason))).toEqual([]);
      expect(kinds).not.toContain("conflict");
      const openedCount = kinds.filter((kind) => kind === "opened").length;
      expect(openedCount).toBeLessThanOrEqual(7);
      const totals = { heldCents: openedCount * 1_000, purchases: openedCount };
      expect(await at().purchases.totals(user.id, DAY)).toMatchObject(totals);
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test.each([
      [
        "a person's own",
        (user: User) => sql`update settings set is_stopped = true where user_id = ${user.id}`,
      ],
      ["the auditor's", () => sql`insert into stop_switches values ('auditor', true, '', 0)`],
    ])("are seen by a decision that is written while %s is set", async (_whose, switchOn) => {
      const user = await aPersonOf(at());
      await at().db.execute(sql`delete from stop_switches where name = 'auditor'`);
      const { promise: isSwitched, resolve: resolveSwitched } = Promise.withResolvers<void>();
      const proposing = isSwitched.then(() => at().purchases.propose(aProposal(user), withinLimits));
      await at().db.transaction(async (tx) => {
        await tx.execute(switchOn(user));
        resolveSwitched();
        await tx.execute(sql`select pg_sleep(0.3)`);
      });
      expect(await proposing).toEqual({ kind: "refused", refusal: "stopped" });
      await at().db.execute(sql`delete from stop_switches where name = 'auditor'`);
    });
  });
}

function required<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error("there are no facts");
  return value;
}
