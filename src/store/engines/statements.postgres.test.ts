import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { asFilterId, asListingId, asUserId } from "#domain/ids.ts";
import { openPostgresTestStore } from "#verify/testing/test-store.ts";
import { aProposal, admitted } from "../purchases/purchases-under-test.suite.ts";
import { aPersonOf, databasesForAll, rowsOf } from "../suite-store.suite.ts";

const freshDatabase = databasesForAll();

test("lists of any length use the same SQL text", async () => {
  const heard: string[] = [];
  const onStatement = (text: string) => void heard.push(text);
  await using opened = await openPostgresTestStore(await freshDatabase(), { onStatement });
  const { store } = opened;
  const userId = asUserId("nobody");
  heard.splice(0);
  for (let length = 1; length <= 20; length += 1) {
    const ids = Array.from({ length }, (_, n) => n + 1);
    await store.filters.remove(userId, ids.map(String).map(asFilterId));
    await store.users.subscribers(ids.map(String).map(asUserId));
    await store.listings.byIds(ids.map(asListingId));
    await store.purchases.ownersOfTransactions(userId, ids);
  }
  const lists = new Set(heard.filter((text) => text.includes("[])")));
  expect(lists.size).toBe(4);
  expect(heard.filter((text) => text.includes("$18"))).toEqual([]);
});

test("the statements of purchases are always the same, and use a separate pool", async () => {
  const databaseUrl = await freshDatabase();
  const planned: string[] = [];
  await using opened = await openPostgresTestStore(databaseUrl, {
    onStatement: (text) => void planned.push(text),
  });
  const { store } = opened;
  const user = await aPersonOf(store);
  planned.splice(0);
  for (let n = 0; n < 5; n += 1) await store.purchases.propose(aProposal(user), () => admitted());
  expect(new Set(planned).size).toBe(2);
  expect(planned).toHaveLength(10);
  // The other pool prepared none of these statements.
  const kept = sql`select name from pg_prepared_statements where name in ('facts', 'open')`;
  expect(await rowsOf(store, kept)).toEqual([]);
});
