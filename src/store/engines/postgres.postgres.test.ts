import { expect, test } from "vitest";
import { freePort } from "#verify/testing/free-port.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { StoreError } from "../errors.ts";
import { databasesForAll } from "../suite-store.suite.ts";
import { openPostgres } from "./postgres.ts";

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
