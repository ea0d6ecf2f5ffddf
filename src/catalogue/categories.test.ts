import { expect, test } from "vitest";
import {
  allCategories,
  categoryById,
  categoryPath,
  categoryPathLabel,
  isLeaf,
  leafIds,
  leafIdsUnder,
  leafIdsWithSizeGroup,
  rootCategories,
} from "./categories.ts";
import { allSizeGroups } from "./sizes.ts";

const FEMMES = 1904;
const TSHIRTS_FEMMES = 221;
const SACS_A_DOS_HOMMES = 246;
const MAQUILLAGE = 964;
const LIVRES = 2312;

test("the roots are the specification's six, in its order", () => {
  expect(rootCategories.map(({ label }) => label)).toEqual([
    "Femmes",
    "Hommes",
    "Enfants",
    "Maison",
    "Divertissement",
    "Animaux",
  ]);
  expect(rootCategories.every(({ depth, parentId }) => depth === 0 && parentId === null)).toBe(true);
});

test("the tree is whole: 1,051 nodes, 877 leaves, at most five levels", () => {
  expect(allCategories).toHaveLength(1051);
  expect(leafIds).toHaveLength(877);
  expect(Math.max(...allCategories.map(({ depth }) => depth))).toBe(4);
  expect(
    rootCategories.map(
      ({ id }) => allCategories.filter((node) => categoryPath(node.id)[0]?.id === id).length,
    ),
  ).toEqual([277, 189, 331, 68, 116, 70]);
});

test("ids and slugs are unique", () => {
  expect(new Set(allCategories.map(({ id }) => id)).size).toBe(allCategories.length);
  expect(new Set(allCategories.map(({ slug }) => slug)).size).toBe(allCategories.length);
});

test("every parent exists, stands before its children and lists them", () => {
  const seen = new Set<number>();
  for (const { id, parentId, depth } of allCategories) {
    if (parentId !== null) {
      expect(seen.has(parentId)).toBe(true);
      expect(categoryById(parentId)?.children.map((child) => child.id)).toContain(id);
      expect(categoryById(parentId)?.depth).toBe(depth - 1);
    }
    seen.add(id);
  }
});

test("no label is empty or padded, and no two siblings share one", () => {
  for (const { label } of allCategories) expect(label).toBe(label.trim());
  expect(allCategories.every(({ label }) => label !== "")).toBe(true);
  expect(new Set(allCategories.map(({ parentId, label }) => `${parentId} ${label}`)).size).toBe(
    allCategories.length,
  );
});

test("every size group of a category exists and has sizes", () => {
  const filledGroups = new Set(allSizeGroups.filter(({ sizes }) => sizes.length > 0).map(({ id }) => id));
  const usedGroups = new Set(
    allCategories.flatMap(({ size_id: sizeGroupId, sizeGroupIds }) =>
      sizeGroupId === null ? sizeGroupIds : [sizeGroupId, ...sizeGroupIds],
    ),
  );
  expect(usedGroups.size).toBe(33);
  for (const id of usedGroups) expect(filledGroups).toContain(id);
  expect(allCategories.filter(({ size_id: sizeGroupId }) => sizeGroupId === null)).toHaveLength(212);
});

test("a leaf's size titles are read in its own group only", () => {
  for (const id of leafIds) {
    const leaf = categoryById(id);
    expect(leaf?.sizeGroupIds).toEqual(leaf?.size_id === null ? [] : [leaf?.size_id]);
  }
});

test("a branch has the size groups of all its leaves", () => {
  expect(categoryById(FEMMES)?.sizeGroupIds.toSorted((one, other) => one - other)).toEqual([
    4, 7, 30, 52, 53, 60, 61, 62, 64, 72,
  ]);
});

test("a leaf may carry a size group without asking sellers for a size", () => {
  expect(categoryById(TSHIRTS_FEMMES)?.hasSizeField).toBe(true);
  expect(categoryById(MAQUILLAGE)).toMatchObject({ sizeGroupIds: [4], hasSizeField: false });
  expect(categoryById(SACS_A_DOS_HOMMES)).toMatchObject({ sizeGroupIds: [14], hasSizeField: false });
  expect(categoryById(LIVRES)).toMatchObject({ sizeGroupIds: [], hasSizeField: false });
});

test("leafIdsUnder() answers the leaf itself, all leaves of a branch, and nothing for an unknown id", () => {
  expect(leafIdsUnder(TSHIRTS_FEMMES)).toEqual([TSHIRTS_FEMMES]);
  expect(rootCategories.flatMap(({ id }) => leafIdsUnder(id))).toEqual(leafIds);
  expect(leafIdsUnder(-1)).toEqual([]);
});

test("leafIdsWithSizeGroup() finds the leaves that use a group", () => {
  expect(leafIdsWithSizeGroup(4)).toContain(TSHIRTS_FEMMES);
  expect(leafIdsWithSizeGroup(14)).not.toContain(TSHIRTS_FEMMES);
  expect(leafIdsWithSizeGroup(-1)).toEqual([]);
});

test("a path runs from the root to the node, and is empty for an unknown id", () => {
  expect(categoryPath(TSHIRTS_FEMMES).map(({ id }) => id)[0]).toBe(FEMMES);
  expect(categoryPathLabel(TSHIRTS_FEMMES)).toBe("Femmes › Vêtements › Hauts et t-shirts › T-shirts");
  expect(categoryPath(-1)).toEqual([]);
  expect(categoryPathLabel(-1)).toBe("");
});

test("leaves are the nodes without children", () => {
  expect(allCategories.filter(isLeaf).map(({ id }) => id)).toEqual(leafIds);
  expect(categoryById(-1)).toBeUndefined();
});
