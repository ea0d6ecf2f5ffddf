import { expect, test } from "vitest";
import { runLossless } from "./lossless-run.suite.ts";

// Two hundred thousand listings, on demand: npm run bench -- lossless.
test("on a market at its worst, through restarts and deaths, each listing is told to each filter that holds it, once", async () => {
  const outcome = await runLossless({ seed: 3, listings: 1_500, lifeMs: 3_000 });
  expect(outcome.matching).toBeGreaterThan(1_000);
  expect(outcome.faults).toBeGreaterThan(5);
  expect(Math.min(outcome.deaths, outcome.restarts)).toBeGreaterThan(1);
  expect(outcome.mostBetweenReadings).toBeGreaterThan(288);
  expect(outcome.mostBetweenReadings).toBeLessThan(960);
  expect(outcome).toMatchObject({ lost: 0, toldTwice: 0, wronglyTold: 0, told: outcome.matching });
}, 300_000);
