import { expect, test } from "vitest";
import { categoryPathLabel, leafIds } from "#catalogue/categories.ts";
import { aisleOf } from "./aisles.ts";
import { kindOf, SHAPES } from "./kinds.ts";

test("every leaf has a name that people use, and something to show", () => {
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

test("no shape is without a category", () => {
  const used = new Set(leafIds.map((leafId) => kindOf(leafId).shape));
  expect(SHAPES.filter((shape) => !used.has(shape))).toEqual([]);
});

test("a thing is named as its nearest category that has a name", () => {
  expect(kindOf(178).nouns[0]).toEqual({ text: "robe", gender: "f", isPlural: false });
  expect(kindOf(2632).shape).toBe("sneakers");
  expect(kindOf(-1).shape).toBe("tshirt");
});

test("each part of the shop speaks of its own people", () => {
  expect(aisleOf(178).forWhom).toBe("femme");
  expect(aisleOf(1806).forWhom).toBe("homme");
  expect(aisleOf(1554).forWhom).toBe("fille");
  expect(aisleOf(2336).name).toBe("books");
});
