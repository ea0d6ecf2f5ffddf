import { describe } from "vitest";
import { postgresForAll } from "#store/suite-store.suite.ts";
import { describeBacktest } from "./backtest.suite.ts";

const open = postgresForAll();

describe("the backtest on PostgreSQL", () => {
  describeBacktest(open);
});
