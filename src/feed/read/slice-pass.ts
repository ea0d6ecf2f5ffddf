import type { ListingId } from "#domain/ids.ts";
import { readFirstPage } from "./first-page.ts";
import { readFurther } from "./further-pages.ts";
import { takePage } from "./ingest.ts";
import { inOrder, type Coverage } from "./page-overlap.ts";
import { noteArrivals, noteDepth } from "../schedule/planner.ts";
import type { ReadMark, SliceState } from "../schedule/slice-states.ts";
import { MAX_PAGES, type PassOutcome, type SlicePassParts } from "./slice-pages.ts";

/** The log says so where a reading ends at the last page: what stood below it since the one before is lost. */
export const CUT_OFF = "more came in than the marketplace's pages hold";

/** A marketplace that never shows what it says stands further down must not keep a mark where it is. */
const MAX_HIDDEN_PASSES = 5;

/**
 * Reads a slice from its first page until the pages overlap with what is known. The first call's turn in the budget
 * is the caller's, that of each further page is taken here. Throws what the marketplace's port throws: then the
 * mark has not moved, and the next pass covers the same ground. Neither has it where nothing at all was shown, unless
 * the pass before was shown nothing either: what other slices show of this one meanwhile would else pass for read.
 */
export async function readSlice(state: SliceState, parts: SlicePassParts): Promise<PassOutcome> {
  const sentAtMs = parts.clock.nowMs();
  const expectedIds = [...state.expected.keys()];
  const wasEmpty = state.lastPageSize === 0;
  const first = await readFirstPage(state, parts, sentAtMs);
  if (typeof first === "string") return first;
  const { page, isWhole } = first;
  if (state.slice.isScout) {
    noteArrivals(state, parts.scout.takePage(page), sentAtMs);
    return "read";
  }
  const firstReading = takePage(page, state, parts.memory);
  if (isWhole) state.wholeReadAtMs = sentAtMs;
  state.lastPageSize = inOrder(page).length;
  const isBelieved = state.lastPageSize > 0 || wasEmpty;
  const pages = await readFurther(page, firstReading, state, parts);
  if (pages === null) return "interrupted";
  const { reading, arrivedCount, pageCount, coverage, lastListingId } = pages;
  const cutOffSince = reading.reachesKnown || pageCount < MAX_PAGES ? null : state.mark;
  if (cutOffSince !== null) {
    const { sentAtMs: sinceMs } = cutOffSince;
    parts.log.warn({ slice: state.slice.key, newCount: arrivedCount, sinceMs, untilMs: sentAtMs }, CUT_OFF);
  }
  noteDepth(state, { pages: pageCount, isCutOff: cutOffSince !== null, maxPages: MAX_PAGES }, sentAtMs);
  noteArrivals(state, arrivedCount, sentAtMs);
  if (isBelieved) {
    const highestListingId = Math.max(firstReading.highestListingId, state.mark?.highestListingId ?? 0);
    if (coverage === "gapless" && lastListingId !== null) cover(state, lastListingId, cutOffSince !== null);
    moveMark(state, { sentAtMs, receivedAtMs: page.receivedAtMs, highestListingId }, coverage);
    // What was expected here when the request left is found by now, or lies elsewhere.
    for (const id of expectedIds) state.expected.delete(id);
  }
  await parts.publish(reading, state);
  if (isBelieved) parts.scout.disappoint(state, expectedIds);
  return "read";
}

/** @param isCutOff between this pass and what was read before lies what nobody saw */
function cover(state: SliceState, lastListingId: ListingId, isCutOff: boolean): void {
  const isLower = state.coveredFrom === null || lastListingId < state.coveredFrom;
  if (isCutOff || isLower) state.coveredFrom = lastListingId;
}

/**
 * A pass without a gap is as good as one instant: the mark moves to its beginning. Else a listing may have slipped
 * from a page to the one above, as others were sold: the mark moves only after a second pass has looked at the same
 * ground again. One that was not shown all of the ground has not looked at it.
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
