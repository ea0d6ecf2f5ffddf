import type { SliceState } from "../schedule/slice-states.ts";

/**
 * How long the first page of a reading is asked for. Most of a whole page was there at the reading before, where a
 * slice is read every second: a short one tells the same news, for a part of the work of either side.
 */

/** The marketplace's least is 20. */
const SHORT_LENGTHS = [24, 48];

/** So many times what is expected fits on it: more is hardly ever there at once, and promoted listings take room. */
const SPARE = 3;

/** Edits, price drops and what turns up late below the newest are found on whole pages: so soon after they are there. */
const WHOLE_AFTER_MS = 3_000;
/** And before so much of a whole page has come that some of it was never looked at again. */
const WHOLE_AFTER_SHARE = 1 / 3;

/** @param wholeLength of a whole page, the marketplace's most */
export function firstLength(state: SliceState, nowMs: number, wholeLength: number): number {
  const { mark, unconfirmedMark, lastReadAtMs, wholeReadAtMs, arrivalsPerMs } = state;
  if (state.slice.isScout || mark === null || unconfirmedMark !== null) return wholeLength;
  if (lastReadAtMs === null || wholeReadAtMs === null) return wholeLength;
  const sinceWholeMs = nowMs - wholeReadAtMs;
  const isWholeDue =
    sinceWholeMs >= WHOLE_AFTER_MS || sinceWholeMs * arrivalsPerMs >= wholeLength * WHOLE_AFTER_SHARE;
  if (isWholeDue) return wholeLength;
  const wanted = (nowMs - lastReadAtMs) * arrivalsPerMs * SPARE;
  return SHORT_LENGTHS.find((length) => length >= wanted) ?? wholeLength;
}
