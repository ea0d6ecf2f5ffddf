import { describe, expect, test } from "vitest";
import { aFilter } from "#verify/testing/a-filter.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { type Address, DEFAULT_LIMITS, EMPTY_ADDRESS } from "#domain/settings.ts";
import { eq } from "drizzle-orm";
import { settings } from "../schema/tables.ts";
import { type StoreUnderTest, NOW_MS, aPersonOf } from "../suite-store.suite.ts";

const HOME: Address = { street: "1 rue de l'Été", city: "Liège", postalCode: 4000, country: "Belgique" };

export function describeSettings({ shared }: StoreUnderTest): void {
  describe("settings", () => {
    const at = shared;

    test("are the defaults until something is saved, also for an unknown person", async () => {
      const user = await aPersonOf(at());
      const unsaved = {
        paymentMethodId: 1,
        address: EMPTY_ADDRESS,
        pickupPointNames: [],
        account: { state: "absent", tokenTail: "" },
        limits: DEFAULT_LIMITS,
        mandate: null,
      };
      expect(await at().settings.get(user.id)).toEqual(unsaved);
      expect(await at().settings.get(asUserId("nobody"))).toEqual(unsaved);
      expect(await at().settings.refreshToken(asUserId("nobody"))).toBeNull();
    });

    test("a change touches only what it names", async () => {
      const user = await aPersonOf(at());
      await at().settings.change(user.id, { address: HOME, pickupPointNames: ["Le Coin", ""] }, NOW_MS);
      await at().settings.change(user.id, { paymentMethodId: 11, limits: { dayEur: 0 } }, NOW_MS);
      await at().settings.change(user.id, {}, NOW_MS);
      expect(await at().settings.get(user.id)).toEqual({
        paymentMethodId: 11,
        address: HOME,
        pickupPointNames: ["Le Coin", ""],
        account: { state: "absent", tokenTail: "" },
        limits: { ...DEFAULT_LIMITS, dayEur: 0 },
        mandate: null,
      });
      await at().settings.change(user.id, { pickupPointNames: [] }, NOW_MS);
      expect((await at().settings.get(user.id)).pickupPointNames).toEqual([]);
    });

    test("a mandate is kept with its version and moment; withdrawing it ends the person's automatic buying", async () => {
      const [user, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const filterOf = (id: string, userId: typeof user.id) =>
        at().filters.add(aFilter({ id: asFilterId(id), userId, isAutobuy: true }), 200);
      await filterOf("mandated", user.id);
      await filterOf("mandated-too", other.id);
      await at().settings.change(user.id, { mandateVersion: 3 }, NOW_MS);
      await at().settings.change(user.id, { limits: { dayEur: 7 } }, NOW_MS + 1);
      expect((await at().settings.get(user.id)).mandate).toEqual({ version: 3, givenAtMs: NOW_MS });
      await at().settings.change(user.id, { mandateVersion: null }, NOW_MS + 2);
      expect((await at().settings.get(user.id)).mandate).toBeNull();
      expect((await at().filters.ofUser(user.id)).map(({ isAutobuy }) => isAutobuy)).toEqual([false]);
      expect((await at().filters.ofUser(other.id)).map(({ isAutobuy }) => isAutobuy)).toEqual([true]);
    });

    test("concurrent changes of different members are all kept", async () => {
      const user = await aPersonOf(at());
      await Promise.all([
        at().settings.change(user.id, { limits: { dayEur: 1 } }, NOW_MS),
        at().settings.change(user.id, { limits: { monthEur: 2 } }, NOW_MS),
        at().settings.change(user.id, { limits: { purchasesPerDay: 3 } }, NOW_MS),
        at().settings.change(user.id, { limits: { isStopped: true } }, NOW_MS),
      ]);
      expect((await at().settings.get(user.id)).limits).toEqual({
        dayEur: 1,
        monthEur: 2,
        purchasesPerDay: 3,
        isStopped: true,
        isPrudent: true,
      });
    });

    test("only switching the stop off resets the time from which breakers count", async () => {
      const user = await aPersonOf(at());
      const resumedAtMs = async () => {
        const [row] = await at().db.select().from(settings).where(eq(settings.userId, user.id));
        return row?.resumedAtMs;
      };
      await at().settings.change(user.id, { limits: { isStopped: false } }, NOW_MS);
      await at().settings.change(user.id, { limits: { isStopped: true } }, NOW_MS + 1);
      await at().settings.change(user.id, { limits: { dayEur: 1 } }, NOW_MS + 2);
      expect(await resumedAtMs()).toBe(0);
      await at().settings.change(user.id, { limits: { isStopped: false } }, NOW_MS + 3);
      expect(await resumedAtMs()).toBe(NOW_MS + 3);
    });

    test("a change for an unknown person fails", async () => {
      const change = at().settings.change(asUserId("nobody"), { limits: { dayEur: 1 } }, NOW_MS);
      await expect(change).rejects.toThrow("does not exist");
    });

    test.each(["12345678😀abc", "12345678😀😀😀😀", "12345678", "1234567é"])(
      "the tail of %s is its last four characters, none of them cut",
      async (token) => {
        const user = await aPersonOf(at());
        await at().settings.change(user.id, { refreshToken: new Secret(token) }, NOW_MS);
        const { tokenTail } = (await at().settings.get(user.id)).account;
        expect([tokenTail.isWellFormed(), Array.from(tokenTail).length]).toEqual([true, 4]);
        expect(token.endsWith(tokenTail)).toBe(true);
      },
    );

    test("a saved token connects the account and shows its tail; null disconnects it", async () => {
      const user = await aPersonOf(at());
      await at().settings.change(user.id, { refreshToken: new Secret("refresh-1234") }, NOW_MS);
      const { account } = await at().settings.get(user.id);
      expect(account).toEqual({ state: "connected", tokenTail: "1234" });
      expect((await at().settings.refreshToken(user.id))?.reveal()).toBe("refresh-1234");

      await at().settings.change(user.id, { paymentMethodId: 11 }, NOW_MS);
      expect((await at().settings.refreshToken(user.id))?.reveal()).toBe("refresh-1234");

      await at().settings.change(user.id, { refreshToken: null }, NOW_MS);
      expect((await at().settings.get(user.id)).account).toEqual({ state: "absent", tokenTail: "" });
      expect(await at().settings.refreshToken(user.id)).toBeNull();
      expect(await at().accounts.tokens(user.id)).toBeNull();
    });
  });
}
