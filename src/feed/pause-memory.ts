import type { FeedSliceMark, ListingStore } from "#store/store.ts";
import type { MarketPauses, PauseReason } from "./market-pauses.ts";

/**
 * A pause outlives the process: it stands among the marks, under keys that no slice has, with its end in place of
 * the reading's time and the failures in a row in place of the listing.
 */
const REASONS: readonly PauseReason[] = ["rate_limited", "blocked", "unreachable", "unreadable", "empty"];

const keyOf = (reason: PauseReason): string => `pause:${reason}`;

export async function rememberPause(
  store: Pick<ListingStore, "record">,
  pauses: MarketPauses,
  nowMs: number,
): Promise<void> {
  const pause = pauses.current(nowMs);
  if (pause === null) return;
  const mark: FeedSliceMark = {
    key: keyOf(pause.reason),
    lastReadAtMs: Math.ceil(pause.untilMs),
    highestListingId: pauses.failuresInARow,
  };
  await store.record({ listings: [], matches: [], mark });
}

/** Takes up the pause that ends last, where one still holds. */
export function resumePause(marks: readonly FeedSliceMark[], pauses: MarketPauses, nowMs: number): void {
  for (const reason of REASONS) {
    const mark = marks.find(({ key }) => key === keyOf(reason));
    if (mark === undefined || mark.lastReadAtMs <= nowMs) continue;
    if (mark.lastReadAtMs <= (pauses.current(nowMs)?.untilMs ?? nowMs)) continue;
    pauses.resume({ reason, untilMs: mark.lastReadAtMs }, mark.highestListingId);
  }
}
