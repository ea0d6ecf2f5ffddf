import { describe } from "vitest";
import { openTestStore } from "#verify/testing/test-store.ts";
import { describeBacktest } from "./backtest.suite.ts";

describe("the backtest on the embedded store", () => {
  describeBacktest(async () => await openTestStore());
});
