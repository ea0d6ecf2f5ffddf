import { and, asc, desc, eq, gt, isNotNull, isNull, lt, lte, sql, gte } from "drizzle-orm";
import { z } from "zod";
import type { Db, Tx } from "./engines/db.ts";
import { StoreError } from "./errors.ts";
import { inChunks, isOneOfNumbers } from "./sql/values.ts";
import { auditEntries, auditLinks, systemMeta } from "./schema/tables.ts";
import type { Vault } from "./vault/vault.ts";
import type { AuditStore } from "./store.ts";

/**
 * The hash chain over the audit log: each link is a keyed hash of its entry and of the previous link, so that someone
 * with write access to the database cannot change, drop or reorder an entry undetected. Links are appended
 * asynchronously, by one node at a time, never inside another transaction.
 */

/** Key of the advisory lock; any number that no other lock uses. */
const CHAIN_LOCK = 727_275;

const PAGE_SIZE = 500;

/**
 * Sequence numbers are assigned before the commit, so an entry can become visible after later ones: at most
 * by the number of entries written while the longest transaction is open. This is far more.
 */
const LATE_ENTRIES = 10_000;

const FIRST_HASH = "0".repeat(64);

/** Where the chain begins after pruning. Sealed, so that someone with write access cannot move it. */
const ANCHOR = "audit_anchor";
const anchorShape = z.object({ position: z.number().int(), hash: z.string() });
type Anchor = z.output<typeof anchorShape>;

type EntryRow = typeof auditEntries.$inferSelect;
type LinkRow = typeof auditLinks.$inferSelect;

/** Links the entries that are not in the chain yet. @returns how many */
export async function extendAuditChain(db: Db, vault: Vault): Promise<number> {
  return await inChunks(PAGE_SIZE, () => db.transaction((tx) => linkPage(tx, vault)));
}

async function linkPage(tx: Tx, vault: Vault): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(${CHAIN_LOCK}::bigint)`);
  const [last] = await tx.select().from(auditLinks).orderBy(desc(auditLinks.position)).limit(1);
  const entries = await unlinkedEntries(tx, last);
  const links: LinkRow[] = [];
  let previous = { position: last?.position ?? 0, hash: last?.hash ?? FIRST_HASH };
  for (const entry of entries) {
    const position = previous.position + 1;
    const link = { position, entryId: entry.id, hash: linkHash(vault, previous.hash, entry) };
    links.push(link);
    previous = link;
  }
  if (links.length > 0) await tx.insert(auditLinks).values(links);
  return links.length;
}

async function unlinkedEntries(tx: Tx, last: LinkRow | undefined): Promise<readonly EntryRow[]> {
  const rows = await tx
    .select({ entry: auditEntries })
    .from(auditEntries)
    .leftJoin(auditLinks, eq(auditLinks.entryId, auditEntries.id))
    .where(and(isNull(auditLinks.entryId), gt(auditEntries.id, (last?.entryId ?? 0) - LATE_ENTRIES)))
    .orderBy(asc(auditEntries.id))
    .limit(PAGE_SIZE);
  return rows.map(({ entry }) => entry);
}

export type AuditVerdict =
  | { readonly kind: "intact"; readonly linkCount: number }
  /** The link at this position is the first that does not match its entry or the link before it. */
  | { readonly kind: "broken"; readonly position: number };

/** Verifies the chain from its beginning or anchor; an altered anchor counts as broken at position 0. */
export async function verifyAuditChain(db: Db, vault: Vault): Promise<AuditVerdict> {
  const anchor = await readAnchor(db, vault);
  if (anchor === null) return { kind: "broken", position: 0 };
  let previous = anchor;
  for (;;) {
    const page = await chainPage(db, previous.position);
    for (const { link, entry } of page) {
      const fits =
        entry !== null &&
        link.position === previous.position + 1 &&
        link.hash === linkHash(vault, previous.hash, entry);
      if (!fits) return { kind: "broken", position: link.position };
      previous = link;
    }
    if (page.length < PAGE_SIZE) return { kind: "intact", linkCount: previous.position };
  }
}

async function chainPage(db: Db, afterPosition: number) {
  return await db
    .select({ link: auditLinks, entry: auditEntries })
    .from(auditLinks)
    .leftJoin(auditEntries, eq(auditEntries.id, auditLinks.entryId))
    .where(gt(auditLinks.position, afterPosition))
    .orderBy(asc(auditLinks.position))
    .limit(PAGE_SIZE);
}

/**
 * Deletes the entries older than a moment, in the chain's order, except for its newest link. The rest stays
 * verifiable: a sealed anchor records where the deleted part ended.
 * @returns how many entries were deleted
 */
export async function pruneAuditChain(db: Db, vault: Vault, beforeMs: number): Promise<number> {
  return await inChunks(PAGE_SIZE, () => db.transaction((tx) => prunePage(tx, vault, beforeMs)));
}

async function prunePage(tx: Tx, vault: Vault, beforeMs: number): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(${CHAIN_LOCK}::bigint)`);
  const oldest = await tx
    .select({ link: auditLinks, atMs: auditEntries.atMs })
    .from(auditLinks)
    .innerJoin(auditEntries, eq(auditEntries.id, auditLinks.entryId))
    .orderBy(asc(auditLinks.position))
    .limit(PAGE_SIZE + 1);
  const keptFrom = oldest.findIndex(({ atMs }) => atMs >= beforeMs);
  // The newest link stays: the next one continues from it.
  const dropped = oldest.slice(0, keptFrom < 0 ? -1 : keptFrom);
  const last = dropped.at(-1)?.link;
  if (last === undefined) return 0;
  await saveAnchor(tx, vault, { position: last.position, hash: last.hash });
  await tx.delete(auditLinks).where(lte(auditLinks.position, last.position));
  const entryIds = dropped.map(({ link }) => link.entryId);
  await tx.delete(auditEntries).where(isOneOfNumbers(auditEntries.id, entryIds));
  return dropped.length;
}

async function saveAnchor(tx: Tx, vault: Vault, anchor: Anchor): Promise<void> {
  const sealedValue = vault.sealOwn(ANCHOR, JSON.stringify(anchor));
  await tx
    .insert(systemMeta)
    .values({ key: ANCHOR, sealedValue })
    .onConflictDoUpdate({ target: systemMeta.key, set: { sealedValue } });
}

/** Null when the stored value was altered. */
async function readAnchor(db: Db, vault: Vault): Promise<Anchor | null> {
  const [row] = await db.select().from(systemMeta).where(eq(systemMeta.key, ANCHOR));
  if (row === undefined) return { position: 0, hash: FIRST_HASH };
  try {
    return anchorShape.parse(JSON.parse(vault.openOwn(ANCHOR, row.sealedValue)));
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

function linkHash(vault: Vault, previousHash: string, entry: EntryRow): string {
  const { id, atMs, kind, userId, details } = entry;
  const sortedDetails = Object.entries(details).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return vault.keyedHash(
    "audit chain",
    JSON.stringify([previousHash, id, atMs, kind, userId, sortedDetails]),
  );
}

/** Each entry is a transaction of its own; `extendAuditChain` links it later. */
export function createAuditStore(db: Db): AuditStore {
  return {
    async append(entry) {
      await db.insert(auditEntries).values(entry);
    },
    async after(id, limit) {
      const rows = await db
        .select()
        .from(auditEntries)
        .where(and(gt(auditEntries.id, id), isNotNull(auditEntries.userId)))
        .orderBy(asc(auditEntries.id))
        .limit(limit);
      return rows;
    },
    async hasEarlier({ userId, kind, beforeId, sinceMs, fact, value }) {
      const [row] = await db
        .select({ id: auditEntries.id })
        .from(auditEntries)
        .where(
          and(
            eq(auditEntries.userId, userId),
            lt(auditEntries.id, beforeId),
            eq(auditEntries.kind, kind),
            gte(auditEntries.atMs, sinceMs),
            sql`${auditEntries.details} ->> ${fact}::text = ${value}`,
          ),
        )
        .limit(1);
      return row !== undefined;
    },
    async ofUser(userId, limit) {
      const rows = await db
        .select()
        .from(auditEntries)
        .where(eq(auditEntries.userId, userId))
        .orderBy(desc(auditEntries.id))
        .limit(limit);
      return rows.map(({ atMs, kind, userId, details }) => ({ atMs, kind, userId, details }));
    },
    async momentsOf(userId, kind, sinceMs) {
      const { atMs } = auditEntries;
      const ofPerson = and(eq(auditEntries.userId, userId), eq(auditEntries.kind, kind), gte(atMs, sinceMs));
      const rows = await db.select({ atMs }).from(auditEntries).where(ofPerson).orderBy(desc(atMs));
      return rows.map((row) => row.atMs);
    },
  };
}
