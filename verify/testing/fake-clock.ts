import type { Clock } from "#domain/clock.ts";

interface Appointment {
  readonly atMs: number;
  readonly action: () => void;
}

/** A quiet Friday at noon in Paris. */
export const A_MOMENT_MS = Date.UTC(2026, 10, 20, 11, 0, 0);

/** Time that moves only when a test says so. */
export class FakeClock implements Clock {
  #nowMs: number;
  readonly #appointments = new Set<Appointment>();

  constructor(startMs: number = A_MOMENT_MS) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, action: () => void): () => void {
    const appointment = { atMs: this.#nowMs + Math.max(0, delayMs), action };
    this.#appointments.add(appointment);
    return () => {
      this.#appointments.delete(appointment);
    };
  }

  /** How many scheduled actions have neither run nor been taken back. */
  get pendingCount(): number {
    return this.#appointments.size;
  }

  /**
   * Lets time pass: what falls due runs in order of time, each at its own moment. After each action the
   * promises that it settled get their turn, so that what they schedule within the span runs as well.
   * @param settle waits for more than that: for what takes no time in the test's world, but some in ours
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

/** One turn of the event loop: every promise that can settle without the outside has settled. */
async function settlePromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
