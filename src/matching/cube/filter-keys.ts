/**
 * The keys under which a filter is stored. A key names a category, a brand and a size, each a value or any. A filter is
 * stored once under every combination of its values, so a candidate finds all of its filters under the few keys formed
 * by its own values and any.
 */
import { hashOf } from "./slot-table.ts";

/** A filter with more combinations is stored under fewer dimensions, and tested for the others. */
const MAX_KEYS = 64;

/** Number of values of a filter in each dimension; 0: open. */
export interface ValueCounts {
  readonly categories: number;
  readonly brands: number;
  readonly sizes: number;
}

/** The dimensions that the keys name. */
export interface KeyedDimensions {
  readonly category: boolean;
  readonly brand: boolean;
  readonly size: boolean;
}

/**
 * All dimensions that the filter names while there are few enough combinations; otherwise the dimension with the most
 * values is dropped first, as the least selective. One always remains.
 */
export function keyedDimensions({ categories, brands, sizes }: ValueCounts): KeyedDimensions {
  let category = categories > 0;
  let brand = brands > 0;
  let size = sizes > 0;
  const keyCount = (): number => (category ? categories : 1) * (brand ? brands : 1) * (size ? sizes : 1);
  const dimensionCount = (): number => Number(category) + Number(brand) + Number(size);
  while (dimensionCount() > 1 && keyCount() > MAX_KEYS) {
    const most = Math.max(category ? categories : 0, brand ? brands : 0, size ? sizes : 0);
    if (size && sizes === most) size = false;
    else if (category && categories === most) category = false;
    else brand = false;
  }
  return { category, brand, size };
}

/** Whether the keys cover everything that the filter requires in the three dimensions. */
export function isKeyedWhole(counts: ValueCounts, keyed: KeyedDimensions): boolean {
  return (
    keyed.category === counts.categories > 0 &&
    keyed.brand === counts.brands > 0 &&
    keyed.size === counts.sizes > 0
  );
}

const ANY_ONLY: readonly number[] = [0];

/** The keys of one filter; one object, reused for every edit. */
export class KeyList {
  count = 0;
  categoriesAndSizes = new Int32Array(MAX_KEYS);
  brands = new Int32Array(MAX_KEYS);
  /** Hash of each key for the slot table: an edit looks a key up more than once. */
  hashes = new Int32Array(MAX_KEYS);
  /** The slot of each key before the edit, 0 if there was none; the edit itself may move it. */
  slots = new Int32Array(MAX_KEYS);

  /** One key per combination of the filter's values, in the dimensions that its keys name. */
  listCombinations(categories: readonly number[], brands: readonly number[], sizes: readonly number[]): void {
    const counts = { categories: categories.length, brands: brands.length, sizes: sizes.length };
    const keyed = keyedDimensions(counts);
    this.count = 0;
    for (const category of keyed.category ? categories : ANY_ONLY) {
      for (const size of keyed.size ? sizes : ANY_ONLY) {
        const categoryAndSize = categoryAndSizeOf(category, size);
        for (const brand of keyed.brand ? brands : ANY_ONLY) this.#add(categoryAndSize, brand);
      }
    }
  }

  /** One key per word. */
  listWords(wordIds: readonly number[]): void {
    this.count = 0;
    for (const id of wordIds) this.#add(categoryAndSizeOf(WORD_FAMILY, 0), id);
  }

  #add(categoryAndSize: number, brand: number): void {
    // A filter of one dimension may have any number of values.
    if (this.count === this.brands.length) {
      this.categoriesAndSizes = grownTwice(this.categoriesAndSizes);
      this.brands = grownTwice(this.brands);
      this.hashes = grownTwice(this.hashes);
      this.slots = grownTwice(this.slots);
    }
    this.categoriesAndSizes[this.count] = categoryAndSize;
    this.brands[this.count] = brand;
    this.hashes[this.count] = hashOf(categoryAndSize, brand);
    this.count += 1;
  }
}

export function grownTwice(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}

/** A category number that no category has: its keys name a word in place of the brand. */
export const WORD_FAMILY = 0xffff;
export const MAX_CATEGORIES = WORD_FAMILY - 1;
export const MAX_SIZES = 0xffff;
export const MAX_BRANDS = 0xff_ffff;

export function categoryAndSizeOf(category: number, size: number): number {
  return (category << 16) | size;
}

/**
 * Assigns consecutive numbers, from 1, to the ids of one dimension; 0 means "any". Ids are never removed: the catalogue
 * bounds them.
 */
export class Interner {
  readonly #numbers = new Map<number, number>();
  readonly #limit: number;

  /** @param limit the greatest number that may be assigned */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of an id, assigned at the first call. Throws a RangeError if there are too many ids. */
  intern(id: number): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    if (number > this.#limit) throw new RangeError(`more than ${this.#limit} ids in one dimension`);
    this.#numbers.set(id, number);
    return number;
  }

  /** 0 for an id that no filter ever named. */
  numberOf(id: number): number {
    return this.#numbers.get(id) ?? 0;
  }
}

/**
 * Words used as keys for filters that require nothing but words. Each is stored under one word of every alternative of
 * one group, which together have the fewest filters.
 */
export class KeyWords {
  readonly #words = new Map<string, { readonly id: number; uses: number }>();
  readonly #freeIds: number[] = [];
  #nextId = 1;

  /** 0 for a word without filters. */
  idOf(word: string): number {
    return this.#words.get(word)?.id ?? 0;
  }

  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  /**
   * The words under which a filter is stored, each once: a title that holds the group holds one of them.
   * @param groups padded phrases, at least one; a title contains a phrase only if it contains each of its words
   */
  rarestOf(groups: readonly (readonly string[])[]): readonly string[] {
    const choices = groups.map((group) => [...new Set(group.map((phrase) => this.#rarestIn(phrase)))]);
    const usesOf = (words: readonly string[]): number =>
      words.reduce((sum, word) => sum + this.#usesOf(word), words.length);
    return choices.reduce((best, words) => (usesOf(words) < usesOf(best) ? words : best));
  }

  #rarestIn(paddedPhrase: string): string {
    const words = paddedPhrase.trim().split(" ");
    return words.reduce((best, word) => (this.#usesOf(word) < this.#usesOf(best) ? word : best));
  }

  #usesOf(word: string): number {
    return this.#words.get(word)?.uses ?? 0;
  }

  take(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) {
      known.uses += 1;
      return known.id;
    }
    const id = this.#freeIds.pop() ?? this.#nextId;
    if (id === this.#nextId) this.#nextId += 1;
    this.#words.set(word, { id, uses: 1 });
    return id;
  }

  release(word: string): void {
    const known = this.#words.get(word);
    if (known === undefined) return;
    known.uses -= 1;
    if (known.uses > 0) return;
    this.#words.delete(word);
    this.#freeIds.push(known.id);
  }
}
