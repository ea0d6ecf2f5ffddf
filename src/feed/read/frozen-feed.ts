/** Silence of a market that was lively a moment ago: it answers, and nothing new ever stands in the answers. */
export class FrozenFeedDetector {
  #lastArrivalAtMs: number | null = null;
  #arrivalsPerMs = 0;
  #arrivals = 0;

  /** @param arrivalsPerMs how much comes in by now, all slices together */
  arrived(count: number, arrivalsPerMs: number, nowMs: number): void {
    this.#lastArrivalAtMs = nowMs;
    this.#arrivals += count;
    this.#arrivalsPerMs = arrivalsPerMs;
  }

  /**
   * Until when the market counts as frozen; null: it does not. It does once thirty times the usual gap and two
   * minutes have passed without anything. After a quarter of an hour silence is how the market is.
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
