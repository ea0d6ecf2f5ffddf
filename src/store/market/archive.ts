import { randomBytes } from "node:crypto";
import { and, asc, eq, gte, lt, lte, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { Db } from "../engines/db.ts";
import { archiveBlocks, archiveDays, archiveTail, systemMeta } from "../schema/tables.ts";
import { isOneOfNumbers, parsedRows } from "../sql/values.ts";
import type { ArchiveChange, ArchiveHead, ArchiveStore } from "../market-store.ts";
import type { Vault } from "../vault/vault.ts";

const SECRET = "archive_secret";
const SECRET_BYTES = 32;

export function createArchiveStore(db: Db, vault: Vault): ArchiveStore {
  return {
    heads: (range) => headsIn(db, range),
    async tailData(seqs) {
      return await db
        .select({ id: archiveTail.seq, data: archiveTail.data })
        .from(archiveTail)
        .where(isOneOfNumbers(archiveTail.seq, seqs));
    },
    async blockData(ids) {
      return await db
        .select({ id: archiveBlocks.id, data: archiveBlocks.data })
        .from(archiveBlocks)
        .where(isOneOfNumbers(archiveBlocks.id, ids));
    },
    change: (change) => changeAllOrNone(db, change),
    async cover(day, covered, merge) {
      await db.transaction(async (tx) => {
        const [row] = await tx.select().from(archiveDays).where(eq(archiveDays.day, day)).for("update");
        const coverage = merge(row?.coverage ?? [], covered);
        await tx
          .insert(archiveDays)
          .values({ day, coverage })
          .onConflictDoUpdate({ target: archiveDays.day, set: { coverage } });
      });
    },
    async coverage(sinceDay) {
      return await db
        .select()
        .from(archiveDays)
        .where(gte(archiveDays.day, sinceDay))
        .orderBy(asc(archiveDays.day));
    },
    async forgetCoverage(beforeDay) {
      await db.delete(archiveDays).where(lt(archiveDays.day, beforeDay));
    },
    async secret() {
      const make = (): string => randomBytes(SECRET_BYTES).toString("base64");
      return Buffer.from(await vault.ownSecret(SECRET, make), "base64");
    },
    totals: () => totalsOf(db),
    async erase() {
      await db.transaction(async (tx) => {
        await tx.delete(archiveTail);
        await tx.delete(archiveBlocks);
        await tx.delete(archiveDays);
        await tx.delete(systemMeta).where(eq(systemMeta.key, SECRET));
      });
    },
  };
}

async function headsIn(
  db: Db,
  range: { readonly fromMs: number; readonly toMs: number; readonly leafIds: readonly number[] | null },
): Promise<readonly ArchiveHead[]> {
  const { fromMs, toMs, leafIds } = range;
  const mayHold =
    leafIds === null ? undefined : sql`${archiveBlocks.leafIds} && ${sql.param([...leafIds, 0])}::int[]`;
  // One statement, so that a block packed concurrently is listed either before or after, but not twice.
  return await unionAll(
    db
      .select({
        id: archiveTail.seq,
        isTail: sql<boolean>`true`.as("is_tail"),
        day: sql<string>`''`.as("day"),
        example: sql<number>`0::bigint`.mapWith(Number).as("example"),
        isSorted: sql<boolean>`false`.as("sorted"),
        versions: archiveTail.versions,
        bytes: sql<number>`length(${archiveTail.data})`.as("bytes"),
      })
      .from(archiveTail),
    db
      .select({
        id: archiveBlocks.id,
        isTail: sql<boolean>`false`.as("is_tail"),
        day: archiveBlocks.day,
        example: archiveBlocks.example,
        isSorted: archiveBlocks.isSorted,
        versions: archiveBlocks.versions,
        bytes: sql<number>`length(${archiveBlocks.data})`.as("bytes"),
      })
      .from(archiveBlocks)
      .where(and(gte(archiveBlocks.lastMs, fromMs), lte(archiveBlocks.firstMs, toMs), mayHold)),
  );
}

/** Compare-and-set: a node that no longer reads the market changes nothing. */
async function changeAllOrNone(db: Db, { tail, blocks, made }: ArchiveChange): Promise<boolean> {
  // Nothing to compare: a single statement, as for each page of a history.
  if (tail.length === 0 && blocks.length === 0) {
    await insertBlocks(db, made);
    return true;
  }
  const gone = new Error("a part of the archive was changed by another node");
  try {
    await db.transaction(async (tx) => {
      const fromTail = await tx
        .delete(archiveTail)
        .where(isOneOfNumbers(archiveTail.seq, tail))
        .returning({ id: archiveTail.seq });
      const fromBlocks = await tx
        .delete(archiveBlocks)
        .where(isOneOfNumbers(archiveBlocks.id, blocks))
        .returning({ id: archiveBlocks.id });
      if (fromTail.length !== tail.length || fromBlocks.length !== blocks.length) throw gone;
      await insertBlocks(tx, made);
    });
    return true;
  } catch (error) {
    if (error === gone) return false;
    throw error;
  }
}

async function insertBlocks(db: Pick<Db, "insert">, made: ArchiveChange["made"]): Promise<void> {
  if (made.length === 0) return;
  await db.insert(archiveBlocks).values(made.map((block) => ({ ...block, leafIds: [...block.leafIds] })));
}

const totalsRow = z.object({
  versions: z.number(),
  dataBytes: z.number(),
  diskBytes: z.number(),
  exampleVersions: z.number(),
  examplesRead: z.number(),
});

async function totalsOf(db: Db): ReturnType<ArchiveStore["totals"]> {
  const totals = sql`
    select (t.versions + b.versions)::float8 as "versions", (t.bytes + b.bytes)::float8 as "dataBytes",
      (pg_total_relation_size('archive_tail') + pg_total_relation_size('archive_blocks'))::float8 as "diskBytes",
      b.examples::float8 as "exampleVersions", b.example::float8 as "examplesRead"
    from (select coalesce(sum(versions), 0) as versions, coalesce(sum(length(data)), 0) as bytes
        from ${archiveTail}) t,
      (select coalesce(sum(versions), 0) as versions, coalesce(sum(length(data)), 0) as bytes,
        coalesce(sum(versions) filter (where example > 0), 0) as examples, coalesce(max(example), 0) as example
        from ${archiveBlocks}) b`;
  const [row] = await parsedRows(db, totalsRow, totals);
  return totalsRow.parse(row);
}
