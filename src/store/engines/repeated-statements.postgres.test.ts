import { sql, type SQL } from "drizzle-orm";
import { expect, test } from "vitest";
import { asFilterId, asListingId, asUserId } from "#domain/ids.ts";
import { postgresForAll, rowsOf as rowsIn, storeForAll } from "../suite-store.suite.ts";

const at = storeForAll(postgresForAll());

const rowsOf = (query: SQL): Promise<readonly Record<string, unknown>[]> => rowsIn(at(), query);

test("what is said again is parsed once a connection, what was said once is not kept", async () => {
  const kept = (): Promise<readonly Record<string, unknown>[]> =>
    rowsOf(sql`select statement from pg_prepared_statements where statement like 'select $1::int as %'`);
  await rowsOf(sql`select ${1}::int as once`);
  expect(await kept()).toEqual([]);
  for (const n of [1, 2, 3, 4]) expect(await rowsOf(sql`select ${n}::int as again`)).toEqual([{ again: n }]);
  expect(await kept()).toEqual([{ statement: "select $1::int as again" }]);
});

test("lists of any length are asked for in the same words", async () => {
  const store = at();
  const userId = asUserId("nobody");
  for (let length = 1; length <= 20; length += 1) {
    const ids = Array.from({ length }, (_, n) => n + 1);
    for (const _ of [1, 2]) {
      await store.filters.remove(userId, ids.map(String).map(asFilterId));
      await store.users.byIds(ids.map(String).map(asUserId));
      await store.listings.byIds(ids.map(asListingId));
      await store.purchases.ownersOfTransactions(userId, ids);
    }
  }
  const kept = await rowsOf(
    sql`select count(*)::int as n from pg_prepared_statements where statement like '%[])%'`,
  );
  expect(kept).toEqual([{ n: 4 }]);
  const ofLengths = sql`select count(*)::int as n from pg_prepared_statements where statement like '%$18%'`;
  expect(await rowsOf(ofLengths)).toEqual([{ n: 0 }]);
});

test("a statement that fails hinders none after it, alone or in a transaction", async () => {
  const divide = (by: number): Promise<unknown> => rowsOf(sql`select 6 / ${by}::int as n`);
  for (const by of [1, 2, 3]) expect(await divide(by)).toEqual([{ n: 6 / by }]);
  await expect(divide(0)).rejects.toThrow();
  expect(await divide(3)).toEqual([{ n: 2 }]);
  const nothing = (): Promise<unknown> => rowsOf(sql`select nothing from nowhere where ${1}::int = 1`);
  for (const _ of [1, 2, 3]) await expect(nothing()).rejects.toThrow();
  const { db } = at();
  for (const _ of [1, 2, 3])
    await expect(
      db.transaction(async (tx) => {
        await tx.execute(sql`select 6 / ${0}::int as other`);
      }),
    ).rejects.toThrow();
  expect(await divide(6)).toEqual([{ n: 1 }]);
});

test("a table that grew a column answers the same words as before", async () => {
  await rowsOf(sql`create table grown (n int)`);
  await rowsOf(sql`insert into grown values (1)`);
  const read = (): Promise<unknown> => rowsOf(sql`select n from grown where n = ${1}::int`);
  for (const _ of [1, 2, 3]) expect(await read()).toEqual([{ n: 1 }]);
  await rowsOf(sql`alter table grown add column m int`);
  expect(await read()).toEqual([{ n: 1 }]);
});
