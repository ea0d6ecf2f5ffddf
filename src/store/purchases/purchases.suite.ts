import type { PurchasesUnderTest } from "./purchases-under-test.suite.ts";
import { describeAdvances } from "./advance.suite.ts";
import { describeLedger } from "./ledger.suite.ts";
import { describeProposals } from "./proposals.suite.ts";
import { describeReads } from "./reads.suite.ts";
import { describeRules } from "./rules.suite.ts";
import { describeStops } from "./stops.suite.ts";

/** The tests of purchases, for every kind of store. */
export function describePurchases(store: PurchasesUnderTest): void {
  describeProposals(store);
  describeAdvances(store);
  describeStops(store);
  describeLedger(store);
  describeReads(store);
  describeRules(store);
}
