/** Cursors count 4,096 to the millisecond, so that they grow across restarts too. */
const CURSORS_PER_MS = 4_096n;

/** Gives out the places of matches in the people's streams: each greater than all before. */
export class CursorSource {
  #last = 0n;

  /** Decimal text, comparable as an integer. */
  next(nowMs: number): string {
    const ofNow = countOf(nowMs);
    this.#last = ofNow > this.#last ? ofNow : this.#last + 1n;
    return this.#last.toString();
  }
}

/** The first cursor of a moment: every match before it has a smaller one. */
export function firstCursorOf(atMs: number): string {
  return countOf(atMs).toString();
}

function countOf(atMs: number): bigint {
  return BigInt(Math.max(0, Math.trunc(atMs))) * CURSORS_PER_MS;
}

/** The moment at which a match of this place was told, in milliseconds; a little late where very many came at once. */
export function momentOfCursor(cursor: string): number {
  return Number(BigInt(cursor) / CURSORS_PER_MS);
}

/** Whether a text, which may come from a browser, is a cursor. */
export function isCursor(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text);
}

/** Whether a cursor stands behind another one. */
export function isAfter(cursor: string, other: string): boolean {
  return cursor.length === other.length ? cursor > other : cursor.length > other.length;
}
