import { expect, test } from "vitest";
import { categoryPathLabel, leafIds } from "#catalogue/categories.ts";
import shapes from "./data/shapes.json" with { type: "json" };
import { departmentOf } from "./draw-attributes.ts";
import { kindOf, SHAPES } from "./kinds.ts";

test("every leaf has nouns and a shape", () => {
  for (const leafId of leafIds) {
    const { nouns, shape } = kindOf(leafId);
    expect(SHAPES).toContain(shape);
    expect(nouns.length).toBeGreaterThan(0);
    expect(
      nouns.map(({ text }) => text),
      categoryPathLabel(leafId),
    ).not.toContain("article");
  }
});

test("every shape is used by a category", () => {
  const used = new Set(leafIds.map((leafId) => kindOf(leafId).shape));
  expect(SHAPES.filter((shape) => !used.has(shape))).toEqual([]);
});

test("what is printed or dark is a shape", () => {
  for (const shape of [...shapes.printable, ...shapes.dark]) expect(SHAPES).toContain(shape);
});

test("a category without an entry uses its nearest ancestor's", () => {
  expect(kindOf(178).nouns[0]).toEqual({ text: "robe", gender: "f", isPlural: false });
  expect(kindOf(2632).shape).toBe("sneakers");
  expect(kindOf(-1).shape).toBe("tshirt");
});

test("departments have their own words", () => {
  expect(departmentOf(178).forWhom).toBe("femme");
  expect(departmentOf(1806).forWhom).toBe("homme");
  expect(departmentOf(1554).forWhom).toBe("fille");
  expect(departmentOf(2336).name).toBe("books");
});
