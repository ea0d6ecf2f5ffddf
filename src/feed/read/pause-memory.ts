import type { FeedSliceMark, ListingStore } from "#store/store.ts";
import type { MarketPauses, PauseReason } from "./market-pauses.ts";

/**
 * A pause outlives the process: it stands among the marks, under keys that no slice has, with its end in place of
 * the reading's time and the failures in a row in place of the listing.
 */
const REASONS: readonly PauseReason[] = ["rate_limited", "blocked", "unreachable", "unreadable", "empty"];

const KEY = /^pause:([a-z_]+):\d+$/;

/** The store only ever raises a mark's numbers: each count of failures has a mark of its own. */
const keyOf = (reason: PauseReason, failuresInARow: number): string =>
  `pause:${reason}:${Math.min(failuresInARow, MAX_TOLD)}`;

const MAX_TOLD = 30;

/** Failures that ended longer ago say nothing about the market of today. */
const OUTDATED_MS = 12 * 3_600_000;

export async function rememberPause(
  store: Pick<ListingStore, "record">,
  pauses: MarketPauses,
  nowMs: number,
): Promise<void> {
  const pause = pauses.current(nowMs);
  if (pause === null) return;
  const mark: FeedSliceMark = {
    key: keyOf(pause.reason, pauses.failuresInARow),
    lastReadAtMs: Math.ceil(pause.untilMs),
    highestListingId: pauses.failuresInARow,
  };
  await store.record({ listings: [], matches: [], marks: [mark] });
}

/**
 * Takes up the pause that ends last. One that is over, and after which nothing was read, still counts its failures:
 * a single probe goes out first, and the next pause is longer.
 */
export function resumePause(marks: readonly FeedSliceMark[], pauses: MarketPauses, nowMs: number): void {
  let lastReadAtMs = -Infinity;
  let last: { readonly reason: PauseReason; readonly mark: FeedSliceMark } | null = null;
  for (const mark of marks) {
    const told = KEY.exec(mark.key)?.[1];
    const reason = REASONS.find((each) => each === told);
    if (told === undefined) lastReadAtMs = Math.max(lastReadAtMs, mark.lastReadAtMs);
    else if (reason !== undefined && mark.lastReadAtMs > (last?.mark.lastReadAtMs ?? -Infinity))
      last = { reason, mark };
  }
  if (last === null) return;
  const { lastReadAtMs: untilMs, highestListingId: failuresInARow } = last.mark;
  const isProvenOver = lastReadAtMs >= untilMs || untilMs < nowMs - OUTDATED_MS;
  if (untilMs > nowMs || !isProvenOver) pauses.resume({ reason: last.reason, untilMs }, failuresInARow);
}
