import { Column, getTableColumns, is, SQL, sql, Table, type Placeholder, type Query } from "drizzle-orm";
import { type SelectedFieldsOrdered, PgDialect } from "drizzle-orm/pg-core";
import type { Db } from "../engines/db.ts";

/** A select of drizzle-orm that names all of its fields, or is of one table. */
interface Select<Row> {
  readonly _: { readonly result: readonly Row[]; readonly selectedFields: object };
  toSQL(): Query;
}

/** The placeholder of a value in a prepared statement. */
export type Slot<Name extends string> = (name: Name) => Placeholder<Name>;

/** A select whose values differ from one execution to the next. */
export type PreparedRead<Name extends string, Row> = (
  db: Db,
  values: Readonly<Record<Name, unknown>>,
) => Promise<readonly Row[]>;

/**
 * A select whose SQL is generated once, at its first use, for any connection and within any transaction. Generating it
 * each time takes longer than everything else that the program does for its answer.
 */
export function preparedRead<Name extends string, Row>(
  build: (db: Db, slot: Slot<Name>) => Select<Row>,
): PreparedRead<Name, Row> {
  let compiled: Compiled | null = null;
  return async (db, values) => {
    compiled ??= compile(build(db, (name) => sql.placeholder(name)));
    const { query, fields, missable } = compiled;
    const session = db._.session;
    const rows = await session.prepareQuery<Answering<Row[]>>(query, fields, undefined, true).execute(values);
    if (missable.length > 0) for (const row of rows) markMissing(row, missable);
    return rows;
  };
}

interface Answering<Rows> {
  execute: Rows;
  all: unknown;
  values: unknown;
}

interface Compiled {
  readonly query: Query;
  readonly fields: SelectedFieldsOrdered;
  readonly missable: readonly LeftJoined[];
}

/** A left-joined table: where its first column, declared not null, is null, the whole row is missing. */
interface LeftJoined {
  readonly name: string;
  readonly firstColumn: string;
}

function compile(select: Select<unknown>): Compiled {
  const fields = orderedFields(select._.selectedFields, []);
  return { query: select.toSQL(), fields, missable: leftJoined(fields) };
}

type Field = SelectedFieldsOrdered[number]["field"];

function orderedFields(fields: object, path: readonly string[]): SelectedFieldsOrdered {
  return Object.entries(fields).flatMap(([name, field]: [string, unknown]): SelectedFieldsOrdered => {
    const here = [...path, name];
    if (isField(field)) return [{ path: here, field }];
    if (is(field, Table)) return orderedFields(getTableColumns(field), here);
    if (typeof field === "object" && field !== null) return orderedFields(field, here);
    throw new TypeError(`${here.join(".")} cannot be selected`);
  });
}

const isField = (field: unknown): field is Field =>
  is(field, Column) || is(field, SQL) || is(field, SQL.Aliased);

function leftJoined(fields: SelectedFieldsOrdered): readonly LeftJoined[] {
  const groups = Map.groupBy(
    fields.filter(({ path }) => path.length > 1),
    ({ path: [name = ""] }) => name,
  );
  return Array.from(groups).flatMap(([name, [first]]): readonly LeftJoined[] => {
    const firstColumn = first?.path[1];
    if (first === undefined || firstColumn === undefined) return [];
    return is(first.field, Column) && first.field.notNull ? [{ name, firstColumn }] : [];
  });
}

function markMissing(row: unknown, missable: readonly LeftJoined[]): void {
  if (typeof row !== "object" || row === null) return;
  for (const { name, firstColumn } of missable) {
    const group: unknown = Reflect.get(row, name);
    if (typeof group === "object" && group !== null && Reflect.get(group, firstColumn) === null)
      Reflect.set(row, name, null);
  }
}

const dialect = new PgDialect();

/**
 * A statement without result whose SQL is generated once per kind.
 * @param build the SQL of a kind, which its JSON identifies; values are passed to the driver unconverted
 */
export function preparedWrite<Kind extends string | object>(
  build: (kind: Kind, slot: Slot<string>) => SQL,
): (db: Db, kind: Kind, values: Readonly<Record<string, unknown>>) => Promise<void> {
  const queries = new Map<string, Query>();
  const queryOf = (kind: Kind): Query => {
    const key = JSON.stringify(kind);
    const known = queries.get(key);
    if (known !== undefined) return known;
    const compiled = dialect.sqlToQuery(build(kind, (name) => sql.placeholder(name)));
    queries.set(key, compiled);
    return compiled;
  };
  return async (db, kind, values) => {
    await db._.session.prepareQuery(queryOf(kind), undefined, undefined, false).execute(values);
  };
}

/** The values of one part of a statement, prefixed with the name of the part. */
export function slotted(
  part: string,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${part}.${name}`, value]));
}
