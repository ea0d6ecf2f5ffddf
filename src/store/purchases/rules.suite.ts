import { beforeAll, describe, expect, test } from "vitest";
import { NO_RULES, type BuyingRules, type EndReason } from "#domain/buying-rules.ts";
import { asFilterId, asGroupId, asPurchaseId, type FilterId, type GroupId } from "#domain/ids.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { User } from "#domain/user.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import type { ProposalFacts, PurchaseRecord, RuleFacts } from "../purchase-facts.ts";
import type { Change } from "../purchase-store.ts";
import { aPersonOf, NOW_MS } from "../suite-store.suite.ts";
import type { GroupOutcome, SavedGroup } from "../market-store.ts";
import {
  actsOn,
  admitted,
  aProposal,
  captured,
  changed,
  DAY,
  nextNumber,
  type PurchasesUnderTest,
  released,
} from "./purchases-under-test.suite.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

/** Groups and buying rules: facts of decisions, ends of automatic buying, and invalidated decisions. */
export function describeRules({ shared: at }: PurchasesUnderTest): void {
  describe("rules of buying", () => {
    const { opened } = actsOn(at);
    let lea: User;
    beforeAll(async () => {
      lea = await aPersonOf(at());
    });

    const filterOf = async (rules: Partial<BuyingRules> = {}, traits: Parameters<typeof aFilter>[0] = {}) => {
      const id = asFilterId(`filter-${nextNumber()}-rules`);
      const filter = { ...aFilter({ isAutobuy: true, ...traits }), id, userId: lea.id };
      await at().filters.add({ ...filter, rules: { ...NO_RULES, ...rules } }, 200);
      return id;
    };
    const save = async (
      filterIds: readonly FilterId[],
      traits: Partial<Omit<SavedGroup, "filterIds">> = {},
    ): Promise<GroupOutcome> => {
      const id = asGroupId(`group-${nextNumber()}`);
      const group = { id, userId: lea.id, name: "Manteau", maxPurchases: 1, budgetEur: null, ...traits };
      return await at().groups.add({ ...group, filterIds }, { nowMs: NOW_MS, limit: 999 });
    };
    const groupOf = async (...args: Parameters<typeof save>): Promise<GroupId> => {
      const outcome = await save(...args);
      if (outcome.kind !== "saved") throw new Error(`not saved: ${outcome.kind}`);
      return outcome.group.id;
    };
    const ruleFacts = async (filterId: FilterId): Promise<RuleFacts | undefined> => {
      const seen: ProposalFacts[] = [];
      await at().purchases.propose(aProposal(lea, { filterId }), (facts) => {
        seen.push(facts);
        return { kind: "refuse", refusal: "seen" };
      });
      return seen[0]?.ruleFacts;
    };
    const advance = async (record: PurchaseRecord, decide: (record: PurchaseRecord) => Change) =>
      await at().purchases.advance(record, NOW_MS, decide);
    const confirm = (record: PurchaseRecord, cents = 900) => advance(record, (now) => captured(now, cents));
    /** A purchase of the filter fails while it was to pay this transaction. */
    const fails = async (filterId: FilterId, attemptTransactionId: number, hadUnknownOutcome = true) => {
      const record = await opened(lea, { filterId });
      const setback = { isSetback: true, attemptTransactionId, hadUnknownOutcome };
      const end = await advance(record, (now) => {
        const change = released(now);
        return { ...change, next: { ...change.next, ...setback } };
      });
      return { record, ends: end?.stops.map(({ reason }) => reason) };
    };
    const paidElsewhere = async (
      { listingId, listing, dayKey, monthKey }: PurchaseRecord,
      transactionId: number,
      filterId: FilterId | null,
    ) => {
      const order = { transactionId, listingId, listing, filterId, totalCents: 900, orderedAtMs: NOW_MS };
      const id = asPurchaseId(`late-${transactionId}`);
      await at().purchases.recordExternal({
        ...order,
        id,
        userId: lea.id,
        nowMs: NOW_MS,
        dayKey,
        monthKey,
      });
    };
    const autobuyOf = async (id: FilterId) => {
      const filter = await at().filters.byId(lea.id, id);
      return { isAutobuy: filter?.isAutobuy, end: filter?.autobuyEnd?.reason ?? null };
    };
    const stopsInAudit = async (groupId: GroupId) =>
      (await at().behind.auditOf(lea.id)).filter(
        ({ kind, details }) => kind === "autobuy.stopped" && details["groupId"] === groupId,
      );

    test("are decided with counts of taken places and of paid purchases, excluding the purchase being decided", async () => {
      const filters = [await filterOf({ perSellerAndDay: 2 }), await filterOf()] as const;
      const groupId = await groupOf(filters, { maxPurchases: 5, budgetEur: 60 });
      const [one, other] = [
        await opened(lea, { filterId: filters[0] }),
        await opened(lea, { filterId: filters[1] }),
      ];
      expect(one.groupId).toBe(groupId);
      await confirm(one, 1_200);
      const group = { id: groupId, maxPurchases: 5, budgetEur: 60 };
      expect(await ruleFacts(filters[0])).toEqual({
        group,
        taken: {
          groupCount: 2,
          groupCents: 2_200,
          filterCount: 1,
          filterCents: 1_200,
          filterDayCents: 1_200,
          latestAtMs: NOW_MS,
          sellerCount: 2,
        },
        paid: {
          groupCount: 1,
          groupCents: 1_200,
          filterCount: 1,
          filterCents: 1_200,
          filterDayCents: 1_200,
          latestAtMs: NOW_MS,
          sellerCount: 1,
        },
      });
      let facts: RuleFacts | undefined;
      await at().purchases.advance(other, NOW_MS, (_record, { ruleFacts: seen }) => {
        facts = seen;
        return null;
      });
      expect(facts).toMatchObject({ group, taken: { groupCount: 1, groupCents: 1_200, filterCount: 0 } });
      await advance(other, released);
      expect(await ruleFacts(filters[1])).toMatchObject({
        taken: { groupCount: 1, filterCount: 0, latestAtMs: null, sellerCount: 0 },
      });
      expect((await at().groups.list(lea.id)).find(({ id }) => id === groupId)).toMatchObject({
        filterIds: filters,
        taken: { count: 1, cents: 1_200 },
        isComplete: false,
      });
    });

    test("end a group with the purchase that is paid for its last place, once and in all of its filters", async () => {
      const filters = [await filterOf(), await filterOf(), await filterOf({}, { isAutobuy: false })] as const;
      const outside = await filterOf();
      const groupId = await groupOf(filters, { maxPurchases: 2 });
      const records = [
        await opened(lea, { filterId: filters[0] }),
        await opened(lea, { filterId: filters[1] }),
      ];
      const ends = [];
      for (const record of records) ends.push((await confirm(record))?.stops);
      const on = [filters[0], filters[1]].toSorted();
      const stop = { userId: lea.id, reason: "group", filterIds: on, groupId };
      expect(ends).toEqual([[], [stop]]);
      expect(await Promise.all([...filters, outside].map(autobuyOf))).toEqual([
        { isAutobuy: false, end: "group" },
        { isAutobuy: false, end: "group" },
        { isAutobuy: false, end: null },
        { isAutobuy: true, end: null },
      ]);
      const [last] = records.toReversed();
      const details = { reason: "group", groupId, filterIds: on.join(","), purchaseId: last?.id };
      expect(await stopsInAudit(groupId)).toMatchObject([{ details }]);
      expect(last === undefined ? [] : await at().purchases.stopsOf(last)).toEqual([stop]);
      // A cancellation makes room in the group again; its filters stay off.
      if (last !== undefined)
        await advance(last, (record) => changed({ ...record, state: "cancelled", chargedCents: 900 }));
      const [group] = (await at().groups.list(lea.id)).filter(({ id }) => id === groupId);
      expect(group).toMatchObject({ taken: { count: 1 }, isComplete: false });
      expect((await autobuyOf(filters[0])).isAutobuy).toBe(false);
    });

    test("are told, when they ended buying, only of the filters that are still off by it", async () => {
      const filters = [await filterOf(), await filterOf()] as const;
      const groupId = await groupOf(filters);
      const last = await opened(lea, { filterId: filters[0] });
      await confirm(last);
      const told = async () =>
        (await at().purchases.stopsOf(last)).map(({ reason, filterIds }) => ({ reason, filterIds }));
      expect(await told()).toEqual([{ reason: "group", filterIds: filters.toSorted() }]);
      const group = { id: groupId, userId: lea.id, name: "Manteau", budgetEur: null, filterIds: filters };
      await at().groups.replace({ ...group, maxPurchases: 9 }, NOW_MS + 9);
      const read = await at().filters.byId(lea.id, filters[0]);
      if (read === null) throw new Error("the filter is there");
      await replaceFilter(at().filters, { ...read, isAutobuy: true, autobuySinceMs: NOW_MS + 9 }, NOW_MS + 9);
      expect(await told()).toEqual([{ reason: "group", filterIds: [filters[1]] }]);
      await at().filters.remove(lea.id, [filters[1]]);
      expect(await told()).toEqual([]);
    });

    test("end a group or a filter with less than 1 EUR of its budget left", async () => {
      const ofGroup = await filterOf();
      const groupId = await groupOf([ofGroup], { maxPurchases: 9, budgetEur: 20 });
      const alone = await filterOf({ totalBudgetEur: 20 });
      const ends: unknown[] = [];
      for (const filterId of [ofGroup, alone])
        for (const cents of [900, 1_001])
          ends.push(
            (await confirm(await opened(lea, { filterId }), cents))?.stops.map(({ reason }) => reason),
          );
      expect(ends).toEqual([[], ["group"], [], ["total_budget"]]);
      expect(await autobuyOf(alone)).toEqual({ isAutobuy: false, end: "total_budget" });
      expect(await stopsInAudit(groupId)).toHaveLength(1);
    });

    test("end a filter by its failures since it was switched on, not by those before", async () => {
      const filterId = await filterOf({ maxFailures: 2 }, { autobuySinceMs: NOW_MS });
      const fails = (traits: Partial<PurchaseRecord>) => async (): Promise<unknown> => {
        const nowMs = NOW_MS + (traits.decidedAtMs ?? 0);
        const record = await opened(lea, { filterId, nowMs });
        const end = await advance(record, (now) => {
          const change = released(now);
          return { ...change, next: { ...change.next, isSetback: traits.isSetback ?? true } };
        });
        return end?.stops.map(({ reason }) => reason);
      };
      expect(await fails({ decidedAtMs: -1 })()).toEqual([]);
      expect(await fails({})()).toEqual([]);
      expect(await fails({ isSetback: false })()).toEqual([]);
      expect(await fails({})()).toEqual(["failures"]);
      expect(await autobuyOf(filterId)).toEqual({ isAutobuy: false, end: "failures" });
    });

    test("do not count a failure whose payment took effect after all", async () => {
      const filterId = await filterOf({ maxFailures: 2 });
      const transactionId = 800_000 + nextNumber();
      const { record } = await fails(filterId, transactionId);
      await paidElsewhere(record, transactionId, filterId);
      expect((await fails(filterId, transactionId + 1)).ends).toEqual([]);
      expect((await fails(filterId, transactionId + 2)).ends).toEqual(["failures"]);
    });

    test("count a failure that was certain, though the person paid its transaction by hand", async () => {
      const filterId = await filterOf({ maxFailures: 2 });
      const transactionId = 800_000 + nextNumber();
      const { record } = await fails(filterId, transactionId, false);
      await paidElsewhere(record, transactionId, null);
      expect((await fails(filterId, transactionId + 1)).ends).toEqual(["failures"]);
    });

    test("are decided with the moment at which the filter's criteria changed, the price apart", async () => {
      const filterId = await filterOf();
      const known = await at().filters.byId(lea.id, filterId);
      if (known === null) throw new Error("it was added");
      const sinceAfter = async (change: Partial<Filter>, nowMs: number) => {
        await replaceFilter(at().filters, { ...known, ...change }, nowMs);
        let sinceMs: number | null | undefined;
        await at().purchases.propose(aProposal(lea, { filterId }), ({ filter }) => {
          sinceMs = filter?.criteriaSinceMs;
          return { kind: "refuse", refusal: "seen" };
        });
        return sinceMs;
      };
      expect(await sinceAfter({}, 1)).toBeNull();
      expect(await sinceAfter({ priceCapEur: 77, priceFloorEur: 3, tag: "Laine" }, 2)).toBeNull();
      const words = { excludeWords: [["polyester", "acrylique"]] };
      expect(await sinceAfter(words, 3)).toBe(3);
      expect(await sinceAfter({ ...words, priceCapEur: 78 }, 4)).toBe(3);
      const stricter: readonly Partial<Filter>[] = [
        { ...words, brandIds: [53] },
        { ...words, colourName: "Black" },
        { ...words, bargainPercent: 10 },
        { ...words, ignoresRelists: true },
        { ...words, seller: { ...known.seller, minRating: 4.5 } },
        {},
      ];
      for (const [n, change] of stricter.entries()) expect(await sinceAfter(change, 10 + n)).toBe(10 + n);
    });

    test("begin anew, for a filter that buys, when its simulation ends", async () => {
      const begun = { isSimulation: true, autobuySinceMs: NOW_MS };
      const [buying, off] = [await filterOf({}, begun), await filterOf({}, { ...begun, isAutobuy: false })];
      const sinceAfter = async (id: FilterId, traits: Partial<Filter>, nowMs: number) => {
        const read = await at().filters.byId(lea.id, id);
        if (read === null) throw new Error("the filter is there");
        await replaceFilter(at().filters, { ...read, ...traits }, nowMs);
        return (await at().filters.byId(lea.id, id))?.autobuySinceMs;
      };
      expect(await sinceAfter(buying, { tag: "Laine" }, NOW_MS + 1)).toBe(NOW_MS);
      expect(await sinceAfter(buying, { isSimulation: false }, NOW_MS + 2)).toBe(NOW_MS + 2);
      expect(await sinceAfter(buying, { tag: "Soie" }, NOW_MS + 3)).toBe(NOW_MS + 2);
      expect(await sinceAfter(buying, { isSimulation: true }, NOW_MS + 4)).toBe(NOW_MS + 2);
      expect(await sinceAfter(off, { isSimulation: false }, NOW_MS + 5)).toBe(NOW_MS);
    });

    test("are not ended by simulations", async () => {
      const filterId = await filterOf({ totalBudgetEur: 1 }, { isSimulation: true });
      await groupOf([filterId]);
      const outcome = await at().purchases.propose(aProposal(lea, { filterId }), () =>
        admitted({ mode: "simulation" }),
      );
      expect(outcome).toMatchObject({ kind: "opened", stops: [] });
      expect(await ruleFacts(filterId)).toMatchObject({ taken: { groupCount: 1, groupCents: 0 } });
    });

    test("invalidate a decision that is made while a group changes", async () => {
      const filterId = await filterOf();
      const groupId = await groupOf([filterId]);
      const known = { id: groupId, userId: lea.id, name: "Manteau", budgetEur: null, filterIds: [filterId] };
      const seen: (number | undefined)[] = [];
      const proposal = aProposal(lea, { filterId, dayKey: DAY });
      const question = { kind: "wish", ...proposal } as const;
      const [before] = await at().purchases.facts([question]);
      await at().groups.replace({ ...known, maxPurchases: 3 }, NOW_MS);
      const [after] = await at().purchases.facts([question]);
      seen.push(before?.ruleFacts.group?.maxPurchases, after?.ruleFacts.group?.maxPurchases);
      expect(seen).toEqual([1, 3]);
      expect(after?.versions.person).toBeGreaterThan(before?.versions.person ?? Infinity);
      const left = await at().groups.remove(lea.id, groupId);
      const [gone] = await at().purchases.facts([question]);
      expect(left).toEqual([filterId]);
      expect(gone?.versions.person).toBeGreaterThan(after?.versions.person ?? Infinity);
      expect(gone?.ruleFacts.group).toBeNull();
      expect(await autobuyOf(filterId)).toEqual({ isAutobuy: false, end: null });
    });

    test("allow filters of one person in one group each, which is deleted with its last filter", async () => {
      const [one, other] = [await filterOf(), await filterOf()];
      const stranger = await aPersonOf(at());
      const groupId = await groupOf([one, other]);
      expect((await save([one])).kind).toBe("in_another_group");
      expect((await save([asFilterId("nobody's")])).kind).toBe("unknown_filter");
      const group = { id: groupId, userId: lea.id, name: "Bottes", maxPurchases: 1, budgetEur: 5 };
      const theirs = { ...group, userId: stranger.id, filterIds: [one] };
      expect((await at().groups.replace(theirs, NOW_MS)).kind).toBe("unknown_group");
      expect(await at().groups.remove(stranger.id, groupId)).toBeNull();
      expect(await at().groups.replace({ ...group, filterIds: [other] }, NOW_MS)).toMatchObject({
        kind: "saved",
        left: [one],
        group: { name: "Bottes", filterIds: [other] },
      });
      expect(await autobuyOf(one)).toEqual({ isAutobuy: false, end: null });
      expect(await autobuyOf(other)).toEqual({ isAutobuy: true, end: null });
      await at().filters.remove(lea.id, [other]);
      expect((await at().groups.list(lea.id)).some(({ id }) => id === groupId)).toBe(false);
    });

    test("stay ended when a page saves a filter that it read before they ended", async () => {
      const filterId = await filterOf({}, { maxPurchases: 1, autobuySinceMs: NOW_MS - 5 });
      const read = await at().filters.byId(lea.id, filterId);
      await confirm(await opened(lea, { filterId }));
      if (read === null) throw new Error("the filter is there");
      // The raised maximum is no longer reached: only the save's age keeps autobuy off.
      await replaceFilter(at().filters, { ...read, maxPurchases: 2 }, NOW_MS);
      expect(await autobuyOf(filterId)).toEqual({ isAutobuy: false, end: "max_purchases" });
      await replaceFilter(at().filters, { ...read, maxPurchases: 2, autobuySinceMs: NOW_MS + 9 }, NOW_MS + 9);
      expect(await autobuyOf(filterId)).toEqual({ isAutobuy: true, end: null });
    });

    test("stay ended when a page saves a filter without its simulation, which it read before they ended", async () => {
      const traits = { maxPurchases: 1, isSimulation: true, autobuySinceMs: NOW_MS - 5 };
      const filterId = await filterOf({}, traits);
      const read = await at().filters.byId(lea.id, filterId);
      if (read === null) throw new Error("the filter is there");
      await replaceFilter(at().filters, { ...read, isAutobuy: false }, NOW_MS);
      await replaceFilter(at().filters, { ...read, isSimulation: false }, NOW_MS + 1);
      expect(await autobuyOf(filterId)).toMatchObject({ isAutobuy: false });
    });

    test("stay ended when a filter is switched on again or its bound lowered while the bound is reached", async () => {
      const once = { maxPurchases: 1, autobuySinceMs: NOW_MS - 5 };
      const [counted, budgeted, failing, grouped] = [
        await filterOf({}, once),
        await filterOf({ totalBudgetEur: 20 }),
        await filterOf({ maxFailures: 9 }, { autobuySinceMs: NOW_MS }),
        await filterOf(),
      ];
      const filterIds = [grouped, await filterOf()];
      const groupId = await groupOf(filterIds, { maxPurchases: 5, budgetEur: 60 });
      for (const filterId of [counted, budgeted, grouped]) await confirm(await opened(lea, { filterId }));
      const failed = await opened(lea, { filterId: failing });
      await advance(failed, (now) => {
        const change = released(now);
        return { ...change, next: { ...change.next, isSetback: true } };
      });
      const edit = async (id: FilterId, traits: Partial<Filter>) => {
        const read = await at().filters.byId(lea.id, id);
        if (read === null) throw new Error("the filter is there");
        await replaceFilter(at().filters, { ...read, isAutobuy: true, ...traits }, NOW_MS + 9);
        return await autobuyOf(id);
      };
      const off = (end: EndReason) => ({ isAutobuy: false, end });
      expect(await edit(counted, { autobuySinceMs: NOW_MS + 9 })).toEqual(off("max_purchases"));
      expect(await edit(budgeted, { rules: { ...NO_RULES, totalBudgetEur: 9 } })).toEqual(
        off("total_budget"),
      );
      expect(await edit(failing, { rules: { ...NO_RULES, maxFailures: 2 } })).toMatchObject({
        isAutobuy: true,
      });
      expect(await edit(failing, { rules: { ...NO_RULES, maxFailures: 1 } })).toEqual(off("failures"));
      expect(await edit(failing, { autobuySinceMs: NOW_MS + 9 })).toEqual({ isAutobuy: true, end: null });

      const group = { id: groupId, userId: lea.id, name: "Manteau", budgetEur: null, filterIds };
      await at().groups.replace({ ...group, maxPurchases: 2 }, NOW_MS + 9);
      expect(await autobuyOf(grouped)).toEqual({ isAutobuy: true, end: null });
      await at().groups.replace({ ...group, maxPurchases: 1 }, NOW_MS + 9);
      expect(await Promise.all(filterIds.map(autobuyOf))).toEqual([off("group"), off("group")]);
      expect(await edit(grouped, { autobuySinceMs: NOW_MS + 10 })).toEqual(off("group"));
      expect((await at().filters.byId(lea.id, grouped))?.autobuyEnd?.atMs).toBe(NOW_MS + 9);
      await at().groups.replace({ ...group, maxPurchases: 2 }, NOW_MS + 11);
      expect(await edit(grouped, { autobuySinceMs: NOW_MS + 12 })).toEqual({ isAutobuy: true, end: null });
    });
  });
}
