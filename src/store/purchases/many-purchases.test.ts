import { eq, getTableColumns, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import type { OpenStore } from "../open-store.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { toRow } from "./rows.ts";

/** More than the parameter limit of a statement: a broad filter may reach it in some weeks. */
const MANY = 65_536;
/** Rows per insert: few enough for the statement timeout on a busy machine. */
const BATCH = 4_096;

/** Copies this purchase to other listings. */
async function buyOften({ db }: OpenStore, record: PurchaseRecord): Promise<void> {
  await db.insert(purchases).values(toRow(record));
  const names = Object.values(getTableColumns(purchases)).map(({ name }) => name);
  const own = new Map([
    ["id", sql`id || '-' || n`],
    ["listing_id", sql`listing_id + n`],
  ]);
  const columns = sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  );
  const values = sql.join(
    names.map((name) => own.get(name) ?? sql.identifier(name)),
    sql`, `,
  );
  for (let from = 1; from < MANY; from += BATCH)
    await db.execute(sql`
      insert into ${purchases} (${columns}) select ${values}
      from ${purchases}, generate_series(${from}::integer, ${Math.min(from + BATCH, MANY) - 1}::integer) as n
      where id = ${record.id}`);
}

test("a person with very many purchases can be exported and erased", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const identity = { provider: "sandbox", providerId: "1", login: "zoe", displayName: "Zoé" } as const;
  const { user } = await store.users.signIn({ ...identity, email: "", pictureUrl: null }, A_MOMENT_MS);
  const ended = { leaseOwner: null, dueAtMs: null, holdCents: 0, failureReason: "sold" } as const;
  await buyOften(store, aPurchaseRecord({ userId: user.id, state: "failed", ...ended }));
  expect(await store.purchases.journal(user.id, 2 * MANY)).toHaveLength(MANY);
  expect(await store.purchases.openCount(user.id)).toBe(0);
  await store.users.erase(user.id);
  expect(await store.db.$count(purchases, eq(purchases.userId, user.id))).toBe(0);
});
