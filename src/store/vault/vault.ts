import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { and, asc, eq, gt } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { StoreError } from "../errors.ts";
import { type KeyRing, type KeySource, loadKeyRing } from "./keys.ts";
import { systemMeta, users } from "../schema/tables.ts";
import { type Cell, KEY_BYTES, SealingKey, unreadable } from "./sealing.ts";

/** Purposes of keyed hashes: each has a key of its own, so that hashes of two purposes cannot be correlated. */
type HashPurpose = "provider id" | "login" | "audit chain" | "alert address" | "telegram code";
/** Purposes of derived keys that leave the vault. */
export type KeyPurpose = "sign-in cookie" | "alert links" | "seller hash";

/** Sealed values of the store itself, by their keys in `system_meta`. */
type OwnFact = "audit_anchor" | "vapid_keys" | "archive_secret";

/**
 * Envelope encryption in three layers: the master keys (outside the database) wrap one data key per person
 * and one index key; a person's data key seals their values; the index key makes keyed hashes for look-ups.
 */
export interface Vault {
  /**
   * Wraps with the key of the last completed rotation, which every node has: a newer primary key may not have
   * reached all nodes yet. A rotation waits for this transaction, so that it misses no person.
   */
  newDataKey(tx: Tx, userId: UserId): Promise<{ readonly key: SealingKey; readonly wrapped: Uint8Array }>;
  /** Throws a StoreError `unreadable` if it is another person's or altered, or its master key is gone. */
  dataKey(userId: UserId, wrapped: Uint8Array): SealingKey;
  /** 64 hexadecimal digits, the same for the same text for the lifetime of the store. */
  keyedHash(purpose: HashPurpose, text: string): string;
  /** Seals a value of the store itself: write access to the database does not suffice to forge one. */
  sealOwn(fact: OwnFact, text: string): Uint8Array;
  /** Throws a StoreError `unreadable` if it was altered or belongs to another fact. */
  openOwn(fact: OwnFact, sealed: Uint8Array): string;
  /** A stored secret of the product, generated at first use: all nodes use the one stored first. */
  ownSecret(fact: OwnFact, make: () => string): Promise<string>;
  /** 32 bytes for one purpose, the same in every process for the lifetime of the store. */
  derivedKey(purpose: KeyPurpose): Uint8Array;
  /**
   * Re-wraps all keys with the newest master key, generating one if the product keeps the keys itself. May be
   * interrupted and repeated. Older keys stay readable for backups.
   */
  rotate(): Promise<{ readonly hasNewKey: boolean; readonly rewrappedCount: number }>;
}

const INDEX_KEY = "index_key";
const indexKeyCell: Cell = { table: "system_meta", row: INDEX_KEY, field: "sealed_value" };
const dataKeyCell = (userId: UserId): Cell => ({ table: "users", row: userId, field: "wrapped_data_key" });

const ROTATION_PAGE_SIZE = 500;

/** Throws a StoreError `keys_*` if the keys are missing, malformed or not those of these data. */
export async function openVault(db: Db, source: KeySource): Promise<Vault> {
  const stored = await storedValue(db, INDEX_KEY);
  const ring = loadKeyRing(source, stored !== null);
  const indexKey = openIndexKey(ring, stored ?? (await makeIndexKey(db, ring)));
  const hashKeys = new Map<HashPurpose, Uint8Array>();
  const ownKey = new SealingKey(deriveKey(indexKey, "own facts"));

  return {
    async newDataKey(tx, userId) {
      const masterKey = await currentMasterKey(tx, ring);
      const bytes = randomBytes(KEY_BYTES);
      return { key: new SealingKey(bytes), wrapped: masterKey.seal(bytes, dataKeyCell(userId)) };
    },
    dataKey: (userId, wrapped) => new SealingKey(ring.open(wrapped, dataKeyCell(userId))),
    keyedHash(purpose, text) {
      const key = hashKeys.get(purpose) ?? deriveKey(indexKey, purpose);
      hashKeys.set(purpose, key);
      return createHmac("sha256", key).update(text).digest("hex");
    },
    sealOwn: (fact, text) => ownKey.sealText(text, ownCell(fact)),
    openOwn: (fact, sealed) => ownKey.openText(sealed, ownCell(fact)),
    async ownSecret(fact, make) {
      for (;;) {
        const sealed = await storedValue(db, fact);
        if (sealed !== null) return ownKey.openText(sealed, ownCell(fact));
        await db
          .insert(systemMeta)
          .values({ key: fact, sealedValue: ownKey.sealText(make(), ownCell(fact)) })
          .onConflictDoNothing();
      }
    },
    derivedKey: (purpose) => deriveKey(indexKey, purpose),
    async rotate() {
      const hasNewKey = ring.addPrimary();
      const rewrappedCount = await rewrapAll(db, ring);
      return { hasNewKey, rewrappedCount };
    },
  };
}

function ownCell(fact: OwnFact): Cell {
  return { table: "system_meta", row: fact, field: "sealed_value" };
}

function deriveKey(indexKey: Uint8Array, purpose: HashPurpose | KeyPurpose | "own facts"): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", indexKey, "", purpose, KEY_BYTES));
}

async function storedValue(db: Db, key: OwnFact | typeof INDEX_KEY): Promise<Uint8Array | null> {
  const [row] = await db.select().from(systemMeta).where(eq(systemMeta.key, key));
  return row?.sealedValue ?? null;
}

/** The key that seals the index key, which a rotation re-seals first. Locked until the transaction ends. */
async function currentMasterKey(tx: Tx, ring: KeyRing): Promise<SealingKey> {
  const [row] = await tx.select().from(systemMeta).where(eq(systemMeta.key, INDEX_KEY)).for("share");
  if (row === undefined) throw unreadable(indexKeyCell);
  return ring.keyOf(row.sealedValue, indexKeyCell);
}

/** Of several nodes that start concurrently on an empty database one inserts its key, and all use it. */
async function makeIndexKey(db: Db, ring: KeyRing): Promise<Uint8Array> {
  const sealedValue = ring.primary.seal(randomBytes(KEY_BYTES), indexKeyCell);
  await db.insert(systemMeta).values({ key: INDEX_KEY, sealedValue }).onConflictDoNothing();
  return (await storedValue(db, INDEX_KEY)) ?? sealedValue;
}

function openIndexKey(ring: KeyRing, sealed: Uint8Array): Uint8Array {
  try {
    return ring.open(sealed, indexKeyCell);
  } catch (error) {
    throw new StoreError("keys_unfit", "the master keys are not those that sealed the data of this store", {
      cause: error,
    });
  }
}

/** The index key first: from then on new people get the newest key; existing ones are re-wrapped below. */
async function rewrapAll(db: Db, ring: KeyRing): Promise<number> {
  let rewrappedCount = 0;
  const indexKey = await storedValue(db, INDEX_KEY);
  if (indexKey !== null && !ring.isSealedByPrimary(indexKey)) {
    const sealedValue = ring.primary.seal(ring.open(indexKey, indexKeyCell), indexKeyCell);
    await db.update(systemMeta).set({ sealedValue }).where(eq(systemMeta.key, INDEX_KEY));
    rewrappedCount += 1;
  }
  for await (const page of wrappedKeyPages(db)) {
    for (const { id, wrapped } of page) {
      if (!ring.isSealedByPrimary(wrapped) && (await rewrap(db, ring, { id, wrapped }))) rewrappedCount += 1;
    }
  }
  return rewrappedCount;
}

interface WrappedKey {
  readonly id: UserId;
  readonly wrapped: Uint8Array;
}

async function* wrappedKeyPages(db: Db): AsyncIterable<readonly WrappedKey[]> {
  let page: readonly WrappedKey[] = [];
  do {
    const last = page.at(-1)?.id;
    page = await db
      .select({ id: users.id, wrapped: users.wrappedDataKey })
      .from(users)
      .where(last === undefined ? undefined : gt(users.id, last))
      .orderBy(asc(users.id))
      .limit(ROTATION_PAGE_SIZE);
    yield page;
  } while (page.length === ROTATION_PAGE_SIZE);
}

/** Compare-and-set: another node may be rotating too. */
async function rewrap(db: Db, ring: KeyRing, { id, wrapped }: WrappedKey): Promise<boolean> {
  const cell = dataKeyCell(id);
  const changed = await db
    .update(users)
    .set({ wrappedDataKey: ring.primary.seal(ring.open(wrapped, cell), cell) })
    .where(and(eq(users.id, id), eq(users.wrappedDataKey, wrapped)))
    .returning({ id: users.id });
  return changed.length > 0;
}
