import { createAccountTable, type AccountTable } from "./accounts.ts";
import { openSqlite, type Sqlite, textCell } from "./database.ts";
import { createListingTable, type ListingTable, mapRow } from "./listings.ts";
import { createOrderTable, type OrderTable } from "./orders.ts";

/** The persistent state of the marketplace; for its durability see `database.ts`. */
export interface MarketDatabase extends Disposable {
  readonly listings: ListingTable;
  readonly orders: OrderTable;
  readonly accounts: AccountTable;
  readonly state: StateTable;
  /** Runs a change in a transaction that is in the file when the call returns. */
  readonly write: Sqlite["write"];
  /** Runs an action once the current transaction has committed, such as updating the search index. */
  readonly afterWrite: Sqlite["afterWrite"];
}

/** @param directory null: in memory only */
export function openMarketDatabase(directory: string | null): MarketDatabase {
  const database = openSqlite(directory);
  return {
    listings: createListingTable(database),
    orders: createOrderTable(database),
    accounts: createAccountTable(database),
    state: createStateTable(database),
    write: database.write,
    afterWrite: database.afterWrite,
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}

/** Single values that survive a restart: the world's progress and the key that signs access tokens. */
export interface StateTable {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

export function createStateTable({ sql }: Sqlite): StateTable {
  const get = sql.prepare("SELECT value FROM fact WHERE name = ?");
  const set = sql.prepare(
    "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    get: (name) => mapRow(get.get(name), (row) => textCell(row, "value")),
    set: (name, value) => void set.run(name, value),
  };
}
