import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startCuttingProxy } from "#verify/testing/cutting-proxy.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { StoreError } from "../errors.ts";
import { databasesForAll } from "../suite-store.suite.ts";
import { MIGRATION_LOCK, openPostgres } from "./postgres.ts";

const freshDatabase = databasesForAll();

/** The address of a new database, changed. */
async function addressWith(change: (address: URL) => void): Promise<string> {
  const address = new URL(await freshDatabase());
  change(address);
  return address.href;
}

async function failureAt(databaseUrl: string): Promise<unknown> {
  return await openPostgres({ databaseUrl, log: createQuietLog() }).then(
    async (engine) => await engine[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
}

function messageOf(failure: unknown): string {
  expect(failure).toBeInstanceOf(StoreError);
  return failure instanceof StoreError ? failure.message : "";
}

test("refused credentials and an unreachable server are reported as different errors, without the address", async () => {
  const another = await addressWith((address) => (address.pathname = "/another"));
  const refusal = "PostgreSQL refuses the user, password or database of DATABASE_URL";
  expect(messageOf(await failureAt(another))).toBe(`${refusal} (3D000)`);
  const stranger = await addressWith((address) => {
    address.username = "stranger";
    address.password = "wrong";
  });
  expect(messageOf(await failureAt(stranger))).toMatch(/DATABASE_URL \(28...\)$/);
  const closed = `postgres://synapse:canary@127.0.0.1:${await freePort()}/synapse`;
  expect(messageOf(await failureAt(closed))).toBe(
    "PostgreSQL does not answer at DATABASE_URL (ECONNREFUSED)",
  );
});

test("a connection that breaks during the migration is an error of the opening", async () => {
  const databaseUrl = await freshDatabase();
  const other = new Client({ connectionString: databaseUrl });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  await using proxy = await startCuttingProxy(databaseUrl);
  const failure = failureAt(proxy.databaseUrl);
  const waiting =
    "select wait_event_type as for from pg_stat_activity" +
    " where application_name = 'synapse migration' and datname = current_database()";
  await expect
    .poll(async () => (await other.query<{ for: string | null }>(waiting)).rows)
    .toEqual([{ for: "Lock" }]);
  proxy.setAway(true);
  expect(messageOf(await failure)).toBe("PostgreSQL went away during the migration");
});
