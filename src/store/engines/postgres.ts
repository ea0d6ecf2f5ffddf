import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, Pool, type PoolConfig } from "pg";
import type { Log } from "#domain/log.ts";
import { isStoreAway, StoreError } from "../errors.ts";
import { type Engine, loggerOf, migrationsFolder, type Sql, type StatementListener } from "./db.ts";

export interface PostgresOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  readonly onStatement?: StatementListener;
  /** A migrations folder to use instead, for a store of an earlier version. */
  readonly migrations?: string;
  /** Waits for each statement as long as it takes; its transactions must lift the server's limits themselves. */
  readonly isUnhurried?: boolean;
}

/** Key of the advisory lock that serialises the migrations of nodes; used by no other lock. */
export const MIGRATION_LOCK = 727_274;

/** Purchases have a pool of their own, so that no other work delays them. */
const CONNECTIONS = { purchases: 6, rest: 8 };
/**
 * Generic plans suit these statements, so each connection plans a statement once. The lock timeout (ms)
 * exceeds a decision: a statement on a row that stays locked is retried later and blocks no connection.
 */
const PURCHASES = { options: "-c jit=off -c plan_cache_mode=force_generic_plan", lock_timeout: 250 };
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Longer than the server's timeout: also ends the wait for a server that is gone. */
const QUERY_TIMEOUT_MS = 20_000;
const OPEN_TRANSACTION_TIMEOUT_MS = 15_000;
const MIGRATION_TIMEOUT_MS = 600_000;

/** Opens a PostgreSQL server's database (15 or later) and brings its tables up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const { databaseUrl, log, onStatement, isUnhurried = false } = options;
  await migrateAlone(databaseUrl, options.migrations ?? migrationsFolder);
  await using opening = new AsyncDisposableStack();
  const poolOf = (max: number, settings: Partial<PoolConfig> = {}): Pool => {
    const patience = isUnhurried ? { query_timeout: 0 } : {};
    const pool = new Pool({ ...connectionOptions(databaseUrl), ...settings, ...patience, max });
    // The pool replaces broken idle connections; without a listener the error would end the process.
    pool.on("error", (error) => log.warn({ error: error.name }, "an idle database connection broke"));
    pool.on("connect", (client) => {
      // The same for a connection in use: the caller's query rejects anyway.
      client.on("error", (error) => log.warn({ error: error.name }, "a database connection broke"));
    });
    opening.defer(() => pool.end());
    return pool;
  };
  const rest = poolOf(CONNECTIONS.rest);
  const purchases = poolOf(CONNECTIONS.purchases, PURCHASES);
  const sqlOf = (pool: Pool): Sql => ({
    async query({ name, text }, values) {
      onStatement?.(text);
      return (await pool.query<Record<string, unknown>>({ name, text, values: [...values] })).rows;
    },
  });
  const pools = opening.move();
  return {
    db: drizzle({ client: rest, logger: loggerOf(onStatement) }),
    purchases: sqlOf(purchases),
    rest: sqlOf(rest),
    backup: () =>
      Promise.reject(new StoreError("unsupported", "back up a PostgreSQL server with its own pg_dump")),
    [Symbol.asyncDispose]: () => pools.disposeAsync(),
  };
}

function connectionOptions(databaseUrl: string): PoolConfig {
  return {
    connectionString: databaseUrl,
    application_name: "synapse",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: OPEN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    options: "-c jit=off",
  };
}

/** Under an advisory lock: nodes that start together would otherwise fail on each other's tables. */
async function migrateAlone(databaseUrl: string, migrations: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: "synapse migration",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: MIGRATION_TIMEOUT_MS,
  });
  // A broken connection also rejects the query; without a listener the error would end the process.
  client.on("error", () => undefined);
  await connect(client);
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle({ client }), { migrationsFolder: migrations });
    // A new database has no statistics, so the planner would scan whole tables; later, autovacuum keeps them.
    const { rows } = await client.query(
      "select 1 from pg_class where relname = 'purchases' and reltuples < 0",
    );
    if (rows.length > 0) await client.query("analyze");
  } catch (cause) {
    if (!isStoreAway(cause)) throw cause;
    throw new StoreError("unreachable", "PostgreSQL went away during the migration", { cause });
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/** SQLSTATE class of a refused user or password, and the code of a database that does not exist. */
const REFUSED = /^(28...|3D000)$/;

async function connect(client: Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    // The driver's message may contain the address.
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer in time";
    const [kind, what] = REFUSED.test(code)
      ? (["refused", "PostgreSQL refuses the user, password or database of DATABASE_URL"] as const)
      : (["unreachable", "PostgreSQL does not answer at DATABASE_URL"] as const);
    throw new StoreError(kind, `${what} (${code})`, { cause });
  }
}
