import { readFileSync, writeFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { asUserId, type UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { keyFile } from "#store/vault/keys.ts";
import { type OpenStore, openStore } from "#store/open-store.ts";
import { marketplaceAccounts, users } from "#store/schema/tables.ts";
import { newDataDir, testStoreOptions } from "#verify/testing/test-store.ts";
import { figure, sized } from "./figures.ts";

/** Keys of a running store: rotated under load, and rejected wherever they do not belong. */
const SECRETS = sized(100, 100_000);
const NOW_MS = 1_700_000_000_000;

async function aPerson(store: OpenStore, index: number): Promise<UserId> {
  const identity = {
    provider: "sandbox",
    providerId: `p${index}`,
    login: `personne-${index}`,
    displayName: `Personne ${index}`,
    email: "",
    pictureUrl: null,
  } as const;
  const { user } = await store.users.signIn(identity, NOW_MS);
  await store.settings.change(user.id, { refreshToken: new Secret(`jeton-secret-${index}`) }, NOW_MS);
  return user.id;
}

async function tokenOf(store: OpenStore, id: UserId): Promise<string | null> {
  return (await store.settings.refreshToken(id))?.reveal() ?? null;
}

/** Flips a bit; the offset determines the part of the envelope. */
function flipped(sealed: Uint8Array, at: number): Uint8Array {
  return sealed.with(at, (sealed[at] ?? 0) ^ 1);
}

test("keys rotate under load, and open nothing in the wrong place", async () => {
  const dataDir = await newDataDir();
  const store = await openStore(testStoreOptions(dataDir));
  const ids: UserId[] = [];
  for (let index = 0; index < SECRETS; index += 1) ids.push(await aPerson(store, index));
  const [first, second] = ids;
  if (first === undefined || second === undefined) throw new Error("too few people");

  // Readers and writers run while the keys are rotated three times.
  let readCount = 0;
  const load = { isOver: false };
  const readers = Array.from({ length: 4 }, async (_, reader) => {
    for (let round = reader; !load.isOver; round += 1) {
      const index = round % ids.length;
      expect(await tokenOf(store, ids[index] ?? asUserId("nobody"))).toBe(`jeton-secret-${index}`);
      readCount += 1;
    }
  });
  let rewrapped = 0;
  for (let rotation = 0; rotation < 3; rotation += 1) rewrapped += (await store.rotateKeys()).rewrappedCount;
  load.isOver = true;
  await Promise.all(readers);
  expect(rewrapped).toBe(3 * (SECRETS + 1));

  const newcomer = await aPerson(store, SECRETS);

  const refusals = await refusedEverywhere(store, first, second);
  await store[Symbol.asyncDispose]();

  // The newest key alone opens everything; without it nothing opens.
  const file = keyFile(dataDir);
  const lines = readFileSync(file, "utf8").split("\n");
  const keys = lines.filter((line) => /^[\w+/]{43}=$/.test(line));
  expect(keys).toHaveLength(4);
  writeFileSync(file, `${keys[0] ?? ""}\n`);
  const again = await openStore(testStoreOptions(dataDir));
  expect(await tokenOf(again, second)).toBe("jeton-secret-1");
  for (const [index, id] of [...ids, newcomer].entries())
    expect(await again.users.find(`personne-${index}`)).toMatchObject({
      id,
      displayName: `Personne ${index}`,
    });
  await again[Symbol.asyncDispose]();
  writeFileSync(file, `${keys.slice(1).join("\n")}\n`);
  await expect(openStore(testStoreOptions(dataDir))).rejects.toMatchObject({ code: "keys_unfit" });
  figure(
    "keys",
    `${SECRETS} secrets, 3 live rotations: ${readCount} reads during them, all right; ${refusals} wrong persons and flipped bytes refused, the dropped key refused`,
  );
});

async function refusedEverywhere(store: OpenStore, first: UserId, second: UserId): Promise<number> {
  const { db } = store;
  const accountOf = async (id: UserId) => {
    const [row] = await db.select().from(marketplaceAccounts).where(eq(marketplaceAccounts.userId, id));
    return row?.sealedRefreshToken ?? new Uint8Array();
  };
  const write = async (sealedRefreshToken: Uint8Array) =>
    void (await db
      .update(marketplaceAccounts)
      .set({ sealedRefreshToken })
      .where(eq(marketplaceAccounts.userId, first)));
  const [own, foreign] = [await accountOf(first), await accountOf(second)];
  expect(own).not.toEqual(foreign);
  let count = 0;
  const refuse = async (sealed: Uint8Array): Promise<void> => {
    await write(sealed);
    await expect(store.settings.refreshToken(first)).rejects.toMatchObject({ code: "unreadable" });
    count += 1;
  };
  await refuse(foreign);
  for (let at = 0; at < own.length; at += 1) await refuse(flipped(own, at));
  await write(own);
  expect(await tokenOf(store, first)).toBe("jeton-secret-0");

  // Another person's data key opens nothing.
  const [one] = await db.select().from(users).where(eq(users.id, first));
  const [other] = await db.select().from(users).where(eq(users.id, second));
  if (one === undefined || other === undefined) throw new Error("they exist");
  await db.update(users).set({ wrappedDataKey: other.wrappedDataKey }).where(eq(users.id, first));
  await expect(store.settings.refreshToken(first)).rejects.toMatchObject({ code: "unreadable" });
  await db.update(users).set({ wrappedDataKey: one.wrappedDataKey }).where(eq(users.id, first));
  return count + 1;
}
