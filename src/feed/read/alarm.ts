import type { Clock } from "#domain/clock.ts";

/** Lets loops sleep until a moment or until something happened, whichever is first. */
export class Alarm {
  readonly #clock: Clock;
  readonly #sleepers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wakes everybody who sleeps. */
  ring(): void {
    for (const wake of this.#sleepers) wake();
  }

  sleepUntil(untilMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      const cancel = this.#clock.schedule(Math.max(0, Math.ceil(untilMs - this.#clock.nowMs())), wake);
      this.#sleepers.add(wake);
    });
  }
}
