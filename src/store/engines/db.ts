import { fileURLToPath } from "node:url";
import type { Logger } from "drizzle-orm/logger";
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

/** A statement with a name, under which the engine keeps it parsed and planned. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** For the statements that are executed most: SQL as it is written, without anything that generates it. */
export interface Sql {
  /** One statement, in a transaction of its own. @returns its rows; columns must be of types that both engines parse alike */
  query(statement: Statement, values: readonly unknown[]): Promise<readonly unknown[]>;
}

/** An open database of either kind. */
export interface Engine extends AsyncDisposable {
  readonly db: Db;
  /** For the statements of purchases, which nothing else may delay. */
  readonly purchases: Sql;
  /** For everything else. */
  readonly rest: Sql;
  /** Writes everything into one archive; throws a StoreError where the database has tools of its own for that. */
  backup(path: string): Promise<void>;
}

/** The folder of the generated SQL, the same for both engines. */
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/** Hears the text of each statement. */
export type StatementListener = (text: string) => void;

/** For the statements that drizzle-orm generates. */
export function loggerOf(onStatement: StatementListener | undefined): Logger | false {
  return onStatement === undefined ? false : { logQuery: onStatement };
}
