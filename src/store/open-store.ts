import { count, isNotNull, sql } from "drizzle-orm";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/clock.ts";
import { createAlertStore } from "./people/alerts.ts";
import {
  createAuditStore,
  type AuditVerdict,
  extendAuditChain,
  pruneAuditChain,
  verifyAuditChain,
} from "./audit.ts";
import type { Db, Engine } from "./engines/db.ts";
import { openEmbedded } from "./engines/embedded.ts";
import { openPostgres } from "./engines/postgres.ts";
import { startRepeating } from "./engines/repeating.ts";
import type { StoreError } from "./errors.ts";
import { createArchiveStore } from "./market/archive.ts";
import { createFilterStore } from "./market/filters.ts";
import { createGroupStore } from "./market/groups.ts";
import { createHeldMatchStore, createRelistStore, createSellerFactStore } from "./market/facts.ts";
import { createListingStore } from "./market/listings.ts";
import { createNodeStore } from "./nodes.ts";
import { purchases } from "./schema/purchase-tables.ts";
import { createPurchaseStore, pruneSimulations } from "./purchases/purchases.ts";
import { createSessionStore } from "./people/sessions.ts";
import { createSellerStore } from "./people/sellers.ts";
import { createStoryStore } from "./purchases/stories.ts";
import { createAccountStore, createSettingsStore } from "./people/settings.ts";
import type { Store } from "./store.ts";
import { createUserStore } from "./people/users.ts";
import { type KeyPurpose, type Vault, openVault } from "./vault/vault.ts";

const AUDIT_CHAIN_INTERVAL_MS = 30_000;

export interface StoreOptions {
  /** Contains the embedded store, and the master keys unless they are given. */
  readonly dataDir: string;
  /** Uses this PostgreSQL server; undefined: the embedded store. */
  readonly databaseUrl: string | undefined;
  /** MASTER_KEYS, newest first; undefined: the store creates its own in `dataDir`. */
  readonly masterKeys: string | undefined;
  readonly log: Log;
  readonly random: Random;
  /** The embedded store failed for good: the process must end. A new one finds every acknowledged write. */
  readonly onFatal: (error: StoreError) => void;
  /** Called with the text of each statement, to count them; absent: not called. */
  readonly onStatement?: (text: string) => void;
}

/** The store, and the operations of the operator's side. */
export interface OpenStore extends Store {
  readonly db: Db;
  /** Re-wraps every key with the newest master key, generating one if the product keeps the keys itself. */
  rotateKeys(): ReturnType<Vault["rotate"]>;
  /** Appends unlinked entries to the audit chain; also runs every 30 s. */
  extendAuditChain(): Promise<number>;
  verifyAuditChain(): Promise<AuditVerdict>;
  /** Deletes audit entries older than a moment; the rest of the chain stays verifiable. */
  pruneAuditChain(beforeMs: number): Promise<number>;
  /** Keeps the newest `kept` simulated purchases of each person. @returns how many were deleted */
  pruneSimulations(kept: number): Promise<number>;
  /** A 32-byte key for one purpose, the same in every process with these data and keys. */
  sharedKey(purpose: KeyPurpose): Uint8Array;
  openPurchases(): Promise<ReadonlyMap<string, number>>;
  /** Writes an archive of the embedded store without its keys; on PostgreSQL rejects with `unsupported`. */
  backup(path: string): Promise<void>;
}

/**
 * Opens the store and migrates its tables. Throws a StoreError, whose message is one line for the operator,
 * if another process uses it or the keys are missing, malformed or not those of its data.
 */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  await using opening = new AsyncDisposableStack();
  const engine = opening.use(await openEngine(options));
  const { db } = engine;
  const vault = await openVault(db, options);
  opening.use(
    startRepeating({
      name: "audit chain",
      intervalMs: AUDIT_CHAIN_INTERVAL_MS,
      log: options.log,
      run: () => extendAuditChain(db, vault),
    }),
  );
  const resources = opening.move();
  return {
    ...portsOf(engine, vault, options),
    db,
    async ping() {
      await db.execute(sql`select 1`);
    },
    rotateKeys: () => vault.rotate(),
    extendAuditChain: () => extendAuditChain(db, vault),
    verifyAuditChain: () => verifyAuditChain(db, vault),
    async pruneAuditChain(beforeMs) {
      // Only linked entries can be pruned.
      await extendAuditChain(db, vault);
      return await pruneAuditChain(db, vault, beforeMs);
    },
    pruneSimulations: (kept) => pruneSimulations(db, kept),
    async openPurchases() {
      const rows = await db
        .select({ state: purchases.state, count: count() })
        .from(purchases)
        .where(isNotNull(purchases.dueAtMs))
        .groupBy(purchases.state);
      return new Map(rows.map((row) => [row.state, row.count]));
    },
    sharedKey: (purpose) => vault.derivedKey(purpose),
    backup: (path) => engine.backup(path),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function openEngine(options: StoreOptions): Promise<Engine> {
  const { databaseUrl } = options;
  return databaseUrl === undefined
    ? await openEmbedded(options)
    : await openPostgres({ ...options, databaseUrl });
}

type Ports = Omit<Store, "ping" | typeof Symbol.asyncDispose>;

function portsOf(
  { db, purchases: statements, rest }: Engine,
  vault: Vault,
  { random, log }: Pick<StoreOptions, "random" | "log">,
): Ports {
  return {
    users: createUserStore({ db, vault, random }),
    sessions: createSessionStore(db, vault),
    filters: createFilterStore(db),
    groups: createGroupStore(db),
    settings: createSettingsStore(db, vault),
    sellers: createSellerStore(db),
    accounts: createAccountStore(db, vault),
    listings: createListingStore(db),
    held: createHeldMatchStore(db),
    sellerFacts: createSellerFactStore(db),
    relists: createRelistStore(db),
    archive: createArchiveStore(db, vault),
    purchases: createPurchaseStore(db, statements, vault),
    stories: createStoryStore(db),
    alerts: createAlertStore({ db, sql: rest, vault, log }),
    audit: createAuditStore(db),
    nodes: createNodeStore(db),
  };
}
