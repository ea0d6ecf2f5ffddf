/**
 * The keys under which a filter is stored. A key names a category, a brand and a size, each a value or "any";
 * a word of the title replaces the size if the filter requires words. A filter is stored once under every
 * combination of its values, so a candidate finds it under the few keys of its own values and "any".
 */
import { hashOf } from "./slot-table.ts";

/** Beyond this a filter is stored under fewer dimensions; the others are verified on the filter. */
const MAX_KEYS = 64;

/** The values of a filter in each dimension; empty: open. */
interface KeyValues {
  readonly categories: readonly number[];
  readonly brands: readonly number[];
  readonly sizes: readonly number[];
}

/** Number of values of a filter in each dimension; 0: open. */
export interface ValueCounts {
  readonly categories: number;
  readonly brands: number;
  readonly sizes: number;
}

/** The dimensions that the keys name, apart from words. */
export interface KeyedDimensions {
  readonly category: boolean;
  readonly brand: boolean;
  readonly size: boolean;
}

/**
 * All dimensions that the filter restricts if there are few enough combinations; otherwise the dimension with
 * the most values is dropped first, as the least selective. At least one remains: words, if there are any.
 */
export function keyedDimensions(
  { categories, brands, sizes }: ValueCounts,
  keyWordCount: number,
): KeyedDimensions {
  const leastDimensions = keyWordCount > 0 ? 0 : 1;
  let category = categories > 0;
  let brand = brands > 0;
  let size = sizes > 0 && keyWordCount === 0;
  const keyCount = (): number =>
    (category ? categories : 1) * (brand ? brands : 1) * (size ? sizes : 1) * Math.max(1, keyWordCount);
  const dimensionCount = (): number => Number(category) + Number(brand) + Number(size);
  while (dimensionCount() > leastDimensions && keyCount() > MAX_KEYS) {
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
  /** Hash of each key: an edit looks a key up more than once. */
  hashes = new Int32Array(MAX_KEYS);
  /** The slots of the keys once they are looked up (cell.ts, candidate-lookup.ts). */
  slots = new Int32Array(MAX_KEYS);

  /** One key per combination of the filter's values, in the dimensions that its keys name. */
  list({ categories, brands, sizes }: KeyValues, keyWords: readonly number[]): void {
    const counts = { categories: categories.length, brands: brands.length, sizes: sizes.length };
    const keyed = keyedDimensions(counts, keyWords.length);
    const hasWords = keyWords.length > 0;
    const sizesOrWords = hasWords ? distinctNumbers(keyWords) : keyed.size ? sizes : ANY_ONLY;
    this.count = 0;
    for (const category of keyed.category ? categories : ANY_ONLY) {
      for (const sizeOrWord of sizesOrWords) {
        const categoryAndSize = categoryAndSizeOf(category, sizeOrWord);
        for (const brand of keyed.brand ? brands : ANY_ONLY)
          this.add(categoryAndSize, hasWords ? brandBesideWord(brand) : brand);
      }
    }
  }

  add(categoryAndSize: number, brand: number, hash = hashOf(categoryAndSize, brand)): void {
    // Keys in a single dimension are not limited to MAX_KEYS.
    if (this.count === this.brands.length) {
      this.categoriesAndSizes = grownTwice(this.categoriesAndSizes);
      this.brands = grownTwice(this.brands);
      this.hashes = grownTwice(this.hashes);
      this.slots = grownTwice(this.slots);
    }
    this.categoriesAndSizes[this.count] = categoryAndSize;
    this.brands[this.count] = brand;
    this.hashes[this.count] = hash;
    this.count += 1;
  }
}

export function grownTwice(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}

export const MAX_CATEGORIES = 0xffff;
export const MAX_SIZES = 0xffff;
/** Above all brands: the key names a word in place of the size. */
const BESIDE_WORD = 1 << 23;
export const MAX_BRANDS = BESIDE_WORD - 1;

/** @param size or `numberOfWord`, with `brandBesideWord` */
export function categoryAndSizeOf(category: number, size: number): number {
  return (category << 16) | size;
}

export function brandBesideWord(brand: number): number {
  return brand | BESIDE_WORD;
}

/** A word's number in keys. Beyond 65,536 words some share a number, and thus keys. */
export function numberOfWord(word: number): number {
  return word & 0xffff;
}

function distinctNumbers(words: readonly number[]): readonly number[] {
  return [...new Set(words.map(numberOfWord))];
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
