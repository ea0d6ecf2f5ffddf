import { describe } from "vitest";
import { openTestStore } from "#testing/test-store.ts";
import {
  booksOf,
  describeAppendOnlyBooks,
  describePurchaseLocks,
  describePurchases,
} from "./purchases.suite.ts";
import { storeForAll } from "./suite-store.suite.ts";

describe("purchases in the embedded store", () => {
  const open = () => openTestStore();
  const shared = storeForAll(open);
  describePurchaseLocks(shared);
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
});
