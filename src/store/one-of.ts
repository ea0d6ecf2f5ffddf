import { is, Placeholder, sql, type AnyColumn, type SQL } from "drizzle-orm";

/**
 * Whether a column holds one of some values, in the same words however many they are: engines keep what is said again
 * planned, for each connection, and a statement for each length would cost as much memory as somebody cares to ask for.
 * As one parameter, too: of single ones a statement takes 65,535.
 */
export function isOneOfTexts(column: AnyColumn, values: readonly string[] | Placeholder): SQL {
  return sql`${column} = any(${inOne(values)}::text[])`;
}

/** The same for whole numbers. */
export function isOneOfNumbers(column: AnyColumn, values: readonly number[] | Placeholder): SQL {
  return sql`${column} = any(${inOne(values)}::bigint[])`;
}

const inOne = (values: readonly unknown[] | Placeholder) =>
  is(values, Placeholder) ? values : sql.param(values);
