/** How the type picker walks the category tree and what a choice in it means. Pure. */
import {
  allCategories,
  categoryById,
  categoryPath,
  categoryPathLabel,
  isLeaf,
  leafIdsUnder,
  rootCategories,
  type Category,
} from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";

/** More would be no help: the search is to be made narrower. */
export const MAX_FOUND_TYPES = 40;

interface FoundType {
  readonly category: Category;
  readonly pathLabel: string;
}

/** The nodes of one level: the roots for null. */
export function levelUnder(parentId: number | null): readonly Category[] {
  return parentId === null ? rootCategories : (categoryById(parentId)?.children ?? []);
}

/** Whether a node is chosen, itself or by a branch above it. */
export function isChosen(chosenIds: readonly number[], id: number): boolean {
  return categoryPath(id).some((node) => chosenIds.includes(node.id));
}

/** How many leaves under a branch are chosen. */
export function chosenLeavesUnder(chosenIds: readonly number[], id: number): number {
  return leafIdsUnder(id).filter((leafId) => isChosen(chosenIds, leafId)).length;
}

/**
 * Selects or deselects a node. A selected branch replaces the selected nodes below it; deselecting a leaf of a selected
 * branch keeps its siblings selected.
 */
export function withTypeToggled(chosenIds: readonly number[], id: number): readonly number[] {
  if (!isChosen(chosenIds, id)) {
    const below = new Set(allBelow(id));
    return [...chosenIds.filter((each) => !below.has(each)), id];
  }
  const above = new Set(categoryPath(id).map((node) => node.id));
  const removed = new Set(leafIdsUnder(id));
  const brothers = chosenIds
    .filter((each) => above.has(each) && each !== id)
    .flatMap((each) => leafIdsUnder(each).filter((leafId) => !removed.has(leafId)));
  return [...chosenIds.filter((each) => !above.has(each)), ...brothers];
}

/** The nodes of every level whose label or path holds each word, those named by the label itself first. */
export function searchTypes(search: string): readonly FoundType[] {
  const words = foldText(search)
    .split(" ")
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const holdsAll = (text: string): boolean => words.every((word) => foldText(text).includes(word));
  const byPath = allCategories
    .map((category) => ({ category, pathLabel: categoryPathLabel(category.id) }))
    .filter(({ pathLabel }) => holdsAll(pathLabel));
  const byLabel = byPath.filter(({ category }) => holdsAll(category.label));
  const rest = byPath.filter(({ category }) => !holdsAll(category.label) && isLeaf(category));
  return [...byLabel, ...rest].slice(0, MAX_FOUND_TYPES);
}

function allBelow(id: number): readonly number[] {
  const children = categoryById(id)?.children ?? [];
  return children.flatMap((child) => [child.id, ...allBelow(child.id)]);
}
