import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";
import type { Log } from "#domain/log.ts";
import { StoreError } from "../errors.ts";
import { openEarly, writeOnceATurn, nameStatements, RepeatedStatements } from "./driver-patches.ts";
import type { Engine } from "./db.ts";
import { commitWithOnlyWrite } from "./only-write.ts";
import { migrationsFolder } from "./migrations.ts";
import { UrgentPool } from "./connections.ts";

export interface PostgresOptions {
  readonly databaseUrl: string;
  readonly log: Log;
}

/** Any number that is only ours: nodes that start together migrate one after the other. */
const MIGRATION_LOCK = 727_274;

const CONNECTIONS = { all: 20, urgent: 6 };
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A little later than the server's: this one also ends a wait for a server that is gone. */
const QUERY_TIMEOUT_MS = 20_000;
const OPEN_TRANSACTION_TIMEOUT_MS = 15_000;
const MIGRATION_TIMEOUT_MS = 600_000;

/** Opens a PostgreSQL server's database (15 or later) and brings its tables up to date. */
export async function openPostgres({ databaseUrl, log }: PostgresOptions): Promise<Engine> {
  await migrateAlone(databaseUrl);
  const options = {
    connectionString: databaseUrl,
    application_name: "synapse",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: OPEN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
  };
  const pool = new UrgentPool(options, CONNECTIONS);
  // An idle connection that breaks is replaced at its next use; unheard, its error would end the process.
  pool.on("error", (error) => log.warn({ error: error.name }, "an idle database connection broke"));
  const statements = new RepeatedStatements();
  pool.on("connect", (client) => {
    if (client instanceof Client) writeOnceATurn(client);
    nameStatements(client, statements);
    openEarly(client);
    commitWithOnlyWrite(client);
    // Nor may one that breaks while it is used: the caller's own query rejects.
    client.on("error", (error) => log.warn({ error: error.name }, "a database connection broke"));
  });
  return {
    db: drizzle({ client: pool }),
    backup: () =>
      Promise.reject(new StoreError("unsupported", "back up a PostgreSQL server with its own pg_dump")),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** Under a lock of the server: without it, nodes that start together fail on each other's tables. */
async function migrateAlone(databaseUrl: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: "synapse migration",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: MIGRATION_TIMEOUT_MS,
  });
  await connect(client);
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle({ client }), { migrationsFolder });
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
