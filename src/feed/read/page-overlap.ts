/**
 * Whether pages that were read one after the other leave anything out between them. While they are turned, listings
 * come on top and others are sold: what is sold moves everything below it up, and a listing may slip from the top of
 * the next page to the bottom of the one that was just read.
 */
import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";

/** A page begins with something that the page above it showed: nothing that stands between them was left out. */
export function beginsWithin(page: SearchPage, above: SearchPage): boolean {
  return holds(above, inOrder(page)[0]);
}

/** How long a page of this number must be to lie across the end of the full one above it. */
export function bridgeLength(pageNumber: number, pageSize: number): number {
  return Math.floor(((pageNumber - 1) * pageSize) / (pageNumber - 0.5));
}

/**
 * How much of what stood on the pages of a pass it was shown. gap: a listing may have slipped unseen from one to the
 * other. hidden: a page showed nothing though something stood on it.
 */
export type Coverage = "gapless" | "gap" | "hidden";

/**
 * A page of one instant that begins within the one above and ends within the one below holds all between them. Below
 * the one above stands nothing where such a page, too, shows nothing but what stood there, and has room for more.
 */
export function coverageOf(
  above: SearchPage,
  { bridge, length }: { readonly bridge: SearchPage; readonly length: number },
  below: SearchPage,
): Coverage {
  const listings = inOrder(bridge);
  const beginsThere = holds(above, listings[0]);
  if (inOrder(below).length > 0) return beginsThere && holds(below, listings.at(-1)) ? "gapless" : "gap";
  const isEnd = bridge.listings.length < length && listings.every((id) => holds(above, id));
  return beginsThere && isEnd ? "gapless" : "hidden";
}

export function worstOf(one: Coverage, other: Coverage): Coverage {
  if (one === "hidden" || other === "hidden") return "hidden";
  return one === "gap" ? one : other;
}

function holds(page: SearchPage, id: ListingId | undefined): boolean {
  return id !== undefined && inOrder(page).includes(id);
}

/** Promoted listings stand anywhere. */
export function inOrder({ listings }: SearchPage): readonly ListingId[] {
  return listings.filter(({ isPromoted }) => !isPromoted).map(({ id }) => id);
}
