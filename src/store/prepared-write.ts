import { sql, type Query, type SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Db } from "./engines/db.ts";
import type { Slot } from "./prepared-read.ts";

const dialect = new PgDialect();

/**
 * A statement that answers nothing, put into words once for each kind of it, as `preparedRead` does with a select.
 * @param build words a kind, told from others by its JSON; its values are not converted on their way to the engine
 */
export function preparedWrite<Kind extends string | object>(
  build: (kind: Kind, slot: Slot<string>) => SQL,
): (db: Db, kind: Kind, values: Readonly<Record<string, unknown>>) => Promise<void> {
  const queries = new Map<string, Query>();
  const queryOf = (kind: Kind): Query => {
    const key = JSON.stringify(kind);
    const known = queries.get(key);
    if (known !== undefined) return known;
    const worded = dialect.sqlToQuery(build(kind, (name) => sql.placeholder(name)));
    queries.set(key, worded);
    return worded;
  };
  return async (db, kind, values) => {
    await db._.session.prepareQuery(queryOf(kind), undefined, undefined, false).execute(values);
  };
}

/** The values of one part of a statement, by names that no other part has. */
export function slotted(
  part: string,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${part}.${name}`, value]));
}
