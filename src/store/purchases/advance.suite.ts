import { describe, expect, test } from "vitest";
import type { User } from "#domain/user.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import {
  aProposal,
  actsOn,
  captured,
  changed,
  DAY,
  released,
  withinLimits,
  type PurchasesUnderTest,
} from "./purchases-under-test.suite.ts";
import { NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeAdvances({ shared: at }: PurchasesUnderTest): void {
  const { opened, limit, budgetsOf } = actsOn(at);

  describe("an advance", () => {
    test("moves the row, its attempt, its money and the ledger in one transaction", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      const submitted = await at().purchases.advance(record, NOW_MS, (before) =>
        changed({ ...before, state: "submitting", attemptCount: 1, attemptPhase: "preparing" }, [], {
          attempts: [{ kind: "opened", n: 1 }],
        }),
      );
      expect(submitted?.after.state).toBe("submitting");
      await at().purchases.advance(record, NOW_MS + 1, (before) =>
        changed(
          { ...before, attemptPhase: "paying", holdCents: 1_300 },
          [{ kind: "hold", cents: 300, isFirst: false }],
          { attempts: [{ kind: "paying", n: 1, digest: "d", deadlineMs: NOW_MS + 60_000 }] },
        ),
      );
      await at().purchases.advance(record, NOW_MS + 2, (before) => ({
        ...captured(before, 1_250),
        attempts: [{ kind: "ended", n: 1, outcome: "confirmed", evidence: { status: 200 } }],
      }));
      const [entry] = await at().purchases.journal(user.id, 1);
      expect(entry).toMatchObject({
        purchase: { state: "confirmed", chargedCents: 1_250, transactionId: 42 },
        attempts: [{ n: 1, startedAtMs: NOW_MS, sentAtMs: NOW_MS + 1, outcome: "confirmed" }],
      });
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day).toMatchObject({ heldCents: 0, capturedCents: 1_250, purchases: 1 });
      const kinds = await at().behind.ledgerOf(user.id);
      expect(kinds.map(({ kind }) => kind)).toEqual(["hold", "hold", "capture"]);
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test("that decides nothing or fails changes nothing", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      expect(await at().purchases.advance(record, NOW_MS, () => null)).toMatchObject({ change: null });
      const failing = at().purchases.advance(record, NOW_MS, (before) => ({
        ...released(before),
        money: [{ kind: "release", heldCents: 999_999 }],
      }));
      await expect(failing).rejects.toThrow();
      expect(await at().purchases.record(record)).toEqual(record);
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test("finds nothing under another person's id", async () => {
      const [owner, stranger] = [await aPersonOf(at()), await aPersonOf(at())];
      const record = await opened(owner);
      const foreign = { id: record.id, userId: stranger.id };
      expect(await at().purchases.record(foreign)).toBeNull();
      expect(await at().purchases.advance(foreign, NOW_MS, released)).toBeNull();
      expect((await at().purchases.record(record))?.state).toBe("intent");
    });

    test("is serialized with other concurrent ones of the same purchase", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      await Promise.all(
        Array.from({ length: 30 }, () =>
          at().purchases.advance(record, NOW_MS, (before) =>
            changed({ ...before, attemptCount: before.attemptCount + 1 }),
          ),
        ),
      );
      expect((await at().purchases.record(record))?.attemptCount).toBe(30);
    });

    test("of a purchase to a final state frees its listing for the next person", async () => {
      const [first, second] = [await aPersonOf(at()), await aPersonOf(at())];
      const listingId = 8_000_003;
      const record = await opened(first, { listingId });
      const propose = () => at().purchases.propose(aProposal(second, { listingId }), withinLimits);
      expect(await propose()).toEqual({ kind: "refused", refusal: "taken" });
      await at().purchases.advance(record, NOW_MS, released);
      expect((await propose()).kind).toBe("opened");
    });

    test("cannot leave a hold on a final purchase", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      const wrong = at().purchases.advance(record, NOW_MS, (before) =>
        changed({ ...before, state: "failed", dueAtMs: null }),
      );
      await expect(wrong).rejects.toThrow();
    });

    test("sets the person's stop in the same transaction, and the operator may lift it, unlike the person's own", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      await at().purchases.advance(record, NOW_MS + 5, (before) => ({
        ...captured(before, 1_000),
        stopsUser: true,
      }));
      expect((await at().settings.get(user.id)).limits.isStopped).toBe(true);
      const details = { purchaseId: record.id, reason: "overcharge" };
      expect(await at().behind.auditOf(user.id)).toMatchObject([{ kind: "buying.stopped", details }]);
      expect(await at().purchases.resumeAccount(user.id, NOW_MS + 10)).toBe(true);
      expect((await at().settings.get(user.id)).limits.isStopped).toBe(false);
      await limit(user, { isStopped: true });
      // The person's own stop is not lifted.
      expect(await at().purchases.resumeAccount(user.id, NOW_MS + 20)).toBe(false);
      expect((await at().settings.get(user.id)).limits.isStopped).toBe(true);
    });

    test("leaves the person's own stop to the person, whether a breaker stops them as well before it or after it", async () => {
      const stopsItself = async (user: User): Promise<void> => {
        const record = await opened(user);
        await at().purchases.advance(record, NOW_MS + 5, (before) => ({
          ...captured(before, 1_000),
          stopsUser: true,
        }));
      };
      const stopsByHand = (user: User): Promise<void> => limit(user, { isStopped: true });
      const orders = [
        [stopsItself, stopsByHand],
        [stopsByHand, stopsItself],
      ];
      for (const order of orders) {
        const user = await aPersonOf(at());
        for (const stop of order) await stop(user);
        expect(await at().purchases.resumeAccount(user.id, NOW_MS + 10)).toBe(false);
        expect((await at().settings.get(user.id)).limits.isStopped).toBe(true);
        await limit(user, { isStopped: false });
        await stopsItself(user);
        expect(await at().purchases.resumeAccount(user.id, NOW_MS + 20)).toBe(true);
      }
    });

    test("tells of a stop that stands already only when a purchase was charged more than its quote, once for each", async () => {
      const user = await aPersonOf(at());
      await limit(user, { isStopped: true });
      const stops = async (record: PurchaseRecord, next: Partial<PurchaseRecord>): Promise<void> => {
        const key = { id: record.id, userId: user.id };
        await at().purchases.advance(key, NOW_MS + 5, (before) =>
          changed({ ...before, ...next }, [], { stopsUser: true }),
        );
      };
      const toldOf = async (): Promise<readonly unknown[]> => {
        const entries = await at().behind.auditOf(user.id);
        return entries.filter(({ kind }) => kind === "buying.stopped").map(({ details }) => details);
      };
      await stops(await opened(user), { state: "unknown" });
      expect(await toldOf()).toEqual([]);
      const [first, second] = [await opened(user), await opened(user)];
      for (const record of [first, first, second]) await stops(record, { state: "awaiting" });
      const overcharges = [first, second].map(({ id }) => ({ purchaseId: id, reason: "overcharge" }));
      const told = await toldOf();
      expect(told).toHaveLength(2);
      expect(told).toEqual(expect.arrayContaining(overcharges));
    });

    test("counts unknown outcomes of the last ten minutes since the person last lifted the stop", async () => {
      const user = await aPersonOf(at());
      const unknownOutcomesAt = async (nowMs: number): Promise<number> => {
        let count = -1;
        const record = await opened(user);
        await at().purchases.advance(record, nowMs, (before, facts) => {
          count = facts.recentUnknownOutcomes;
          return released(before);
        });
        return count;
      };
      const purchase = await opened(user);
      await at().purchases.advance(purchase, NOW_MS, (before) =>
        changed({ ...before, attemptCount: 1 }, [], {
          attempts: [
            { kind: "opened", n: 1 },
            { kind: "ended", n: 1, outcome: "unknown", evidence: {} },
          ],
        }),
      );
      expect(await unknownOutcomesAt(NOW_MS + 599_999)).toBe(1);
      expect(await unknownOutcomesAt(NOW_MS + 600_000)).toBe(0);
      await limit(user, { isStopped: true });
      await at().settings.change(user.id, { limits: { isStopped: false } }, NOW_MS + 1);
      expect(await unknownOutcomesAt(NOW_MS + 2)).toBe(0);
    });

    test("applies a lowered limit at once, and never lowers a budget's cap below what was spent", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      await limit(user, { dayEur: 1, monthEur: 1 });
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({ refusal: "limit" });
      await at().purchases.advance(record, NOW_MS, (before) => captured(before, 1_000));
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day).toMatchObject({ capturedCents: 1_000, capCents: 1_000 });
    });
  });
}
