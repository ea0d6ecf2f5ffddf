import type { PurchasesUnderTest } from "./purchases-under-test.suite.ts";
import { describeAdvances } from "./advance.suite.ts";
import { describeLedger } from "./ledger.suite.ts";
import { describeProposals } from "./proposals.suite.ts";
import { describeReads } from "./reads.suite.ts";
import { describeRules } from "./rules.suite.ts";
import { describeStops } from "./stops.suite.ts";

/** What the books of buying promise on every store that keeps them. */
export function describePurchases(books: PurchasesUnderTest): void {
  describeProposals(books);
  describeAdvances(books);
  describeStops(books);
  describeLedger(books);
  describeReads(books);
  describeRules(books);
}
