import { StoreError } from "../errors.ts";

/** More waiting than this means that the store has fallen behind for good: new work is refused at once. */
const MAX_WAITING = 20_000;

/** So many urgent ones in a row let one of the others pass: nobody waits for ever. */
const MAX_URGENT_IN_A_ROW = 16;

/** One at a time: the urgent first, first come first served among equals. */
export class Turns {
  readonly #urgent: (() => void)[] = [];
  readonly #usual: (() => void)[] = [];
  #isTaken = false;
  #urgentInARow = 0;

  /** Settles as `action` does, which runs once whoever stands before it has settled. */
  async take<Result>(action: () => Promise<Result>, isUrgent = false): Promise<Result> {
    if (Number(this.#isTaken) + this.#urgent.length + this.#usual.length >= MAX_WAITING) {
      throw new StoreError("overloaded", `the store is overloaded: ${MAX_WAITING} operations wait for it`);
    }
    if (this.#isTaken) {
      await new Promise<void>((begin) => {
        (isUrgent ? this.#urgent : this.#usual).push(begin);
      });
    }
    this.#isTaken = true;
    try {
      return await action();
    } finally {
      this.#passOn();
    }
  }

  /** The turn stays taken while it is handed over: who asks meanwhile stands behind. */
  #passOn(): void {
    const next = this.#next();
    if (next === undefined) this.#isTaken = false;
    else next();
  }

  #next(): (() => void) | undefined {
    const letsPass = this.#urgentInARow >= MAX_URGENT_IN_A_ROW && this.#usual.length > 0;
    const urgent = letsPass ? undefined : this.#urgent.shift();
    this.#urgentInARow = urgent === undefined ? 0 : this.#urgentInARow + 1;
    return urgent ?? this.#usual.shift();
  }
}
