/**
 * The marketplace's French category tree: 1,051 nodes under six roots, in display order. Field names of the
 * wire are kept. Labels repeat across branches ("Accessoires" twenty times): store the id, and display the
 * path where a label would be ambiguous. Listings per category: simulation-priors.ts.
 */
import categoryRows from "./data/categories.json" with { type: "json" };
import { flagIn, numberIn, numberOrNullIn, textIn } from "./row-cells.ts";

export interface Category {
  readonly id: number;
  readonly slug: string;
  readonly label: string;
  readonly parentId: number | null;
  /** The node's own size group (specification §3). For a branch only a default: the leaf's counts. */
  readonly size_id: number | null;
  /** The size groups for size titles: a leaf's own, if any; for a branch those of all its leaves. */
  readonly sizeGroupIds: readonly number[];
  /**
   * Whether sellers are asked for a size here, or in any leaf below. Some leaves without (bags, cosmetics)
   * still have a size group, by which a given size can be resolved.
   */
  readonly hasSizeField: boolean;
  /** In display order; none for a leaf. */
  readonly children: readonly Category[];
  /** 0 for a root, at most 4. */
  readonly depth: number;
}

interface GrowingCategory extends Category {
  readonly sizeGroupIds: number[];
  hasSizeField: boolean;
  readonly children: GrowingCategory[];
}

const categoriesById = new Map<number, GrowingCategory>();
const leafIdsById = new Map<number, number[]>();

// Rows are ordered parent first, so the parent is known when a child is read.
for (const row of categoryRows) {
  const id = numberIn(row, 0);
  const parentId = numberOrNullIn(row, 1);
  const parent = parentId === null ? undefined : categoriesById.get(parentId);
  const category: GrowingCategory = {
    id,
    parentId,
    slug: textIn(row, 2),
    label: textIn(row, 3),
    size_id: numberOrNullIn(row, 4),
    sizeGroupIds: [],
    hasSizeField: flagIn(row, 5),
    children: [],
    depth: parent === undefined ? 0 : parent.depth + 1,
  };
  parent?.children.push(category);
  categoriesById.set(id, category);
}

/** Every node, in display order, a parent before its children. */
export const allCategories: readonly Category[] = [...categoriesById.values()];

for (const leaf of categoriesById.values()) {
  if (leaf.children.length > 0) continue;
  for (const node of pathOf(leaf)) {
    const leafIds = leafIdsById.get(node.id);
    if (leafIds === undefined) leafIdsById.set(node.id, [leaf.id]);
    else leafIds.push(leaf.id);
    node.hasSizeField ||= leaf.hasSizeField;
    if (leaf.size_id !== null && !node.sizeGroupIds.includes(leaf.size_id)) {
      node.sizeGroupIds.push(leaf.size_id);
    }
  }
}

/** Femmes, Hommes, Enfants, Maison, Divertissement, Animaux, in this order. */
export const rootCategories: readonly Category[] = allCategories.filter(({ parentId }) => parentId === null);

/** The 877 categories that listings are filed under, in display order. */
export const leafIds: readonly number[] = allCategories.filter(isLeaf).map(({ id }) => id);

/** Constant time. */
export function categoryById(id: number): Category | undefined {
  return categoriesById.get(id);
}

/** Only leaves have listings. */
export function isLeaf(category: Category): boolean {
  return category.children.length === 0;
}

/** The leaves under a branch in display order; a leaf returns itself, an unknown id none. Constant time. */
export function leafIdsUnder(id: number): readonly number[] {
  return leafIdsById.get(id) ?? [];
}

/** The leaves of a size group, in display order; none for an unknown group. Scans all leaves. */
export function leafIdsWithSizeGroup(sizeGroupId: number): readonly number[] {
  return leafIds.filter((id) => categoriesById.get(id)?.size_id === sizeGroupId);
}

/** The nodes from the root to this one, inclusive; empty for an unknown id. */
export function categoryPath(id: number): readonly Category[] {
  const category = categoriesById.get(id);
  return category === undefined ? [] : pathOf(category);
}

/** The path for people, "Femmes › Vêtements › Robes"; empty for an unknown id. */
export function categoryPathLabel(id: number): string {
  return categoryPath(id)
    .map(({ label }) => label)
    .join(" › ");
}

function pathOf(category: GrowingCategory): readonly GrowingCategory[] {
  const path = [category];
  let parentId = category.parentId;
  while (parentId !== null) {
    const parent = categoriesById.get(parentId);
    if (parent === undefined) break;
    path.unshift(parent);
    parentId = parent.parentId;
  }
  return path;
}
