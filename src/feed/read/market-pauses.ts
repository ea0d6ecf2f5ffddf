import type { Random } from "#domain/random.ts";
import type { MarketplaceErrorCode } from "#marketplace/errors.ts";

export type PauseReason = "rate_limited" | "blocked" | "unreachable" | "unreadable" | "empty";

export interface Pause {
  readonly reason: PauseReason;
  readonly untilMs: number;
}

/** Each failure in a row doubles the pause, from the first length to the longest. */
export interface PauseLengths {
  readonly firstMs: number;
  readonly longestMs: number;
}

export type PausePolicy = Readonly<Record<PauseReason, PauseLengths>>;

/** Towards a marketplace that owes us nothing: whoever is refused stays away for long. */
export const PAUSES_OUTSIDE: PausePolicy = {
  // Only where the marketplace names no time itself.
  rate_limited: { firstMs: 30_000, longestMs: 30 * 60_000 },
  blocked: { firstMs: 5 * 60_000, longestMs: 12 * 3_600_000 },
  unreachable: { firstMs: 1_000, longestMs: 45_000 },
  unreadable: { firstMs: 10_000, longestMs: 45_000 },
  empty: { firstMs: 10_000, longestMs: 45_000 },
};

/** Towards the sandbox: growing too, and over within a minute after a fault has ended. */
export const PAUSES_SANDBOX: PausePolicy = {
  rate_limited: { firstMs: 1_000, longestMs: 20_000 },
  blocked: { firstMs: 5_000, longestMs: 40_000 },
  unreachable: { firstMs: 500, longestMs: 10_000 },
  unreadable: { firstMs: 1_000, longestMs: 20_000 },
  empty: { firstMs: 2_000, longestMs: 20_000 },
};

/** When the market may be asked again after it refused, failed or answered nonsense. */
export class MarketPauses {
  readonly #policy: PausePolicy;
  readonly #random: Random;
  #pause: Pause | null = null;
  #failuresInARow = 0;

  constructor(policy: PausePolicy, random: Random) {
    this.#policy = policy;
    this.#random = random;
  }

  /** Failed since the last success: only one probe at a time may go out. */
  get isProbing(): boolean {
    return this.#failuresInARow > 0;
  }

  /** For writing down, so that a restart does not forget it. */
  get failuresInARow(): number {
    return this.#failuresInARow;
  }

  /** The last pause, over or not, until an answer proves that the market is there again. */
  get shown(): Pause | null {
    return this.#pause;
  }

  /** The pause that holds now, or null. */
  current(nowMs: number): Pause | null {
    return this.#pause !== null && this.#pause.untilMs > nowMs ? this.#pause : null;
  }

  /** A time that the marketplace names is kept exactly; every other pause grows, with jitter. */
  failed(reason: PauseReason, retryAfterMs: number | null, nowMs: number): Pause {
    const { firstMs, longestMs } = this.#policy[reason];
    const grownMs = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failuresInARow, 20));
    const jitteredMs = grownMs * (0.75 + 0.25 * this.#random.next());
    const lengthMs = reason === "rate_limited" && retryAfterMs !== null ? retryAfterMs : jitteredMs;
    this.#failuresInARow += 1;
    // Of two failures at once the longer pause counts.
    const untilMs = Math.max(nowMs + lengthMs, this.#pause?.untilMs ?? 0);
    this.#pause = { reason, untilMs };
    return this.#pause;
  }

  /** An answer that was on its way when the pause began does not end it. */
  succeeded(nowMs: number): void {
    if (this.current(nowMs) !== null) return;
    this.#failuresInARow = 0;
    this.#pause = null;
  }

  /** Goes on with a pause of an earlier process. */
  resume(pause: Pause, failuresInARow: number): void {
    this.#pause = pause;
    this.#failuresInARow = failuresInARow;
  }
}

/** Why a failed reading pauses the feed. */
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
