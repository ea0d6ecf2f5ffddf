import { expect, test, vi } from "vitest";
import { type CrashWorld, startCrashWorld } from "#verify/testing/crash-world.ts";
import type { SandboxClient } from "#verify/testing/sandbox-client.ts";

/** A short run of `npm run crash`, which kills hundreds of times and at every named point. */
const SEVEN_MINUTES_MS = 420_000;
vi.setConfig({ testTimeout: SEVEN_MINUTES_MS });

const LONGEST_DELAY_MS = 900;
const KILL_WITHIN_MS = 10_000;

/** When the process is killed: at a random time, or when the marketplace has received a call of this step. */
const MOMENTS = ["any", "conversation", "build", "checkout", "payment", "orders", "refresh"] as const;

async function untilKillMoment(sandbox: SandboxClient, moment: (typeof MOMENTS)[number]): Promise<void> {
  const giveUpAtMs = Date.now() + KILL_WITHIN_MS;
  while (Date.now() < giveUpAtMs) {
    const { by_route: calls } = await sandbox.requests();
    if ((calls[moment] ?? 0) > 0) return;
  }
}

async function runAndKill(world: CrashWorld, moment: (typeof MOMENTS)[number]): Promise<void> {
  await world.runUntilKilled({
    async untilKill(product) {
      await product.ready;
      if (moment !== "any") return await untilKillMoment(world.sandbox, moment);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_DELAY_MS));
    },
  });
}

test("whenever the process is killed, nothing is paid twice, no payment and no acknowledged write is lost", async () => {
  await using world = await startCrashWorld();
  for (const moment of MOMENTS) await runAndKill(world, moment);
  expect(await world.violations()).toEqual([]);
  const { payments, acknowledged } = await world.counts();
  expect(payments).toBeGreaterThan(0);
  expect(acknowledged).toBeGreaterThan(0);
});
