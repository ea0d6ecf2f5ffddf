import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT, PgTransaction } from "drizzle-orm/pg-core";

type NoNamedRelations = Record<string, never>;

/**
 * A connection of either engine. A `Tx` is also a `Db`.
 * Inside `db.transaction(async (tx) => …)` use `tx` alone and await nothing but it: the embedded store has one
 * session, so the outer `db` would wait for the very transaction that waits for it (it throws instead).
 */
export type Db = PgDatabase<PgQueryResultHKT, NoNamedRelations>;

/** A `Db` inside a transaction, for functions that must not run outside of one. */
export type Tx = PgTransaction<
  PgQueryResultHKT,
  NoNamedRelations,
  ExtractTablesWithRelations<NoNamedRelations>
>;

/** An open database of either kind. */
export interface Engine extends AsyncDisposable {
  readonly db: Db;
  /** Writes everything into one archive; throws a StoreError where the database has tools of its own for that. */
  backup(path: string): Promise<void>;
}
