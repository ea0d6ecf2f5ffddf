/**
 * What the index stores of a filter beyond its entries: enough to find them again for removal, and to test a candidate
 * that the entries do not decide. One block of the arena per filter:
 *
 *   [meta, cap in EUR, categories | brands << 16, sizes | key words << 16, category numbers…, brand…, size…, key word…]
 *
 * Filters that do not fit (several groups of words or several traits, for example) are also stored whole.
 */
import type { Candidate } from "../candidate.ts";
import { type FilterSpec, filterHolds } from "../compile-filter.ts";
import { classFor, type Arena } from "./arena.ts";
import type { ValueCounts } from "./filter-keys.ts";
import type { KeyWords } from "./key-words.ts";

const HEADER_WORDS = 4;
const COUNT_MASK = 0xffff;
const KEY_WORDS_SHIFT = 16;
const KEY_WORDS_MASK = 0x7fff;
/** In the word that counts sizes and key words: the filter is stored whole too. */
const IS_WHOLE = 1 << 31;

/** Offsets are in chunks, so that growth copies nothing. */
const CHUNK_BITS = 14;
const CHUNK_MASK = (1 << CHUNK_BITS) - 1;

export interface BookedFilter {
  readonly meta: number;
  readonly priceCapEur: number;
  readonly categories: readonly number[];
  readonly brands: readonly number[];
  readonly sizes: readonly number[];
  /** The words that its keys name; empty: it requires none. */
  readonly keyWords: readonly number[];
  /** Set where the block cannot encode the whole filter. */
  readonly whole: FilterSpec | null;
}

/** The candidate's numbers in each dimension; one object, reused for every candidate. */
export interface CandidateNumbers {
  candidate: Candidate;
  /** The first `categoryCount` are valid: the categories of its path that any filter names. */
  readonly categories: Int32Array;
  categoryCount: number;
  brand: number;
  size: number;
  readonly titleWords: KeyWords;
  /** The word of the key whose entries are being tested; 0 for keys without one. */
  keyWord: number;
}

export class FilterBook {
  readonly #arena: Arena;
  readonly #chunks: Int32Array[] = [];
  readonly #whole = new Map<number, FilterSpec>();

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  has(filterNumber: number): boolean {
    return this.#offsetOf(filterNumber) !== 0;
  }

  put(filterNumber: number, filter: BookedFilter): void {
    const { categories, brands, sizes, keyWords, whole } = filter;
    const count = categories.length + brands.length + sizes.length + keyWords.length;
    const offset = this.#arena.allocate(classFor(HEADER_WORDS + count));
    const { words } = this.#arena;
    words[offset] = filter.meta;
    words[offset + 1] = filter.priceCapEur;
    words[offset + 2] = categories.length | (brands.length << 16);
    words[offset + 3] = sizes.length | (keyWords.length << KEY_WORDS_SHIFT) | (whole === null ? 0 : IS_WHOLE);
    const first = offset + HEADER_WORDS;
    writeList(words, first, categories);
    writeList(words, first + categories.length, brands);
    writeList(words, first + categories.length + brands.length, sizes);
    writeList(words, first + categories.length + brands.length + sizes.length, keyWords);
    this.#chunkOf(filterNumber)[filterNumber & CHUNK_MASK] = offset;
    if (whole !== null) this.#whole.set(filterNumber, whole);
  }

  /** The filter as it was put in; null if there is none. */
  get(filterNumber: number): BookedFilter | null {
    const offset = this.#offsetOf(filterNumber);
    if (offset === 0) return null;
    const { words } = this.#arena;
    const { categories, brands, sizes } = this.#countsAt(offset);
    const first = offset + HEADER_WORDS;
    return {
      meta: words[offset] ?? 0,
      priceCapEur: words[offset + 1] ?? 0,
      categories: listOf(words, first, categories),
      brands: listOf(words, first + categories, brands),
      sizes: listOf(words, first + categories + brands, sizes),
      keyWords: listOf(words, first + categories + brands + sizes, this.#keyWordCountAt(offset)),
      whole: this.#whole.get(filterNumber) ?? null,
    };
  }

  remove(filterNumber: number): void {
    const offset = this.#offsetOf(filterNumber);
    if (offset === 0) return;
    const { categories, brands, sizes } = this.#countsAt(offset);
    const count = categories + brands + sizes + this.#keyWordCountAt(offset);
    this.#arena.free(offset, classFor(HEADER_WORDS + count));
    this.#chunkOf(filterNumber)[filterNumber & CHUNK_MASK] = 0;
    this.#whole.delete(filterNumber);
  }

  /** Whether a filter holds a candidate that passed the entry's condition and colour. Exact. */
  holds(filterNumber: number, numbers: CandidateNumbers): boolean {
    const offset = this.#offsetOf(filterNumber);
    const { words } = this.#arena;
    const { categories, brands, sizes } = this.#countsAt(offset);
    const first = offset + HEADER_WORDS;
    const keyWordCount = this.#keyWordCountAt(offset);
    if (keyWordCount > 0 && !this.#isFirstKeyWord(first + categories + brands + sizes, keyWordCount, numbers))
      return false;
    if (((words[offset + 3] ?? 0) & IS_WHOLE) !== 0) return this.#holdsWhole(filterNumber, numbers.candidate);
    if (numbers.candidate.totalPriceCents > (words[offset + 1] ?? 0) * 100) return false;
    return (
      (categories === 0 || this.#holdsAnyCategory(first, categories, numbers)) &&
      (brands === 0 || this.#holdsValue(first + categories, brands, numbers.brand)) &&
      (sizes === 0 || this.#holdsValue(first + categories + brands, sizes, numbers.size))
    );
  }

  #holdsWhole(filterNumber: number, candidate: Candidate): boolean {
    const spec = this.#whole.get(filterNumber);
    return spec !== undefined && filterHolds(spec, candidate);
  }

  /** A filter that is stored under several words of a title counts under the first of them only. */
  #isFirstKeyWord(from: number, count: number, { keyWord, titleWords }: CandidateNumbers): boolean {
    const { words } = this.#arena;
    for (let index = from; index < from + count; index += 1) {
      const word = words[index] ?? 0;
      if (word === keyWord) return true;
      if (titleWords.isInTitle(word)) return false;
    }
    return false;
  }

  #holdsAnyCategory(from: number, count: number, numbers: CandidateNumbers): boolean {
    for (let index = 0; index < numbers.categoryCount; index += 1) {
      if (this.#holdsValue(from, count, numbers.categories[index] ?? 0)) return true;
    }
    return false;
  }

  #holdsValue(from: number, count: number, value: number): boolean {
    if (value === 0) return false;
    const { words } = this.#arena;
    for (let index = from; index < from + count; index += 1) if (words[index] === value) return true;
    return false;
  }

  #countsAt(offset: number): ValueCounts {
    const { words } = this.#arena;
    const categoriesAndBrands = words[offset + 2] ?? 0;
    return {
      categories: categoriesAndBrands & COUNT_MASK,
      brands: categoriesAndBrands >>> 16,
      sizes: (words[offset + 3] ?? 0) & COUNT_MASK,
    };
  }

  #keyWordCountAt(offset: number): number {
    return ((this.#arena.words[offset + 3] ?? 0) >>> KEY_WORDS_SHIFT) & KEY_WORDS_MASK;
  }

  #offsetOf(filterNumber: number): number {
    return this.#chunks[filterNumber >>> CHUNK_BITS]?.[filterNumber & CHUNK_MASK] ?? 0;
  }

  #chunkOf(filterNumber: number): Int32Array {
    const index = filterNumber >>> CHUNK_BITS;
    while (this.#chunks.length <= index) this.#chunks.push(new Int32Array(CHUNK_MASK + 1));
    const chunk = this.#chunks[index];
    if (chunk === undefined) throw new RangeError(`no chunk for filter number ${filterNumber}`);
    return chunk;
  }
}

// Loops: the lists are short, and spreading a view of the memory costs many times their words.

function writeList(words: Int32Array, offset: number, list: readonly number[]): void {
  for (let index = 0; index < list.length; index += 1) words[offset + index] = list[index] ?? 0;
}

function listOf(words: Int32Array, offset: number, count: number): readonly number[] {
  const list: number[] = [];
  for (let index = 0; index < count; index += 1) list.push(words[offset + index] ?? 0);
  return list;
}
