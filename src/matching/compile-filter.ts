/** A person's criteria as exact conditions on a candidate. */
import { brandById } from "#catalogue/brand-titles.ts";
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import { colourByName } from "#catalogue/colours.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type { FilterCriteria } from "#domain/filter.ts";

/**
 * What a candidate must fulfil, all of it. Ids ascend and stand once; an empty list leaves its dimension open.
 * No list holds the id 0, so that what is unknown of a listing meets only an open dimension.
 */
export interface FilterSpec {
  /** Nodes of the tree, none of them above another: a listing lies under at most one of them. */
  readonly categoryIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly sizeIds: readonly number[];
  readonly conditionIds: readonly number[];
  /** All of them must be proven: the one two-coloured name, Bred, is a garment in black and in red. */
  readonly marketplaceColourIds: readonly number[];
  /** Highest total price in whole EUR, at least 1. */
  readonly priceCapEur: number;
  /** Folded words, or phrases of several: each must stand in the title as it is. */
  readonly includeWords: readonly string[];
  /** None of these may stand in the title. */
  readonly excludeWords: readonly string[];
}

/**
 * The spec of a filter's criteria, or null when no listing can ever fulfil them: a price cap of 0 (a mistyped
 * price must never mean "no limit"), or a choice of which nothing is left, such as categories that nobody knows.
 * Cost: a step for each node above a leaf that is chosen.
 */
export function compileFilter(criteria: FilterCriteria): FilterSpec | null {
  const colourNames = criteria.colourName === null ? [] : [criteria.colourName];
  const categoryIds = smallestCover(criteria.categoryIds);
  // What the catalogue does not know no listing can be: it would only fill the index.
  const brandIds = ascending(criteria.brandIds.filter((id) => brandById(id) !== undefined));
  const sizeIds = ascending(criteria.sizeIds.filter((id) => sizeById(id) !== undefined));
  const conditionIds = ascending(criteria.conditionIds.filter((id) => conditionById(id) !== undefined));
  const marketplaceColourIds = ascending(
    colourNames.flatMap((name) => colourByName(name)?.marketplaceColourIds ?? []),
  );
  const isHopeless =
    criteria.priceCapEur < 1 ||
    isEmptied(criteria.categoryIds, categoryIds) ||
    isEmptied(criteria.brandIds, brandIds) ||
    isEmptied(criteria.sizeIds, sizeIds) ||
    isEmptied(criteria.conditionIds, conditionIds) ||
    isEmptied(colourNames, marketplaceColourIds);
  if (isHopeless) return null;
  return {
    categoryIds,
    brandIds,
    sizeIds,
    conditionIds,
    marketplaceColourIds,
    priceCapEur: criteria.priceCapEur,
    includeWords: foldedWords(criteria.includeWords),
    excludeWords: foldedWords(criteria.excludeWords),
  };
}

// An emptied choice must not turn into an open one.
function isEmptied(asked: readonly unknown[], left: readonly number[]): boolean {
  return asked.length > 0 && left.length === 0;
}

/** The leaves of a spec's categories, in display order; empty for a spec that leaves the category open. */
export function leafIdsOf(spec: FilterSpec): readonly number[] {
  return spec.categoryIds.flatMap(leafIdsUnder);
}

/** The fewest nodes under which lie exactly the leaves of the nodes given. */
function smallestCover(categoryIds: readonly number[]): readonly number[] {
  const wantedBelow = new Map<number, number>();
  for (const leafId of new Set(categoryIds.flatMap(leafIdsUnder))) {
    for (let id: number | null = leafId; id !== null; id = parentIdOf(id))
      wantedBelow.set(id, (wantedBelow.get(id) ?? 0) + 1);
  }
  const isWhole = (id: number): boolean => wantedBelow.get(id) === leafIdsUnder(id).length;
  const isTopmost = (id: number): boolean => {
    const parentId = parentIdOf(id);
    return parentId === null || !isWhole(parentId);
  };
  return ascending([...wantedBelow.keys()].filter((id) => isWhole(id) && isTopmost(id)));
}

function parentIdOf(categoryId: number): number | null {
  return categoryById(categoryId)?.parentId ?? null;
}

// A word without any letter or digit folds to nothing: it asks for nothing, and forbids nothing.
function foldedWords(words: readonly string[]): readonly string[] {
  return [...new Set(words.map(foldText))].filter((word) => word !== "").toSorted();
}

function ascending(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)].toSorted((one, other) => one - other);
}
