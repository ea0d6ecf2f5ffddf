/**
 * Under which keys a filter is kept. A key names a category, a brand and a size, each a value or any, and a filter
 * stands once under every combination of its values: a candidate then finds all of its filters under the few keys
 * made of its own values and any.
 */
import { hashOf } from "./slot-table.ts";

/** A filter of more combinations than this is kept under fewer dimensions, and asked for the others. */
const MAX_KEYS = 64;

/** How many values a filter names in each dimension; 0: it leaves the dimension open. */
export interface ValueCounts {
  readonly categories: number;
  readonly brands: number;
  readonly sizes: number;
}

/** Which dimensions the keys name. */
export interface KeyedDimensions {
  readonly category: boolean;
  readonly brand: boolean;
  readonly size: boolean;
}

/**
 * All that the filter names, as long as there are not too many combinations; then the dimension of the most values
 * goes first, since it says least. One always stays.
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

/** Whether the keys hold everything that the filter asks of the three dimensions. */
export function isKeyedWhole(counts: ValueCounts, keyed: KeyedDimensions): boolean {
  return (
    keyed.category === counts.categories > 0 &&
    keyed.brand === counts.brands > 0 &&
    keyed.size === counts.sizes > 0
  );
}

const ANY_ONLY: readonly number[] = [0];

/** The keys of one filter; one object, used again for every edit. */
export class KeyList {
  count = 0;
  categoriesAndSizes = new Int32Array(MAX_KEYS);
  brands = new Int32Array(MAX_KEYS);
  /** Of each key, as the slot table reckons it: an edit looks a key up more than once. */
  hashes = new Int32Array(MAX_KEYS);
  /** Where each key's slot was before the edit began, 0 where there was none; the edit itself may move it. */
  slots = new Int32Array(MAX_KEYS);

  /** A key for each combination of a filter's values, in the dimensions that its keys name. */
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

  listOne(categoryAndSize: number, brand: number): void {
    this.count = 0;
    this.#add(categoryAndSize, brand);
  }

  #add(categoryAndSize: number, brand: number): void {
    // A filter of one dimension may name any number of values.
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

/** The category number that no category has: its keys name a word in place of the brand. */
export const WORD_FAMILY = 0xffff;
export const MAX_CATEGORIES = WORD_FAMILY - 1;
export const MAX_SIZES = 0xffff;
export const MAX_BRANDS = 0xff_ffff;

export function categoryAndSizeOf(category: number, size: number): number {
  return (category << 16) | size;
}
