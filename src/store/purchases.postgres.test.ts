import { afterAll, beforeAll, describe } from "vitest";
import type { PostgresServer } from "#testing/postgres-server.ts";
import { openPostgresServer } from "#testing/postgres-server.ts";
import { openPostgresTestStore } from "#testing/test-store.ts";
import {
  booksOf,
  describeAppendOnlyBooks,
  describePurchaseLocks,
  describePurchases,
} from "./purchases.suite.ts";
import { storeForAll } from "./suite-store.suite.ts";

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
  const shared = storeForAll(open);
  describePurchaseLocks(shared);
  describeAppendOnlyBooks(shared);
  describePurchases({
    shared: () => booksOf(shared()),
    async open() {
      const opened = await open();
      return {
        store: booksOf(opened.store),
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      };
    },
  });
});
