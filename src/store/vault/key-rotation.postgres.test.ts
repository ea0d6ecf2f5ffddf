import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import type { User } from "#domain/user.ts";
import { aMasterKey, openPostgresTestStore, type TestStore } from "#verify/testing/test-store.ts";
import type { OpenStore } from "../open-store.ts";
import { aPersonOf, databasesForAll, rowsOf } from "../suite-store.suite.ts";

/** MASTER_KEYS that change while several nodes run: docs/operations.md, "Backups, restore, keys". */

const freshDatabase = databasesForAll();

const [OLD, NEW] = [aMasterKey(), aMasterKey()];

async function nodeOn(databaseUrl: string, masterKeys: string): Promise<TestStore> {
  return await openPostgresTestStore(databaseUrl, { masterKeys });
}

async function expectReadable(nodes: readonly TestStore[], people: readonly User[]): Promise<void> {
  for (const { store } of nodes)
    for (const person of people) expect(await store.users.byId(person.id)).toEqual(person);
}

it("nodes that restart one after the other with a new primary key can read each other's new people", async () => {
  const databaseUrl = await freshDatabase();
  const people: User[] = [];
  const newcomersAt = async (...nodes: readonly TestStore[]): Promise<void> => {
    for (const { store } of nodes) people.push(await aPersonOf(store));
    await expectReadable(nodes, people);
  };
  let one = await nodeOn(databaseUrl, OLD);
  let two = await nodeOn(databaseUrl, OLD);
  await newcomersAt(one, two);

  await one[Symbol.asyncDispose]();
  one = await nodeOn(databaseUrl, `${NEW},${OLD}`);
  await newcomersAt(one, two);

  await two[Symbol.asyncDispose]();
  two = await nodeOn(databaseUrl, `${NEW},${OLD}`);
  await newcomersAt(one, two);
  // The keys of all people and the index key.
  expect(await one.store.rotateKeys()).toEqual({ hasNewKey: false, rewrappedCount: people.length + 1 });
  await newcomersAt(one, two);
  // No node has wrapped a new person's key with the old master key since.
  expect(await two.store.rotateKeys()).toEqual({ hasNewKey: false, rewrappedCount: 0 });

  await one[Symbol.asyncDispose]();
  one = await nodeOn(databaseUrl, NEW);
  await newcomersAt(one, two);
  await two[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
});

/** The number of backends that wait for a lock. */
async function waitingCount(store: OpenStore): Promise<number> {
  const waiting = sql`select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await rowsOf(store, waiting)).length;
}

it("a person who signs up during a key rotation is not left under the old key", async () => {
  const databaseUrl = await freshDatabase();
  const before = await nodeOn(databaseUrl, OLD);
  await before[Symbol.asyncDispose]();
  const rotating = await nodeOn(databaseUrl, `${NEW},${OLD}`);
  const { store } = rotating;

  let signingUp: Promise<User> | undefined;
  let rotation: Promise<unknown> | undefined;
  await store.db.transaction(async (tx) => {
    // The insert of the new person waits; the rotation must not overtake it.
    await tx.execute(sql`lock table users in share mode`);
    signingUp = aPersonOf(store);
    await expect.poll(async () => await waitingCount(store)).toBe(1);
    let isOver = false;
    rotation = store.rotateKeys().finally(() => {
      isOver = true;
    });
    await expect.poll(async () => isOver || (await waitingCount(store)) === 2).toBe(true);
  });
  const person = await signingUp;
  await rotation;
  await rotating[Symbol.asyncDispose]();

  const after = await nodeOn(databaseUrl, NEW);
  expect(await after.store.users.byId(person?.id ?? expect.fail("nobody came"))).toEqual(person);
  await after[Symbol.asyncDispose]();
});
