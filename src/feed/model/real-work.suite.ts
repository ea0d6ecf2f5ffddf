import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** More event-loop turns than learning from two pages takes. */
const TURNS = 64;

/**
 * Work that takes real time within simulated time. Simulated time advances only when none is in flight, so
 * runs are deterministic.
 */
export class RealWork {
  readonly #pieces = new Set<Promise<unknown>>();

  async of<Output>(piece: Promise<Output>): Promise<Output> {
    this.#pieces.add(piece);
    return await piece.finally(() => this.#pieces.delete(piece));
  }

  /** Settles when everything is done that does not wait for a timer. */
  async done(): Promise<void> {
    for (let turnsLeft = TURNS; turnsLeft > 0; turnsLeft -= 1) {
      await yieldToEventLoop();
      if (this.#pieces.size === 0) continue;
      await Promise.allSettled(this.#pieces);
      turnsLeft = TURNS;
    }
  }
}
