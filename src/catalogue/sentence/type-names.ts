/** Resolves names of types within the branches that a sentence names. */
import { allCategories, categoryPath, leafIdsUnder, type Category } from "../categories.ts";
import { labelsUnread, typeSynonyms } from "./lexicon.ts";
import { accentedKey, nameKey } from "./words.ts";

const WOMEN = 1904;
const MEN = 5;
const CHILDREN = 1193;
const GIRLS = 1195;
const BOYS = 1194;
const BABY_GIRLS = 1243;
const BABY_BOYS = 1196;

const labelled: ReadonlyMap<string, readonly Category[]> = Map.groupBy(allCategories, ({ label }) =>
  nameKey(label),
);

/** Whether the tree or the lexicon has a type of this name in any branch. */
export function isTypeName(key: string): boolean {
  return typeSynonyms.has(key) || labelled.has(key);
}

const writtenLabels: ReadonlySet<string> = new Set(allCategories.map(({ label }) => accentedKey(label)));

/** Whether a label has this spelling, accents included. */
export function isTypeLabel(written: string): boolean {
  return writtenLabels.has(written);
}

/** Groups of branches: a name is looked up in all branches of the first group that has it. */
export type TypeScope = readonly (readonly number[])[];

/** @param branchIds from the sentence: a root, Filles, Garçons, Enfants or the branches of babies' clothes */
export function scopeOf(branchIds: readonly number[]): TypeScope {
  const named = new Set(branchIds);
  if (named.size === 0) return [[WOMEN, MEN]];
  const adults = [WOMEN, MEN].filter((id) => named.has(id));
  const isBaby = named.has(BABY_GIRLS);
  const isChild = isBaby || [CHILDREN, GIRLS, BOYS].some((id) => named.has(id));
  if (!isChild) return [adults];
  const isEither = named.has(GIRLS) === named.has(BOYS);
  const babies = [
    ...(isEither || named.has(GIRLS) ? [BABY_GIRLS] : []),
    ...(isEither || named.has(BOYS) ? [BABY_BOYS] : []),
  ];
  const children = [
    ...(isEither || named.has(GIRLS) ? [GIRLS] : []),
    ...(isEither || named.has(BOYS) ? [BOYS] : []),
  ];
  return [
    ...(isBaby ? [[...adults, ...babies]] : []),
    [...adults, ...children],
    ...(isEither ? [[CHILDREN]] : []),
  ];
}

/** The types of branches if the sentence names no other: 'bébé fille' means baby girls. */
export function branchTypes(branchIds: readonly number[]): readonly number[] {
  if (branchIds.length === 0) return [];
  const [first = []] = scopeOf(branchIds);
  const isAnyChild = first.includes(GIRLS) && first.includes(BOYS) && branchIds.includes(CHILDREN);
  return isAnyChild ? [...first.filter((id) => id !== GIRLS && id !== BOYS), CHILDREN] : first;
}

/**
 * The nodes of a name; undefined: none. In each branch the nodes that the lexicon gives it, otherwise one
 * node of that label: the one with the most leaves, then the highest.
 * @param key of `nameKey`
 */
export function typesNamed(key: string, scope: TypeScope): readonly number[] | undefined {
  const synonyms = typeSynonyms.get(key) ?? [];
  const labels = labelsUnread.has(key) ? [] : (labelled.get(key) ?? []);
  for (const branchIds of scope) {
    const found = branchIds.flatMap((branchId) => {
      const own = synonyms.filter((id) => isBelow(id, branchId));
      if (own.length > 0) return own;
      const widest = widestOf(labels.filter(({ id }) => id !== branchId && isBelow(id, branchId)));
      return widest === undefined ? [] : [widest.id];
    });
    if (found.length > 0) return [...new Set(found)];
  }
  // Types outside of branches for people, such as prams and records, are found without a branch.
  const isForAnyone = scope.length === 1 && scope[0]?.length === 2;
  const others = isForAnyone
    ? synonyms
    : synonyms.filter((id) => ![WOMEN, MEN, GIRLS, BOYS].some((branchId) => isBelow(id, branchId)));
  return others.length === 0 ? undefined : others;
}

function widestOf(nodes: readonly Category[]): Category | undefined {
  const leaves = ({ id }: Category) => leafIdsUnder(id).length;
  return nodes.toSorted((one, other) => leaves(other) - leaves(one) || one.depth - other.depth)[0];
}

function isBelow(id: number, branchId: number): boolean {
  return categoryPath(id).some((node) => node.id === branchId);
}
