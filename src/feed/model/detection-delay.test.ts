import { expect, test } from "vitest";
import { type Delay, runReadingModel } from "./reading-model.suite.ts";

// The full measurement, in three markets and for longer: npm run bench -- feed.
test("the mean delay is below a third of that of one poll per filter with the same number of requests", async () => {
  const { delays, lostCount, requestsPerSecond, worstStalenessMs, sliceCount } = await runReadingModel({
    seed: 7,
    filterCount: 1_000,
    readsPerSecond: 20,
    listingsPerSecond: 4,
    answerMs: 40,
    warmUpMs: 60_000,
    measuredMs: 40_000,
    tailMs: 75_000,
  });
  expect(delays.length).toBeGreaterThan(200);
  expect(requestsPerSecond).toBeLessThanOrEqual(20.1);
  expect(meanOf(delays, "delayMs") / meanOf(delays, "pollingDelayMs")).toBeLessThanOrEqual(1 / 3);
  const automatic = delays.filter(({ rank }) => rank === "thunder" || rank === "acquire");
  expect(meanOf(automatic, "delayMs")).toBeLessThan(meanOf(delays, "delayMs"));
  expect(lostCount).toBe(0);
  expect(worstStalenessMs).toBeLessThanOrEqual(Math.max(60_000, (3 * sliceCount * 1_000) / 20) + 10_000);
});

function meanOf(delays: readonly Delay[], which: "delayMs" | "pollingDelayMs"): number {
  return delays.reduce((total, delay) => total + delay[which], 0) / delays.length;
}
