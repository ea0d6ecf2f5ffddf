import { readFileSync } from "node:fs";
import { sql, type AnyColumn, type SQL } from "drizzle-orm";
import { z } from "zod";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Db, Statement } from "../engines/db.ts";

/**
 * Whether a column equals one of some values, passed as one array parameter: the SQL is the same for any
 * number of them, which bounds the number of cached plans and avoids the limit of 65,535 parameters.
 */
export function isOneOfTexts(column: AnyColumn, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param(values)}::text[])`;
}

/** The same for integers. */
export function isOneOfNumbers(column: AnyColumn, values: readonly number[]): SQL {
  return sql`${column} = any(${sql.param(values)}::bigint[])`;
}

const comma = sql`, `;
const arrayTypes = {
  bigint: sql`::bigint[]`,
  boolean: sql`::boolean[]`,
  integer: sql`::integer[]`,
  text: sql`::text[]`,
};

/**
 * Rows as one array parameter per column, unnested by the server under the alias `batch`: the SQL is the same
 * for any number of rows. Measured: hundreds of rows inserted this way cost as much as ten single inserts.
 */
export function batchOf(
  columns: Readonly<Record<string, readonly [type: keyof typeof arrayTypes, values: readonly unknown[]]>>,
): SQL {
  // One flat list: one expression per column takes drizzle-orm a sixth longer for a page (measured).
  const arrays = Object.values(columns).flatMap(([type, values]) => [
    comma,
    sql.param(values),
    arrayTypes[type],
  ]);
  const names = Object.keys(columns).flatMap((name) => [comma, sql.identifier(name)]);
  return sql.join([sql`unnest(`, ...arrays.slice(1), sql`) as batch (`, ...names.slice(1), sql`)`]);
}

/** Loads a handwritten statement from `NAME.sql`. */
export function statement(name: string): Statement {
  return { name, text: readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8") };
}

/** Rows as the JSON parameter of a statement, with column names: `dueAtMs` becomes `due_at_ms`. */
export function rowsAsJson(rows: readonly object[]): string {
  return JSON.stringify(rows.map(columnsOf));
}

export function columnsOf(row: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [columnName(field), value]));
}

function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The rows of a raw statement. */
export async function parsedRows<Row>(db: Db, row: z.ZodType<Row>, statement: SQL): Promise<readonly Row[]> {
  return z.object({ rows: z.array(row) }).parse(await db.execute(statement)).rows;
}

/** Rows that one statement deletes, so that other work can run in between. */
export const CHUNK_SIZE = 2_000;

/** Repeats a step until it handles less than a whole chunk. @returns how many rows all steps handled */
export async function inChunks(size: number, step: () => Promise<number>): Promise<number> {
  let total = 0;
  let count: number;
  do {
    count = await step();
    total += count;
  } while (count === size);
  return total;
}

export async function deleteInChunks(db: Db, table: PgTable, condition: SQL): Promise<void> {
  const expired = sql`select ctid from ${table} where ${condition} limit ${CHUNK_SIZE}`;
  await inChunks(CHUNK_SIZE, async () => {
    const deleted = await db
      .delete(table)
      .where(sql`ctid = any(array(${expired}))`)
      .returning({ one: sql<number>`1` });
    return deleted.length;
  });
}

/**
 * PostgreSQL text cannot contain U+0000. It is removed from external text, and lone surrogates become U+FFFD,
 * so that no input can make a statement fail.
 */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}

/** JSON whose texts are storable: a json column stores the escapes of other characters, but no operator reads them. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? storableText(part) : part));
}

/** Whether an id or name can exist in the store; any other is unknown without a query. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000");
}
