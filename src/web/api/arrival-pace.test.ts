import { describe, expect, test } from "vitest";
import { drawingDueAtMs, HAND_MS, MAX_WAIT_MS, MIN_GAP_MS } from "./arrival-pace.ts";

const LONG_AGO = Number.NEGATIVE_INFINITY;

describe("drawingDueAtMs()", () => {
  test("draws the first arrival after a pause at once", () => {
    expect(drawingDueAtMs({ drawnAtMs: LONG_AGO, handAtMs: LONG_AGO, waitingSinceMs: 5_000 })).toBe(5_000);
  });

  test("keeps a gap between two drawings", () => {
    const due = drawingDueAtMs({ drawnAtMs: 5_000, handAtMs: LONG_AGO, waitingSinceMs: 5_010 });
    expect(due).toBe(5_000 + MIN_GAP_MS);
  });

  test("lets what a hand does be drawn first", () => {
    const due = drawingDueAtMs({ drawnAtMs: LONG_AGO, handAtMs: 5_100, waitingSinceMs: 5_000 });
    expect(due).toBe(5_100 + HAND_MS);
  });

  test("a hand that never rests holds nothing up for long", () => {
    const due = drawingDueAtMs({ drawnAtMs: LONG_AGO, handAtMs: 5_950, waitingSinceMs: 5_000 });
    expect(due).toBe(5_000 + MAX_WAIT_MS);
  });
});
