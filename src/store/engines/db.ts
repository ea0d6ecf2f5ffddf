import { fileURLToPath } from "node:url";
import type { Logger } from "drizzle-orm/logger";
import type { ExtractTablesWithRelations } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT, PgTransaction } from "drizzle-orm/pg-core";

type NoNamedRelations = Record<string, never>;

/**
 * A connection of either engine. A `Tx` is also a `Db`.
 * Inside `db.transaction(async (tx) => …)` use only `tx` and await nothing else: the embedded store has one
 * session, so a query on the outer `db` would deadlock (it throws instead).
 */
export type Db = PgDatabase<PgQueryResultHKT, NoNamedRelations>;

/** A `Db` inside a transaction, for functions that must not run outside of one. */
export type Tx = PgTransaction<
  PgQueryResultHKT,
  NoNamedRelations,
  ExtractTablesWithRelations<NoNamedRelations>
>;

/** A named statement, which the engine keeps prepared. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** For the most frequent statements: handwritten SQL, without the cost of generating it. */
export interface Sql {
  /** Runs one statement in its own transaction. Both engines must parse the types of the rows alike. */
  query(statement: Statement, values: readonly unknown[]): Promise<readonly unknown[]>;
}

/** An open database of either kind. */
export interface Engine extends AsyncDisposable {
  readonly db: Db;
  /** For the statements of purchases, which wait for no other work. */
  readonly purchases: Sql;
  /** For everything else. */
  readonly rest: Sql;
  /** Writes a backup archive; throws a StoreError on PostgreSQL, which has its own tools. */
  backup(path: string): Promise<void>;
}

/** The folder of the generated SQL, the same for both engines. */
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/** Called with the text of each statement. */
export type StatementListener = (text: string) => void;

/** For the statements that drizzle-orm generates. */
export function loggerOf(onStatement: StatementListener | undefined): Logger | false {
  return onStatement === undefined ? false : { logQuery: onStatement };
}
