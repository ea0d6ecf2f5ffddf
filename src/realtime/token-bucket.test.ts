import { expect, test } from "vitest";
import { createTokenBucket } from "./token-bucket.ts";

test("a burst passes, then only the rate", () => {
  const bucket = createTokenBucket({ perSecond: 2, burst: 10 });
  const atOnce = Array.from({ length: 12 }, () => bucket.take(0));
  expect(atOnce.filter(Boolean)).toHaveLength(10);
  expect(bucket.take(499)).toBe(false);
  expect(bucket.take(1_000)).toBe(true);
  expect(bucket.take(1_000)).toBe(true);
  expect(bucket.take(1_000)).toBe(false);
});

test("a rest fills the bucket up to its burst, never beyond", () => {
  const bucket = createTokenBucket({ perSecond: 2, burst: 3 });
  const later = Array.from({ length: 5 }, () => bucket.take(3_600_000));
  expect(later).toEqual([true, true, true, false, false]);
});

test("a clock that steps back gives nothing away", () => {
  const bucket = createTokenBucket({ perSecond: 1, burst: 1 });
  expect(bucket.take(10_000)).toBe(true);
  expect(bucket.take(0)).toBe(false);
});
