/** How the list is cut into rows, and what a search leaves of it: pure. */
import type { ProduitDuFlux } from "#contract/produit.ts";
import { foldText } from "#catalogue/fold-text.ts";

const MIN_CARD_WIDTH_PX = 190;
const GAP_PX = 12;
/** Two even on the narrowest phone: one card a screen would be no list. */
const MIN_COLUMNS = 2;
const LINE_HEIGHT_PX = 134;
/** What stands below a card's photo, the gap to the next row included. */
const WORDS_HEIGHT_PX = 264;

/** How many cards fit beside one another. */
export function columnsFor(widthPx: number): number {
  return Math.max(MIN_COLUMNS, Math.floor((widthPx + GAP_PX) / (MIN_CARD_WIDTH_PX + GAP_PX)));
}

/** About how tall a row is, so that the first drawing is not of twice as many cards as are in sight. */
export function rowHeightFor(layout: "grid" | "list", cardWidthPx: number): number {
  return layout === "list" ? LINE_HEIGHT_PX : Math.round((cardWidthPx * 4) / 3) + WORDS_HEIGHT_PX;
}

export interface Row<Item> {
  /** The id of its last card, which stays while newer ones come in front. */
  readonly key: number;
  readonly items: readonly Item[];
}

/**
 * The list in rows, so that arrivals move as little as possible: only the first row fills up, every other row keeps
 * its cards, in their columns.
 * @param leadCount how many cards stand before the one that begins a row: what arrived since the list was laid out
 */
export function rowsOf<Item extends { readonly id: number }>(
  items: readonly Item[],
  columns: number,
  leadCount: number,
): readonly Row<Item>[] {
  const firstCount = leadCount % columns;
  const starts = firstCount === 0 ? [] : [0];
  for (let start = firstCount; start < items.length; start += columns) starts.push(start);
  return starts.map((start, row) => {
    const cards = items.slice(start, starts[row + 1] ?? items.length);
    return { key: cards.at(-1)?.id ?? start, items: cards };
  });
}

/** The listings of everybody but the sellers that the person does not want to see. */
export function withoutSellers<Item extends ProduitDuFlux>(
  items: readonly Item[],
  hiddenLogins: ReadonlySet<string>,
): readonly Item[] {
  return hiddenLogins.size === 0 ? items : items.filter(({ user }) => !hiddenLogins.has(user.login));
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
