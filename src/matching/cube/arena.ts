/**
 * The memory of the whole index: blocks of 32-bit words, addressed by offset.
 *
 * Blocks have size classes, four per power of two (4, 5, 6, 7, 8, 10, 12, 14, 16, 20, …), so a block is at
 * most a fifth larger than requested. A freed block is kept in the free list of its class, which uses the
 * first word of each free block. Blocks never move, and none is a JavaScript object.
 */

const SMALLEST_CLASS_WORDS = 4;
const CLASS_COUNT = 112;
const FIRST_WORDS = 1 << 12;

export class Arena {
  /** The memory itself. Allocation may replace it: read this property again afterwards. */
  words = new Int32Array(FIRST_WORDS);
  /** Head of the free list of each class; 0: empty, since the block at 0 is never allocated. */
  readonly #freeHeads = new Int32Array(CLASS_COUNT);
  #top = SMALLEST_CLASS_WORDS;
  #freeWords = 0;

  /** Words in allocated blocks. */
  get usedWords(): number {
    return this.#top - this.#freeWords;
  }

  /** Returns the offset of a block of `classWords(classIndex)` words with undefined content. */
  allocate(classIndex: number): number {
    const head = this.#freeHeads[classIndex] ?? 0;
    const size = classWords(classIndex);
    if (head !== 0) {
      this.#freeHeads[classIndex] = this.words[head] ?? 0;
      this.#freeWords -= size;
      return head;
    }
    const offset = this.#top;
    this.#top += size;
    if (this.#top > this.words.length) this.#grow();
    return offset;
  }

  free(offset: number, classIndex: number): void {
    this.words[offset] = this.#freeHeads[classIndex] ?? 0;
    this.#freeHeads[classIndex] = offset;
    this.#freeWords += classWords(classIndex);
  }

  /** Doubles the memory until everything allocated fits. */
  #grow(): void {
    let { length } = this.words;
    while (length < this.#top) length *= 2;
    const grown = new Int32Array(length);
    grown.set(this.words);
    this.words = grown;
  }
}

/** The smallest class whose blocks have at least this many words. */
export function classFor(wordCount: number): number {
  if (wordCount <= SMALLEST_CLASS_WORDS) return 0;
  // (2^exponent, 2^(exponent + 1)] has four quarters: exponent and quarter determine the class.
  const exponent = 31 - Math.clz32(wordCount - 1);
  const quarter = ((wordCount - 1) >>> (exponent - 2)) - 3;
  return (exponent - 2) * 4 + quarter;
}

export function classWords(classIndex: number): number {
  return (4 + (classIndex & 3)) << (classIndex >>> 2);
}
