import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresServer, type PostgresServer } from "#testing/postgres-server.ts";
import { openPostgresTestStore, type TestStore } from "#testing/test-store.ts";
import { rowsOf } from "../suite-store.suite.ts";

let server: PostgresServer;
let opened: TestStore;
beforeAll(async () => {
  server = await openPostgresServer();
  opened = await openPostgresTestStore(await server.freshDatabase());
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** As many as a node has connections, and some that wait for one. */
const TRANSACTIONS = 30;

test("while every connection is taken, the urgent is answered, alone and in a transaction", async () => {
  const { store } = opened;
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
  const other = await openPostgresTestStore(await server.freshDatabase());
  await other.store.urgently(() => other.store.ping());
  const [database] = await rowsOf(other.store, sql`select current_database() as name`);
  await other[Symbol.asyncDispose]();
  const open = sql`select count(*)::int as n from pg_stat_activity where datname = ${database?.["name"]}`;
  await expect.poll(() => rowsOf(opened.store, open)).toEqual([{ n: 0 }]);
});
