import { describe } from "vitest";
import { openTestStore } from "#testing/test-store.ts";
import { describePurchases } from "./purchases.suite.ts";
import { storeForAll } from "./suite-store.suite.ts";

describe("purchases in the embedded store", () => {
  const open = () => openTestStore();
  describePurchases({ shared: storeForAll(open), open });
});
