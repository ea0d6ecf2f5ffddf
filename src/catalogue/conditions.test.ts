import { expect, test } from "vitest";
import { conditionById, conditionIdForLabel, conditions } from "./conditions.ts";

test("the conditions are the specification's five, best first", () => {
  expect(conditions.map(({ id, label }) => `${label} ${id}`)).toEqual([
    "Neuf avec étiquette 6",
    "Neuf sans étiquette 1",
    "Très bon état 2",
    "Bon état 3",
    "Satisfaisant 4",
  ]);
});

test("a condition is found by its text, case and accents ignored", () => {
  for (const { id, label } of conditions) expect(conditionIdForLabel(label)).toBe(id);
  expect(conditionIdForLabel("TRES BON ETAT")).toBe(2);
  expect(conditionIdForLabel("état")).toBeNull();
  expect(conditionIdForLabel("")).toBeNull();
});

test("a condition is found by its id", () => {
  expect(conditionById(6)?.label).toBe("Neuf avec étiquette");
  expect(conditionById(5)).toBeUndefined();
});
