/** How the cards are laid out in rows, and what a search leaves of them: pure. */
import { foldText } from "#catalogue/fold-text.ts";
import type { ProduitDuFlux } from "#contract/produit.ts";

const MIN_CARD_WIDTH_PX = 166;
/** Between two cards, in both directions; the same in the style sheet. */
const GRID_GAP_PX = 12;
const LIST_GAP_PX = 6;
/** Two even on the narrowest phone: one card a screen would be no list. */
const MIN_COLUMNS = 2;
const LIST_HEIGHT_PX = 72;
/** The part of a card below its photo. */
const WORDS_HEIGHT_PX = 173;
/** A card narrower than this gives 'hors livraison' a line of its own, and its photo less height. */
const NARROW_CARD_PX = 172;
const NARROW_WORDS_HEIGHT_PX = 198;
/** A wide card shows no more of its photo, so that its button stays in sight. */
const MAX_PHOTO_HEIGHT_PX = 227;
const PHOTO_HEIGHT_PER_WIDTH = 5 / 4;
/** Rows this far outside of the window are drawn as well, so that scrolling meets no empty place. */
const MARGIN_PX = 400;

export type Layout = "grid" | "list";

interface Arrangement {
  readonly columns: number;
  readonly cardHeightPx: number;
  readonly gapPx: number;
  readonly isNarrow: boolean;
}

/** All cards of a layout have the same height, so that a change of text moves no other card. */
export function arrangementOf(layout: Layout, widthPx: number): Arrangement {
  if (layout === "list")
    return { columns: 1, cardHeightPx: LIST_HEIGHT_PX, gapPx: LIST_GAP_PX, isNarrow: false };
  const columns = Math.max(
    MIN_COLUMNS,
    Math.floor((widthPx + GRID_GAP_PX) / (MIN_CARD_WIDTH_PX + GRID_GAP_PX)),
  );
  const cardWidthPx = (widthPx - (columns - 1) * GRID_GAP_PX) / columns;
  const isNarrow = cardWidthPx < NARROW_CARD_PX;
  const photoHeightPx = Math.round(isNarrow ? cardWidthPx : cardWidthPx * PHOTO_HEIGHT_PER_WIDTH);
  const wordsHeightPx = isNarrow ? NARROW_WORDS_HEIGHT_PX : WORDS_HEIGHT_PX;
  const cardHeightPx = Math.min(MAX_PHOTO_HEIGHT_PX, photoHeightPx) + wordsHeightPx;
  return { columns, cardHeightPx, gapPx: GRID_GAP_PX, isNarrow };
}

/** Rows from the first up to, without it, the end. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

interface Window {
  /** Where the list begins, from the window's upper edge; negative once it is scrolled away. */
  readonly listTopPx: number;
  readonly heightPx: number;
}

/** The rows that are in sight or nearly so. */
export function rowsInSight(rowHeightPx: number, rowCount: number, window: Window): RowRange {
  const row = (belowTopPx: number): number =>
    Math.min(Math.max((belowTopPx - window.listTopPx) / rowHeightPx, 0), rowCount);
  return { first: Math.floor(row(-MARGIN_PX)), end: Math.ceil(row(window.heightPx + MARGIN_PX)) };
}

/** All listings but those of blocked sellers. */
export function withoutSellers<Item extends ProduitDuFlux>(
  items: readonly Item[],
  isBlocked: (seller: Item["user"]) => boolean,
): readonly Item[] {
  return items.some(({ user }) => isBlocked(user)) ? items.filter(({ user }) => !isBlocked(user)) : items;
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
