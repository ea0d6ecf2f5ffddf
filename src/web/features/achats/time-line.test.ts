import { expect, test } from "vitest";
import { clockText, durationText, timeLineOf } from "./time-line.tsx";

const said = (ms: number) => durationText(ms).replaceAll("\u00A0", " ");

test("a duration is shown with a precision that fits its length", () => {
  expect([0, 320, 999, 1_000, 1_254, 59_990, 60_000, 200_000].map(said)).toEqual([
    "0 ms",
    "320 ms",
    "999 ms",
    "1 s",
    "1,25 s",
    "59,99 s",
    "1 min",
    "3 min 20 s",
  ]);
  expect([3_600_000, 7_500_000, 4 * 86_400_000].map(said)).toEqual(["1 h", "2 h 5 min", "4 j"]);
});

test("each step says how long after the one before", () => {
  const line = timeLineOf([
    { nom: "Vu", a: 1_000 },
    { nom: "Trouvé", a: 1_012 },
    { nom: "Décidé", a: 1_015 },
  ]);
  const since = line.map((step) => step.since?.replaceAll("\u00A0", " ") ?? null);
  expect(since).toEqual([null, "+ 12 ms", "+ 3 ms"]);
  expect(clockText(Date.UTC(2026, 10, 20, 11, 5, 9, 120))).toMatch(/05:09,120$/);
});
