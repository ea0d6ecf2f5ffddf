import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import type { Log } from "#domain/log.ts";
import { StoreError } from "../errors.ts";
import { type EmbeddedTimings, DEFAULT_TIMINGS, EmbeddedClient } from "./embedded-client.ts";
import { type Engine, loggerOf, migrationsFolder, type Sql, type StatementListener } from "./db.ts";
import { EngineThread } from "./engine-thread.ts";
import { DatabaseSync } from "node:sqlite";
import { startRepeating } from "./repeating.ts";

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** The store has failed for good: the process must end. A new one finds every acknowledged write. */
  readonly onFatal: (error: StoreError) => void;
  readonly timings?: Partial<EmbeddedTimings>;
  readonly onStatement?: StatementListener;
  /** A migrations folder to use instead, for a store of an earlier version. */
  readonly migrations?: string;
}

/** Creating a store takes seconds, and so may replaying a long log after a crash. */
const OPEN_TIMEOUT_MS = 120_000;

export function storeDirectory(dataDir: string): string {
  return join(dataDir, "store");
}

/** Where `npm run move` leaves a store whose data are in PostgreSQL. */
export function movedStoreDirectory(dataDir: string): string {
  return `${storeDirectory(dataDir)}-moved`;
}

/**
 * Opens the store of this data directory exclusively, creates it if there is none, and migrates its tables.
 * Throws a StoreError `locked` or `unopenable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Engine> {
  const { dataDir, log } = options;
  refuseMoved(dataDir);
  await using opening = new AsyncDisposableStack();
  opening.use(takeDataDir(dataDir));

  let isOpen = false;
  const thread = new EngineThread((error) => {
    if (isOpen) options.onFatal(error);
  });
  opening.defer(() => thread.end());
  await openThread(thread, storeDirectory(dataDir));

  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  // All migrations are one transaction, which may rewrite large tables: no query of the product waits for it.
  const { maintenanceTimeoutMs: longMs } = timings;
  const migrator = new EmbeddedClient(thread, {
    ...timings,
    queryTimeoutMs: longMs,
    transactionTimeoutMs: longMs,
  });
  await migrate(databaseOf(migrator, options), { migrationsFolder: options.migrations ?? migrationsFolder });
  const client = new EmbeddedClient(thread, timings);
  const db = databaseOf(client, options);
  opening.defer(() => client.close());
  opening.use(startMaintenance(client, timings.checkpointIntervalMs, log));

  const statements: Sql = {
    async query({ text }, values) {
      options.onStatement?.(text);
      return (await client.query(text, values)).rows;
    },
  };
  isOpen = true;
  const resources = opening.move();
  return {
    db,
    purchases: statements,
    rest: statements,
    backup: (path) => client.archive(path),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function databaseOf(client: EmbeddedClient, { onStatement }: EmbeddedOptions) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of PGlite drizzle-orm calls these two methods alone
  return drizzle({ client: client as unknown as PGlite, logger: loggerOf(onStatement) });
}

/** A new, empty store would look as if everything were lost. */
function refuseMoved(dataDir: string): void {
  const moved = movedStoreDirectory(dataDir);
  if (!existsSync(storeDirectory(dataDir)) && existsSync(moved))
    throw new StoreError(
      "unopenable",
      `the store was moved to PostgreSQL (the old one lies in ${moved}): set DATABASE_URL`,
    );
}

/** Creates the data directory if there is none, and locks it for this process. */
function takeDataDir(dataDir: string): Disposable {
  try {
    mkdirSync(storeDirectory(dataDir), { recursive: true, mode: 0o700 });
    return lockFile(join(dataDir, "store.lock"));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unopenable(`the data directory ${dataDir} cannot be used`, error);
  }
}

async function openThread(thread: EngineThread, directory: string): Promise<void> {
  try {
    await thread.ask({ kind: "open", directory }, OPEN_TIMEOUT_MS);
  } catch (error) {
    throw unopenable("the embedded store cannot be opened", error);
  }
}

function unopenable(what: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : "unknown";
  return new StoreError("unopenable", `${what}: ${reason}`, { cause: error });
}

const SQLITE_BUSY = 5;

/**
 * Locks the data directory until disposal or the death of the process. Two processes on one embedded store
 * corrupt it silently, and PGlite has no lock of its own. The operating system releases an SQLite lock with
 * its process, on every platform of Node. Throws a StoreError `locked` if another process holds it.
 */
function lockFile(path: string): Disposable {
  const database = new DatabaseSync(path);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new StoreError("locked", `another process is using this data directory (${path} is locked)`, {
      cause: error,
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

/** The first one is early, so that a product that is restarted every half hour is vacuumed too. */
const VACUUMS_EVERY_CHECKPOINTS = 12;
const FIRST_VACUUM_AT_CHECKPOINT = 2;

/**
 * CHECKPOINT and VACUUM for the embedded engine, which has no background processes: without them its write-ahead log and
 * its tables grow without bound.
 */
function startMaintenance(client: EmbeddedClient, intervalMs: number, log: Log): AsyncDisposable {
  const stop = new AbortController();
  let round = 0;
  const loop = startRepeating({
    name: "checkpoint and vacuum",
    intervalMs,
    log,
    async run() {
      round += 1;
      await client.maintain("checkpoint");
      if (round % VACUUMS_EVERY_CHECKPOINTS === FIRST_VACUUM_AT_CHECKPOINT) await vacuum(client, stop.signal);
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await loop[Symbol.asyncDispose]();
    },
  };
}

/** Table by table, so that other operations run in between. */
async function vacuum(client: EmbeddedClient, stopped: AbortSignal): Promise<void> {
  for (const table of await tableNames(client)) {
    if (stopped.aborted) return;
    await client.maintain(`vacuum (analyze) ${table}`);
  }
}

async function tableNames(client: EmbeddedClient): Promise<readonly string[]> {
  const { rows } = await client.query(
    "select quote_ident(tablename) from pg_tables where schemaname = 'public' order by 1",
    [],
    { rowMode: "array" },
  );
  return rows.flatMap((row) => (Array.isArray(row) && typeof row[0] === "string" ? [row[0]] : []));
}
