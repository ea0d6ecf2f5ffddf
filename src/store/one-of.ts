import { sql, type AnyColumn, type SQL } from "drizzle-orm";

/**
 * Whether a column holds one of some values, in the same words however many they are: engines keep what is said again
 * planned, for each connection, and a statement for each length would cost as much memory as somebody cares to ask for.
 * As one parameter, too: of single ones a statement takes 65,535.
 */
export function isOneOfTexts(column: AnyColumn, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param(values)}::text[])`;
}

/** The same for whole numbers. */
export function isOneOfNumbers(column: AnyColumn, values: readonly number[]): SQL {
  return sql`${column} = any(${sql.param(values)}::bigint[])`;
}
