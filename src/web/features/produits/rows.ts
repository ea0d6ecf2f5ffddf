/** Layout of the cards in rows, which rows to render, and filtering by search or seller. Pure functions. */
import { foldText } from "#catalogue/fold-text.ts";
import type { ProduitDuFlux } from "#contract/produit.ts";

const MIN_CARD_WIDTH_PX = 166;
/** Between two cards, in both directions; the skeleton grid in produits-page.css has the same gap. */
const GRID_GAP_PX = 12;
const LIST_GAP_PX = 6;
/** Two columns even on the narrowest phone: with one, a screen would show a single card. */
const MIN_PAIR_WIDTH_PX = 264;
const LIST_HEIGHT_PX = 72;
/** The part of a card below its photo. */
const WORDS_HEIGHT_PX = 173;
/** A card narrower than this gives the condition and 'hors livraison' a line of their own, and its photo less height. */
const NARROW_CARD_PX = 172;
const NARROW_WORDS_HEIGHT_PX = 215;
/** Upper bound for wide cards, so that the buy button stays in the viewport. */
const MAX_PHOTO_HEIGHT_PX = 227;
const PHOTO_HEIGHT_PER_WIDTH = 5 / 4;
const NARROW_PHOTO_HEIGHT_PER_WIDTH = 7 / 8;
/** Rows this far outside the viewport are rendered too, so that scrolling shows no gaps. */
export const MARGIN_PX = 400;

export type Layout = "grid" | "list";

interface Arrangement {
  readonly columns: number;
  readonly cardHeightPx: number;
  readonly gapPx: number;
  readonly isNarrow: boolean;
}

/**
 * All cards of a layout have the same height, so that a change of text shifts no other card.
 * @param scale of text, 1 for the usual font size @param neededPx what the text of a card was found to need
 */
export function arrangementOf(layout: Layout, widthPx: number, scale = 1, neededPx = 0): Arrangement {
  if (layout === "list")
    return {
      columns: 1,
      cardHeightPx: Math.max(LIST_HEIGHT_PX * scale, neededPx),
      gapPx: LIST_GAP_PX,
      isNarrow: false,
    };
  const columns = Math.max(
    widthPx < MIN_PAIR_WIDTH_PX * scale ? 1 : 2,
    Math.floor((widthPx + GRID_GAP_PX) / (MIN_CARD_WIDTH_PX * scale + GRID_GAP_PX)),
  );
  const cardWidthPx = (widthPx - (columns - 1) * GRID_GAP_PX) / columns;
  const isNarrow = cardWidthPx < NARROW_CARD_PX * scale;
  const photoHeightPx = Math.round(
    cardWidthPx * (isNarrow ? NARROW_PHOTO_HEIGHT_PER_WIDTH : PHOTO_HEIGHT_PER_WIDTH),
  );
  const wordsHeightPx = (isNarrow ? NARROW_WORDS_HEIGHT_PX : WORDS_HEIGHT_PX) * scale;
  const cardHeightPx = Math.max(Math.min(MAX_PHOTO_HEIGHT_PX, photoHeightPx) + wordsHeightPx, neededPx);
  return { columns, cardHeightPx, gapPx: GRID_GAP_PX, isNarrow };
}

/** A half-open range of row indexes: `end` is excluded. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

export interface View {
  /** The list's top edge relative to the viewport; negative once it is scrolled past. */
  readonly listTopPx: number;
  readonly heightPx: number;
}

/** The rows inside the viewport or within `MARGIN_PX` of it. */
export function rowsInSight(rowHeightPx: number, rowCount: number, view: View): RowRange {
  const row = (belowTopPx: number): number =>
    Math.min(Math.max((belowTopPx - view.listTopPx) / rowHeightPx, 0), rowCount);
  return { first: Math.floor(row(-MARGIN_PX)), end: Math.ceil(row(view.heightPx + MARGIN_PX)) };
}

/** The listings without those of blocked sellers; the same array if there are none. */
export function withoutSellers<Item extends ProduitDuFlux>(
  items: readonly Item[],
  isBlocked: (seller: Item["user"]) => boolean,
): readonly Item[] {
  return items.some(({ user }) => isBlocked(user)) ? items.filter(({ user }) => !isBlocked(user)) : items;
}

/** The listings with every word of `search` in title, brand, size or seller; all for an empty search. */
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
