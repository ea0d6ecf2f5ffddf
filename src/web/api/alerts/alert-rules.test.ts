import { expect, test } from "vitest";
import { isQuietAt } from "./alert-rules.ts";

const at = (time: string): number => Date.parse(`2026-01-15T${time}:00+01:00`);

test.each([
  ["23:00", "07:00", "23:00", true],
  ["23:00", "07:00", "03:00", true],
  ["23:00", "07:00", "07:00", false],
  ["23:00", "07:00", "22:59", false],
  ["12:00", "14:00", "13:00", true],
  ["12:00", "14:00", "14:00", false],
])("quiet from %s to %s, at %s in Paris: %s", (de, a, time, isQuiet) => {
  expect(isQuietAt({ calme: { actif: true, de, a } }, at(time))).toBe(isQuiet);
  expect(isQuietAt({ calme: { actif: false, de, a } }, at(time))).toBe(false);
});
