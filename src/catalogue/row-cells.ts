/**
 * Reads the compact rows of data/*.json: one array per record; the reading file names the columns. A cell of
 * the wrong type means a damaged data file: the process does not start.
 */
export type Row = readonly (string | number | null)[];

/** Throws for anything else than a number. */
export function numberIn(row: Row, column: number): number {
  const cell = row[column];
  if (typeof cell !== "number")
    throw new TypeError(`no number in column ${column} of ${JSON.stringify(row)}`);
  return cell;
}

/** Null: unknown. */
export function numberOrNullIn(row: Row, column: number): number | null {
  return row[column] === null ? null : numberIn(row, column);
}

/** Throws for anything else than a text. */
export function textIn(row: Row, column: number): string {
  const cell = row[column];
  if (typeof cell !== "string") throw new TypeError(`no text in column ${column} of ${JSON.stringify(row)}`);
  return cell;
}

/** Throws for anything else than 0 or 1. */
export function flagIn(row: Row, column: number): boolean {
  const cell = row[column];
  if (cell !== 0 && cell !== 1) throw new TypeError(`no flag in column ${column} of ${JSON.stringify(row)}`);
  return cell === 1;
}
