import { expect, test } from "vitest";
import { MARKETPLACE_ERROR_CODES } from "#marketplace/errors.ts";
import { createFakeRandom } from "#testing/fake-random.ts";
import { MarketPauses, pauseReasonOf, PAUSES_OUTSIDE, PAUSES_SANDBOX } from "./market-pauses.ts";

const pausesFor = (policy = PAUSES_OUTSIDE): MarketPauses => new MarketPauses(policy, createFakeRandom());

test("a time that the marketplace names is kept exactly", () => {
  const pauses = pausesFor();
  expect(pauses.failed("rate_limited", 7_000, 1_000)).toEqual({ reason: "rate_limited", untilMs: 8_000 });
  expect(pauses.current(7_999)).not.toBeNull();
  expect(pauses.current(8_000)).toBeNull();
  expect(pauses.failed("rate_limited", 86_400_000, 8_000).untilMs).toBe(86_408_000);
});

test("pauses grow with each failure in a row, up to the longest, and begin anew after a success", () => {
  const pauses = pausesFor();
  let nowMs = 0;
  const lengths = Array.from({ length: 12 }, () => {
    const beganMs = nowMs;
    nowMs = pauses.failed("unreachable", null, nowMs).untilMs;
    return nowMs - beganMs;
  });
  const { firstMs, longestMs } = PAUSES_OUTSIDE.unreachable;
  expect(lengths[0]).toBeLessThanOrEqual(firstMs);
  expect(lengths.every((length, index) => length >= 0.75 * Math.min(longestMs, firstMs * 2 ** index))).toBe(
    true,
  );
  expect(Math.max(...lengths)).toBeLessThanOrEqual(longestMs);
  pauses.succeeded(nowMs);
  expect(pauses.failed("unreachable", null, nowMs).untilMs - nowMs).toBeLessThanOrEqual(firstMs);
});

test("an answer that was on its way when the pause began does not end it", () => {
  const pauses = pausesFor();
  pauses.failed("rate_limited", 10_000, 0);
  pauses.succeeded(1_000);
  expect(pauses.current(2_000)).not.toBeNull();
  pauses.succeeded(10_000);
  expect(pauses.shown).toBeNull();
  expect(pauses.isProbing).toBe(false);
});

test("of two failures at once the longer pause counts", () => {
  const pauses = pausesFor();
  pauses.failed("rate_limited", 60_000, 0);
  expect(pauses.failed("unreachable", null, 10).untilMs).toBe(60_000);
});

test("whoever is blocked stays away for long outside, less than a minute in the sandbox", () => {
  expect(pausesFor().failed("blocked", null, 0).untilMs).toBeGreaterThan(180_000);
  const sandbox = pausesFor(PAUSES_SANDBOX);
  for (let failure = 0; failure < 20; failure += 1) {
    const nowMs = failure * 100_000;
    expect(sandbox.failed("blocked", null, nowMs).untilMs - nowMs).toBeLessThan(60_000);
  }
});

test("every code of the port pauses for a reason", () => {
  const reasons = Object.keys(MARKETPLACE_ERROR_CODES).map((code) =>
    pauseReasonOf(code as keyof typeof MARKETPLACE_ERROR_CODES),
  );
  expect(new Set(reasons)).toEqual(new Set(["unreachable", "blocked", "rate_limited", "unreadable"]));
});
