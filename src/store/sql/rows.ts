import { sql, type AnyColumn, type SQL, type SQLWrapper } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Db } from "../engines/db.ts";

/**
 * Whether a column holds one of some values, passed as one array parameter: the SQL is the same for any number of them,
 * so that cached plans stay few, and the limit of 65,535 parameters cannot be reached.
 */
export function isOneOfTexts(column: AnyColumn, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param(values)}::text[])`;
}

/** The same for integers. */
export function isOneOfNumbers(column: AnyColumn, values: readonly number[]): SQL {
  return sql`${column} = any(${sql.param(values)}::bigint[])`;
}

/**
 * Combines writes into CTEs of one statement, because each statement costs as much as a small commit. All of them see
 * the tables as they were before, so no two may touch the same row.
 * @param last the main statement and its result; absent: none
 */
export function inOneStatement(writes: readonly SQLWrapper[], last: SQLWrapper = sql`select`): SQL {
  if (writes.length === 0) return last.getSQL();
  const parts = writes.map((write, n) => sql`${sql.identifier(`write_${n}`)} as (${write.getSQL()})`);
  return sql`with ${sql.join(parts, sql`, `)} ${last.getSQL()}`;
}

const CHUNK_SIZE = 2_000;

/** Deletes in short statements, so that other work can run in between. */
export async function deleteInChunks(db: Db, table: PgTable, condition: SQL): Promise<void> {
  const doomed = sql`select ctid from ${table} where ${condition} limit ${CHUNK_SIZE}`;
  let deletedCount: number;
  do {
    const deleted = await db
      .delete(table)
      .where(sql`ctid = any(array(${doomed}))`)
      .returning({ one: sql<number>`1` });
    deletedCount = deleted.length;
  } while (deletedCount === CHUNK_SIZE);
}
