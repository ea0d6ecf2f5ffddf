/**
 * The keys with a word that are in use: a counting Bloom filter with one hash function. Each word of a title
 * forms keys with the listing's category and brand, each or "any", and nearly all of those keys are unused.
 * One bit, usually in the CPU cache, decides this; the slot table is many times larger and in main memory.
 */
import type { KeyList } from "./filter-keys.ts";

/** 256 KB of bits. The keys of 50,000 filters with three alternatives each set a fifth of them. */
const INDEX_BITS = 21;
const SHIFT = 32 - INDEX_BITS;
const MAX_COUNT = 255;

export class UsedKeys {
  /** Set where the count is not 0. A look-up reads only these: an eighth of the size of the counts. */
  readonly #bits = new Int32Array(1 << (INDEX_BITS - 5));
  readonly #counts = new Uint8Array(1 << INDEX_BITS);

  get bytes(): number {
    return this.#bits.byteLength + this.#counts.byteLength;
  }

  /** False: no filter is stored under a key of this hash. */
  mayContain(hash: number): boolean {
    const index = hash >>> SHIFT;
    return (((this.#bits[index >>> 5] ?? 0) >>> index) & 1) === 1;
  }

  /** Counts one more filter under each key, or one fewer. */
  count({ hashes, count }: KeyList, change: 1 | -1): void {
    for (let place = 0; place < count; place += 1) {
      const index = (hashes[place] ?? 0) >>> SHIFT;
      const known = this.#counts[index] ?? 0;
      // A saturated count is no longer exact and must stay.
      if (known === MAX_COUNT) continue;
      this.#counts[index] = known + change;
      // The bit changes with the step from 0 or to 0.
      if (known === 0 || known + change === 0) this.#flip(index);
    }
  }

  #flip(index: number): void {
    this.#bits[index >>> 5] = (this.#bits[index >>> 5] ?? 0) ^ (1 << (index & 31));
  }
}
