import { sql, type SQL } from "drizzle-orm";
import { expect, test } from "vitest";
import { openTestStore } from "#verify/testing/test-store.ts";
import { rowsOf as rowsIn, storeForAll } from "../suite-store.suite.ts";

/** Through the store, as all code uses them. */
const store = storeForAll(openTestStore);

const rowsOf = (query: SQL): Promise<unknown> => rowsIn(store(), query);

test("a prepared statement with other values returns their results, for every type of value", async () => {
  const echo = (number: number | null, text: string, list: readonly number[]) =>
    rowsOf(sql`select ${number}::bigint as n, ${text}::text as t, ${sql.param(list)}::int[] as l, true as b`);
  expect(await echo(1, "é", [1, 2])).toEqual([{ n: 1, t: "é", l: [1, 2], b: true }]);
  expect(await echo(null, "", [])).toEqual([{ n: null, t: "", l: [], b: true }]);
});

test("a statement that fails, at any step, does not affect later ones", async () => {
  const divide = (by: number) => rowsOf(sql`select 6 / ${by}::int as n`);
  expect(await divide(3)).toEqual([{ n: 2 }]);
  await expect(divide(0)).rejects.toThrow();
  await expect(rowsOf(sql`select nothing from nowhere`)).rejects.toThrow();
  await expect(rowsOf(sql`select ${"no number"}::int`)).rejects.toThrow();
  expect(await divide(2)).toEqual([{ n: 3 }]);
});

test("statements that were evicted from the cache still return their own rows", async () => {
  const numbers = Array.from({ length: 600 }, (_, n) => n);
  for (const n of numbers) expect(await rowsOf(sql.raw(`select ${n} as n`))).toEqual([{ n }]);
  expect(await rowsOf(sql.raw("select 0 as n"))).toEqual([{ n: 0 }]);
  expect(await rowsOf(sql.raw("select 599 as n"))).toEqual([{ n: 599 }]);
});

test("a change returns the number of affected rows", async () => {
  const { db } = store();
  await db.execute(sql`create table counted (n int)`);
  await db.execute(sql`insert into counted select generate_series(1, 5)`);
  const changed = await db.execute(sql`update counted set n = n + 1 where n > ${3}::int`);
  expect(changed).toMatchObject({ affectedRows: 2 });
});

test("a transaction whose first statement fails leaves nothing open, and others' rows are returned unchanged", async () => {
  const { db } = store();
  await db.execute(sql`create table begun (n int primary key)`);
  const insert = (n: number) =>
    db.transaction(async (tx) => await tx.execute(sql`insert into begun values (${n}::int) returning n`));
  expect(await insert(1)).toMatchObject({ rows: [{ n: 1 }], affectedRows: 1 });
  await expect(insert(1)).rejects.toThrow();
  await expect(db.transaction(async (tx) => await tx.execute(sql`select nothing`))).rejects.toThrow();
  expect(await insert(2)).toMatchObject({ rows: [{ n: 2 }] });
  expect(await rowsOf(sql`select count(*)::int as n from begun`)).toEqual([{ n: 2 }]);
});
