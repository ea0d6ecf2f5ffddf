import { expect, test } from "vitest";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { modelCrowd } from "./model-filters.suite.ts";
import { requestsPerMinute } from "./reading-model.suite.ts";

// The budget allows three times as many requests, so it is not what keeps the counts equal.
const pace = { seed: 1, readsPerSecond: 60, listingsPerSecond: 2, answerMs: 20, measuredMs: 30_000 };

test("ten thousand people cause as many requests as one, within 2 %", async () => {
  const counts: number[] = [];
  for (const size of [1, 100, 1_000, 10_000]) {
    const crowd = modelCrowd(size, { seed: 1, nowMs: A_MOMENT_MS });
    const { requests, slices } = await requestsPerMinute(crowd, pace);
    expect(slices).toBe(3);
    counts.push(requests);
  }
  const [alone = 0] = counts;
  expect(alone).toBeGreaterThan(600);
  expect(alone).toBeLessThan(pace.readsPerSecond * 60 * 0.5);
  for (const requests of counts) expect(Math.abs(requests - alone) / alone).toBeLessThanOrEqual(0.02);
});
