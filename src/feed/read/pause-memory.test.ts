import { expect, test } from "vitest";
import { createFakeRandom } from "#testing/fake-random.ts";
import { openTestStore } from "#testing/test-store.ts";
import { MarketPauses, PAUSES_OUTSIDE } from "./market-pauses.ts";
import { rememberPause, resumePause } from "./pause-memory.ts";

test("a pause holds after a restart as long as it would have held, and no longer", async () => {
  await using opened = await openTestStore();
  const { listings } = opened.store;
  const before = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  before.failed("unreachable", null, 1_000);
  await rememberPause(listings, before, 1_000);
  before.failed("rate_limited", 90_000, 10_000);
  await rememberPause(listings, before, 10_000);

  const marks = await listings.sliceMarks();
  const after = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  resumePause(marks, after, 50_000);
  expect(after.current(50_000)).toEqual({ reason: "rate_limited", untilMs: 100_000 });
  expect(after.isProbing).toBe(true);

  const later = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  resumePause(marks, later, 100_000);
  expect(later.current(100_000)).toBeNull();
});

test("failures are counted on after a restart until something was read, and a lower count replaces a higher one", async () => {
  await using opened = await openTestStore();
  const { listings } = opened.store;
  const first = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  for (let nowMs = 0; nowMs < 4; nowMs += 1) {
    first.failed("unreachable", null, nowMs);
    await rememberPause(listings, first, nowMs);
  }
  const overMs = (first.shown?.untilMs ?? 0) + 1;
  const resumed = async (nowMs: number): Promise<MarketPauses> => {
    const pauses = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
    resumePause(await listings.sliceMarks(), pauses, nowMs);
    return pauses;
  };
  expect((await resumed(overMs)).failuresInARow).toBe(4);
  const read = { key: "a slice", lastReadAtMs: Math.ceil(overMs) + 10, highestListingId: 1 };
  await listings.record({ listings: [], matches: [], marks: [read] });
  expect((await resumed(overMs + 20)).failuresInARow).toBe(0);

  const second = new MarketPauses(PAUSES_OUTSIDE, createFakeRandom());
  second.failed("unreachable", null, overMs + 30_000);
  await rememberPause(listings, second, overMs + 30_000);
  expect((await resumed(overMs + 30_001)).failuresInARow).toBe(1);
});
