/**
 * A slice that cannot be read while others can: one listing that nobody can read is enough. It must neither be probed
 * with again and again while the market rests after its failure, nor make the market rest at each of its turns. Pure.
 */

export interface SliceBackoff {
  /** Its last reading failed then, and no other slice was read since; null: else. */
  readonly failedAtMs: number | null;
  /** Of its failures in a row, those after which others were read. */
  readonly failuresAlone: number;
  /** It is left alone until then. */
  readonly restsUntilMs: number;
}

interface Troubled {
  trouble: SliceBackoff;
}

export const NO_BACKOFF: SliceBackoff = { failedAtMs: null, failuresAlone: 0, restsUntilMs: -Infinity };

/**
 * So many in a row may be chance: of a reading of ten pages each one may break. To leave a busy slice alone for that
 * lets more come in than the next reading can find.
 */
const BY_CHANCE = 5;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;

export function noteFailure(state: Troubled, nowMs: number): void {
  state.trouble = { ...state.trouble, failedAtMs: nowMs };
}

/** Whoever failed since the last success, and did not succeed now, failed alone. */
export function noteSuccess(state: Troubled, all: Iterable<Troubled>, nowMs: number): void {
  state.trouble = NO_BACKOFF;
  for (const other of all) {
    const { failedAtMs, failuresAlone } = other.trouble;
    if (failedAtMs === null) continue;
    other.trouble = {
      failedAtMs: null,
      failuresAlone: failuresAlone + 1,
      restsUntilMs: nowMs + restMsAfter(failuresAlone + 1),
    };
  }
}

function restMsAfter(failuresAlone: number): number {
  if (failuresAlone <= BY_CHANCE) return 0;
  return Math.min(FIRST_REST_MS * 2 ** (failuresAlone - BY_CHANCE - 1), LONGEST_REST_MS);
}

/** Those that did not just fail; where all did, the one that failed first. */
export function withoutFailed<State extends Troubled>(states: readonly State[]): readonly State[] {
  const others = states.filter(({ trouble }) => trouble.failedAtMs === null);
  if (others.length > 0 || states.length === 0) return others;
  const failedAtMs = ({ trouble }: State): number => trouble.failedAtMs ?? -Infinity;
  return [states.reduce((first, state) => (failedAtMs(state) < failedAtMs(first) ? state : first))];
}
