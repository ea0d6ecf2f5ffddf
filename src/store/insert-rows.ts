import { getTableColumns, sql, type SQL, type SQLChunk } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

/**
 * An insert of any number of rows in the same words, however many they are: each column is one array parameter,
 * unnested by the server. What is unsaid by the first row is the column's default in all of them.
 * @param rows one at least; each says the same columns
 */
export function insertRows<Table extends PgTable>(table: Table, rows: readonly Table["$inferInsert"][]): SQL {
  const said = new Set(Object.keys(rows[0] ?? {}));
  const fields = Object.keys(getTableColumns(table)).filter((field) => said.has(field));
  const texts = columnTexts(table, fields, rows);
  return insertWords(table, fields, (field) => sql.param(texts[field]));
}

/** @param cells what stands for the values of a column: an array of texts, one for each row */
export function insertWords(
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

/** The values of `insertWords`, by the name of the field. */
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

/** @throws TypeError where the table has no such column. */
export function columnOf(table: PgTable, field: string): PgColumn {
  const column: PgColumn | undefined = getTableColumns(table)[field];
  if (column === undefined) throw new TypeError(`${field} is no column`);
  return column;
}

/** As it goes to the engine. */
export function driverValue(column: PgColumn, value: unknown): unknown {
  return value === null || value === undefined ? null : column.mapToDriverValue(value);
}

function textOf(column: PgColumn, value: unknown): string | null {
  return value === null || value === undefined ? null : String(column.mapToDriverValue(value));
}

/** No text of the program becomes SQL by itself. */
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
