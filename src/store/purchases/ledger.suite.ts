import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { asFilterId, asListingId, asPurchaseId, type FilterId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import type { OpenStore } from "../open-store.ts";
import { budgets, ledger, purchaseAttempts } from "../schema/purchase-tables.ts";
import {
  aProposal,
  actsOn,
  admitted,
  DAY,
  MONTH,
  nextNumber,
  released,
  captured,
  changed,
  withinLimits,
  type PurchasesUnderTest,
} from "./purchases-under-test.suite.ts";
import { NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeLedger({ shared: at, open }: PurchasesUnderTest): void {
  const { opened, limit, budgetsOf } = actsOn(at);

  describe("orders made outside", () => {
    const order = (user: User, traits: { transactionId: number; listingId: number }) => {
      return {
        id: asPurchaseId(`external-${nextNumber()}`),
        userId: user.id,
        transactionId: traits.transactionId,
        listingId: asListingId(traits.listingId),
        listing: aListing({ id: traits.listingId }),
        totalCents: 2_500,
        orderedAtMs: NOW_MS,
        nowMs: NOW_MS,
        dayKey: DAY,
        monthKey: MONTH,
      };
    };

    test("are recorded once as extra, despite any limit, and count in later decisions", async () => {
      const user = await aPersonOf(at());
      await limit(user, { dayEur: 30 });
      const found = order(user, { transactionId: 501, listingId: 9_000_001 });
      const record = await at().purchases.recordExternal(found);
      expect(record).toMatchObject({ id: found.id, userId: user.id });
      expect(await at().purchases.recordExternal({ ...found, id: asPurchaseId("external-again") })).toBe(
        null,
      );
      const unpublishedIds = async () =>
        (await at().purchases.unpublished(Number.MAX_SAFE_INTEGER, 1_000)).map(({ id }) => id);
      expect(await unpublishedIds()).toContain(found.id);
      if (record !== null) await at().purchases.published([record]);
      expect(await unpublishedIds()).not.toContain(found.id);
      expect(await at().purchases.list(user.id, 10)).toMatchObject([
        { source: "external", state: "confirmed", chargedCents: 2_500, transactionId: 501 },
      ]);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({ refusal: "limit" });
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test("that belong to a filter end its automatic buying once its maximum is reached", async () => {
      const user = await aPersonOf(at());
      const [filled, other] = [asFilterId(`paid-${nextNumber()}`), asFilterId(`other-${nextNumber()}`)];
      for (const id of [filled, other])
        await at().filters.add(aFilter({ id, userId: user.id, isAutobuy: true, maxPurchases: 1 }), 9);
      const found = order(user, { transactionId: 502, listingId: 9_000_003 });
      expect(await at().purchases.recordExternal({ ...found, filterId: filled })).not.toBeNull();
      const endOf = async (id: FilterId) => {
        const filter = await at().filters.byId(user.id, id);
        return [filter?.isAutobuy, filter?.autobuyEnd?.reason];
      };
      expect(await endOf(filled)).toEqual([false, "max_purchases"]);
      expect(await endOf(other)).toEqual([true, undefined]);
      expect(await at().purchases.stopsOf({ id: found.id, userId: user.id })).toEqual([
        { userId: user.id, reason: "max_purchases", groupId: null, filterIds: [filled] },
      ]);
    });

    test("outdate a decision on facts that were read before them", async () => {
      const user = await aPersonOf(at());
      const outcome = await at().purchases.propose(aProposal(user), () => admitted());
      if (outcome.kind !== "opened") throw new Error("nothing was opened");
      const { record, snapshot } = outcome;
      await at().purchases.recordExternal(order(user, { transactionId: 701, listingId: 9_200_001 }));
      const seen: number[] = [];
      await at().purchases.advance(
        record,
        NOW_MS,
        (before, facts) => {
          seen.push(facts.day.extraCents);
          return captured(before, 900);
        },
        snapshot,
      );
      expect(seen).toEqual([0, 2_500]);
    });

    test("of any amount are recorded: sums do not overflow", async () => {
      const user = await aPersonOf(at());
      for (const transactionId of [601, 602, 603, 604]) {
        const found = order(user, { transactionId, listingId: 9_100_000 + transactionId });
        await at().purchases.recordExternal({ ...found, totalCents: 999_999_999 });
      }
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day?.extraCents).toBe(3_999_999_996);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({ refusal: "limit" });
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test("are not recorded while a purchase of ours may explain them", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      const found = order(user, { transactionId: 502, listingId: record.listingId });
      expect(await at().purchases.recordExternal(found)).toBeNull();
      await at().purchases.advance(record, NOW_MS, released);
      expect(await at().purchases.recordExternal(found)).not.toBeNull();
      expect(await at().purchases.byTransaction(user.id, 502)).toMatchObject({
        source: "external",
        epoch: 1,
      });
    });

    test("are found by their transaction before a purchase of ours that was given up", async () => {
      const user = await aPersonOf(at());
      const givenUp = await opened(user);
      await at().purchases.advance(givenUp, NOW_MS, (before) => {
        const change = released(before);
        return { ...change, next: { ...change.next, transactionId: 504 } };
      });
      const ofOrder = async () => (await at().purchases.byTransaction(user.id, 504))?.id;
      expect(await ofOrder()).toBe(givenUp.id);
      // The marketplace counts in whole seconds: the order seems older than its purchase.
      const found = order(user, { transactionId: 504, listingId: givenUp.listingId });
      await at().purchases.recordExternal({ ...found, orderedAtMs: givenUp.decidedAtMs - 1_000 });
      expect(await ofOrder()).toBe(found.id);
    });

    test("do not keep other people from buying the listing", async () => {
      const [buyer, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const listingId = 9_000_003;
      await opened(other, { listingId });
      const found = order(buyer, { transactionId: 503, listingId });
      expect(await at().purchases.recordExternal(found)).not.toBeNull();
    });
  });

  describe("the ledger audit", () => {
    test("reports a budget that contradicts its ledger", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      await store.purchases.propose(aProposal(user), () => admitted());
      expect(await store.purchases.auditLedger(NOW_MS)).toEqual([]);
      await store.behind.miscount(DAY, 400);
      const findings = await store.purchases.auditLedger(NOW_MS);
      expect(findings.some((finding) => finding.includes("its ledger"))).toBe(true);
      expect(findings.some((finding) => finding.includes("its purchases hold"))).toBe(true);
    });
  });
}

/** The constraints and triggers of the tables, whatever the code does. */
export function describeAppendOnlyLedger(at: () => OpenStore): void {
  describe("the ledger and the attempts", () => {
    async function paid(): Promise<User> {
      const user = await aPersonOf(at());
      const { purchases } = at();
      const outcome = await purchases.propose(aProposal(user), () => admitted());
      if (outcome.kind !== "opened") throw new Error("no purchase");
      const { record } = outcome;
      const ended = { kind: "ended", n: 1, outcome: "confirmed", evidence: {} } as const;
      await purchases.advance(record, NOW_MS, () => ({
        ...changed(record),
        attempts: [{ kind: "opened", n: 1 }],
      }));
      await purchases.advance(record, NOW_MS, () => ({ ...captured(record, 900), attempts: [ended] }));
      return user;
    }

    test.each([
      "update ledger set amount_cents = 0",
      "delete from ledger",
      "truncate ledger",
      "update purchase_attempts set outcome = 'failed'",
      "update purchase_attempts set outcome = null",
      "delete from purchase_attempts",
      "truncate purchase_attempts",
    ])("are append-only: %s", async (statement) => {
      await paid();
      const table = statement.includes("ledger") ? "ledger" : "purchase_attempts";
      const refused = at().db.execute(sql.raw(statement));
      await expect(refused).rejects.toHaveProperty("cause.message", `${table} is append-only`);
    });

    test("delete only attempts with their person; budgets and ledger are kept", async () => {
      const [gone, left] = [await paid(), await paid()];
      const attemptsOf = async (user: User): Promise<number> =>
        at().db.$count(purchaseAttempts, eq(purchaseAttempts.userId, user.id));
      await at().users.erase(gone.id);
      expect([await attemptsOf(gone), await attemptsOf(left)]).toEqual([0, 1]);
      expect(await at().purchases.journal(gone.id, 10)).toEqual([]);
      expect(await at().db.$count(budgets, eq(budgets.userId, gone.id))).toBe(2);
      expect(await at().db.$count(ledger, eq(ledger.userId, gone.id))).toBe(2);
      // The permission to delete ended with that transaction.
      const again = at().db.delete(purchaseAttempts).where(eq(purchaseAttempts.userId, left.id));
      await expect(again).rejects.toThrow();
    });
  });
}
