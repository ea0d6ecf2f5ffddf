import { afterAll, afterEach, beforeAll } from "vitest";
import { openPostgresServer, type PostgresServer } from "#verify/testing/postgres-server.ts";
import { aMasterKey, openPostgresTestStore, type TestStore } from "#verify/testing/test-store.ts";

/** Fixture for purchase tests on PostgreSQL: one server per file, and resources that end with each test. */
export interface PostgresWorld {
  readonly freshDatabase: () => Promise<string>;
  /** All stores share their master keys, as nodes of one deployment do. */
  readonly openStore: (databaseUrl: string) => Promise<TestStore>;
  /** Disposed of at the end of the running test. */
  readonly resources: () => AsyncDisposableStack;
}

/** Call once at the top of a test file. */
export function postgresWorld(): PostgresWorld {
  const masterKeys = aMasterKey();
  let server: PostgresServer | undefined;
  let resources = new AsyncDisposableStack();
  beforeAll(async () => {
    server = await openPostgresServer();
  });
  afterEach(async () => {
    const ending = resources;
    resources = new AsyncDisposableStack();
    await ending.disposeAsync();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());
  return {
    async freshDatabase() {
      if (server === undefined) throw new Error("the server is not open yet");
      return await server.freshDatabase();
    },
    openStore: (databaseUrl) => openPostgresTestStore(databaseUrl, { masterKeys }),
    resources: () => resources,
  };
}
