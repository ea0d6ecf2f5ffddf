import { expect, test } from "vitest";
import { runLossless } from "./lossless-run.suite.ts";

// With 200,000 listings: npm run bench -- lossless. Simulated time waits for the store, so each seed gives
// the same run on every machine.
test.each([3, 23])(
  "each filter gets each listing that it holds exactly once, through faults, restarts and crashes (seed %i)",
  async (seed) => {
    const outcome = await runLossless({ seed, listings: 1_500, meanLifetimeMs: 3_000 });
    expect(outcome.matching).toBeGreaterThan(1_000);
    expect(outcome.faults).toBeGreaterThan(4);
    expect(outcome.emptied).toBeGreaterThan(0);
    expect(Math.min(outcome.kills, outcome.restarts)).toBeGreaterThan(1);
    expect(outcome.mostBetweenReadings).toBeGreaterThan(288);
    expect(outcome).toMatchObject({
      outOfReach: 0,
      lost: 0,
      deliveredTwice: 0,
      wronglyDelivered: 0,
      delivered: outcome.matching,
    });
  },
);

test("the same seed repeats the same run", async () => {
  const short = { seed: 6, listings: 300, meanLifetimeMs: 3_000 };
  expect(await runLossless(short)).toEqual(await runLossless(short));
});
