/* oxlint-disable typescript/no-unsafe-type-assertion -- this is the parser: what it reads was written beside it */
import type { ListingFacts } from "../market/listing.ts";
import { numberCell, type Sqlite, textCell } from "./database.ts";

/** Past listings given explicitly by a control call; generated ones are not stored. */
export interface PastTable {
  insert(past: PastRow): void;
  byNumber(number: number): PastRow | null;
}

interface PastRow {
  readonly number: number;
  readonly atMs: number;
  readonly facts: ListingFacts;
}

export function createPastTable({ sql }: Pick<Sqlite, "sql">): PastTable {
  const insert = sql.prepare("INSERT INTO past_listing VALUES (?, ?, ?)");
  const byNumber = sql.prepare("SELECT * FROM past_listing WHERE number = ?");
  return {
    insert: ({ number, atMs, facts }) => void insert.run(number, atMs, JSON.stringify(facts)),
    byNumber(number) {
      const row = byNumber.get(number);
      if (row === undefined) return null;
      return {
        number,
        atMs: numberCell(row, "at"),
        facts: JSON.parse(textCell(row, "facts")) as ListingFacts,
      };
    },
  };
}
