/** Cursors per millisecond; derived from the time, so that they also increase across restarts. */
export const CURSORS_PER_MS = 4_096n;

/** Generates increasing cursors, the positions of matches in people's streams. */
export class CursorSource {
  #last = 0n;

  /** Decimal text, comparable as an integer. */
  next(nowMs: number): string {
    const nowCursor = countOf(nowMs);
    this.#last = nowCursor > this.#last ? nowCursor : this.#last + 1n;
    return this.#last.toString();
  }
}

/** A lower bound: every match before this moment has a smaller cursor. */
export function firstCursorOf(atMs: number): string {
  return countOf(atMs).toString();
}

function countOf(atMs: number): bigint {
  return BigInt(Math.max(0, Math.trunc(atMs))) * CURSORS_PER_MS;
}

/** Validates a text that may come from a browser. */
export function isCursor(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text);
}

/** Whether a cursor is greater than another one. */
export function isAfter(cursor: string, other: string): boolean {
  return cursor.length === other.length ? cursor > other : cursor.length > other.length;
}
