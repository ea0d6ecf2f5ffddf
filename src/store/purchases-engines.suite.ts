import { booksOf } from "./books-under-test.suite.ts";
import { describeAppendOnlyBooks } from "./purchases-books.suite.ts";
import { describePurchaseLocks } from "./purchases-stops.suite.ts";
import { describeProposalsTogether } from "./purchases-together.suite.ts";
import { describePurchases } from "./purchases.suite.ts";
import { storeForAll, type OpenEmptyStore } from "./suite-store.suite.ts";

/** All that stores with tables of SQL promise of purchases. */
export function describePurchasesInTables(open: OpenEmptyStore): void {
  const shared = storeForAll(open);
  describePurchaseLocks(shared);
  describeProposalsTogether(shared);
  describeAppendOnlyBooks(shared);
  describePurchases({
    shared: () => booksOf(shared()),
    async open() {
      const opened = await open();
      return {
        store: booksOf(opened.store),
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      };
    },
  });
}
