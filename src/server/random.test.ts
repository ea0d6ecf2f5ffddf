import { expect, test } from "vitest";
import { createSystemRandom } from "./random.ts";

test("uuid() makes version 7 identifiers that carry their millisecond", () => {
  const uuid = createSystemRandom().uuid(0x0190_0000_1234);
  expect(uuid).toMatch(/^01900000-1234-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("uuid() sorts by creation, within one millisecond and across a clock that steps back", () => {
  const random = createSystemRandom();
  const made = Array.from({ length: 20_000 }, (_, i) => random.uuid(1_700_000_000_000 - (i % 3)));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test("next() stays within [0, 1)", () => {
  const random = createSystemRandom();
  for (let i = 0; i < 1_000; i += 1) {
    const value = random.next();
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThan(1);
  }
});
