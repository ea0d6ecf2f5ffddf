/** A filter's conditions: compiled from a person's criteria, and tested on a candidate. A new condition is added here. */
import { brandById } from "#catalogue/brand-titles.ts";
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import { colourByName } from "#catalogue/colours.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type { FilterCriteria, WordGroup } from "#domain/market/filter.ts";
import { type Candidate, NO_RANK } from "./candidate.ts";

/**
 * A filter's conditions, all of which a candidate must satisfy. Ids are ascending and unique; an empty list
 * leaves its dimension open. No list contains the id 0, so an unknown value satisfies only an open dimension.
 */
export interface FilterSpec {
  /** Nodes of the tree, none an ancestor of another: a listing is under at most one of them. */
  readonly categoryIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly sizeIds: readonly number[];
  readonly conditionIds: readonly number[];
  /** All of them must be proven: Bred, the only two-coloured name, is a garment in black and in red. */
  readonly marketplaceColourIds: readonly number[];
  /** Highest total price in whole EUR, at least 1. */
  readonly priceCapEur: number;
  /** Lowest total price in whole EUR; 0: none. */
  readonly priceFloorEur: number;
  /** At least this percentage of similar listings must be dearer; NO_RANK: any price. */
  readonly minPriceRank: number;
  /**
   * Groups of alternatives, one of each must be in the title: words or phrases, folded and padded with a
   * space on either side like a candidate's title, so that a comparison allocates nothing.
   */
  readonly includeWords: readonly (readonly string[])[];
  /** None of these may be in the title; padded too. */
  readonly excludeWords: readonly string[];
}

/**
 * Null if no listing can ever match: a price cap of 0 (a mistyped price must never mean "no limit") or below
 * the floor, or a selection of unknown values only. Cost: one step per node above a selected leaf.
 */
export function compileFilter(criteria: FilterCriteria): FilterSpec | null {
  const colourNames = criteria.colourName === null ? [] : [criteria.colourName];
  const categoryIds = smallestCover(criteria.categoryIds);
  // No listing can have a value that the catalogue does not know: it would only fill the index.
  const brandIds = ascending(criteria.brandIds.filter((id) => brandById(id) !== undefined));
  const sizeIds = ascending(criteria.sizeIds.filter((id) => sizeById(id) !== undefined));
  const conditionIds = ascending(criteria.conditionIds.filter((id) => conditionById(id) !== undefined));
  const marketplaceColourIds = ascending(
    colourNames.flatMap((name) => colourByName(name)?.marketplaceColourIds ?? []),
  );
  const isHopeless =
    criteria.priceCapEur < 1 ||
    criteria.priceFloorEur > criteria.priceCapEur ||
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
    priceFloorEur: criteria.priceFloorEur,
    minPriceRank: criteria.bargainPercent === null ? NO_RANK : 100 - criteria.bargainPercent,
    includeWords: requiredGroups(criteria.includeWords),
    excludeWords: paddedWords(criteria.excludeWords.flat()),
  };
}

// A selection of unknown values only must not become an open one.
function isEmptied(asked: readonly unknown[], left: readonly number[]): boolean {
  return asked.length > 0 && left.length === 0;
}

/** Whether a filter holds a listing (contract §3, "Matching"). Pure and total. */
export function filterHolds(spec: FilterSpec, candidate: Candidate): boolean {
  return (
    candidate.totalPriceCents <= spec.priceCapEur * 100 &&
    candidate.totalPriceCents >= spec.priceFloorEur * 100 &&
    candidate.priceRank >= spec.minPriceRank &&
    allows(spec.conditionIds, candidate.conditionId) &&
    allows(spec.brandIds, candidate.brandId) &&
    allows(spec.sizeIds, candidate.sizeId) &&
    (spec.categoryIds.length === 0 || isUnderAny(candidate, spec.categoryIds)) &&
    hasColours(candidate, spec.marketplaceColourIds) &&
    hasGroups(candidate, spec.includeWords) &&
    !hasAny(candidate, spec.excludeWords)
  );
}

/**
 * Whether a filter has conditions that no entry of the index encodes. The index tests such a filter by `filterHolds`
 * whenever its keys agree.
 */
export function hasFurtherConditions({ includeWords, excludeWords }: FilterSpec): boolean {
  return includeWords.length > 0 || excludeWords.length > 0;
}

// Loops, no closures: the index verifies filters with these functions, and matching must not allocate.

function isUnderAny({ categoryIds }: Candidate, wantedIds: readonly number[]): boolean {
  for (let index = 0; index < wantedIds.length; index += 1)
    if (categoryIds.includes(wantedIds[index] ?? 0)) return true;
  return false;
}

function hasColours({ marketplaceColourIds }: Candidate, wantedIds: readonly number[]): boolean {
  for (let index = 0; index < wantedIds.length; index += 1)
    if (!marketplaceColourIds.includes(wantedIds[index] ?? 0)) return false;
  return true;
}

function hasGroups(candidate: Candidate, groups: readonly (readonly string[])[]): boolean {
  for (let index = 0; index < groups.length; index += 1)
    if (!hasAny(candidate, groups[index] ?? [])) return false;
  return true;
}

function hasAny({ paddedTitle }: Candidate, paddedWords: readonly string[]): boolean {
  for (let index = 0; index < paddedWords.length; index += 1)
    if (paddedTitle.includes(paddedWords[index] ?? "")) return true;
  return false;
}

function allows(ids: readonly number[], id: number): boolean {
  return ids.length === 0 || ids.includes(id);
}

/** The leaves of a spec's categories, in display order; empty if the category is open. */
export function leafIdsOf(spec: FilterSpec): readonly number[] {
  return spec.categoryIds.flatMap(leafIdsUnder);
}

/** The smallest set of nodes with exactly the leaves of the given nodes. */
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

// A word without letters or digits folds to nothing, which every title contains: its group requires nothing.
function requiredGroups(groups: readonly WordGroup[]): readonly (readonly string[])[] {
  const required = groups
    .filter((group) => group.length > 0 && group.every((word) => foldText(word) !== ""))
    .map(paddedWords);
  const once = new Map(required.map((words) => [words.join(), words]));
  return [...once.keys()].toSorted().map((key) => once.get(key) ?? []);
}

function paddedWords(words: readonly string[]): readonly string[] {
  const folded = new Set(words.map(foldText));
  return [...folded]
    .filter((word) => word !== "")
    .toSorted()
    .map((word) => ` ${word} `);
}

function ascending(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)].toSorted((one, other) => one - other);
}
