import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { sql } from "drizzle-orm";
import type { Log } from "#domain/log.ts";
import type { AuditVerdict } from "./audit-chain.ts";
import { extendAuditChain, verifyAuditChain } from "./audit-chain.ts";
import type { Db } from "./engines/db.ts";
import { openEmbedded, storeDirectory } from "./engines/embedded.ts";
import { openPostgres } from "./engines/postgres.ts";
import { StoreError } from "./errors.ts";
import type { Table } from "./move-tables.ts";
import { copyTable, lockAll, sumOf, tablesOf } from "./move-tables.ts";
import { openVault } from "./vault.ts";

export interface MoveOptions {
  /** Holds the embedded store, and the master keys unless they are given. */
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly masterKeys: string | undefined;
  readonly log: Log;
}

export interface Moved {
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly audit: AuditVerdict;
  /** Where the embedded store lies from now on: nothing opens it any more. */
  readonly oldStore: string;
}

/**
 * Brings everything of the embedded store into an empty PostgreSQL database, in one transaction: all of it is there
 * afterwards, or nothing. The keys stay where they are; the embedded store is put aside, so that it cannot be taken
 * for the living one. Throws a StoreError when a process has the store, when there is none, when the database is not
 * empty, or when what arrived is not what left.
 */
export async function moveStore({ dataDir, databaseUrl, masterKeys, log }: MoveOptions): Promise<Moved> {
  const directory = storeDirectory(dataDir);
  if (!existsSync(directory)) throw new StoreError("unopenable", `there is no embedded store in ${dataDir}`);
  const oldStore = `${directory}-moved`;
  if (existsSync(oldStore))
    throw new StoreError("unopenable", `${oldStore} is in the way: it is left from an earlier move`);
  const { rows, audit } = await copyEverything({ dataDir, databaseUrl, masterKeys, log });
  await rename(directory, oldStore);
  return { rows, audit, oldStore };
}

async function copyEverything(options: MoveOptions): Promise<Pick<Moved, "rows" | "audit">> {
  const { dataDir, databaseUrl, log } = options;
  await using source = await openEmbedded({
    dataDir,
    log,
    onFatal: (error) => {
      throw error;
    },
  });
  const vault = await openVault(source.db, options);
  // An entry without a link could not be distinguished from one that was inserted during the copy.
  await extendAuditChain(source.db, vault);
  const before = await verifyAuditChain(source.db, vault);
  await using target = await openPostgres({ databaseUrl, log });
  const tables = await tablesOf(source.db);
  return await target.db.transaction(async (tx) => {
    await lockAll(tx, tables);
    await refuseFilled(tx, tables);
    const rows = new Map<string, number>();
    for (const table of tables) rows.set(table.name, await copyTable(source.db, tx, table));
    await compare(source.db, tx, tables);
    const audit = await verifyAuditChain(tx, await openVault(tx, options));
    if (JSON.stringify(audit) !== JSON.stringify(before)) throw differs("the audit chain");
    return { rows, audit };
  });
}

async function refuseFilled(target: Db, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const found = await target.execute(sql`select 1 as one from ${sql.identifier(name)} limit 1`);
    if (hasRows(found))
      throw new StoreError(
        "unsupported",
        `the database is not empty (table ${name}): a store is moved into an empty one`,
      );
  }
}

function hasRows(result: unknown): boolean {
  return typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows)
    ? result.rows.length > 0
    : true;
}

async function compare(source: Db, target: Db, tables: readonly Table[]): Promise<void> {
  for (const table of tables)
    if ((await sumOf(source, table)) !== (await sumOf(target, table))) throw differs(`table ${table.name}`);
}

function differs(what: string): StoreError {
  return new StoreError("unopenable", `${what} did not arrive as it left: nothing was moved`);
}
