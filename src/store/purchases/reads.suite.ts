import { describe, expect, test } from "vitest";
import { asFilterId, asPurchaseId, type PurchaseId } from "#domain/ids.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import {
  aProposal,
  actsOn,
  admitted,
  captured,
  changed,
  nextNumber,
  released,
  type PurchasesUnderTest,
} from "./purchases-under-test.suite.ts";
import { NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeReads({ shared: at, open }: PurchasesUnderTest): void {
  const { opened, budgetsOf } = actsOn(at);

  describe("reading", () => {
    test("lists newest first, without hidden purchases and those that never reached the checkout", async () => {
      const user = await aPersonOf(at());
      const bare = await opened(user, { nowMs: NOW_MS + 1 });
      const bought = await opened(user, { nowMs: NOW_MS + 2 });
      const failed = await opened(user, { nowMs: NOW_MS + 3 });
      await at().purchases.advance(bare, NOW_MS, released);
      await at().purchases.advance(bought, NOW_MS, (before) => captured(before, 900));
      await at().purchases.advance(failed, NOW_MS, (before) => {
        const change = released(before);
        return { ...change, next: { ...change.next, reachedCheckout: true } };
      });
      const ids = async () => (await at().purchases.list(user.id, 10)).map(({ id }) => id);
      expect(await ids()).toEqual([failed.id, bought.id]);
      const olderThan = async (id: PurchaseId, whose = user) =>
        (await at().purchases.list(whose.id, 1, id)).map((record) => record.id);
      expect(await olderThan(failed.id)).toEqual([bought.id]);
      expect(await olderThan(bought.id)).toEqual([]);
      expect(await olderThan(failed.id, await aPersonOf(at()))).toEqual([]);
      expect(await olderThan(asPurchaseId("a\u0000b"))).toEqual([]);
      expect(await at().purchases.hideFinal(user.id, NOW_MS)).toBe(1);
      expect(await at().purchases.hideFinal(user.id, NOW_MS)).toBe(0);
      expect(await ids()).toEqual([bought.id]);
      expect(await at().purchases.journal(user.id, 10)).toHaveLength(3);
    });

    test("counts a person's own open purchases, and nobody else's", async () => {
      const [user, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const [ended, bought] = [await opened(user), await opened(user)];
      await opened(other);
      expect(await at().purchases.openCount(user.id)).toBe(2);
      await at().purchases.advance(ended, NOW_MS, released);
      expect(await at().purchases.openCount(user.id)).toBe(1);
      await at().purchases.advance(bought, NOW_MS, (before) => captured(before, 900));
      expect(await at().purchases.openCount(user.id)).toBe(0);
    });

    test("hiding changes no money and no other person's purchases", async () => {
      const [user, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const mine = await opened(user);
      const theirs = await opened(other);
      await at().purchases.advance(mine, NOW_MS, released);
      const money = () => at().behind.ledgerOf(user.id);
      const before = [await money(), await budgetsOf(user)];
      await at().purchases.hideFinal(user.id, NOW_MS);
      expect([await money(), await budgetsOf(user)]).toEqual(before);
      expect(await at().purchases.record(theirs)).toEqual(theirs);
    });

    test("finds due purchases, and ends the leases of other processes", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      const propose = async (owner: string, leaseUntilMs: number) => {
        const proposal = aProposal(user, { owner, leaseUntilMs });
        await store.purchases.propose(proposal, () => admitted());
        return proposal.id;
      };
      const mine = await propose("node-1", NOW_MS + 5);
      const theirs = await propose("node-2", NOW_MS + 50_000);
      const due = async (nowMs: number) => (await store.purchases.due(nowMs, 10)).map(({ id }) => id);
      expect(await due(NOW_MS + 4)).toEqual([]);
      expect(await due(NOW_MS + 5)).toEqual([mine]);
      expect(await store.purchases.endForeignLeases("node-1", NOW_MS)).toBe(1);
      expect(await due(NOW_MS)).toEqual([theirs]);
      expect(await store.purchases.userIdsWithOpenPurchases()).toEqual([user.id]);
    });

    test("checks at the start what a clock that was ahead has planned for later", async () => {
      await using own = await open();
      const { store } = own;
      const proposal = aProposal(await aPersonOf(store));
      await store.purchases.propose(proposal, () => admitted());
      const dueAtMs = NOW_MS + 60 * 60_000;
      const record = { id: proposal.id, userId: proposal.userId };
      await store.purchases.advance(record, NOW_MS, (before) =>
        changed({ ...before, state: "unknown", leaseOwner: null, dueAtMs }),
      );
      expect(await store.purchases.due(NOW_MS, 10)).toEqual([]);
      await store.purchases.endForeignLeases("node-1", NOW_MS);
      expect((await store.purchases.due(NOW_MS, 10)).map(({ id }) => id)).toEqual([record.id]);
    });

    test("ends a filter's automatic buying with the purchase that reaches its maximum: only accepted purchases count", async () => {
      const user = await aPersonOf(at());
      const filterId = asFilterId(`filter-${nextNumber()}-max`);
      await at().filters.add(aFilter({ id: filterId, userId: user.id, isAutobuy: true, maxPurchases: 2 }), 9);
      const isOn = async (): Promise<boolean | undefined> =>
        (await at().filters.byId(user.id, filterId))?.isAutobuy;
      const records = [await opened(user, { filterId }), await opened(user, { filterId })];
      const stops: (readonly unknown[] | undefined)[] = [];
      for (const record of records) {
        expect(await isOn()).toBe(true);
        const advance = await at().purchases.advance(record, NOW_MS, (before) => captured(before, 900));
        stops.push(advance?.stops);
      }
      const reached = { reason: "max_purchases", filterIds: [filterId], groupId: null, userId: user.id };
      expect(stops).toEqual([[], [reached]]);
      expect(await isOn()).toBe(false);
    });

    test("ends a simulating filter's automatic buying with the simulation that reaches its maximum", async () => {
      const user = await aPersonOf(at());
      const filterId = asFilterId(`filter-${nextNumber()}-simulated`);
      const traits = { isAutobuy: true, isSimulation: true, maxPurchases: 1 };
      await at().filters.add(aFilter({ id: filterId, userId: user.id, ...traits }), 9);
      const outcome = await at().purchases.propose(aProposal(user, { filterId }), () =>
        admitted({ mode: "simulation" }),
      );
      expect(outcome).toMatchObject({ kind: "opened", stops: [{ reason: "max_purchases" }] });
      expect((await at().filters.byId(user.id, filterId))?.isAutobuy).toBe(false);
    });

    test("lets one node per interval sweep an account", async () => {
      const user = await aPersonOf(at());
      const claim = (nowMs: number) => at().purchases.claimSweep(user.id, nowMs, nowMs - 1_000);
      const claims = await Promise.all([claim(NOW_MS), claim(NOW_MS), claim(NOW_MS)]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await claim(NOW_MS + 1_001)).toBe(true);
      // A clock that was an hour ahead and is set back.
      expect(await claim(NOW_MS + 60 * 60_000)).toBe(true);
      expect([await claim(NOW_MS + 5_000), await claim(NOW_MS + 5_000)]).toEqual([true, false]);
      // The clock of another node, a little behind.
      expect(await claim(NOW_MS + 4_500)).toBe(false);
    });

    test("returns unpublished changes until their latest version is published", async () => {
      const user = await aPersonOf(at());
      const purchase = await opened(user);
      const isUnpublished = async (movedBeforeMs = NOW_MS + 10): Promise<boolean> =>
        (await at().purchases.unpublished(movedBeforeMs, 1_000)).some(({ id }) => id === purchase.id);
      expect([await isUnpublished(), await isUnpublished(NOW_MS - 1)]).toEqual([true, false]);
      await at().purchases.published([purchase]);
      expect(await isUnpublished()).toBe(false);
      const attempted = { ...purchase, attemptCount: 1 };
      await at().purchases.advance(purchase, NOW_MS + 1, () => changed(attempted));
      expect(await isUnpublished()).toBe(false);
      const entry = {
        atMs: NOW_MS + 2,
        kind: "purchase.failed",
        userId: user.id,
        details: { from: null, n: 1 },
      };
      await at().purchases.advance(purchase, NOW_MS + 2, (record) => {
        const change = released(record);
        return { ...change, next: { ...change.next, updatedAtMs: NOW_MS + 2 }, isNews: true, audit: entry };
      });
      expect(await at().behind.auditOf(user.id)).toContainEqual(entry);
      // The publication of an earlier version arrives late.
      await at().purchases.published([purchase]);
      expect(await isUnpublished()).toBe(true);
    });

    test("an id that cannot exist finds no purchase", async () => {
      const user = await aPersonOf(at());
      const id = asPurchaseId("a\u0000b");
      expect(await at().purchases.find(id)).toBeNull();
      expect(await at().purchases.record({ id, userId: user.id })).toBeNull();
    });
  });
}
