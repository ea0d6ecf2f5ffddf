/**
 * The first page of a reading: short where little is expected, whole where more came than that, and doubted where it
 * holds nothing.
 */
import type { SearchPage } from "#marketplace/marketplace.ts";
import { firstLength } from "./first-length.ts";
import { reachesKnown, takePage } from "./ingest.ts";
import { inOrder } from "./page-overlap.ts";
import { noteArrivals } from "../schedule/planner.ts";
import type { SliceState } from "../schedule/slice-states.ts";
import { PAGE_SIZE, readPage, type PassOutcome, type SlicePassParts } from "./slice-pages.ts";

export interface FirstPage {
  readonly page: SearchPage;
  /** It was asked for in the marketplace's most length. */
  readonly isWhole: boolean;
}

/** A first page this full does not empty from one reading to the next. */
const FULL_ENOUGH = 10;

/** An outcome where the pass ends with it: what was shown is told then, and the mark stays. */
export async function readFirstPage(
  state: SliceState,
  parts: SlicePassParts,
  sentAtMs: number,
): Promise<FirstPage | PassOutcome> {
  const length = firstLength(state, sentAtMs, PAGE_SIZE);
  const page = await readPage(state, 1, parts, length);
  if (length < PAGE_SIZE && page.totalPages > 1 && !reachesKnown(page, state, parts.memory))
    return await readOverflow(page, state, parts, sentAtMs);
  if (inOrder(page).length === 0 && !state.slice.isScout) {
    noteArrivals(state, 0, sentAtMs);
    const doubt = (state.lastPageSize ?? 0) < FULL_ENOUGH ? null : await doubtEmptiness(parts);
    if (doubt !== null) return doubt;
  }
  return { page, isWhole: length === PAGE_SIZE };
}

/**
 * The first page anew and whole, where more came than a short one was made for: told from that, all of it stands in the
 * market's order, a request later.
 */
async function readOverflow(
  short: SearchPage,
  state: SliceState,
  parts: SlicePassParts,
  sentAtMs: number,
): Promise<FirstPage | PassOutcome> {
  // Whatever becomes of the whole page, this reading was shown something.
  state.lastPageSize = Math.max(inOrder(short).length, state.lastPageSize ?? 0);
  let whole: SearchPage | null = null;
  try {
    if (await parts.takeTurn()) whole = await readPage(state, 1, parts);
  } finally {
    // A refusal is heard at once: the pause after it does not wait until news were told.
    if (whole === null) parts.publishAside(takePage(short, state, parts.memory), state);
  }
  if (whole === null) return "interrupted";
  if (inOrder(whole).length === 0) return await tellShort(short, state, parts, sentAtMs);
  return { page: whole, isWhole: true };
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

/**
 * An empty list is also what some marketplaces answer to whom they block: a slice that was full a moment ago is
 * believed to be empty, and null answered, only when the market as a whole is not.
 */
async function doubtEmptiness({ catalogue, takeTurn }: SlicePassParts): Promise<PassOutcome | null> {
  if (!(await takeTurn())) return "interrupted";
  const page = await catalogue.searchNewest({ leafIds: [], marketplaceColourIds: [], page: 1, perPage: 20 });
  return inOrder(page).length > 0 ? null : "suspiciously_empty";
}
