import { expect, test } from "vitest";
import { NO_BACKOFF, noteFailure, noteSuccess, withoutFailed, type SliceBackoff } from "./slice-backoff.ts";

interface Slice {
  readonly name: string;
  trouble: SliceBackoff;
}

function twoSlices(): { readonly bad: Slice; readonly good: Slice; readonly all: readonly Slice[] } {
  const bad: Slice = { name: "bad", trouble: NO_BACKOFF };
  const good: Slice = { name: "good", trouble: NO_BACKOFF };
  return { bad, good, all: [bad, good] };
}

test("what just failed waits for others; where all failed, the first one is next", () => {
  const { bad, good, all } = twoSlices();
  noteFailure(bad, 1_000);
  expect(withoutFailed(all)).toEqual([good]);
  noteFailure(good, 2_000);
  expect(withoutFailed(all)).toEqual([bad]);
  noteFailure(bad, 3_000);
  expect(withoutFailed(all)).toEqual([good]);
});

test("after the market's own failure nobody rests", () => {
  const { bad, good, all } = twoSlices();
  for (const atMs of [1_000, 2_000, 3_000, 4_000]) noteFailure(atMs % 2_000 === 0 ? bad : good, atMs);
  noteSuccess(good, all, 5_000);
  expect(bad.trouble).toMatchObject({ failedAtMs: null, restsUntilMs: 5_000 });
  expect(good.trouble).toBe(NO_BACKOFF);
});

test("a slice that fails alone more often than by chance rests longer each time, five minutes at most, until it is read", () => {
  const { bad, good, all } = twoSlices();
  const restsMs = Array.from({ length: 13 }, () => {
    noteFailure(bad, 0);
    noteSuccess(good, all, 0);
    return bad.trouble.restsUntilMs;
  });
  expect(restsMs).toEqual([0, 0, 0, 0, 0, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  noteSuccess(bad, all, 0);
  expect(bad.trouble).toBe(NO_BACKOFF);
});
