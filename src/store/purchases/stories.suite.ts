import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { PlanKey } from "#catalogue/plans.ts";
import {
  asFilterId,
  asGroupId,
  asPurchaseId,
  type FilterId,
  type PurchaseId,
  type UserId,
} from "#domain/ids.ts";
import type { Listing, Seller } from "#domain/market/listing.ts";
import type { PurchaseMode } from "#domain/purchase.ts";
import type { MissedWish } from "#domain/story.ts";
import type { User } from "#domain/user.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { admitted, aProposal } from "./purchases-under-test.suite.ts";
import { aPersonOf, NOW_MS, rowsOf, type StoreUnderTest } from "../suite-store.suite.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import type { PurchaseOriginFacts } from "../purchase-store.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { toRow } from "./rows.ts";
import type { Store } from "../store.ts";
import { MAX_MISSED_WISHES } from "./stories.ts";

let lastListing = 7_000_000_000;

function aMiss(userId: MissedWish["userId"], traits: Partial<MissedWish> = {}): MissedWish {
  lastListing += 1;
  return {
    userId,
    filterId: asFilterId("filter"),
    listing: aListing({ id: lastListing, title: "Manteau \u{1F9E5}" }),
    reason: "limit_day",
    firstSeenAtMs: NOW_MS - 900,
    matchedAtMs: NOW_MS - 400,
    standing: null,
    missedAtMs: NOW_MS,
    ...traits,
  };
}

/** Missed wishes are recorded only of users whose plan includes automatic buying. */
async function aBuyerOf(store: Store): Promise<User> {
  const person = await aPersonOf(store);
  await store.users.setPlan(person.id, "acquire", null);
  return person;
}

const ORIGIN = { firstSeenAtMs: 1, leafIds: [221], usual: null };

interface Bought {
  readonly purchaseId: PurchaseId;
  readonly listing: Listing;
  readonly mode?: PurchaseMode;
  readonly nowMs?: number;
  readonly filterId?: FilterId;
  readonly origin?: PurchaseOriginFacts;
}

async function bought(
  store: Store,
  userId: UserId,
  { purchaseId, listing, ...traits }: Bought,
): Promise<void> {
  const nowMs = traits.nowMs ?? NOW_MS;
  const { filterId = null, origin = ORIGIN } = traits;
  const proposal = aProposal({ id: userId }, { id: purchaseId, listing, nowMs, filterId, origin });
  await store.purchases.propose(proposal, () => admitted({ mode: traits.mode ?? "live", holdCents: 1 }));
}

export function describeStories({ shared }: StoreUnderTest): void {
  describe("missed wishes and summaries", () => {
    it("missed wishes belong to one person, newest first, with the latest reason for each listing", async () => {
      const store = shared();
      const [person, other] = [await aBuyerOf(store), await aBuyerOf(store)];
      const first = aMiss(person.id);
      const second = aMiss(person.id, { missedAtMs: NOW_MS + 5 });
      for (const miss of [first, second, aMiss(other.id)]) await store.stories.recordMiss(miss);
      expect(await store.stories.misses(person.id, 10)).toEqual([second, first]);
      const again: MissedWish = { ...first, reason: "taken", missedAtMs: NOW_MS + 9 };
      await store.stories.recordMiss(again);
      expect(await store.stories.misses(person.id, 10)).toEqual([again, second]);
      expect(await store.stories.misses(person.id, 1)).toEqual([again]);
    });

    it("a price that awaits the person's decision stays so until the listing is sold", async () => {
      const store = shared();
      const person = await aBuyerOf(store);
      const asked = aMiss(person.id, { reason: "too_good" });
      expect(await store.stories.recordMiss(asked)).toBe(true);
      // Repeated, since the answer to its commit was lost: it is still news; the same wish later is not.
      expect(await store.stories.recordMiss(asked)).toBe(true);
      expect(await store.stories.recordMiss({ ...asked, missedAtMs: NOW_MS + 1 })).toBe(false);
      const { listing } = asked;
      const cheaper = { ...listing, totalPriceCents: listing.totalPriceCents - 1 };
      const refused: MissedWish = { ...asked, listing: cheaper, reason: "hours", missedAtMs: NOW_MS + 5 };
      expect(await store.stories.recordMiss(refused)).toBe(false);
      const kept = { ...asked, listing: cheaper, missedAtMs: NOW_MS + 1 };
      expect(await store.stories.misses(person.id, 10)).toEqual([kept]);
      const gone: MissedWish = { ...refused, reason: "taken" };
      expect(await store.stories.recordMiss(gone)).toBe(true);
      expect(await store.stories.misses(person.id, 10)).toEqual([gone]);
    });

    it("what awaits the person's decision awaits it again when their purchase fails, unless the listing is gone", async () => {
      const store = shared();
      for (const failureReason of ["marketplace_unavailable", "sold"] as const) {
        const person = await aBuyerOf(store);
        const asked = aMiss(person.id, { reason: "too_good" });
        await store.stories.recordMiss(asked);
        const { listing } = asked;
        const purchaseId = asPurchaseId(`decided-${failureReason}`);
        await bought(store, person.id, { purchaseId, listing });
        expect(await store.stories.misses(person.id, 10)).toEqual([]);
        const failed = { state: "failed", failureReason, holdCents: 0, dueAtMs: null } as const;
        await store.db.update(purchases).set(failed).where(eq(purchases.id, purchaseId));
        expect(await store.stories.misses(person.id, 10)).toEqual(failureReason === "sold" ? [] : [asked]);
      }
    });

    it("a person's missed wishes are bounded; the oldest are deleted, and old ones of everybody", async () => {
      const store = shared();
      const person = await aBuyerOf(store);
      for (let index = 0; index <= MAX_MISSED_WISHES; index += 1)
        await store.stories.recordMiss(aMiss(person.id, { missedAtMs: NOW_MS + index }));
      const kept = await store.stories.misses(person.id, 10_000);
      expect(kept).toHaveLength(MAX_MISSED_WISHES);
      expect(kept.at(-1)?.missedAtMs).toBe(NOW_MS + 1);
      await store.stories.pruneMisses(NOW_MS + MAX_MISSED_WISHES);
      expect(await store.stories.misses(person.id, 10_000)).toHaveLength(1);
    });

    it("newer missed wishes do not delete what awaits the person's decision", async () => {
      const store = shared();
      const person = await aBuyerOf(store);
      const asked = aMiss(person.id, { reason: "too_good" });
      await store.stories.recordMiss(asked);
      for (let index = 1; index <= MAX_MISSED_WISHES + 1; index += 1)
        await store.stories.recordMiss(aMiss(person.id, { missedAtMs: NOW_MS + index }));
      const kept = await store.stories.misses(person.id, 10_000);
      expect(kept).toHaveLength(MAX_MISSED_WISHES + 1);
      expect(kept.at(-1)).toEqual(asked);
    });

    it("a purchased listing is not a missed wish, whichever of the two is written first; a simulation changes nothing", async () => {
      const store = shared();
      const person = await aBuyerOf(store);
      const [before, after] = [aMiss(person.id), aMiss(person.id)];
      await store.stories.recordMiss(before);
      const simulated = { purchaseId: asPurchaseId("only-simulated"), mode: "simulation" } as const;
      await bought(store, person.id, { ...simulated, listing: before.listing });
      expect(await store.stories.misses(person.id, 10)).toEqual([before]);
      for (const { listing } of [before, after]) {
        const purchaseId = asPurchaseId(`bought-${listing.id}`);
        await bought(store, person.id, { purchaseId, listing });
      }
      await store.stories.recordMiss(after);
      expect(await store.stories.misses(person.id, 10)).toEqual([]);
    });

    it("a wish is not missed of a seller whom the person blocked meanwhile", async () => {
      const store = shared();
      const [person, other] = [await aBuyerOf(store), await aBuyerOf(store)];
      const [byId, byLogin, free] = [9_001, 9_002, 9_003].map((id) => ({
        id,
        login: `Vendeuse-${id}`,
        photoUrl: null,
      }));
      if (byId === undefined || byLogin === undefined || free === undefined) throw new Error("three sellers");
      const blocked = [
        { sellerId: byId.id, login: "another-login" },
        { sellerId: null, login: byLogin.login.toUpperCase() },
        { sellerId: 9_004, login: free.login },
      ];
      await store.sellers.block(person.id, blocked, { nowMs: NOW_MS, limit: 10 });
      const missOf = async (seller: Seller, { id }: User): Promise<boolean> => {
        const miss = aMiss(id, { reason: "taken" });
        return await store.stories.recordMiss({ ...miss, listing: { ...miss.listing, seller } });
      };
      for (const seller of [byId, byLogin]) {
        expect(await missOf(seller, person)).toBe(false);
        expect(await missOf(seller, other)).toBe(true);
      }
      expect(await store.stories.misses(person.id, 10)).toEqual([]);
      expect(await missOf(free, person)).toBe(true);
    });

    it.each<{ readonly has: string; readonly plan: PlanKey; readonly endsAtMs: number | null }>([
      { has: "no plan", plan: "none", endsAtMs: null },
      { has: "a plan without automatic purchases", plan: "seeker", endsAtMs: null },
      { has: "a plan that has ended", plan: "thunder", endsAtMs: NOW_MS },
    ])("a person who has $has misses no wish", async ({ plan, endsAtMs }) => {
      const store = shared();
      const person = await aBuyerOf(store);
      await store.users.setPlan(person.id, plan, endsAtMs);
      expect(await store.stories.recordMiss(aMiss(person.id))).toBe(false);
      expect(await store.stories.misses(person.id, 10)).toEqual([]);
    });

    it("a wish that was refused does not become one that came too late, a later one does", async () => {
      const store = shared();
      const person = await aBuyerOf(store);
      const refused = aMiss(person.id);
      await store.stories.recordMiss(refused);
      // Delivered again, as after the death of a node.
      const late: MissedWish = { ...refused, reason: "stale", missedAtMs: NOW_MS + 60_000 };
      expect(await store.stories.recordMiss(late)).toBe(false);
      expect(await store.stories.misses(person.id, 10)).toEqual([refused]);
      const again: MissedWish = { ...late, matchedAtMs: NOW_MS + 1 };
      expect(await store.stories.recordMiss(again)).toBe(true);
      expect(await store.stories.misses(person.id, 10)).toEqual([again]);
    });

    it("pruning keeps a person's newest simulations, and deletes the others with their origins", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      const decide = async (userId: UserId, name: string, traits: Partial<Bought>): Promise<void> => {
        const purchaseId = asPurchaseId(name);
        lastListing += 1;
        await bought(store, userId, { purchaseId, listing: aListing({ id: lastListing }), ...traits });
      };
      await decide(person.id, "paid", { nowMs: NOW_MS - 9 });
      for (let n = 0; n < 5; n += 1)
        await decide(person.id, `simulated-${n}`, { mode: "simulation", nowMs: NOW_MS + n });
      const filterId = asFilterId("counted");
      await store.filters.add(aFilter({ id: filterId, userId: person.id, maxPurchases: 5 }), 10);
      await decide(person.id, "counted", { mode: "simulation", nowMs: NOW_MS - 8, filterId });
      const ofGroup = asFilterId("of-group");
      await store.filters.add(aFilter({ id: ofGroup, userId: person.id }), 10);
      const group = {
        id: asGroupId("tried"),
        userId: person.id,
        name: "Manteau",
        maxPurchases: 1,
        budgetEur: null,
      };
      await store.groups.add({ ...group, filterIds: [ofGroup] }, { nowMs: NOW_MS, limit: 10 });
      await decide(person.id, "of-group", { mode: "simulation", nowMs: NOW_MS - 7, filterId: ofGroup });
      await decide(other.id, "simulated-too", { mode: "simulation", nowMs: NOW_MS - 9 });
      expect(await store.pruneSimulations(3)).toBe(2);
      const idsOf = async (userId: UserId) =>
        (await store.purchases.journal(userId, 10)).map(({ purchase }) => purchase.id);
      expect(await idsOf(person.id)).toEqual([
        "simulated-4",
        "simulated-3",
        "simulated-2",
        "of-group",
        "counted",
        "paid",
      ]);
      expect(await idsOf(other.id)).toEqual(["simulated-too"]);
      const origins = await rowsOf(
        store,
        sql`select purchase_id as id from purchase_origins where user_id = ${person.id} order by purchase_id`,
      );
      expect(origins.map(({ id }) => id)).toEqual([
        "counted",
        "of-group",
        "paid",
        "simulated-2",
        "simulated-3",
        "simulated-4",
      ]);
      expect(await store.pruneSimulations(3)).toBe(0);
    });

    it("a purchase keeps the usual price of when it was decided, or that none was known", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const usual = { medianCents: 4_250, sampleSize: 61 };
      for (const origin of [{ ...ORIGIN, usual }, ORIGIN]) {
        lastListing += 1;
        const listing = aListing({ id: lastListing });
        const purchaseId = asPurchaseId(`usual-${lastListing}`);
        await bought(store, person.id, { purchaseId, listing, origin });
        expect(await store.stories.story({ id: purchaseId, userId: person.id })).toMatchObject({ origin });
      }
    });

    it("payments are summed by month and week, and failures by reason, without simulations", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      const insert = async (traits: Partial<PurchaseRecord>): Promise<void> => {
        lastListing += 1;
        const listing = aListing({ id: lastListing, title: "Jupe \u0000", totalPriceCents: 1_120 });
        const record = aPurchaseRecord({
          userId: person.id,
          state: "confirmed",
          ...traits,
          listing,
          holdCents: 0,
        });
        await store.db
          .insert(purchases)
          .values(toRow({ ...record, id: asPurchaseId(`sums-${lastListing}`) }));
      };
      await insert({ chargedCents: 2_000, dayKey: "2026-11-20", monthKey: "2026-11" });
      await insert({ chargedCents: null, dayKey: "2026-11-16", monthKey: "2026-11", source: "external" });
      await insert({ chargedCents: 500, dayKey: "2026-11-01", monthKey: "2026-11", state: "cancelling" });
      await insert({ chargedCents: 700, dayKey: "2026-10-31", monthKey: "2026-10", isHidden: true });
      await insert({ chargedCents: 9, mode: "simulation" });
      await insert({ chargedCents: 9, state: "cancelled" });
      await insert({ chargedCents: 9, userId: other.id });
      await insert({ state: "failed", failureReason: "sold" });
      await insert({ state: "failed", failureReason: "sold" });
      // A filter's payment that took effect after it was recorded as failed.
      const late = { attemptTransactionId: 7_001, filterId: asFilterId("late") };
      await insert({ state: "failed", failureReason: "never_effective", ...late });
      const paid = { transactionId: 7_001, filterId: late.filterId, chargedCents: 300 };
      await insert({ source: "external", ...paid, dayKey: "2026-11-20", monthKey: "2026-11" });
      // A click's.
      const click = { source: "click", filterId: null, attemptTransactionId: 7_002 } as const;
      await insert({ ...click, state: "failed", failureReason: "never_effective" });
      const found = { ...click, source: "external", transactionId: 7_002, chargedCents: 100 } as const;
      await insert({ ...found, dayKey: "2026-11-20", monthKey: "2026-11" });
      const sums = await store.stories.sums(person.id);
      expect(sums.spending).toEqual([
        { monthKey: "2026-11", weekKey: "2026-11-16", chargedCents: 3_520, count: 4 },
        { monthKey: "2026-11", weekKey: "2026-10-26", chargedCents: 500, count: 1 },
        { monthKey: "2026-10", weekKey: "2026-10-26", chargedCents: 700, count: 1 },
      ]);
      expect(sums.boughtCount).toBe(5);
      expect(sums.failures).toEqual([{ reason: "sold", count: 2 }]);
      expect(await store.stories.bought(person.id, 10)).toHaveLength(5);
      expect(await store.stories.bought(person.id, 2)).toHaveLength(2);
    });

    it("attempts count as won when paid, as lost when another was faster, and only a person's own automatic ones", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      const insert = async (traits: Partial<PurchaseRecord>): Promise<void> => {
        lastListing += 1;
        const listing = aListing({ id: lastListing });
        const id = asPurchaseId(`attempt-${lastListing}`);
        const record = aPurchaseRecord({ userId: person.id, decidedAtMs: NOW_MS, ...traits, listing });
        await store.db.insert(purchases).values(toRow({ ...record, id, holdCents: 0 }));
      };
      const attempts = async (sinceMs = NOW_MS) => await store.stories.attemptsSince(person.id, sinceMs);
      expect(await attempts()).toEqual({ won: 0, lost: 0 });
      for (const state of ["confirmed", "cancelling", "cancel_unknown"] as const) await insert({ state });
      for (const failureReason of ["sold", "withdrawn", "stale", "sold"] as const)
        await insert({ state: "failed", failureReason });
      const counted = { won: 3, lost: 4 };
      expect(await attempts()).toEqual(counted);
      for (const failureReason of [
        "price_rose",
        "payment_refused",
        "never_effective",
        "rule_reached",
      ] as const)
        await insert({ state: "failed", failureReason });
      await insert({ state: "unknown" });
      for (const traits of [{ mode: "simulation" }, { source: "click" }, { userId: other.id }] as const) {
        await insert({ state: "confirmed", ...traits });
        await insert({ state: "failed", failureReason: "sold", ...traits });
      }
      await insert({ state: "confirmed", decidedAtMs: NOW_MS - 1 });
      await insert({ state: "failed", failureReason: "sold", decidedAtMs: NOW_MS - 1 });
      expect(await attempts()).toEqual(counted);
      expect(await attempts(NOW_MS - 1)).toEqual({ won: 4, lost: 5 });
    });

    it("an erased person's are deleted, and none is written afterwards", async () => {
      const store = shared();
      const person = await aBuyerOf(store);
      const miss = aMiss(person.id);
      await store.stories.recordMiss(miss);
      await store.users.erase(person.id);
      expect(await store.stories.misses(person.id, 10)).toEqual([]);
      await store.stories.recordMiss(miss);
      const purchaseId = asPurchaseId("gone");
      const gone = aProposal(person, { id: purchaseId, listing: miss.listing, origin: ORIGIN });
      // A decision about an erased person.
      await expect(store.purchases.propose(gone, () => admitted())).rejects.toMatchObject({
        code: "overloaded",
      });
      const other = await aPersonOf(store);
      const theirs = asPurchaseId("still-here");
      await bought(store, other.id, { purchaseId: theirs, listing: miss.listing });
      expect(await store.stories.misses(person.id, 10)).toEqual([]);
      expect(await store.stories.story({ id: purchaseId, userId: person.id })).toBeNull();
      expect(await store.stories.story({ id: theirs, userId: other.id })).toMatchObject({
        origin: ORIGIN,
      });
    });
  });
}
