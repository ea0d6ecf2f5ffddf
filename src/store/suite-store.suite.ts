import type { SQL } from "drizzle-orm";
import * as fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import type { User } from "#domain/user.ts";
import { openPostgresServer, type PostgresServer } from "#verify/testing/postgres-server.ts";
import { openPostgresTestStore, type TestStore } from "#verify/testing/test-store.ts";
import type { OpenStore } from "./open-store.ts";
import type { Identity } from "./store.ts";

/** Opens an empty store of the engine under test. */
export type OpenEmptyStore = () => Promise<TestStore>;

export const NOW_MS = 1_900_000_000_000;

/** A suite's means: a store that it shares with the others, and a way to one of its own. */
export interface StoreUnderTest {
  /** For tests that mind only what they put in themselves. */
  readonly shared: () => OpenStore;
  /** For those that count what is in the whole store. */
  readonly open: OpenEmptyStore;
}

/** One empty store for the tests of a `describe`; the answer gives it once they run. */
export function storeForAll(open: OpenEmptyStore): () => OpenStore {
  let opened: TestStore | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });
  return () => {
    if (opened === undefined) throw new Error("the store is not open yet");
    return opened.store;
  };
}

/** One PostgreSQL server for the tests of a file; the answer opens an empty store on it once they run. */
export function postgresForAll(): OpenEmptyStore {
  const freshDatabase = databasesForAll();
  return async () => await openPostgresTestStore(await freshDatabase());
}

/** The same for tests of what stands below a store: the answer is the address of a new database. */
export function databasesForAll(): () => Promise<string> {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await openPostgresServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  return async () => {
    if (server === undefined) throw new Error("the server is not open yet");
    return await server.freshDatabase();
  };
}

let identityCount = 0;

/** Somebody nobody has seen before. */
export function anIdentity(traits: Partial<Identity> = {}): Identity {
  identityCount += 1;
  return {
    provider: "sandbox",
    providerId: `provider-id-${identityCount}`,
    login: `login-${identityCount}`,
    displayName: "Zoé",
    email: "zoe@example.org",
    pictureUrl: null,
    ...traits,
  };
}

export async function aPersonOf(
  store: { readonly users: Pick<OpenStore["users"], "signIn"> },
  traits: Partial<Identity> = {},
): Promise<User> {
  const { user } = await store.users.signIn(anIdentity(traits), NOW_MS);
  return user;
}

const rawResult = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

/** What lies in the tables, beside the ports: for tests that look behind them. */
export async function rowsOf(
  store: { readonly db: Pick<OpenStore["db"], "execute"> },
  query: SQL,
): Promise<readonly Record<string, unknown>[]> {
  return rawResult.parse(await store.db.execute(query)).rows;
}

/** Texts of what databases, arrays and JSON stumble over. */
export function hostileText(maxLength: number): fc.Arbitrary<string> {
  const pieces = [
    "a",
    "é",
    "🧥",
    "\u0000",
    "\ud800",
    "\udc00",
    '"',
    "'",
    "\\",
    "{",
    "}",
    ",",
    "%",
    "\n",
    "NULL",
  ];
  return fc.string({ unit: fc.constantFrom(...pieces), maxLength });
}
