import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { asFilterId, asGroupId, asPurchaseId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import type { OpenStore } from "../open-store.ts";
import { buyingAccounts, purchases } from "../schema/purchase-tables.ts";
import { auditEntries, blockedSellers, filters, groups } from "../schema/tables.ts";

let count = 0;

async function aPersonOf(store: OpenStore): Promise<User> {
  const login = `parti-${(count += 1)}`;
  const identity = { provider: "sandbox", providerId: login, login, displayName: login } as const;
  return (await store.users.signIn({ ...identity, email: "", pictureUrl: null }, A_MOMENT_MS)).user;
}

function anOrder(user: User) {
  return {
    id: asPurchaseId(`late-${user.id}`),
    userId: user.id,
    transactionId: 77_000 + count,
    listingId: aListing().id,
    listing: aListing(),
    totalCents: 1_000,
    orderedAtMs: A_MOMENT_MS,
    nowMs: A_MOMENT_MS,
    dayKey: "2030-03-17",
    monthKey: "2030-03",
  };
}

/** Purchases that were in progress when a person was erased, and are recorded afterwards. */
export function describeErasure(at: () => OpenStore): void {
  describe("after an erasure", () => {
    test("groups and blocked sellers are gone, and only those of the person", async () => {
      const store = at();
      const [gone, kept] = [await aPersonOf(store), await aPersonOf(store)];
      for (const { id: userId } of [gone, kept]) {
        const filterId = asFilterId(`filter-${userId}`);
        await store.filters.add(aFilter({ id: filterId, userId }), 10);
        const group = { name: "Manteau", maxPurchases: 1, budgetEur: 60, filterIds: [filterId] };
        const saved = { id: asGroupId(`group-${userId}`), userId, ...group };
        const outcome = await store.groups.add(saved, { nowMs: A_MOMENT_MS, limit: 50 });
        expect(outcome).toMatchObject({ kind: "saved" });
        const sellers = [{ sellerId: 75, login: "lea75" }];
        await store.sellers.block(userId, sellers, { nowMs: A_MOMENT_MS, limit: 2_000 });
      }
      await store.users.erase(gone.id);
      const rowsOf = async ({ id }: User): Promise<readonly number[]> => [
        await store.db.$count(groups, eq(groups.userId, id)),
        await store.db.$count(blockedSellers, eq(blockedSellers.userId, id)),
        await store.db.$count(filters, eq(filters.userId, id)),
      ];
      expect(await rowsOf(gone)).toEqual([0, 0, 0]);
      expect(await rowsOf(kept)).toEqual([1, 1, 1]);
    });

    test("its audit entry is written with it, or not at all", async () => {
      const store = at();
      const [gone, kept] = [await aPersonOf(store), await aPersonOf(store)];
      for (const { id } of [gone, kept]) {
        const entry = { atMs: A_MOMENT_MS, kind: "self_erase", userId: null, details: { id } };
        const options = { entry, ...(id === kept.id && { stopReason: "never stopped" }) };
        expect(await store.users.erase(id, options)).toBe(id === gone.id);
      }
      const entriesOf = ({ id }: User) =>
        store.db.$count(auditEntries, sql`${auditEntries.details} ->> 'id' = ${id}`);
      expect([await entriesOf(gone), await entriesOf(kept)]).toEqual([1, 0]);
    });

    test.each<[string, (store: OpenStore, user: User) => Promise<unknown>, rows?: number]>([
      ["an order made outside", (store, user) => store.purchases.recordExternal(anOrder(user)), 2],
      ["a stop of the account", (store, user) => store.purchases.stopAccount(user.id, "late")],
      ["a pause of the account", (store, user) => store.purchases.pauseAccount(user.id, "late", A_MOMENT_MS)],
      ["a sweep of the account", (store, user) => store.purchases.claimSweep(user.id, A_MOMENT_MS, 0)],
    ])("%s leaves no row behind", async (_what, write, rows = 1) => {
      const store = at();
      const [gone, kept] = [await aPersonOf(store), await aPersonOf(store)];
      await store.users.erase(gone.id);
      await write(store, gone);
      await write(store, kept);
      const rowsOf = async ({ id }: User): Promise<number> =>
        (await store.db.$count(purchases, eq(purchases.userId, id))) +
        (await store.db.$count(buyingAccounts, eq(buyingAccounts.userId, id)));
      expect(await rowsOf(gone)).toBe(0);
      expect(await rowsOf(kept)).toBe(rows);
    });
  });
}
