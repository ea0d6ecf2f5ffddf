/**
 * All brands that a listing can name: the fifty of the filter form and a long tail of 1,075. Only for the
 * server: pages need just brands.ts.
 */
import { brands } from "./brands.ts";
import longTailRows from "./data/long-tail-brands.json" with { type: "json" };
import { foldText } from "./fold-text.ts";
import { flagIn, numberIn, numberOrNullIn, textIn } from "./row-cells.ts";

export interface KnownBrand {
  readonly id: number;
  readonly title: string;
  /** Listings in March 2022; null for newer brands. */
  readonly itemCount: number | null;
  readonly isLuxury: boolean;
  /** The marketplace authenticates its articles. */
  readonly isAuthenticated: boolean;
}

const longTailBrands: readonly KnownBrand[] = longTailRows.map((row) => ({
  id: numberIn(row, 0),
  title: textIn(row, 1),
  itemCount: numberOrNullIn(row, 2),
  isLuxury: flagIn(row, 3),
  isAuthenticated: false,
}));

/** The fifty of the form, then the long tail; each by item count, descending, unknown counts last. */
export const knownBrands: readonly KnownBrand[] = [
  ...brands.map(({ id, title, item_count, is_luxury, requires_authenticity_check }) => ({
    id,
    title,
    itemCount: item_count,
    isLuxury: is_luxury,
    isAuthenticated: requires_authenticity_check,
  })),
  ...longTailBrands,
];

const brandsById = new Map(knownBrands.map((brand) => [brand.id, brand]));
const idsByTitleKey = new Map(knownBrands.map(({ id, title }) => [titleKey(title), id]));

/** Constant time. */
export function brandById(id: number): KnownBrand | undefined {
  return brandsById.get(id);
}

/**
 * The brand of a brand title; null for an empty or unknown one. Only letters and digits count, case and
 * accents do not: "LOREAL", "l’oréal" and "L'Oréal" are one brand. Cost: folding the title and one look-up.
 */
export function brandIdForTitle(title: string): number | null {
  return idsByTitleKey.get(titleKey(title)) ?? null;
}

function titleKey(title: string): string {
  return foldText(title).replaceAll(" ", "");
}
