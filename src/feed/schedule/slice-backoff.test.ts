import { expect, test } from "vitest";
import {
  NO_BACKOFF,
  recordFailure,
  recordSuccess,
  type SliceBackoff,
  preferNotFailed,
} from "./slice-backoff.ts";

interface Slice {
  readonly name: string;
  backoff: SliceBackoff;
}

function twoSlices(): { readonly bad: Slice; readonly good: Slice; readonly all: readonly Slice[] } {
  const bad: Slice = { name: "bad", backoff: NO_BACKOFF };
  const good: Slice = { name: "good", backoff: NO_BACKOFF };
  return { bad, good, all: [bad, good] };
}

test("a slice that just failed waits for others; if all failed, the first one is next", () => {
  const { bad, good, all } = twoSlices();
  recordFailure(bad, 1_000);
  expect(preferNotFailed(all)).toEqual([good]);
  recordFailure(good, 2_000);
  expect(preferNotFailed(all)).toEqual([bad]);
  recordFailure(bad, 3_000);
  expect(preferNotFailed(all)).toEqual([good]);
});

test("a failure of the whole market pauses no single slice", () => {
  const { bad, good, all } = twoSlices();
  for (const atMs of [1_000, 2_000, 3_000, 4_000]) recordFailure(atMs % 2_000 === 0 ? bad : good, atMs);
  recordSuccess(good, all, 5_000);
  expect(bad.backoff).toMatchObject({ failedAtMs: null, pausedUntilMs: 5_000 });
  expect(good.backoff).toBe(NO_BACKOFF);
});

test("a slice that keeps failing alone is paused for longer each time, at most five minutes", () => {
  const { bad, good, all } = twoSlices();
  const restsMs = Array.from({ length: 13 }, () => {
    recordFailure(bad, 0);
    recordSuccess(good, all, 0);
    return bad.backoff.pausedUntilMs;
  });
  expect(restsMs).toEqual([0, 0, 0, 0, 0, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  recordSuccess(bad, all, 0);
  expect(bad.backoff).toBe(NO_BACKOFF);
});
