import { describe, expect, it } from "vitest";
import type { BlockedSellers, SellerName } from "#domain/market/blocked-sellers.ts";
import { aPersonOf, hostileText, NOW_MS, rowsOf, type StoreUnderTest } from "../suite-store.suite.ts";
import * as fc from "fast-check";
import { sql } from "drizzle-orm";

const LIMIT = 2_000;
const at = { nowMs: NOW_MS, limit: LIMIT };
const seller = (login: string, sellerId: number | null = null): SellerName => ({ login, sellerId });
const has = (blocked: BlockedSellers, id: number, login: string): boolean => blocked.has({ id, login });

export function describeSellers({ shared }: StoreUnderTest): void {
  describe("blocked sellers", () => {
    it("belong to one person, newest first, each once, matched by id or else by login", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      await store.sellers.block(person.id, [seller("lea75", 7), seller("tom")], at);
      const list = await store.sellers.block(
        person.id,
        [seller("LEA75", 7), seller("TOM"), seller("zoe", 9)],
        { nowMs: NOW_MS + 1, limit: LIMIT },
      );
      expect(list).toEqual([
        { login: "zoe", sellerId: 9, sinceMs: NOW_MS + 1 },
        { login: "LEA75", sellerId: 7, sinceMs: NOW_MS },
        { login: "tom", sellerId: null, sinceMs: NOW_MS },
      ]);
      expect(await store.sellers.list(person.id)).toEqual(list);
      expect(await store.sellers.list(other.id)).toEqual([]);
      const blocked = await store.sellers.blockedOf(person.id);
      expect([has(blocked, 7, "another name"), has(blocked, 8, "lea75"), has(blocked, 8, "Tom")]).toEqual([
        true,
        false,
        true,
      ]);
      const blockedOf = await store.sellers.blockedOfAll([person.id, other.id]);
      expect([has(blockedOf(person.id), 9, ""), has(blockedOf(other.id), 9, "zoe")]).toEqual([true, false]);
    });

    it("that were blocked by login get their id when it is known", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await store.sellers.block(person.id, [seller("Lea75")], at);
      const list = await store.sellers.block(person.id, [seller("lea75", 7)], at);
      expect(list).toEqual([{ login: "lea75", sellerId: 7, sinceMs: NOW_MS }]);
    });

    it("are unblocked by login, case ignored; one who is not blocked changes nothing", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      for (const { id } of [person, other])
        await store.sellers.block(id, [seller("lea75", 7), seller("tom")], at);
      expect(await store.sellers.unblock(person.id, "nobody")).toHaveLength(2);
      expect(await store.sellers.unblock(person.id, "LEA75")).toMatchObject([{ login: "tom" }]);
      expect(await store.sellers.list(other.id)).toHaveLength(2);
    });

    it("are never more than the limit, all or none, even when they are blocked at once", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const few = { nowMs: NOW_MS, limit: 10 };
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, (_, n) =>
          store.sellers.block(person.id, [seller(`a${n}`), seller(`b${n}`), seller(`c${n}`)], few),
        ),
      );
      expect(outcomes.filter((list) => list === null)).toHaveLength(2);
      const list = await store.sellers.list(person.id);
      expect(list).toHaveLength(9);
      expect(await store.sellers.block(person.id, [seller(list[0]?.login ?? "")], few)).toHaveLength(9);
    });

    it("may have any name", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await fc.assert(
        fc.asyncProperty(hostileText(8), fc.option(fc.integer({ min: 1 })), async (login, sellerId) => {
          const list = await store.sellers.block(person.id, [{ login, sellerId }], at);
          expect(list?.length).toBeGreaterThan(0);
          for (const one of list ?? []) await store.sellers.unblock(person.id, one.login);
          expect(await store.sellers.list(person.id)).toEqual([]);
        }),
        { numRuns: 30 },
      );
    });

    it("are deleted with their person, and none is written afterwards", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await store.sellers.block(person.id, [seller("lea75", 7)], at);
      await store.users.erase(person.id);
      expect(await store.sellers.block(person.id, [seller("tom")], at)).toEqual([]);
      expect(await rowsOf(store, sql`select 1 from blocked_sellers where user_id = ${person.id}`)).toEqual(
        [],
      );
    });
  });
}
