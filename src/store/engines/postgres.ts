import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, Pool, type PoolConfig } from "pg";
import type { Log } from "#domain/log.ts";
import { StoreError } from "../errors.ts";
import { type Engine, loggerOf, migrationsFolder, type Sql, type StatementListener } from "./db.ts";

export interface PostgresOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  readonly onStatement?: StatementListener;
  /** Another folder of migrations than the product's: for a store of an earlier version. */
  readonly migrations?: string;
}

/** Any number that is only ours: nodes that start together migrate one after the other. */
const MIGRATION_LOCK = 727_274;

/** The statements of purchases have connections of their own, so that nothing else delays them. */
const CONNECTIONS = { purchases: 6, rest: 8 };
/**
 * Their plans do not depend on the values, so that each connection plans a statement once. A person who is locked for longer
 * than decisions take is tried again later, and delays no other request.
 */
const PURCHASES = { options: "-c jit=off -c plan_cache_mode=force_generic_plan", lock_timeout: 250 };
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A little later than the server's: this one also ends a wait for a server that is gone. */
const QUERY_TIMEOUT_MS = 20_000;
const OPEN_TRANSACTION_TIMEOUT_MS = 15_000;
const MIGRATION_TIMEOUT_MS = 600_000;

/** Opens a PostgreSQL server's database (15 or later) and brings its tables up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const { databaseUrl, log, onStatement } = options;
  await migrateAlone(databaseUrl, options.migrations ?? migrationsFolder);
  await using opening = new AsyncDisposableStack();
  const poolOf = (max: number, settings: Partial<PoolConfig> = {}): Pool => {
    const pool = new Pool({ ...connectionOptions(databaseUrl), ...settings, max });
    // An idle connection that breaks is replaced at its next use; unheard, its error would end the process.
    pool.on("error", (error) => log.warn({ error: error.name }, "an idle database connection broke"));
    pool.on("connect", (client) => {
      // Nor may one that breaks while it is used: the caller's own query rejects.
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

/** Under a lock of the server: without it, nodes that start together fail on each other's tables. */
async function migrateAlone(databaseUrl: string, migrations: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: "synapse migration",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: MIGRATION_TIMEOUT_MS,
  });
  await connect(client);
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle({ client }), { migrationsFolder: migrations });
    // Without any statistics the planner would read whole tables; later ones are the server's own work.
    const { rows } = await client.query(
      "select 1 from pg_class where relname = 'purchases' and reltuples < 0",
    );
    if (rows.length > 0) await client.query("analyze");
  } finally {
    // Ending the session gives the lock back.
    await client.end();
  }
}

/** The class of SQLSTATE that refuses the user or the password, and the code of a database that is not there. */
const REFUSED = /^(28...|3D000)$/;

async function connect(client: Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    // A driver's message may name the address.
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer in time";
    const [kind, what] = REFUSED.test(code)
      ? (["refused", "PostgreSQL refuses the user, password or database of DATABASE_URL"] as const)
      : (["unreachable", "PostgreSQL does not answer at DATABASE_URL"] as const);
    throw new StoreError(kind, `${what} (${code})`, { cause });
  }
}
