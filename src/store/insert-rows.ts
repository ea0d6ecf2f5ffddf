import { getTableColumns, sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

/**
 * An insert of any number of rows in the same words, however many they are: each column is one array parameter,
 * unnested by the server. What is unsaid by the first row is the column's default in all of them.
 * @param rows one at least; each says the same columns
 */
export function insertRows<Table extends PgTable>(table: Table, rows: readonly Table["$inferInsert"][]): SQL {
  const cells = rows.map((row) => new Map<string, unknown>(Object.entries(row)));
  const columns: readonly [string, PgColumn][] = Object.entries(getTableColumns(table));
  const said = columns.filter(([field]) => cells[0]?.has(field) === true);
  const names = sql.join(
    said.map(([, { name }]) => sql.identifier(name)),
    sql`, `,
  );
  const values = said.map(([field, column]) => {
    const texts = cells.map((cell) => textOf(column, cell.get(field)));
    return sql`${sql.param(texts)}::text[]`;
  });
  const typed = said.map(([, column]) => sql`${sql.identifier(column.name)}::${typeOf(column)}`);
  return sql`insert into ${table} (${names}) select ${sql.join(typed, sql`, `)}
    from unnest(${sql.join(values, sql`, `)}) as batch (${names})`;
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
