/**
 * Reads the further pages of a slice until they overlap with known listings, and checks that no listing was missed
 * between the pages.
 */
import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import type { SliceState } from "../schedule/slice-states.ts";
import { type PageReading, ingestPage } from "./ingest.ts";
import { MAX_PAGES, PAGE_SIZE, readPage, type SlicePassParts } from "./slice-pages.ts";

export interface PagesRead {
  /** The reading of the last page, not yet published; those of earlier pages were. */
  readonly reading: PageReading;
  /** Over all pages. */
  readonly arrivedCount: number;
  readonly pageCount: number;
  readonly coverage: Coverage;
  /** The last listing of the last page, in the marketplace's order; null: that page was empty. */
  readonly lastListingId: ListingId | null;
}

/** @returns null: no further request may be sent; the pages read before are published */
export async function readFurther(
  first: SearchPage,
  firstReading: PageReading,
  state: SliceState,
  parts: SlicePassParts,
): Promise<PagesRead | null> {
  let page = first;
  let reading = firstReading;
  let { arrivedCount } = reading;
  let pageCount = 1;
  let coverage: Coverage = "gapless";
  while (!reading.reachesKnown && pageCount < Math.min(page.totalPages, MAX_PAGES)) {
    await parts.publish(reading, state);
    pageCount += 1;
    const next = await readNext(page, pageCount, state, parts);
    if (next === null) return null;
    page = next.page;
    coverage = worstOf(coverage, next.coverage);
    reading = ingestPage(page, state, parts.memory);
    arrivedCount += next.arrivedBetween + reading.arrivedCount;
  }
  // A truncated answer, or one that announces too few pages, looks like the end of the list.
  const isEndUnconfirmed = !reading.reachesKnown && pageCount < MAX_PAGES && state.mark !== null;
  if (isEndUnconfirmed) coverage = worstOf(coverage, "gap");
  return { reading, arrivedCount, pageCount, coverage, lastListingId: inOrder(page).at(-1) ?? null };
}

interface NextPage {
  readonly page: SearchPage;
  readonly coverage: Coverage;
  /** Arrivals on the bridge across the end of the page above; already published. */
  readonly arrivedBetween: number;
}

/** Reads the next page and, if the two do not overlap, a bridge across both. Null: no request may be sent. */
async function readNext(
  above: SearchPage,
  pageNumber: number,
  state: SliceState,
  parts: SlicePassParts,
): Promise<NextPage | null> {
  const ask = async (length: number): Promise<SearchPage | null> =>
    (await parts.takeTurn()) ? await readPage(state, pageNumber, parts, length) : null;
  let page = await ask(PAGE_SIZE);
  if (page === null) return null;
  if (beginsWithin(page, above)) return { page, coverage: "gapless", arrivedBetween: 0 };
  const length = bridgeLength(pageNumber, PAGE_SIZE);
  const bridge = await ask(length);
  if (bridge === null) return null;
  const between = ingestPage(bridge, state, parts.memory);
  await parts.publish(between, state);
  let coverage = coverageOf(above, { bridge, length }, page);
  if (coverage === "hidden") {
    // Most such answers are transient errors, and one more page costs less than another pass.
    page = await ask(PAGE_SIZE);
    if (page === null) return null;
    coverage = beginsWithin(page, above) ? "gapless" : coverageOf(above, { bridge, length }, page);
  }
  return { page, coverage, arrivedBetween: between.arrivedCount };
}

/** The page begins with a listing of the page above: no listing between them was missed. */
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
 * A bridge is one answer, hence a snapshot: if it begins within the page above and ends within the page
 * below, it contains everything between them. If the page below is empty, the page above is the end of the
 * list only if the bridge is not full and shows nothing further either.
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
