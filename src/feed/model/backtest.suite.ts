import { expect, test } from "vitest";
import type { OpenEmptyStore } from "#store/suite-store.suite.ts";
import { runBacktest } from "./backtest-run.suite.ts";

export function describeBacktest(open: OpenEmptyStore): void {
  // At full size (10,000 listings, 200 filters): npm run bench -- market.
  test("finds exactly the listings that people were shown since their filters were active", async () => {
    await using opened = await open();
    const outcome = await runBacktest(opened, { seed: 5, listings: 1_200, filters: 40, kills: 6 });
    expect(outcome.delivered).toBeGreaterThan(1_000);
    expect(Math.min(outcome.edits, outcome.relists * 5, outcome.faults * 20)).toBeGreaterThan(100);
    expect(outcome.kills).toBeGreaterThan(3);
    expect(outcome).toMatchObject({ missing: [], surplus: [] });
  });
}
