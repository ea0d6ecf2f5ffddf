/**
 * Reads the further pages of a slice until they overlap with known listings, and checks that no listing was missed
 * between the pages.
 */
import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import type { SliceState } from "../schedule/slice-states.ts";
import { type PageReading, ingestPage } from "./ingest.ts";
import { beginsWithin, bridgeLength, type Coverage, coverageOf, inOrder, worstOf } from "./page-overlap.ts";
import { MAX_PAGES, PAGE_SIZE, readPage, type SlicePassParts } from "./slice-pages.ts";

export interface PagesRead {
  /** The reading of the last page, not published yet; those of the pages above were published. */
  readonly reading: PageReading;
  /** Over all pages. */
  readonly arrivedCount: number;
  readonly pageCount: number;
  readonly coverage: Coverage;
  /** The last listing of the last page, in the marketplace's order; null: that page was empty. */
  readonly lastListingId: ListingId | null;
}

/** @returns null: no request may be sent; the listings read so far are published */
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
  // An answer that is cut short, or announces too few pages, looks like the end of the list.
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

/** Reads the next page, and a bridge across the end of the page above where the two do not overlap. Null: as above. */
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
    // Most such answers are momentary errors, and another page costs less than another pass.
    page = await ask(PAGE_SIZE);
    if (page === null) return null;
    coverage = beginsWithin(page, above) ? "gapless" : coverageOf(above, { bridge, length }, page);
  }
  return { page, coverage, arrivedBetween: between.arrivedCount };
}
