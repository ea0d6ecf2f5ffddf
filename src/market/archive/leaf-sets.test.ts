import { expect, test } from "vitest";
import { categoryById, categoryPath, leafIdsUnder } from "#catalogue/categories.ts";
import { leafSetOf } from "./leaf-sets.ts";

const T_SHIRTS = 221;
const MENS_TRAINERS = 1_242;

test("a listing's type is the lowest node that holds every leaf it may be in", () => {
  expect(leafSetOf([T_SHIRTS]).typeId).toBe(T_SHIRTS);
  const parentId = categoryById(T_SHIRTS)?.parentId ?? 0;
  const siblings = leafIdsUnder(parentId);
  expect(siblings.length).toBeGreaterThan(1);
  expect(leafSetOf(siblings).typeId).toBe(parentId);
});

test("leaves without a common ancestor below the root have no type", () => {
  const [root, department] = categoryPath(T_SHIRTS);
  const elsewhere = leafIdsUnder(root?.id ?? 0).find((id) => categoryPath(id)[1] !== department);
  expect(leafSetOf([T_SHIRTS, elsewhere ?? 0])).toMatchObject({ categoryId: root?.id, typeId: null });
  expect(leafSetOf([T_SHIRTS, MENS_TRAINERS])).toMatchObject({ categoryId: null, typeId: null });
  expect(leafSetOf([])).toMatchObject({ categoryId: null, typeId: null });
});
