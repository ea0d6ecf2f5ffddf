import { describe, expect, test } from "vitest";
import { CARD_MS, drawingDueAtMs, HAND_MS, MAX_WAIT_MS, MIN_GAP_MS } from "./arrival-pace.ts";

const LONG_AGO = Number.NEGATIVE_INFINITY;

const quiet = { drawnAtMs: LONG_AGO, drawnCount: 0, handAtMs: LONG_AGO };

describe("drawingDueAtMs()", () => {
  test("draws the first arrival after a pause at once", () => {
    expect(drawingDueAtMs({ ...quiet, waitingSinceMs: 5_000 })).toBe(5_000);
  });

  test("keeps a gap between two drawings", () => {
    const due = drawingDueAtMs({ ...quiet, drawnAtMs: 5_000, drawnCount: 1, waitingSinceMs: 5_010 });
    expect(due).toBe(5_000 + MIN_GAP_MS);
  });

  test("lets what a hand does be drawn first", () => {
    const due = drawingDueAtMs({ ...quiet, handAtMs: 5_100, waitingSinceMs: 5_000 });
    expect(due).toBe(5_100 + HAND_MS);
  });

  test("a hand that never rests holds nothing up for long", () => {
    const due = drawingDueAtMs({ ...quiet, handAtMs: 5_950, waitingSinceMs: 5_000 });
    expect(due).toBe(5_000 + MAX_WAIT_MS);
  });

  test("leaves many cards longer alone than few, but never for longer than a second", () => {
    const after = (drawnCount: number) =>
      drawingDueAtMs({ ...quiet, drawnAtMs: 5_000, drawnCount, waitingSinceMs: 5_000 });
    expect(after(10)).toBe(5_000 + 10 * CARD_MS);
    expect(after(500)).toBe(5_000 + MAX_WAIT_MS);
  });
});
