import { Pool, type PoolClient } from "pg";
import { afterEach, beforeEach } from "vitest";
import { databasesForAll } from "../suite-store.suite.ts";

/** A client in pipeline mode for each test of a file, on a new database. */
export function clientForEach(): () => PoolClient {
  const freshDatabase = databasesForAll();
  let pool: Pool;
  let client: PoolClient;
  beforeEach(async () => {
    pool = new Pool({ connectionString: await freshDatabase(), pipeline: true });
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release();
    await pool.end();
  });
  return () => client;
}
