/**
 * Reads the compact rows of data/*.json: one array per fact; the reading file names the columns. A cell of the wrong
 * type means a damaged data file, which is a bug: the process does not start.
 */
export type Row = readonly (string | number | null)[];

/** The number in a column; throws when it holds anything else. */
export function numberIn(row: Row, column: number): number {
  const cell = row[column];
  if (typeof cell !== "number")
    throw new TypeError(`no number in column ${column} of ${JSON.stringify(row)}`);
  return cell;
}

/** The number in a column, or null where the fact is not known. */
export function numberOrNullIn(row: Row, column: number): number | null {
  return row[column] === null ? null : numberIn(row, column);
}

/** The text in a column; throws when it holds anything else. */
export function textIn(row: Row, column: number): string {
  const cell = row[column];
  if (typeof cell !== "string") throw new TypeError(`no text in column ${column} of ${JSON.stringify(row)}`);
  return cell;
}

/** The flag in a column, written 0 or 1; throws on anything else. */
export function flagIn(row: Row, column: number): boolean {
  const cell = row[column];
  if (cell !== 0 && cell !== 1) throw new TypeError(`no flag in column ${column} of ${JSON.stringify(row)}`);
  return cell === 1;
}
