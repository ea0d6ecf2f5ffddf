import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Catalogue, SearchPage } from "#marketplace/marketplace.ts";
import { firstLength } from "./first-length.ts";
import { reachesKnown, takePage, type PageReading } from "./ingest.ts";
import { noteArrivals, noteDepth } from "./planner.ts";
import { beginsWithin, bridgeLength, isBridged } from "./page-overlap.ts";
import type { Scout } from "./scout.ts";
import type { SeenListings } from "./seen-listings.ts";
import type { ReadMark, SliceState } from "./slice-book.ts";

/** Items per page: the marketplace's most. */
export const PAGE_SIZE = 96;

/** The marketplace serves no page beyond this one. */
export const MAX_PAGES = 10;

/** A first page this full does not empty from one reading to the next. */
const FULL_ENOUGH = 10;

export interface SlicePassParts {
  readonly catalogue: Catalogue;
  /** Waits for a turn of the budget; false: no request may leave now. */
  readonly takeTurn: () => Promise<boolean>;
  readonly memory: SeenListings;
  readonly clock: Clock;
  readonly log: Log;
  /** Completes the memory with what was written down of a page's listings. */
  readonly recall: (page: SearchPage) => Promise<void>;
  readonly scout: Pick<Scout, "takePage" | "disappoint">;
  /** Tells a page's news before it records them with the slice's mark; settles when the next page may come. */
  readonly publish: (reading: PageReading, state: SliceState) => Promise<void>;
  /** The same, beside what goes on; its failure is seen there. */
  readonly publishAside: (reading: PageReading, state: SliceState) => void;
}

/** interrupted: a pause began, or the product stops; what was read so far is told, the mark has not moved. */
export type PassOutcome = "read" | "interrupted" | "suspiciously_empty";

/**
 * Reads a slice from its first page until the pages overlap with what is known. The first call's turn in the budget
 * is the caller's, that of each further page is taken here. Throws what the marketplace's port throws: then the
 * mark has not moved, and the next pass covers the same ground. Neither has it where nothing at all was shown, unless
 * the pass before was shown nothing either: what other slices show of this one meanwhile would else pass for read.
 */
export async function readSlice(state: SliceState, parts: SlicePassParts): Promise<PassOutcome> {
  const sentAtMs = parts.clock.nowMs();
  const expectedIds = [...state.expected.keys()];
  let length = firstLength(state, sentAtMs, PAGE_SIZE);
  let page = await readPage(state, 1, parts, length);
  const wasEmpty = state.lastPageSize === 0;
  if (length < PAGE_SIZE && page.totalPages > 1 && !reachesKnown(page, state, parts.memory)) {
    // Whatever becomes of the whole page, this reading was shown something.
    state.lastPageSize = Math.max(page.listings.length, state.lastPageSize ?? 0);
    const whole = await readWhole(page, state, parts);
    if (whole === null) return "interrupted";
    if (whole.listings.length === 0) return await tellShort(page, state, parts, sentAtMs);
    length = PAGE_SIZE;
    page = whole;
  }
  if (state.slice.isScout) {
    noteArrivals(state, parts.scout.takePage(page), sentAtMs);
    return "read";
  }
  if (page.listings.length === 0) {
    noteArrivals(state, 0, sentAtMs);
    const doubt = (state.lastPageSize ?? 0) < FULL_ENOUGH ? null : await doubtEmptiness(parts);
    if (doubt !== null) return doubt;
  }
  let reading = takePage(page, state, parts.memory);
  let { arrivedCount } = reading;
  if (length === PAGE_SIZE) state.wholeReadAtMs = sentAtMs;
  const isBelieved = page.listings.length > 0 || wasEmpty;
  state.lastPageSize = page.listings.length;
  const { receivedAtMs } = page;
  const highestListingId = Math.max(reading.highestListingId, state.mark?.highestListingId ?? 0);
  let pageNumber = 1;
  let isGapless = true;
  while (!reading.reachesKnown && pageNumber < Math.min(page.totalPages, MAX_PAGES)) {
    await parts.publish(reading, state);
    pageNumber += 1;
    if (!(await parts.takeTurn())) return "interrupted";
    const above = page;
    page = await readPage(state, pageNumber, parts);
    if (!beginsWithin(page, above)) {
      const bridge = await readBridge(state, pageNumber, parts);
      if (bridge === null) return "interrupted";
      const between = takePage(bridge, state, parts.memory);
      isGapless &&= isBridged(above, bridge, page);
      arrivedCount += between.arrivedCount;
      await parts.publish(between, state);
    }
    reading = takePage(page, state, parts.memory);
    arrivedCount += reading.arrivedCount;
  }
  const isCutOff = !reading.reachesKnown && pageNumber === MAX_PAGES && state.mark !== null;
  if (isCutOff) {
    parts.log.warn(
      { slice: state.slice.key, newCount: arrivedCount },
      "more came in than the marketplace's pages hold",
    );
  }
  noteDepth(state, { pages: pageNumber, isCutOff, maxPages: MAX_PAGES }, sentAtMs);
  noteArrivals(state, arrivedCount, sentAtMs);
  if (isBelieved) moveMark(state, { sentAtMs, receivedAtMs, highestListingId }, isGapless);
  // What was expected here when the request left is found by now, or lies elsewhere.
  for (const id of expectedIds) state.expected.delete(id);
  await parts.publish(reading, state);
  parts.scout.disappoint(state, expectedIds);
  return "read";
}

/**
 * The first page anew and whole, where more came than a short one was made for: told from that, all of it stands in the
 * market's order, a request later. Null: no request may leave. Without it what the short one brought is told.
 */
async function readWhole(
  short: SearchPage,
  state: SliceState,
  parts: SlicePassParts,
): Promise<SearchPage | null> {
  let whole: SearchPage | null = null;
  try {
    if (await parts.takeTurn()) whole = await readPage(state, 1, parts);
  } finally {
    // A refusal is heard at once: the pause after it does not wait until news were told.
    if (whole === null) parts.publishAside(takePage(short, state, parts.memory), state);
  }
  return whole;
}

/**
 * Where the whole page came back empty. What lies below the short one was never read: the mark stays, so that the next
 * reading does not take the short one for known.
 */
async function tellShort(
  short: SearchPage,
  state: SliceState,
  parts: SlicePassParts,
  sentAtMs: number,
): Promise<PassOutcome> {
  const reading = takePage(short, state, parts.memory);
  noteArrivals(state, reading.arrivedCount, sentAtMs);
  await parts.publish(reading, state);
  return (await doubtEmptiness(parts)) ?? "read";
}

/** What stands across the end of the page above, now; null: no request may leave. */
async function readBridge(
  state: SliceState,
  pageNumber: number,
  parts: SlicePassParts,
): Promise<SearchPage | null> {
  if (!(await parts.takeTurn())) return null;
  return await readPage(state, pageNumber, parts, bridgeLength(pageNumber, PAGE_SIZE));
}

async function readPage(
  { slice }: SliceState,
  pageNumber: number,
  { catalogue, recall }: SlicePassParts,
  perPage = PAGE_SIZE,
): Promise<SearchPage> {
  const page = await catalogue.searchNewest({
    leafIds: slice.leafIds,
    marketplaceColourIds: slice.marketplaceColourIds,
    page: pageNumber,
    perPage,
  });
  if (page.listings.length === 0 && page.droppedCount > 0) throw new MarketplaceError("unreadable");
  if (!slice.isScout) await recall(page);
  return page;
}

/**
 * An empty list is also what some marketplaces answer to whom they block: a slice that was full a moment ago is
 * believed to be empty, and null answered, only when the market as a whole is not.
 */
async function doubtEmptiness({ catalogue, takeTurn }: SlicePassParts): Promise<PassOutcome | null> {
  if (!(await takeTurn())) return "interrupted";
  const page = await catalogue.searchNewest({ leafIds: [], marketplaceColourIds: [], page: 1, perPage: 20 });
  return page.listings.length > 0 ? null : "suspiciously_empty";
}

/**
 * A pass without a gap is as good as one instant: the mark moves to its beginning. Else a listing may have slipped
 * from a page to the one above, as others were sold: the mark moves only after a second pass has looked at the same
 * ground again.
 */
function moveMark(state: SliceState, beginning: ReadMark, isGapless: boolean): void {
  if (isGapless || state.mark === null) {
    state.mark = beginning;
    state.unconfirmedMark = null;
    return;
  }
  if (state.unconfirmedMark !== null) state.mark = state.unconfirmedMark;
  state.unconfirmedMark = beginning;
}
