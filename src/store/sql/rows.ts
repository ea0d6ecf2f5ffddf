import {
  getTableColumns,
  sql,
  type SQL,
  type SQLChunk,
  is,
  Placeholder,
  type AnyColumn,
  type SQLWrapper,
} from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "../engines/db.ts";

/**
 * An insert whose SQL is the same for any number of rows, so that the server plans it once: each column is one array
 * parameter, unnested by the server. Columns that the first row leaves out get their default in all rows.
 * @param rows at least one; all with the same columns
 */
export function insertRows<Table extends PgTable>(table: Table, rows: readonly Table["$inferInsert"][]): SQL {
  const said = new Set(Object.keys(rows[0] ?? {}));
  const fields = Object.keys(getTableColumns(table)).filter((field) => said.has(field));
  const texts = columnTexts(table, fields, rows);
  return insertSql(table, fields, (field) => sql.param(texts[field]));
}

/** @param cells the array parameter of a column: one text for each row */
export function insertSql(
  table: PgTable,
  fields: readonly string[],
  cells: (field: string) => SQLChunk,
): SQL {
  const columns = fields.map((field) => columnOf(table, field));
  const names = sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  const typed = columns.map((column) => sql`${sql.identifier(column.name)}::${typeOf(column)}`);
  const values = fields.map((field) => sql`${cells(field)}::text[]`);
  return sql`insert into ${table} (${names}) select ${sql.join(typed, sql`, `)}
    from unnest(${sql.join(values, sql`, `)}) as batch (${names})`;
}

/** The array parameters of `insertSql`, by field name. */
export function columnTexts(
  table: PgTable,
  fields: readonly string[],
  rows: readonly object[],
): Readonly<Record<string, readonly (string | null)[]>> {
  const cells = rows.map((row) => new Map<string, unknown>(Object.entries(row)));
  return Object.fromEntries(
    fields.map((field) => {
      const column = columnOf(table, field);
      return [field, cells.map((cell) => textOf(column, cell.get(field)))];
    }),
  );
}

/** @throws TypeError when the table has no such column. */
export function columnOf(table: PgTable, field: string): PgColumn {
  const column: PgColumn | undefined = getTableColumns(table)[field];
  if (column === undefined) throw new TypeError(`${field} is no column`);
  return column;
}

/** Converted for the driver. */
export function driverValue(column: PgColumn, value: unknown): unknown {
  return value === null || value === undefined ? null : column.mapToDriverValue(value);
}

function textOf(column: PgColumn, value: unknown): string | null {
  return value === null || value === undefined ? null : String(column.mapToDriverValue(value));
}

/** A closed list, so that no text becomes SQL unchecked. */
const TYPES: ReadonlyMap<string, SQL> = new Map([
  ["bigint", sql`bigint`],
  ["boolean", sql`boolean`],
  ["integer", sql`integer`],
  ["json", sql`json`],
  ["smallint", sql`smallint`],
  ["text", sql`text`],
]);

function typeOf(column: PgColumn): SQL {
  const type = TYPES.get(column.getSQLType());
  if (type === undefined) throw new TypeError(`no rows are inserted into a column of ${column.getSQLType()}`);
  return type;
}

/**
 * Whether a column holds one of some values, passed as one array parameter: the SQL is the same for any number of them,
 * so that cached plans stay few, and the limit of 65,535 parameters cannot be reached.
 */
export function isOneOfTexts(column: AnyColumn, values: readonly string[] | Placeholder): SQL {
  return sql`${column} = any(${inOne(values)}::text[])`;
}

/** The same for integers. */
export function isOneOfNumbers(column: AnyColumn, values: readonly number[] | Placeholder): SQL {
  return sql`${column} = any(${inOne(values)}::bigint[])`;
}

const inOne = (values: readonly unknown[] | Placeholder) =>
  is(values, Placeholder) ? values : sql.param(values);

/**
 * Combines writes into CTEs of one statement, because each statement costs as much as a small commit. All of them see
 * the tables as they were before, so no two may touch the same row.
 * @param last the main statement and its result; absent: none
 */
export function inOneStatement(writes: readonly SQLWrapper[], last: SQLWrapper = sql`select`): SQL {
  if (writes.length === 0) return last.getSQL();
  const parts = writes.map((write, n) => sql`${sql.identifier(`write_${n}`)} as (${write.getSQL()})`);
  return sql`with ${sql.join(parts, sql`, `)} ${last.getSQL()}`;
}

const CHUNK_SIZE = 2_000;

/** Deletes in short statements, so that other work can run in between. */
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
