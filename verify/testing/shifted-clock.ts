import type { Clock } from "#domain/clock.ts";

/** A clock that can skip ahead, so that days pass at once; timers still run at their normal pace. */
export class ShiftedClock implements Clock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  schedule(delayMs: number, action: () => void): () => void {
    return this.#clock.schedule(delayMs, action);
  }

  /** Moves the time forward by this duration. */
  skip(durationMs: number): void {
    this.#aheadMs += durationMs;
  }
}
