import { expect, it } from "vitest";
import type { Clock } from "#domain/clock.ts";
import { systemClock } from "#server/clock.ts";
import { paymentsTaken } from "../buying-world.suite.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";

/** RECONCILE_SECONDS is a duration: a system clock that jumps forward must not shorten it. */
const start = buyingWorldPerTest();

/** Far beyond the test: only a step of the clock could end it. */
const RECONCILE_MS = 300_000;
const STEP_MS = 2 * RECONCILE_MS;

it.each([
  ["jumps forward", false],
  ["is ahead after a restart", true],
])("a clock that %s proves no earlier that nothing was bought", async (_, hasRestarted) => {
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  const current = await start({ overrides: { clock, reconcileMs: RECONCILE_MS } });
  const person = await current.person("seeker-jump", "seeker");
  const listing = await current.listing();
  const late = { kind: "late_effect", delay_ms: 600_000, rate: 1, count: 1 };
  await current.sandbox.arm({ route: "payment", ...late });
  void current.click(person, listing);
  await current.settled(person, listing, "unknown");
  const watch = async () => (await current.record(person, listing))?.watch;
  const looks = async () => (await watch())?.looks ?? 0;
  await expect.poll(looks).toBeGreaterThan(0);
  const before = await looks();
  aheadMs = STEP_MS;
  if (hasRestarted) await current.crash();
  await expect.poll(looks).toBeGreaterThan(before);
  expect(await watch()).toMatchObject({ negativeReads: 0, lastNegativeAtMs: null });
  // The payment takes effect after all, and is found.
  await current.sandbox.clearFaults();
  const { transactionId } = await current.settled(person, listing, "confirmed");
  expect(transactionId).not.toBeNull();
  expect(paymentsTaken(await current.truth(listing))).toBe(1);
});
