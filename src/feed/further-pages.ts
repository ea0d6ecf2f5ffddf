/** Turning the pages of a slice until they overlap with what is known, and what was left out between them. */
import type { SearchPage } from "#marketplace/marketplace.ts";
import { takePage, type PageReading } from "./ingest.ts";
import { beginsWithin, bridgeLength, coverageOf, worstOf, type Coverage } from "./page-overlap.ts";
import type { SliceState } from "./slice-book.ts";
import { MAX_PAGES, PAGE_SIZE, readPage, type SlicePassParts } from "./slice-pages.ts";

export interface PagesRead {
  /** What the last page tells, which nobody was told of yet; that of those above it was published. */
  readonly reading: PageReading;
  /** Of all pages together. */
  readonly arrivedCount: number;
  readonly pageCount: number;
  readonly coverage: Coverage;
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
    if (!(await parts.takeTurn())) return null;
    const above = page;
    page = await readPage(state, pageCount, parts);
    if (!beginsWithin(page, above)) {
      if (!(await parts.takeTurn())) return null;
      const length = bridgeLength(pageCount, PAGE_SIZE);
      const bridge = await readPage(state, pageCount, parts, length);
      const between = takePage(bridge, state, parts.memory);
      coverage = worstOf(coverage, coverageOf(above, { bridge, length }, page));
      arrivedCount += between.arrivedCount;
      await parts.publish(between, state);
    }
    reading = takePage(page, state, parts.memory);
    arrivedCount += reading.arrivedCount;
  }
  return { reading, arrivedCount, pageCount, coverage };
}
