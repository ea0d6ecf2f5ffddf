/** Turning the pages of a slice until they overlap with what is known, and what was left out between them. */
import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { takePage, type PageReading } from "./ingest.ts";
import { beginsWithin, bridgeLength, coverageOf, inOrder, worstOf, type Coverage } from "./page-overlap.ts";
import type { SliceState } from "../schedule/slice-states.ts";
import { MAX_PAGES, PAGE_SIZE, readPage, type SlicePassParts } from "./slice-pages.ts";

export interface PagesRead {
  /** What the last page tells, which nobody was told of yet; that of those above it was published. */
  readonly reading: PageReading;
  /** Of all pages together. */
  readonly arrivedCount: number;
  readonly pageCount: number;
  readonly coverage: Coverage;
  /** In the market's order, of the last page; null: that page was empty. */
  readonly lastListingId: ListingId | null;
}

/** @returns null: no request may leave; what was read so far is told. */
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
    reading = takePage(page, state, parts.memory);
    arrivedCount += next.arrivedBetween + reading.arrivedCount;
  }
  // An answer that is cut short, or knows of too few pages, looks like the end of the list.
  const isAtItsWord = !reading.reachesKnown && pageCount < MAX_PAGES && state.mark !== null;
  if (isAtItsWord) coverage = worstOf(coverage, "gap");
  return { reading, arrivedCount, pageCount, coverage, lastListingId: inOrder(page).at(-1) ?? null };
}

interface NextPage {
  readonly page: SearchPage;
  readonly coverage: Coverage;
  /** Of what stood across the end of the page above, and was published. */
  readonly arrivedBetween: number;
}

/** The page below, and what stands across the end of the one above where they do not overlap. Null: as above. */
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
  const between = takePage(bridge, state, parts.memory);
  await parts.publish(between, state);
  let coverage = coverageOf(above, { bridge, length }, page);
  if (coverage === "hidden") {
    // Most such answers are a slip of the moment; a pass that must be made anew costs more than a page.
    page = await ask(PAGE_SIZE);
    if (page === null) return null;
    coverage = beginsWithin(page, above) ? "gapless" : coverageOf(above, { bridge, length }, page);
  }
  return { page, coverage, arrivedBetween: between.arrivedCount };
}
