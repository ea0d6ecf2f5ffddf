import { Column, getTableColumns, is, SQL, sql, Table, type Placeholder, type Query } from "drizzle-orm";
import type { SelectedFieldsOrdered } from "drizzle-orm/pg-core";
import type { Db } from "./engines/db.ts";

/** A select of drizzle-orm that names all of its fields, or is of one table. */
interface Select<Row> {
  readonly _: { readonly result: readonly Row[]; readonly selectedFields: object };
  toSQL(): Query;
}

/** Stands in a prepared read where a value will stand. */
export type Slot<Name extends string> = (name: Name) => Placeholder<Name>;

/** What is asked for with values that differ from one time to the next. */
export type PreparedRead<Name extends string, Row> = (
  db: Db,
  values: Readonly<Record<Name, unknown>>,
) => Promise<readonly Row[]>;

/**
 * A select that is put into words once, at its first use, for any connection and within any transaction. Wording one
 * anew each time takes longer than all else that the program does for its answer.
 */
export function preparedRead<Name extends string, Row>(
  build: (db: Db, slot: Slot<Name>) => Select<Row>,
): PreparedRead<Name, Row> {
  let worded: Worded | null = null;
  return async (db, values) => {
    worded ??= wordsOf(build(db, (name) => sql.placeholder(name)));
    const { query, fields, absences } = worded;
    const session = db._.session;
    const rows = await session.prepareQuery<Answering<Row[]>>(query, fields, undefined, true).execute(values);
    if (absences.length > 0) for (const row of rows) tellAbsences(row, absences);
    return rows;
  };
}

interface Answering<Rows> {
  execute: Rows;
  all: unknown;
  values: unknown;
}

interface Worded {
  readonly query: Query;
  readonly fields: SelectedFieldsOrdered;
  readonly absences: readonly Absence[];
}

/** The columns of a table under one name: where the first one, which is never null, is null, there is no row of it. */
interface Absence {
  readonly name: string;
  readonly firstColumn: string;
}

function wordsOf(select: Select<unknown>): Worded {
  const fields = orderedFields(select._.selectedFields, []);
  return { query: select.toSQL(), fields, absences: absencesAmong(fields) };
}

type Field = SelectedFieldsOrdered[number]["field"];

function orderedFields(fields: object, path: readonly string[]): SelectedFieldsOrdered {
  return Object.entries(fields).flatMap(([name, field]: [string, unknown]): SelectedFieldsOrdered => {
    const here = [...path, name];
    if (isField(field)) return [{ path: here, field }];
    if (is(field, Table)) return orderedFields(getTableColumns(field), here);
    if (typeof field === "object" && field !== null) return orderedFields(field, here);
    throw new TypeError(`${here.join(".")} is nothing that could be selected`);
  });
}

const isField = (field: unknown): field is Field =>
  is(field, Column) || is(field, SQL) || is(field, SQL.Aliased);

function absencesAmong(fields: SelectedFieldsOrdered): readonly Absence[] {
  const groups = Map.groupBy(
    fields.filter(({ path }) => path.length > 1),
    ({ path: [name = ""] }) => name,
  );
  return Array.from(groups).flatMap(([name, [first]]): readonly Absence[] => {
    const firstColumn = first?.path[1];
    if (first === undefined || firstColumn === undefined) return [];
    return is(first.field, Column) && first.field.notNull ? [{ name, firstColumn }] : [];
  });
}

function tellAbsences(row: unknown, absences: readonly Absence[]): void {
  if (typeof row !== "object" || row === null) return;
  for (const { name, firstColumn } of absences) {
    const group: unknown = Reflect.get(row, name);
    if (typeof group === "object" && group !== null && Reflect.get(group, firstColumn) === null)
      Reflect.set(row, name, null);
  }
}
