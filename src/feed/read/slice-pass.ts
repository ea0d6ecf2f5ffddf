import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { recordArrivals, recordDepth } from "../schedule/planner.ts";
import type { ReadMark, SliceState } from "../schedule/slice-states.ts";
import { readFurther, type Coverage, inOrder } from "./further-pages.ts";
import { ingestPage } from "./ingest.ts";
import { MAX_PAGES, type PassOutcome, readPage, type SlicePassParts } from "./slice-pages.ts";

/** Logged when a reading ends at the last page: listings between it and the previous reading are lost. */
export const CUT_OFF = "more came in than the marketplace's pages hold";

/** A marketplace that never serves the further pages it announces must not block the mark for ever. */
const MAX_HIDDEN_PASSES = 5;

/**
 * Reads a slice from its first page until the pages overlap with known listings. The caller has taken the
 * budget for the first request. Throws the marketplace port's errors; the mark has not moved then, and the
 * next pass covers the same range. The mark also stays if the first page is empty, unless the previous one
 * was empty too: otherwise listings that other slices show meanwhile would count as read.
 */
export async function readSlice(state: SliceState, parts: SlicePassParts): Promise<PassOutcome> {
  const sentAtMs = parts.clock.nowMs();
  const expectedIds = [...state.expected.keys()];
  const wasEmpty = state.lastPageSize === 0;
  const page = await readFirstPage(state, parts, sentAtMs);
  if (typeof page === "string") return page;
  if (state.slice.isScout) {
    recordArrivals(state, parts.scout.observePage(page), sentAtMs);
    return "read";
  }
  const firstReading = ingestPage(page, state, parts.memory);
  state.lastPageSize = inOrder(page).length;
  const isConfirmed = state.lastPageSize > 0 || wasEmpty;
  const pages = await readFurther(page, firstReading, state, parts);
  if (pages === null) return "interrupted";
  const { reading, arrivedCount, pageCount, coverage, lastListingId } = pages;
  const cutOffSince = reading.reachesKnown || pageCount < MAX_PAGES ? null : state.mark;
  if (cutOffSince !== null) {
    const { sentAtMs: sinceMs } = cutOffSince;
    parts.log.warn({ slice: state.slice.key, newCount: arrivedCount, sinceMs, untilMs: sentAtMs }, CUT_OFF);
  }
  recordDepth(state, { pages: pageCount, isCutOff: cutOffSince !== null, maxPages: MAX_PAGES }, sentAtMs);
  recordArrivals(state, arrivedCount, sentAtMs);
  if (isConfirmed) {
    const highestListingId = Math.max(firstReading.highestListingId, state.mark?.highestListingId ?? 0);
    if (coverage === "gapless" && lastListingId !== null) cover(state, lastListingId, cutOffSince !== null);
    moveMark(state, { sentAtMs, receivedAtMs: page.receivedAtMs, highestListingId }, coverage);
    // Listings expected here when the request was sent were found now, or belong to other slices.
    for (const id of expectedIds) state.expected.delete(id);
  }
  await parts.publish(reading, state);
  if (isConfirmed) parts.scout.recordMiss(state, expectedIds);
  return "read";
}

/** A first page with at least this many listings is not plausibly empty at the next reading. */
const FULL_ENOUGH = 10;

async function readFirstPage(
  state: SliceState,
  parts: SlicePassParts,
  sentAtMs: number,
): Promise<SearchPage | PassOutcome> {
  const page = await readPage(state, 1, parts);
  if (inOrder(page).length > 0 || state.slice.isScout) return page;
  recordArrivals(state, 0, sentAtMs);
  const wasFull = (state.lastPageSize ?? 0) >= FULL_ENOUGH;
  return (wasFull ? await checkEmptiness(parts) : null) ?? page;
}

/**
 * Some marketplaces answer a blocked client with an empty list: a slice that was full at its last reading
 * counts as empty (null) only if the market as a whole is not.
 */
async function checkEmptiness({ catalogue, takeTurn }: SlicePassParts): Promise<PassOutcome | null> {
  if (!(await takeTurn())) return "interrupted";
  const page = await catalogue.searchNewest({ leafIds: [], marketplaceColourIds: [], page: 1, perPage: 20 });
  return inOrder(page).length > 0 ? null : "suspiciously_empty";
}

/** @param isCutOff listings between this pass and the previous one were never read */
function cover(state: SliceState, lastListingId: ListingId, isCutOff: boolean): void {
  const isLower = state.coveredFrom === null || lastListingId < state.coveredFrom;
  if (isCutOff || isLower) state.coveredFrom = lastListingId;
}

/**
 * A gapless pass is equivalent to a snapshot: the mark moves to its beginning. Otherwise a sale may have
 * moved a listing to the page above, unseen: the mark moves only after a second pass over the same range. A
 * pass with hidden pages does not count, up to `MAX_HIDDEN_PASSES` times in a row.
 */
function moveMark(state: SliceState, beginning: ReadMark, coverage: Coverage): void {
  if (coverage !== "hidden") state.hiddenPasses = 0;
  else if (state.hiddenPasses < MAX_HIDDEN_PASSES) {
    state.hiddenPasses += 1;
    return;
  }
  if (coverage === "gapless") {
    state.mark = beginning;
    state.unconfirmedMark = null;
    return;
  }
  if (state.unconfirmedMark !== null) state.mark = state.unconfirmedMark;
  state.unconfirmedMark = beginning;
}
