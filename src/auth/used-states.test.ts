import { expect, test } from "vitest";
import { createUsedStates } from "./used-states.ts";

test("a state is taken once", () => {
  const used = createUsedStates(1_000);
  expect([used.take("a", 0), used.take("a", 1), used.take("b", 2), used.take("a", 999)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("a state is forgotten once it could no longer be valid", () => {
  const used = createUsedStates(1_000);
  expect(used.take("a", 0)).toBe(true);
  expect(used.take("b", 500)).toBe(true);
  // Whoever still brings "a" at this moment is refused for its age before this list is asked.
  expect(used.take("a", 1_000)).toBe(true);
  expect(used.take("b", 1_001)).toBe(false);
});
