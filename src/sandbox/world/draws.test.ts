import * as fc from "fast-check";
import { expect, test } from "vitest";
import { drawsFor, weightedChoice } from "./draws.ts";

test("a key always gives the same sequence, and keys do not collide", () => {
  const sequence = (...key: (string | number)[]): readonly number[] => {
    const draws = drawsFor(...key);
    return Array.from({ length: 20 }, () => draws.next());
  };
  expect(sequence(1, "a", 2)).toEqual(sequence(1, "a", 2));
  expect(sequence("a", "bc")).not.toEqual(sequence("ab", "c"));
  expect(sequence(1, "listing", 1)).not.toEqual(sequence(1, "listing", 2));
});

test("draws stay within their bounds", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: -50, max: 50 }),
      fc.nat({ max: 100 }),
      (seed, least, span) => {
        const draws = drawsFor(seed);
        const whole = draws.whole(least, least + span);
        const next = draws.next();
        expect(whole).toBeGreaterThanOrEqual(least);
        expect(whole).toBeLessThanOrEqual(least + span);
        expect(next).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThan(1);
        expect(draws.exponential()).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(draws.normal())).toBe(true);
      },
    ),
  );
});

test("weights are respected, and zero weights are never drawn", () => {
  const choice = weightedChoice<string>([
    ["never", 0],
    ["often", 9],
    ["rarely", 1],
  ]);
  const draws = drawsFor("weights");
  const drawn = Array.from({ length: 2_000 }, () => choice(draws));
  expect(drawn).not.toContain("never");
  expect(drawn.filter((item) => item === "rarely").length / drawn.length).toBeCloseTo(0.1, 1);
});
