import type { Clock } from "#domain/clock.ts";

interface Appointment {
  readonly atMs: number;
  readonly action: () => void;
}

/** A quiet Friday at noon in Paris. */
export const A_MOMENT_MS = Date.UTC(2026, 10, 20, 11, 0, 0);

/** A clock that advances only on demand. */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #appointments = new Set<Appointment>();

  constructor(startMs: number = A_MOMENT_MS) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, action: () => void): () => void {
    const appointment = { atMs: this.#nowMs + Math.max(0, delayMs), action };
    this.#appointments.add(appointment);
    return () => {
      this.#appointments.delete(appointment);
    };
  }

  /** The number of scheduled actions that have neither run nor been cancelled. */
  get pendingCount(): number {
    return this.#appointments.size;
  }

  /**
   * Advances the clock and runs due actions in order, each at its own time. After each action the promises
   * that it settled get a turn, so that actions they schedule within the span run as well.
   * @param settle also waits for work that takes no time on this clock but real time, such as disk access
   */
  async advance(durationMs: number, settle: () => Promise<void> = settlePromises): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    await settle();
    let next = this.#nextUntil(endMs);
    while (next !== undefined) {
      this.#appointments.delete(next);
      this.#nowMs = next.atMs;
      next.action();
      await settle();
      next = this.#nextUntil(endMs);
    }
    this.#nowMs = endMs;
  }

  #nextUntil(endMs: number): Appointment | undefined {
    let earliest: Appointment | undefined;
    for (const appointment of this.#appointments)
      if (appointment.atMs <= endMs && (earliest === undefined || appointment.atMs < earliest.atMs))
        earliest = appointment;
    return earliest;
  }
}

/** One turn of the event loop: every promise that needs no outside event has settled. */
async function settlePromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
