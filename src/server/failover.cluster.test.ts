import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAILURES } from "#verify/testing/breaks.ts";
import { type FailoverWorld, startFailoverWorld } from "#verify/testing/failover-world.ts";

/** One fault; `npm run cluster -- --break` runs all. */
const TAKEN = new Set(["kill -9 of the reading node"]);
/** As long as the longest takeover. */
const LOAD_MS = 14_000;

let world: FailoverWorld;
beforeAll(async () => {
  world = await startFailoverWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

describe("nothing is lost or doubled over a node's end", () => {
  const taken = FAILURES.filter(({ name }) => TAKEN.has(name));
  test.for(taken)("$name", async ({ name, inject }) => {
    const result = await world.run(() => inject(world), LOAD_MS);
    const [listing, purchase] = [result.slowestListingMs, result.slowestPurchaseMs].map((durationMs) =>
      (durationMs / 1_000).toFixed(1),
    );
    process.stdout.write(`${name}: slowest listing ${listing} s, slowest purchase ${purchase} s\n`);
    expect(result.violations).toEqual([]);
    // A cluster that reports every wish as missed would lose nothing either.
    expect(result.paid).toBeGreaterThan(5);
  });
});
