import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { postgresForAll, rowsOf, storeForAll } from "../suite-store.suite.ts";

const open = postgresForAll();
const at = storeForAll(open);

/** As many as a node has connections, and some that wait for one. */
const TRANSACTIONS = 30;

test("while every connection is taken, the urgent is answered, alone and in a transaction", async () => {
  const store = at();
  const letGo = Promise.withResolvers<void>();
  const held = Array.from({ length: TRANSACTIONS }, async () => {
    await store.db.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      await letGo.promise;
    });
  });
  let isAnswered = false;
  const usual = store.ping().then(() => {
    isAnswered = true;
  });
  await store.urgently(() => store.ping());
  await store.urgently(async () => {
    await store.db.transaction(async (tx) => await tx.execute(sql`select 1`));
  });
  expect(isAnswered).toBe(false);
  letGo.resolve();
  await Promise.all([...held, usual]);
  expect(isAnswered).toBe(true);
});

test("a store that was closed has no connection left, of either kind", async () => {
  const other = await open();
  await other.store.urgently(() => other.store.ping());
  const [database] = await rowsOf(other.store, sql`select current_database() as name`);
  await other[Symbol.asyncDispose]();
  const connections = sql`select count(*)::int as n from pg_stat_activity where datname = ${database?.["name"]}`;
  await expect.poll(() => rowsOf(at(), connections)).toEqual([{ n: 0 }]);
});
