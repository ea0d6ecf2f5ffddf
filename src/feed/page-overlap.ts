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

/** A page of one instant that begins within the one above and ends within the one below holds all between them. */
export function isBridged(above: SearchPage, bridge: SearchPage, below: SearchPage): boolean {
  const listings = inOrder(bridge);
  return holds(above, listings[0]) && holds(below, listings.at(-1));
}

function holds(page: SearchPage, id: ListingId | undefined): boolean {
  return id !== undefined && inOrder(page).includes(id);
}

/** Promoted listings stand anywhere. */
function inOrder({ listings }: SearchPage): readonly ListingId[] {
  return listings.filter(({ isPromoted }) => !isPromoted).map(({ id }) => id);
}
