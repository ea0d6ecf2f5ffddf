/**
 * Back-off for a slice that fails alone (one unreadable listing is enough). Such a slice must not be the
 * probe that ends a pause of the market, and must not cause a pause each time it is due. Pure.
 */

export interface SliceBackoff {
  /** When its last reading failed, until another slice is read; otherwise null. */
  readonly failedAtMs: number | null;
  /** Consecutive failures that were followed by a success of another slice. */
  readonly failuresAlone: number;
  readonly pausedUntilMs: number;
}

interface HasBackoff {
  backoff: SliceBackoff;
}

export const NO_BACKOFF: SliceBackoff = { failedAtMs: null, failuresAlone: 0, pausedUntilMs: -Infinity };

/**
 * Up to this many consecutive failures may be random, since each of a reading's ten pages can fail. Pausing a
 * busy slice for that would let more listings arrive than the next reading can reach.
 */
const TOLERATED_FAILURES = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

export function recordFailure(state: HasBackoff, nowMs: number): void {
  state.backoff = { ...state.backoff, failedAtMs: nowMs };
}

/** Slices that failed since the last success of any slice have failed alone. */
export function recordSuccess(state: HasBackoff, all: Iterable<HasBackoff>, nowMs: number): void {
  state.backoff = NO_BACKOFF;
  for (const other of all) {
    const { failedAtMs, failuresAlone } = other.backoff;
    if (failedAtMs === null) continue;
    other.backoff = {
      failedAtMs: null,
      failuresAlone: failuresAlone + 1,
      pausedUntilMs: nowMs + pauseMsAfter(failuresAlone + 1),
    };
  }
}

function pauseMsAfter(failuresAlone: number): number {
  if (failuresAlone <= TOLERATED_FAILURES) return 0;
  return Math.min(FIRST_PAUSE_MS * 2 ** (failuresAlone - TOLERATED_FAILURES - 1), LONGEST_PAUSE_MS);
}

/** Slices whose last reading did not fail; if all failed, only the one that failed first. */
export function preferNotFailed<State extends HasBackoff>(states: readonly State[]): readonly State[] {
  const others = states.filter(({ backoff }) => backoff.failedAtMs === null);
  if (others.length > 0 || states.length === 0) return others;
  const failedAtMs = ({ backoff }: State): number => backoff.failedAtMs ?? -Infinity;
  return [states.reduce((first, state) => (failedAtMs(state) < failedAtMs(first) ? state : first))];
}
