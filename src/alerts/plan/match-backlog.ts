import type { UserMatch } from "#domain/market/match.ts";

const MAX_MATCHES = 50_000;

/** Published matches that wait for a decision; bounded. Keeps references to the batches' own arrays. */
export class MatchBacklog {
  #batches: (readonly UserMatch[])[] = [];
  #count = 0;
  /** Number of handled matches of the first batch. */
  #position = 0;

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** @returns false if it overflowed: it is empty now, and all its matches must be read from the store */
  add(matches: readonly UserMatch[]): boolean {
    if (this.#count + matches.length > MAX_MATCHES) {
      this.#batches = [];
      this.#count = 0;
      this.#position = 0;
      return false;
    }
    this.#batches.push(matches);
    this.#count += matches.length;
    return true;
  }

  /** Handles a part of the first batch. @param part handles from an index on; returns the next index */
  async workOff(part: (matches: readonly UserMatch[], from: number) => Promise<number>): Promise<void> {
    const [matches] = this.#batches;
    if (matches === undefined) return;
    const next = await part(matches, this.#position);
    // It overflowed meanwhile: its matches are read again from the store.
    if (this.#batches[0] !== matches) return;
    this.#position = next;
    if (next < matches.length) return;
    this.#batches.shift();
    this.#count -= matches.length;
    this.#position = 0;
  }
}
