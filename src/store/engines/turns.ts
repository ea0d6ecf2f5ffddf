import { StoreError } from "../errors.ts";

/** More waiting than this means that the store has fallen behind for good: new work is refused at once. */
const MAX_WAITING = 20_000;

/** One at a time, first come first served. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Settles as `action` does, which runs once everything asked for earlier has settled. */
  async take<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING) {
      throw new StoreError("overloaded", `the store is overloaded: ${MAX_WAITING} operations wait for it`);
    }
    this.#waiting += 1;
    const before = this.#last;
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    this.#last = done;
    await before;
    try {
      return await action();
    } finally {
      this.#waiting -= 1;
      finish();
    }
  }
}
