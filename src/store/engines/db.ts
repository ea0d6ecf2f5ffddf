import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT, PgTransaction } from "drizzle-orm/pg-core";

type NoNamedRelations = Record<string, never>;

/**
 * What every repository speaks to, whichever engine answers. A `Tx` is also a `Db`.
 * Inside `db.transaction(async (tx) => …)` use `tx` alone and await nothing but it: the embedded store has one
 * session, so the outer `db` would wait for the very transaction that waits for it (it throws instead).
 */
export type Db = PgDatabase<PgQueryResultHKT, NoNamedRelations>;

/** A `Db` inside a transaction: asked for by functions that must not stand alone. */
export type Tx = PgTransaction<
  PgQueryResultHKT,
  NoNamedRelations,
  ExtractTablesWithRelations<NoNamedRelations>
>;
