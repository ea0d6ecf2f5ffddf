import { Pool, type PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { openPostgresServer, type PostgresServer } from "#testing/postgres-server.ts";

/** A client in pipeline mode for each test of a file, on a new database. */
export function clientForEach(): () => PoolClient {
  let server: PostgresServer;
  let pool: Pool;
  let client: PoolClient;
  beforeAll(async () => {
    server = await openPostgresServer();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    pool = new Pool({ connectionString: await server.freshDatabase(), pipeline: true });
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release();
    await pool.end();
  });
  return () => client;
}
