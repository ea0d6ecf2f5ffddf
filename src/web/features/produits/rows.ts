/** How the list is cut into rows, and what a search leaves of it: pure. */
import type { ProduitDuFlux } from "#contract/produit.ts";
import { foldText } from "#catalogue/fold-text.ts";

const MIN_CARD_WIDTH_PX = 190;
const GAP_PX = 12;
/** Two even on the narrowest phone: one card a screen would be no list. */
const MIN_COLUMNS = 2;

/** How many cards fit beside one another. */
export function columnsFor(widthPx: number): number {
  return Math.max(MIN_COLUMNS, Math.floor((widthPx + GAP_PX) / (MIN_CARD_WIDTH_PX + GAP_PX)));
}

/** The list in rows of so many; the last may be shorter. */
export function rowsOf<Item>(items: readonly Item[], columns: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / columns) }, (_, row) =>
    items.slice(row * columns, (row + 1) * columns),
  );
}

/** The listings that hold each word of a search in their title, brand, size or seller; all for an empty search. */
export function found<Item extends ProduitDuFlux>(items: readonly Item[], search: string): readonly Item[] {
  const words = foldText(search)
    .split(" ")
    .filter((word) => word !== "");
  if (words.length === 0) return items;
  return items.filter(({ title, brand_title: brand, size_title: size, user }) => {
    const text = foldText(`${title} ${brand} ${size} ${user.login}`);
    return words.every((word) => text.includes(word));
  });
}
