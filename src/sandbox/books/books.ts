import { createAccountBook, type AccountBook } from "./account-book.ts";
import { openBookDatabase, type BookDatabase } from "./database.ts";
import { createFactBook, type FactBook } from "./fact-book.ts";
import { createListingBook, type ListingBook } from "./listing-book.ts";
import { createOrderBook, type OrderBook } from "./order-book.ts";

/** The marketplace's truth: what anybody hears of outlives the process (of a power cut, see `database.ts`). */
export interface Books extends Disposable {
  readonly listings: ListingBook;
  readonly orders: OrderBook;
  readonly accounts: AccountBook;
  readonly facts: FactBook;
  /** All or nothing, in the file when it returns. */
  readonly write: BookDatabase["write"];
  /** What must follow a write that stands, such as showing it. */
  readonly afterWrite: BookDatabase["afterWrite"];
}

/** @param directory null: in memory only */
export function openBooks(directory: string | null): Books {
  const database = openBookDatabase(directory);
  return {
    listings: createListingBook(database),
    orders: createOrderBook(database),
    accounts: createAccountBook(database),
    facts: createFactBook(database),
    write: database.write,
    afterWrite: database.afterWrite,
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}
