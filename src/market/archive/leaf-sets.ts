import { categoryById, categoryPath } from "#catalogue/categories.ts";

/** The leaves that a listing may be in; shared by many listings. */
export interface LeafSet {
  readonly leafIds: readonly number[];
  /** One leaf per size group: within a group a size title means the same in every leaf. */
  readonly representativeIds: readonly number[];
  /** The lowest node above all of the leaves; null without leaves, or if there is none. */
  readonly categoryId: number | null;
  /** The same, but null for a root, whose articles are too different to compare prices. */
  readonly typeId: number | null;
}

const MAX_SETS = 20_000;
const sets = new Map<string, LeafSet>();
/** Listings of one slice share their array, which may have hundreds of leaves. */
const setsByArray = new WeakMap<readonly number[], LeafSet>();

/** Returns the same object for the same leaves. */
export function leafSetOf(leafIds: readonly number[]): LeafSet {
  const known = setsByArray.get(leafIds);
  if (known !== undefined) return known;
  const found = findOrMake(leafIds);
  setsByArray.set(leafIds, found);
  return found;
}

function findOrMake(leafIds: readonly number[]): LeafSet {
  const key = leafIds.join();
  const known = sets.get(key);
  if (known !== undefined) return known;
  // Slices change with the filters: unused sets must not accumulate.
  if (sets.size >= MAX_SETS) sets.clear();
  const bySizeGroup = new Map<number | null, number>();
  for (const id of leafIds) {
    const sizeGroupId = categoryById(id)?.size_id ?? null;
    if (!bySizeGroup.has(sizeGroupId)) bySizeGroup.set(sizeGroupId, id);
  }
  const categoryId = commonCategory(leafIds);
  const isRoot = categoryId !== null && categoryById(categoryId)?.parentId === null;
  const made = {
    leafIds,
    representativeIds: [...bySizeGroup.values()],
    categoryId,
    typeId: isRoot ? null : categoryId,
  };
  sets.set(key, made);
  return made;
}

function commonCategory(leafIds: readonly number[]): number | null {
  const [first, ...others] = leafIds;
  if (first === undefined) return null;
  const path = categoryPath(first).map(({ id }) => id);
  let depth = path.length;
  for (const leafId of others) {
    const other = categoryPath(leafId);
    let shared = 0;
    while (shared < depth && path[shared] === other[shared]?.id) shared += 1;
    depth = shared;
  }
  return path[depth - 1] ?? null;
}
