import { sql, type SQL, type SQLWrapper } from "drizzle-orm";

/**
 * Carries out writes in one statement, whole or not at all: each statement costs as much as a small commit. They see
 * the tables as they were before all of them, so no two may touch the same row.
 * @param last what the statement itself does and answers; absent: nothing
 */
export function atOnce(writes: readonly SQLWrapper[], last: SQLWrapper = sql`select`): SQL {
  if (writes.length === 0) return last.getSQL();
  const parts = writes.map((write, n) => sql`${sql.identifier(`write_${n}`)} as (${write.getSQL()})`);
  return sql`with ${sql.join(parts, sql`, `)} ${last.getSQL()}`;
}
