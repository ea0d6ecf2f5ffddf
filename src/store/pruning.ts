import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Db } from "./engines/db.ts";

const CHUNK_SIZE = 2_000;

/** Deletes in statements short enough that others get their turn in between. */
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
