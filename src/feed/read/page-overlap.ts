/**
 * Whether consecutive pages leave anything out between them. While they are read, listings are added on top and others
 * are sold; a sale moves everything below it up, so a listing may move from the top of the next page to the bottom of
 * the one just read.
 */
import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";

/** The page begins with a listing of the page above: nothing between them was left out. */
export function beginsWithin(page: SearchPage, above: SearchPage): boolean {
  return holds(above, inOrder(page)[0]);
}

/** The length at which a page of this number spans the end of the full page above it. */
export function bridgeLength(pageNumber: number, pageSize: number): number {
  return Math.floor(((pageNumber - 1) * pageSize) / (pageNumber - 0.5));
}

/**
 * How completely the pages of a pass were seen. gap: a listing may have moved between two pages unseen. hidden: a page
 * came back empty although it had listings.
 */
export type Coverage = "gapless" | "gap" | "hidden";

/**
 * A bridge that begins within the page above and ends within the page below contains everything between them, because
 * it is one instant. If the page below is empty, the page above is the end of the list only if the bridge shows nothing
 * further either and is not full.
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

/** Promoted listings appear anywhere and prove nothing about the order. */
export function inOrder({ listings }: SearchPage): readonly ListingId[] {
  return listings.filter(({ isPromoted }) => !isPromoted).map(({ id }) => id);
}
