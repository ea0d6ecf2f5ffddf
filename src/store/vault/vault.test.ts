import { rmSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { Secret } from "#domain/secret.ts";
import { aMasterKey, newDataDir, testStoreOptions } from "#verify/testing/test-store.ts";
import { keyFile } from "./keys.ts";
import { type OpenStore, openStore } from "../open-store.ts";
import { marketplaceAccounts, settings, users } from "../schema/tables.ts";
import { NOW_MS, anIdentity, aPersonOf } from "../suite-store.suite.ts";

/** Reopens one data directory repeatedly, with the given keys. */
async function withDataDir(
  run: (reopen: (masterKeys?: string) => Promise<OpenStore>, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = await newDataDir();
  try {
    await run((masterKeys) => openStore({ ...testStoreOptions(dataDir), masterKeys }), dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

test("a store without its key file is refused, and opens again once it is restored", async () => {
  await withDataDir(async (reopen, dataDir) => {
    const identity = anIdentity();
    await using first = await reopen();
    const { user } = await first.users.signIn(identity, NOW_MS);
    await first[Symbol.asyncDispose]();
    rmSync(keyFile(dataDir));
    await expect(reopen()).rejects.toMatchObject({ name: "StoreError", code: "keys_missing" });
    await expect(reopen(aMasterKey())).rejects.toMatchObject({ code: "keys_unfit" });
    // No replacement was generated.
    await expect(reopen()).rejects.toMatchObject({ code: "keys_missing" });
    expect(user.login).toBe(identity.login);
  });
});

test("an altered, misplaced or foreign sealed value is refused, and other people's values are not", async () => {
  await withDataDir(async (reopen) => {
    await using store = await reopen();
    const { db } = store;
    const [one, two] = [await aPersonOf(store), await aPersonOf(store)];
    for (const { id } of [one, two]) {
      await store.settings.change(
        id,
        { pickupPointNames: ["point"], refreshToken: new Secret("t".repeat(8)) },
        NOW_MS,
      );
    }
    const [row] = await db.select().from(users).where(eq(users.id, two.id));
    const [saved] = await db.select().from(settings).where(eq(settings.userId, one.id));
    const [account] = await db
      .select()
      .from(marketplaceAccounts)
      .where(eq(marketplaceAccounts.userId, one.id));
    if (!row || !saved || !account) throw new Error("the rows were written above");

    // One person's pickup points in another person's row.
    await db
      .update(settings)
      .set({ sealedPickupPoints: saved.sealedPickupPoints })
      .where(eq(settings.userId, two.id));
    await expect(store.settings.get(two.id)).rejects.toMatchObject({ code: "unreadable" });
    expect((await store.settings.get(one.id)).pickupPointNames).toEqual(["point"]);

    // Another person's data key, which is bound to its row as well.
    await db.update(users).set({ wrappedDataKey: row.wrappedDataKey }).where(eq(users.id, one.id));
    await expect(store.users.byId(one.id)).rejects.toMatchObject({ code: "unreadable" });
    await expect(store.accounts.tokens(one.id)).rejects.toMatchObject({ code: "unreadable" });
    expect(await store.users.byId(two.id)).toEqual(two);
  });
});

test("given keys are rotated by a new one in front; the old one may be removed only afterwards", async () => {
  await withDataDir(async (reopen) => {
    const [oldKey, newKey] = [aMasterKey(), aMasterKey()];
    const before = await reopen(oldKey);
    const person = await aPersonOf(before);
    await before[Symbol.asyncDispose]();
    await expect(reopen(newKey)).rejects.toMatchObject({ code: "keys_unfit" });

    const during = await reopen(`${newKey},${oldKey}`);
    expect(await during.rotateKeys()).toEqual({ hasNewKey: false, rewrappedCount: 2 });
    expect(await during.rotateKeys()).toEqual({ hasNewKey: false, rewrappedCount: 0 });
    await during[Symbol.asyncDispose]();

    await using after = await reopen(newKey);
    expect(await after.users.byId(person.id)).toEqual(person);
    expect(await after.users.find(person.login)).toEqual(person);
  });
});
