import type { Clock } from "#domain/clock.ts";

/** The given clock, a while ahead: what takes days happens at once, and timers still run at their own pace. */
export class ShiftedClock implements Clock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }

  schedule(delayMs: number, action: () => void): () => void {
    return this.#clock.schedule(delayMs, action);
  }

  /** From now on the time is so much later. */
  skip(durationMs: number): void {
    this.#aheadMs += durationMs;
  }
}
