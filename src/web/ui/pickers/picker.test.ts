import { expect, test } from "vitest";
import { summaryOf, withToggled } from "./picker.tsx";

test("a choice is summarised by its first names and the number of the others", () => {
  expect(summaryOf([], "Toutes")).toBe("Toutes");
  expect(summaryOf(["Nike", "Zara"], "Toutes")).toBe("Nike, Zara");
  expect(summaryOf(["A", "B", "C"], "Toutes")).toBe("A, B, C");
  expect(summaryOf(["A", "B", "C", "D", "E"], "Toutes")).toBe("A, B, C et 2 de plus");
});

test("a name that two branches of the catalogue share appears once", () => {
  expect(summaryOf(["Jeans", "Jeans"], "Tous")).toBe("Jeans");
  expect(summaryOf(["A", "B", "A", "C", "D"], "Tous")).toBe("A, B, C et 1 de plus");
});

test("the same touch chooses and takes back, the order of choosing stays", () => {
  expect(withToggled([1], 2)).toEqual([1, 2]);
  expect(withToggled([1, 2], 1)).toEqual([2]);
});
