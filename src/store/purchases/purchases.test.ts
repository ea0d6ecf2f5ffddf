import { describe } from "vitest";
import { openTestStore } from "#verify/testing/test-store.ts";
import { describePurchasesInTables } from "./engines.suite.ts";

describe("purchases in the embedded store", () => {
  describePurchasesInTables(() => openTestStore());
});
