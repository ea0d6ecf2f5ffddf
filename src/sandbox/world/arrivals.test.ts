import * as fc from "fast-check";
import { expect, test } from "vitest";
import { arrivalsIn, firstPosition, type Arrival } from "./world.ts";

const seeds = fc.integer({ min: 0, max: 10_000 });
const paces = fc.double({ min: 0.1, max: 200, noNaN: true });

test("arrivals do not depend on how time is divided", () => {
  fc.assert(
    fc.property(
      seeds,
      paces,
      fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 20 }),
      (seed, perSecond, cuts) => {
        const whole = arrivalsIn(firstPosition(seed), { seed, fromMs: 0, toMs: 10_000, perSecond });
        const ends = [...cuts.toSorted((one, other) => one - other), 10_000];
        let position = firstPosition(seed);
        let fromMs = 0;
        const inParts: Arrival[] = [];
        for (const toMs of ends) {
          const step = arrivalsIn(position, { seed, fromMs, toMs, perSecond });
          inParts.push(...step.arrivals);
          position = step.position;
          fromMs = toMs;
        }
        // A listing may arrive within a rounding error of a boundary, but exactly once.
        const serials = inParts.map(({ serial }) => serial);
        expect(serials).toEqual(serials.map((_serial, index) => index + 1));
        expect(Math.abs(inParts.length - whole.arrivals.length)).toBeLessThanOrEqual(1);
        for (const [index, arrival] of inParts.entries()) {
          const expected = whole.arrivals[index];
          if (expected !== undefined) expect(arrival.atMs).toBeCloseTo(expected.atMs, 3);
        }
      },
    ),
  );
});

test("arrivals match the pace", () => {
  for (const perSecond of [1, 20, 200]) {
    const { arrivals } = arrivalsIn(firstPosition(3), { seed: 3, fromMs: 0, toMs: 100_000, perSecond });
    expect(arrivals.length / 100 / perSecond).toBeGreaterThan(0.85);
    expect(arrivals.length / 100 / perSecond).toBeLessThan(1.15);
  }
});
