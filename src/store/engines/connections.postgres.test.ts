import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { aProposal, admitted } from "../purchases/purchases-under-test.suite.ts";
import { aPersonOf, postgresForAll, rowsOf, storeForAll } from "../suite-store.suite.ts";

const open = postgresForAll();
const at = storeForAll(open);

/** More than a node has connections, so that some wait for one. */
const TRANSACTIONS = 30;

test("purchases are decided while every other connection is in use", async () => {
  const store = at();
  const user = await aPersonOf(store);
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: TRANSACTIONS }, async () => {
    await store.db.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      await release.promise;
    });
  });
  let isAnswered = false;
  const other = store.ping().then(() => {
    isAnswered = true;
  });
  expect(await store.purchases.propose(aProposal(user), () => admitted())).toMatchObject({ kind: "opened" });
  expect(isAnswered).toBe(false);
  release.resolve();
  await Promise.all([...held, other]);
  expect(isAnswered).toBe(true);
});

test("a closed store has no connections left in either pool", async () => {
  const other = await open();
  await other.store.purchases.published([]);
  const [database] = await rowsOf(other.store, sql`select current_database() as name`);
  await other[Symbol.asyncDispose]();
  const connections = sql`select count(*)::int as n from pg_stat_activity where datname = ${database?.["name"]}`;
  await expect.poll(() => rowsOf(at(), connections)).toEqual([{ n: 0 }]);
});
