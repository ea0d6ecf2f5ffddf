import type { Random } from "#domain/clock.ts";
import type { MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { FeedSliceMark, ListingStore } from "#store/market-store.ts";

export type PauseReason = "rate_limited" | "blocked" | "unreachable" | "unreadable" | "empty";

export interface Pause {
  readonly reason: PauseReason;
  readonly untilMs: number;
}

/** Each consecutive failure doubles the pause, from the first length to the longest. */
interface PauseLengths {
  readonly firstMs: number;
  readonly longestMs: number;
}

export type PausePolicy = Readonly<Record<PauseReason, PauseLengths>>;

/** For a real marketplace: pauses are long after a refusal. */
export const PAUSES_OUTSIDE: PausePolicy = {
  // Used only without a Retry-After.
  rate_limited: { firstMs: 30_000, longestMs: 30 * 60_000 },
  blocked: { firstMs: 5 * 60_000, longestMs: 12 * 3_600_000 },
  unreachable: { firstMs: 1_000, longestMs: 45_000 },
  unreadable: { firstMs: 10_000, longestMs: 45_000 },
  empty: { firstMs: 10_000, longestMs: 45_000 },
};

/** For the sandbox: also growing, but over within a minute after a fault ends. */
export const PAUSES_SANDBOX: PausePolicy = {
  rate_limited: { firstMs: 1_000, longestMs: 20_000 },
  blocked: { firstMs: 5_000, longestMs: 40_000 },
  unreachable: { firstMs: 500, longestMs: 10_000 },
  unreadable: { firstMs: 1_000, longestMs: 20_000 },
  empty: { firstMs: 2_000, longestMs: 20_000 },
};

/** When the market may be read again after it refused, failed or sent an invalid answer. */
export class MarketPauses {
  readonly #policy: PausePolicy;
  readonly #random: Random;
  #pause: Pause | null = null;
  #failuresInARow = 0;

  constructor(policy: PausePolicy, random: Random) {
    this.#policy = policy;
    this.#random = random;
  }

  /** The last reading failed: only one probe at a time may be sent. */
  get isProbing(): boolean {
    return this.#failuresInARow > 0;
  }

  /** Persisted, so that a restart does not reset it. */
  get failuresInARow(): number {
    return this.#failuresInARow;
  }

  /** The last pause, even if it is over, until an answer proves that the market responds again. */
  get shown(): Pause | null {
    return this.#pause;
  }

  /** The pause in effect, or null. */
  current(nowMs: number): Pause | null {
    return this.#pause !== null && this.#pause.untilMs > nowMs ? this.#pause : null;
  }

  /** A Retry-After is kept exactly; every other pause grows exponentially, with jitter. */
  failed(reason: PauseReason, retryAfterMs: number | null, nowMs: number): Pause {
    const { firstMs, longestMs } = this.#policy[reason];
    const grownMs = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failuresInARow, 20));
    const jitteredMs = Math.round(grownMs * (0.75 + 0.25 * this.#random.next()));
    const lengthMs = reason === "rate_limited" && retryAfterMs !== null ? retryAfterMs : jitteredMs;
    this.#failuresInARow += 1;
    const pause = { reason, untilMs: nowMs + lengthMs };
    // Of two overlapping failures the longer pause applies, with its reason.
    if (this.#pause === null || this.#pause.untilMs <= pause.untilMs) this.#pause = pause;
    return this.#pause;
  }

  /** An answer that was in flight when the pause began does not end it. */
  succeeded(nowMs: number): void {
    if (this.current(nowMs) !== null) return;
    this.#failuresInARow = 0;
    this.#pause = null;
  }

  /** Restores a pause of an earlier process. */
  resume(pause: Pause, failuresInARow: number): void {
    this.#pause = pause;
    this.#failuresInARow = failuresInARow;
  }
}

export function pauseReasonOf(code: MarketplaceErrorCode): PauseReason {
  switch (code) {
    case "rate_limited":
      return "rate_limited";
    case "blocked":
    case "unauthorised":
    case "session_refused":
      return "blocked";
    case "unreachable":
    case "timeout":
    case "broken_connection":
    case "server_error":
      return "unreachable";
    default:
      return "unreadable";
  }
}

/**
 * A pause survives a restart: it is stored among the slice marks under keys that no slice has, with its end as the
 * reading time and the number of failures as the listing id.
 */
const REASONS: readonly PauseReason[] = ["rate_limited", "blocked", "unreachable", "unreadable", "empty"];

const KEY = /^pause:([a-z_]+):\d+$/;

/** The store only increases a mark's values, so each failure count needs a key of its own. */
const keyOf = (reason: PauseReason, failuresInARow: number): string =>
  `pause:${reason}:${Math.min(failuresInARow, MAX_RECORDED_FAILURES)}`;

const MAX_RECORDED_FAILURES = 30;

/** Pauses that ended longer ago are not restored. */
const OUTDATED_MS = 12 * 3_600_000;

export async function savePause(
  store: Pick<ListingStore, "record">,
  pauses: MarketPauses,
  nowMs: number,
): Promise<void> {
  const pause = pauses.current(nowMs);
  if (pause === null) return;
  const mark: FeedSliceMark = {
    key: keyOf(pause.reason, pauses.failuresInARow),
    lastReadAtMs: pause.untilMs,
    highestListingId: pauses.failuresInARow,
  };
  await store.record({ listings: [], matches: [], marks: [mark] });
}

/**
 * Restores the pause that ends last. If it is over but nothing was read since, its failures still count: a single probe
 * goes first, and the next pause is longer.
 */
export function restorePause(marks: readonly FeedSliceMark[], pauses: MarketPauses, nowMs: number): void {
  let lastReadAtMs = -Infinity;
  let last: { readonly reason: PauseReason; readonly mark: FeedSliceMark } | null = null;
  for (const mark of marks) {
    const reasonText = KEY.exec(mark.key)?.[1];
    const reason = REASONS.find((each) => each === reasonText);
    if (reasonText === undefined) lastReadAtMs = Math.max(lastReadAtMs, mark.lastReadAtMs);
    else if (reason !== undefined && mark.lastReadAtMs > (last?.mark.lastReadAtMs ?? -Infinity))
      last = { reason, mark };
  }
  if (last === null) return;
  const { lastReadAtMs: untilMs, highestListingId: failuresInARow } = last.mark;
  const isProvenOver = lastReadAtMs >= untilMs || untilMs < nowMs - OUTDATED_MS;
  if (untilMs > nowMs || !isProvenOver) pauses.resume({ reason: last.reason, untilMs }, failuresInARow);
}

/** Detects a market that answers but shows nothing new although it was active a moment ago. */
export class FrozenFeedDetector {
  #lastArrivalAtMs: number | null = null;
  #arrivalsPerMs = 0;
  #arrivals = 0;

  /** @param arrivalsPerMs the current rate over all slices */
  arrived(count: number, arrivalsPerMs: number, nowMs: number): void {
    this.#lastArrivalAtMs = nowMs;
    this.#arrivals += count;
    this.#arrivalsPerMs = arrivalsPerMs;
  }

  /**
   * Until when the market counts as frozen, or null. It is frozen after thirty times the usual gap, and at
   * least two minutes, without a new listing. After 15 minutes the silence counts as normal.
   */
  frozenUntilMs(nowMs: number): number | null {
    if (this.#lastArrivalAtMs === null || this.#arrivals < ENOUGH_ARRIVALS) return null;
    const silenceMs = nowMs - this.#lastArrivalAtMs;
    const suspiciousMs = Math.max(LEAST_SILENCE_MS, USUAL_GAPS / Math.max(this.#arrivalsPerMs, 1e-9));
    const isFrozen = silenceMs > suspiciousMs && silenceMs < ACCEPTED_SILENCE_MS;
    return isFrozen ? this.#lastArrivalAtMs + ACCEPTED_SILENCE_MS : null;
  }
}

const ENOUGH_ARRIVALS = 20;
const USUAL_GAPS = 30;
const LEAST_SILENCE_MS = 120_000;
const ACCEPTED_SILENCE_MS = 900_000;
