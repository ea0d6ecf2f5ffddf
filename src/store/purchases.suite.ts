import type { PurchasesUnderTest } from "./books-under-test.suite.ts";
import { describeAdvances } from "./purchases-advances.suite.ts";
import { describeBooks } from "./purchases-books.suite.ts";
import { describeProposals } from "./purchases-proposals.suite.ts";
import { describeReading } from "./purchases-reading.suite.ts";
import { describeStops } from "./purchases-stops.suite.ts";

/** What the books of buying promise on every store that keeps them. */
export function describePurchases(books: PurchasesUnderTest): void {
  describeProposals(books);
  describeAdvances(books);
  describeStops(books);
  describeBooks(books);
  describeReading(books);
}
