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
