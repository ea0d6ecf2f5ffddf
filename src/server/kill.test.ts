import { expect, test } from "vitest";
import { type CrashWorld, startCrashWorld } from "#verify/testing/crash-world.ts";

/** A short run of `npm run crash`, which kills hundreds of times and at every named point. */

const LONGEST_DELAY_MS = 900;

/** When the process is killed: at a random time, after a write was acknowledged, or at a call to the marketplace. */
const MOMENTS = [
  "any",
  "write",
  "conversation",
  "build",
  "checkout",
  "payment",
  "orders",
  "refresh",
] as const;

async function untilKillMoment(world: CrashWorld, moment: (typeof MOMENTS)[number]): Promise<void> {
  if (moment === "any")
    return await new Promise((resolve) => void setTimeout(resolve, Math.random() * LONGEST_DELAY_MS));
  const count = async (): Promise<number> =>
    moment === "write"
      ? (await world.counts()).acknowledged
      : ((await world.sandbox.requests()).by_route[moment] ?? 0);
  const message = `the moment "${moment}" did not come`;
  return await expect.poll(count, { interval: 10, message }).toBeGreaterThan(0);
}

async function runAndKill(world: CrashWorld, moment: (typeof MOMENTS)[number]): Promise<void> {
  await world.runUntilKilled({
    async prepare(sandbox) {
      // Nothing else makes the product refresh a session within so short a life.
      if (moment === "refresh")
        await sandbox.arm({ kind: "unauthorised", route: "orders", rate: 1, count: 1 });
    },
    async untilKill(product) {
      await product.ready;
      await untilKillMoment(world, moment);
    },
  });
}

test("whenever the process is killed, nothing is paid twice, no payment and no acknowledged write is lost", async () => {
  await using world = await startCrashWorld();
  for (const moment of MOMENTS) await runAndKill(world, moment);
  expect(await world.violations()).toEqual([]);
  expect((await world.counts()).payments).toBeGreaterThan(0);
});
