/** Cursors count 4,096 to the millisecond, so that they grow across restarts too. */
const CURSORS_PER_MS = 4_096n;

/** Gives out the places of matches in the people's streams: each greater than all before. */
export class CursorSource {
  #last = 0n;

  /** Decimal text, comparable as an integer. */
  next(nowMs: number): string {
    const ofNow = BigInt(Math.trunc(nowMs)) * CURSORS_PER_MS;
    this.#last = ofNow > this.#last ? ofNow : this.#last + 1n;
    return this.#last.toString();
  }
}

/** The moment of a cursor, or null for a text that is none. */
export function momentOfCursor(cursor: string): number | null {
  return /^\d{1,19}$/.test(cursor) ? Number(BigInt(cursor) / CURSORS_PER_MS) : null;
}

/** Whether a cursor stands behind another one. Both without leading zeros, as they are given out. */
export function isAfter(cursor: string, other: string): boolean {
  return cursor.length === other.length ? cursor > other : cursor.length > other.length;
}
