import type { SQLOutputValue } from "node:sqlite";

/**
 * Reads the cells of a row of the books. A cell of the wrong kind means damaged books, hence a bug:
 * reading stops with the column's name.
 */
export type BookRow = Readonly<Record<string, SQLOutputValue>>;

export function numberCell(row: BookRow, column: string): number {
  const cell = row[column];
  if (typeof cell !== "number") throw new TypeError(`books: no number in ${column}`);
  return cell;
}

export function numberOrNullCell(row: BookRow, column: string): number | null {
  return row[column] === null ? null : numberCell(row, column);
}

export function textCell(row: BookRow, column: string): string {
  const cell = row[column];
  if (typeof cell !== "string") throw new TypeError(`books: no text in ${column}`);
  return cell;
}

/** A text of a closed list. */
export function oneOfCell<Word extends string>(row: BookRow, column: string, words: readonly Word[]): Word {
  const text = textCell(row, column);
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new TypeError(`books: ${column} holds an unknown word`);
  return word;
}
