import { underTest } from "./purchases-under-test.suite.ts";
import { describeAppendOnlyLedger } from "./ledger.suite.ts";
import { describePurchaseLocks } from "./stops.suite.ts";
import { describeProposalsTogether } from "./together.suite.ts";
import { describePurchases } from "./purchases.suite.ts";
import { storeForAll, type OpenEmptyStore } from "../suite-store.suite.ts";

/** The purchase tests for stores with SQL tables. */
export function describePurchasesInTables(open: OpenEmptyStore): void {
  const shared = storeForAll(open);
  describePurchaseLocks(shared);
  describeProposalsTogether(shared);
  describeAppendOnlyLedger(shared);
  describePurchases({
    shared: () => underTest(shared()),
    async open() {
      const opened = await open();
      return {
        store: underTest(opened.store),
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      };
    },
  });
}
