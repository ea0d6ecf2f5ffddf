import type { SQL } from "drizzle-orm";
import * as fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import type { User } from "#domain/user.ts";
import { openPostgresServer, type PostgresServer } from "#verify/testing/postgres-server.ts";
import { openPostgresTestStore, type TestStore } from "#verify/testing/test-store.ts";
import type { OpenStore, StoreOptions } from "./open-store.ts";
import type { Identity } from "./store.ts";

/** Opens an empty store of the engine under test. */
export type OpenEmptyStore = (options?: Pick<StoreOptions, "onStatement">) => Promise<TestStore>;

export const NOW_MS = 1_900_000_000_000;

/** Stores for a suite: one shared with other suites, and new ones on request. */
export interface StoreUnderTest {
  /** For tests that look only at their own data. */
  readonly shared: () => OpenStore;
  /** For tests that look at the whole store. */
  readonly open: OpenEmptyStore;
}

/** One empty store for all tests of a `describe`; call the result within a test. */
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

/** One PostgreSQL server for the tests of a file; the result opens an empty store on it. */
export function postgresForAll(): OpenEmptyStore {
  const freshDatabase = databasesForAll();
  return async (options) => await openPostgresTestStore(await freshDatabase(), options);
}

/** The same for tests below the store: the result creates a database and returns its address. */
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

/** A new, unique identity. */
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

/** Reads the tables directly, past the ports. */
export async function rowsOf(
  store: { readonly db: Pick<OpenStore["db"], "execute"> },
  query: SQL,
): Promise<readonly Record<string, unknown>[]> {
  return rawResult.parse(await store.db.execute(query)).rows;
}

/** Text that is difficult for databases, arrays and JSON. */
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
