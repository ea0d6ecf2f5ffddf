/**
 * One memory for all cells, tables and answers of the index: blocks of 32-bit words, known by their offset.
 *
 * Blocks come in size classes, four to each doubling (4, 5, 6, 7, 8, 10, 12, 14, 16, 20, …), so a block is at most
 * a fifth larger than asked for. What is given back waits in its class's list for the next block of that class; the
 * list runs through the free blocks' own first words. Nothing is ever moved, and nothing is a JavaScript object.
 */

/** Where the words come from. */
export interface ArenaMemory {
  /** At least this many words, the old ones as they were. A new array may take the place of the old one. */
  grow(wordCount: number): Int32Array;
}

const SMALLEST_CLASS_WORDS = 4;
const CLASS_COUNT = 112;

export class Arena {
  /** The memory itself. Allocating may replace it: whoever allocates reads it anew. */
  words: Int32Array;
  readonly #memory: ArenaMemory;
  /** Head of each class's list of free blocks; 0: none, since the block at 0 is never given out. */
  readonly #freeHeads = new Int32Array(CLASS_COUNT);
  #top = SMALLEST_CLASS_WORDS;
  #freeWords = 0;

  constructor(memory: ArenaMemory) {
    this.#memory = memory;
    this.words = memory.grow(1 << 12);
  }

  /** Words in blocks that are in use. */
  get usedWords(): number {
    return this.#top - this.#freeWords;
  }

  /** Words ever given out, in use or waiting. */
  get reservedWords(): number {
    return this.#top;
  }

  /** The offset of a block of `classWords(classIndex)` words; what they hold is undefined. */
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
    if (this.#top > this.words.length) this.words = this.#memory.grow(this.#top);
    return offset;
  }

  free(offset: number, classIndex: number): void {
    this.words[offset] = this.#freeHeads[classIndex] ?? 0;
    this.#freeHeads[classIndex] = offset;
    this.#freeWords += classWords(classIndex);
  }
}

/** The smallest class whose blocks hold this many words. */
export function classFor(wordCount: number): number {
  if (wordCount <= SMALLEST_CLASS_WORDS) return 0;
  // Of (2^exponent, 2^(exponent + 1)] four quarters: the class is named by exponent and quarter.
  const exponent = 31 - Math.clz32(wordCount - 1);
  const quarter = ((wordCount - 1) >>> (exponent - 2)) - 3;
  return (exponent - 2) * 4 + quarter;
}

export function classWords(classIndex: number): number {
  return (4 + (classIndex & 3)) << (classIndex >>> 2);
}

/** Memory that doubles: simple, with a copy of everything at each doubling. */
export function createDoublingMemory(): ArenaMemory {
  let words = new Int32Array(0);
  return {
    grow(wordCount) {
      let length = Math.max(words.length, 1 << 10);
      while (length < wordCount) length *= 2;
      const grown = new Int32Array(length);
      grown.set(words);
      words = grown;
      return words;
    },
  };
}
