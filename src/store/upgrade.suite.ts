import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns, getTableName, sql, type SQL, type Table } from "drizzle-orm";
import { expect } from "vitest";
import { z } from "zod";
import { asFilterId, asPurchaseId, type UserId } from "#domain/ids.ts";
import { createSystemRandom } from "#server/random.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { createAuditStore, extendAuditChain } from "./audit.ts";
import { type Db, type Engine, migrationsFolder } from "./engines/db.ts";
import type { OpenStore } from "./open-store.ts";
import type { PurchaseRecord } from "./purchase-facts.ts";
import { createUserStore } from "./people/users.ts";
import { purchaseAsJson } from "./purchases/rows.ts";
import { aProposal, captured, DAY, MONTH, withinLimits } from "./purchases/purchases-under-test.suite.ts";
import { budgets, ledger, purchaseAttempts, purchases, stopSwitches } from "./schema/purchase-tables.ts";
import { filters, purchaseOrigins, seenListings, settings, type ListingDocument } from "./schema/tables.ts";
import { anIdentity, NOW_MS } from "./suite-store.suite.ts";
import type { KeySource } from "./vault/keys.ts";
import { openVault, type Vault } from "./vault/vault.ts";

/** The migrations of the previous version, in a folder that is removed on disposal. */
export function earlierMigrations(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "synapse-migrations-"));
  cpSync(migrationsFolder, folder, { recursive: true });
  const journal = join(folder, "meta", "_journal.json");
  const all = journalOf.parse(JSON.parse(readFileSync(journal, "utf8")));
  writeFileSync(journal, JSON.stringify({ ...all, entries: all.entries.slice(0, EARLIER_COUNT) }));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

const EARLIER_COUNT = 9;
const journalOf = z.looseObject({ entries: z.array(z.unknown()) });

const FILTER = asFilterId("filter-of-before");

/** A person's data in a store of the previous version. */
export interface Filled {
  readonly userId: UserId;
  readonly open: PurchaseRecord;
  readonly bought: PurchaseRecord;
}

/** Fills a store of the previous version: a person who bought one listing and is buying another. */
export async function fillEarlier({ db }: Engine, keys: KeySource): Promise<Filled> {
  const vault = await openVault(db, keys);
  const userId = await signInEarlier(db, vault);
  await db.update(settings).set({ dayEur: 77 });
  // Each word was a text of its own.
  const words = { includeWords: ["laine", "merinos"], excludeWords: ["polyester"] };
  const filter = { ...aFilter({ id: FILTER, userId, isAutobuy: true }), ...words, foldedTag: "robes" };
  await insertEarlier(db, filters, columnsOf(filters, filter));
  const { id: listingId, ...listing } = aListing({ id: 73 });
  const document: ListingDocument = { listing, facts: aSeenListing().facts };
  await db.insert(seenListings).values({ id: listingId, document, firstSeenAtMs: 1, seenAtMs: 1 });
  await db.execute(matchOf(userId, "7"));
  const traits = {
    userId,
    filterId: FILTER,
    dayKey: DAY,
    monthKey: MONTH,
    decidedAtMs: NOW_MS,
    leaseOwner: "node-1",
  };
  const open = aPurchaseRecord({
    ...traits,
    id: asPurchaseId("open"),
    listing: aListing({ id: 71 }),
    holdCents: 900,
  });
  const bought = aPurchaseRecord({
    ...traits,
    id: asPurchaseId("bought"),
    state: "confirmed",
    listing: aListing({ id: 72, title: "Jupe \u0000" }),
    holdCents: 0,
    chargedCents: 1_100,
    transactionId: 5,
    reachedCheckout: true,
    leaseOwner: null,
    dueAtMs: null,
    attemptCount: 1,
  });
  for (const record of [open, bought]) {
    const { revision: _, is_told: __, ...row } = purchaseAsJson(record);
    await insertEarlier(db, purchases, row, { listing: row["listing"], watch: row["watch"] });
  }
  const ended = { startedAtMs: NOW_MS, endedAtMs: NOW_MS, outcome: "confirmed", evidence: {} };
  await db.insert(purchaseAttempts).values({ purchaseId: bought.id, n: 1, userId, ...ended });
  const amounts = { heldCents: 900, capturedCents: 1_100, extraCents: 0, purchases: 2 };
  await db.insert(budgets).values([
    { userId, period: DAY, capCents: 7_700, ...amounts },
    { userId, period: MONTH, capCents: 200_000, ...amounts },
  ]);
  const booked = {
    atMs: NOW_MS,
    userId,
    kind: "hold",
    dayKey: DAY,
    monthKey: MONTH,
    purchasesDelta: 1,
  } as const;
  await db.insert(ledger).values([
    { ...booked, ...entryOf(open, 900, 0) },
    { ...booked, ...entryOf(bought, 0, 1_100) },
  ]);
  await insertEarlier(
    db,
    purchaseOrigins,
    columnsOf(purchaseOrigins, { purchaseId: bought.id, userId, firstSeenAtMs: 3, leafIds: [221] }),
    {},
  );
  await db.insert(stopSwitches).values({ name: "breaker", isOn: false, reason: "", changedAtMs: NOW_MS });
  await createAuditStore(db).append({ atMs: NOW_MS, kind: "purchase.confirmed", userId, details: {} });
  await extendAuditChain(db, vault);
  return { userId, open, bought };
}

/** Uses the current code, which needs the columns that it writes. */
async function signInEarlier(db: Db, vault: Vault): Promise<UserId> {
  await db.execute(sql`alter table users add column no integer not null default 0`);
  await db.execute(sql`alter table settings add column is_prudent boolean not null default true`);
  const people = createUserStore({ db, vault, random: createSystemRandom() });
  const { user } = await people.signIn(anIdentity(), NOW_MS);
  await db.execute(sql`alter table users drop column no`);
  await db.execute(sql`alter table settings drop column is_prudent`);
  return user.id;
}

/** A match as the previous version writes it: one row per person. */
function matchOf(userId: UserId, cursor: string): SQL {
  return sql`
    insert into matches (user_id, listing_id, total_price_cents, cursor, filter_ids, matched_at_ms)
    values (${userId}, 73, 1120, ${cursor}::bigint, ${JSON.stringify([FILTER])}::json, ${NOW_MS})
    on conflict (user_id, listing_id, total_price_cents) do update set filter_ids = excluded.filter_ids`;
}

function entryOf({ id: purchaseId }: PurchaseRecord, heldDeltaCents: number, capturedDeltaCents: number) {
  const amountCents = heldDeltaCents + capturedDeltaCents;
  return { purchaseId, amountCents, heldDeltaCents, capturedDeltaCents, extraDeltaCents: 0 };
}

const columnNames = z.object({ rows: z.array(z.object({ column_name: z.string() })) });

/** Omits newer columns. Documents are passed as text: a `json` column stores more than can be parsed. */
async function insertEarlier(
  db: Db,
  table: Table,
  columns: Readonly<Record<string, unknown>>,
  documents: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const name = getTableName(table);
  const { rows } = columnNames.parse(
    await db.execute(sql`select column_name from information_schema.columns where table_name = ${name}`),
  );
  const earlier = new Set(rows.map(({ column_name }) => column_name));
  const plain = Object.keys(columns).filter((column) => earlier.has(column) && !(column in documents));
  const values = JSON.stringify(Object.fromEntries(plain.map((column) => [column, columns[column]])));
  const identifiers = (names: readonly string[]) => names.map((each) => sql.identifier(each));
  const texts = Object.values(documents).map((text) => sql`${text}::json`);
  await db.execute(sql`
    insert into ${table} (${sql.join(identifiers([...plain, ...Object.keys(documents)]), sql`, `)})
    select ${sql.join([...identifiers(plain), ...texts], sql`, `)}
    from json_populate_record(null::${sql.identifier(name)}, ${values}::json)`);
}

/** A row keyed by column names. */
function columnsOf(table: Table, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).flatMap(([field, { name }]) =>
      field in row ? [[name, row[field]]] : [],
    ),
  );
}

/** What the person must find after the upgrade. */
export async function expectKept(store: OpenStore, { userId, open, bought }: Filled): Promise<void> {
  expect(await store.users.byId(userId)).toMatchObject({ displayName: "Zoé" });
  expect(await store.settings.get(userId)).toMatchObject({ limits: { dayEur: 77, isStopped: false } });
  expect(await store.filters.byId(userId, FILTER)).toMatchObject({
    isAutobuy: true,
    priceFloorEur: 0,
    includeWords: [["laine"], ["merinos"]],
    excludeWords: [["polyester"]],
  });
  const matched = { userId, listing: { listing: { id: 73 } }, filterIds: [FILTER], cursor: "7" };
  expect(await store.listings.recentMatches(userId, 10)).toMatchObject([matched]);
  // Writes of a node of the previous version that is still running.
  await store.db.execute(matchOf(userId, "8"));
  await store.db.execute(matchOf(userId, "8"));
  expect(await store.listings.recentMatches(userId, 10)).toMatchObject([{ ...matched, cursor: "8" }]);
  expect(await store.purchases.record(open)).toEqual(open);
  expect((await store.purchases.list(userId, 10)).map(({ id }) => id).toSorted()).toEqual(["bought", "open"]);
  expect(await store.stories.story(bought)).toMatchObject({
    origin: { firstSeenAtMs: 3 },
    attempts: [{ n: 1 }],
  });
  expect(await store.purchases.auditLedger(NOW_MS)).toEqual([]);
  expect(await store.verifyAuditChain()).toMatchObject({ kind: "intact" });
  const outcome = await store.purchases.propose(aProposal({ id: userId }), withinLimits);
  expect(outcome).toMatchObject({ kind: "opened" });
  await store.purchases.advance(open, NOW_MS, (before) => captured(before, 800));
  expect(await store.purchases.record(open)).toMatchObject({ state: "confirmed", chargedCents: 800 });
  const totals = { heldCents: 1_000, capturedCents: 1_900, extraCents: 0, purchases: 3 };
  expect(await store.purchases.totals(userId, DAY)).toEqual(totals);
  expect(await store.purchases.auditLedger(NOW_MS)).toEqual([]);
}
