import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "./engines/db.ts";
import { purchases } from "./purchase-schema.ts";
import { purchaseOrigins } from "./schema.ts";

/** Rows deleted per statement, so that other work can run in between. */
const CHUNK_SIZE = 2_000;

/** The shape in which both engines answer raw statements. */
const peopleRows = z.object({ rows: z.array(z.object({ user_id: z.string() })) });
const countRows = z.object({ rows: z.tuple([z.object({ n: z.number() })]) });

/**
 * Deletes all but the newest `kept` simulated purchases of each person: they cost nothing, so no money limit bounds how
 * many a broad filter produces.
 * @returns how many were deleted
 */
export async function pruneSimulations(db: Db, kept: number): Promise<number> {
  const { rows } = peopleRows.parse(
    await db.execute(sql`
      select user_id from ${purchases} where mode = 'simulation' group by user_id having count(*) > ${kept}`),
  );
  let prunedCount = 0;
  for (const { user_id: userId } of rows) {
    let goneCount: number;
    do {
      goneCount = await dropOldest(db, userId, kept);
      prunedCount += goneCount;
    } while (goneCount === CHUNK_SIZE);
  }
  return prunedCount;
}

async function dropOldest(db: Db, userId: string, kept: number): Promise<number> {
  const { rows } = countRows.parse(
    await db.execute(sql`
      with doomed as (
        delete from ${purchases} where id in (
          select id from ${purchases} where user_id = ${userId} and mode = 'simulation'
          order by decided_at_ms desc, id desc offset ${kept} limit ${CHUNK_SIZE}
        ) returning id
      ), origins as (
        delete from ${purchaseOrigins} where purchase_id in (select id from doomed)
      )
      select count(*)::int as n from doomed`),
  );
  return rows[0].n;
}
