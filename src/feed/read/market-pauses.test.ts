import { expect, test } from "vitest";
import { MARKETPLACE_ERROR_CODES } from "#marketplace/errors.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import {
  FrozenFeedDetector,
  MarketPauses,
  pauseReasonOf,
  PAUSES_OUTSIDE,
  PAUSES_SANDBOX,
  savePause,
  restorePause,
} from "./market-pauses.ts";

const pausesFor = (policy = PAUSES_OUTSIDE): MarketPauses => new MarketPauses(policy, createFakeRandom());

test("a time that the marketplace names is kept exactly", () => {
  const pauses = pausesFor();
  expect(pauses.failed("rate_limited", 7_000, 1_000)).toEqual({ reason: "rate_limited", untilMs: 8_000 });
  expect(pauses.current(7_999)).not.toBeNull();
  expect(pauses.current(8_000)).toBeNull();
  expect(pauses.failed("rate_limited", 86_400_000, 8_000).untilMs).toBe(86_408_000);
});

test("pauses grow with consecutive failures up to a maximum, and reset after a success", () => {
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
  // The contract's times are whole milliseconds.
  expect(Number.isInteger(nowMs)).toBe(true);
  pauses.succeeded(nowMs);
  expect(pauses.failed("unreachable", null, nowMs).untilMs - nowMs).toBeLessThanOrEqual(firstMs);
});

test("an answer in flight when the pause began does not end it", () => {
  const pauses = pausesFor();
  pauses.failed("rate_limited", 10_000, 0);
  pauses.succeeded(1_000);
  expect(pauses.current(2_000)).not.toBeNull();
  pauses.succeeded(10_000);
  expect(pauses.shown).toBeNull();
  expect(pauses.isProbing).toBe(false);
});

test("of two overlapping failures the longer pause applies, with its reason", () => {
  const pauses = pausesFor();
  pauses.failed("rate_limited", 60_000, 0);
  expect(pauses.failed("unreachable", null, 10)).toEqual({ reason: "rate_limited", untilMs: 60_000 });
});

test("being blocked pauses for long outside, for less than a minute in the sandbox", () => {
  expect(pausesFor().failed("blocked", null, 0).untilMs).toBeGreaterThan(180_000);
  const sandbox = pausesFor(PAUSES_SANDBOX);
  for (let failure = 0; failure < 20; failure += 1) {
    const nowMs = failure * 100_000;
    expect(sandbox.failed("blocked", null, nowMs).untilMs - nowMs).toBeLessThan(60_000);
  }
});

test("every error code has a pause reason", () => {
  const reasons = Object.keys(MARKETPLACE_ERROR_CODES).map((code) =>
    pauseReasonOf(code as keyof typeof MARKETPLACE_ERROR_CODES),
  );
  expect(new Set(reasons)).toEqual(new Set(["unreachable", "blocked", "rate_limited", "unreadable"]));
});

test("a pause holds after a restart as long as it would have held, and no longer", async () => {
  await using opened = await openTestStore();
  const { listings } = opened.store;
  const before = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  before.failed("unreachable", null, 1_000);
  await savePause(listings, before, 1_000);
  before.failed("rate_limited", 90_000, 10_000);
  await savePause(listings, before, 10_000);

  const marks = await listings.sliceMarks();
  const after = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  restorePause(marks, after, 50_000);
  expect(after.current(50_000)).toEqual({ reason: "rate_limited", untilMs: 100_000 });
  expect(after.isProbing).toBe(true);

  const later = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  restorePause(marks, later, 100_000);
  expect(later.current(100_000)).toBeNull();
});

test("failures continue to count after a restart until something was read", async () => {
  await using opened = await openTestStore();
  const { listings } = opened.store;
  const first = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  for (let nowMs = 0; nowMs < 4; nowMs += 1) {
    first.failed("unreachable", null, nowMs);
    await savePause(listings, first, nowMs);
  }
  const overMs = (first.shown?.untilMs ?? 0) + 1;
  const resumed = async (nowMs: number): Promise<MarketPauses> => {
    const pauses = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
    restorePause(await listings.sliceMarks(), pauses, nowMs);
    return pauses;
  };
  expect((await resumed(overMs)).failuresInARow).toBe(4);
  const read = { key: "a slice", lastReadAtMs: Math.ceil(overMs) + 10, highestListingId: 1 };
  await listings.record({ listings: [], matches: [], marks: [read] });
  expect((await resumed(overMs + 20)).failuresInARow).toBe(0);

  const second = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  second.failed("unreachable", null, overMs + 30_000);
  await savePause(listings, second, overMs + 30_000);
  expect((await resumed(overMs + 30_001)).failuresInARow).toBe(1);
});

const TWO_A_SECOND = 2 / 1_000;

test("an active market that falls silent is frozen after two minutes, and quiet after a quarter of an hour", () => {
  const detector = new FrozenFeedDetector();
  detector.arrived(30, TWO_A_SECOND, 0);
  expect(detector.frozenUntilMs(119_000)).toBeNull();
  expect(detector.frozenUntilMs(121_000)).toBe(900_000);
  expect(detector.frozenUntilMs(900_000)).toBeNull();
  detector.arrived(1, TWO_A_SECOND, 200_000);
  expect(detector.frozenUntilMs(201_000)).toBeNull();
});

test("a market with few listings is never frozen", () => {
  const rare = new FrozenFeedDetector();
  rare.arrived(5, TWO_A_SECOND, 0);
  expect(rare.frozenUntilMs(300_000)).toBeNull();
  const slow = new FrozenFeedDetector();
  slow.arrived(30, 1 / 30_000, 0);
  expect(slow.frozenUntilMs(600_000)).toBeNull();
  expect(new FrozenFeedDetector().frozenUntilMs(300_000)).toBeNull();
});
