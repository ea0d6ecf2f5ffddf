import { afterAll, beforeAll, describe } from "vitest";
import type { PostgresServer } from "#testing/postgres-server.ts";
import { openPostgresServer } from "#testing/postgres-server.ts";
import { openPostgresTestStore } from "#testing/test-store.ts";
import { describePurchasesInTables } from "./purchases-engines.suite.ts";

let server: PostgresServer | undefined;

beforeAll(async () => {
  server = await openPostgresServer();
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

describe("purchases on PostgreSQL", () => {
  const open = async () => {
    if (server === undefined) throw new Error("the server is not open yet");
    return await openPostgresTestStore(await server.freshDatabase());
  };
  describePurchasesInTables(open);
});
