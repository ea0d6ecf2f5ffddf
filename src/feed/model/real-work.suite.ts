import { setImmediate as otherWork } from "node:timers/promises";

/** More than any two pages' news, of a moment, are learned from in. */
const TURNS = 64;

/**
 * Work that takes real time, where time is simulated: that passes only between the pieces of work, so each run is alike.
 */
export class RealWork {
  readonly #pieces = new Set<Promise<unknown>>();

  async of<Output>(piece: Promise<Output>): Promise<Output> {
    this.#pieces.add(piece);
    return await piece.finally(() => this.#pieces.delete(piece));
  }

  /** Settles when all is done, and all that follows from it without any time passing. */
  async done(): Promise<void> {
    for (let turnsLeft = TURNS; turnsLeft > 0; turnsLeft -= 1) {
      await otherWork();
      if (this.#pieces.size === 0) continue;
      await Promise.allSettled(this.#pieces);
      turnsLeft = TURNS;
    }
  }
}
