import type { BookDatabase } from "./database.ts";
import { textCell } from "./cells.ts";
import { mapRow } from "./listing-book.ts";

/** Single facts that outlive the process: the world's progress, the key that access tokens are signed with. */
export interface FactBook {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

export function createFactBook({ sql }: BookDatabase): FactBook {
  const get = sql.prepare("SELECT value FROM fact WHERE name = ?");
  const set = sql.prepare(
    "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    get: (name) => mapRow(get.get(name), (row) => textCell(row, "value")),
    set: (name, value) => void set.run(name, value),
  };
}
