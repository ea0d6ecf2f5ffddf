/**
 * Finds a candidate's filters: the slots of the keys formed by each of its categories or any, its brand or
 * any, and its size, any or a word of its title. Keys that cannot have filters are not looked up.
 */
import type { CandidateNumbers } from "./filter-book.ts";
import { brandBesideWord, categoryAndSizeOf, grownTwice, KeyList, numberOfWord } from "./filter-keys.ts";
import { hashOf, type SlotTable } from "./slot-table.ts";
import type { UsedKeys } from "./used-keys.ts";

/** One object, reused for every candidate. */
export class CandidateLookup {
  readonly #slotTable: SlotTable;
  readonly #usedWithWord: UsedKeys;
  readonly #keys = new KeyList();
  /** The word that each key names, 0 for none; after `find`, the word of each slot. */
  words = new Int32Array(this.#keys.brands.length);

  /** @param usedWithWord the keys with a word */
  constructor(slotTable: SlotTable, usedWithWord: UsedKeys) {
    this.#slotTable = slotTable;
    this.#usedWithWord = usedWithWord;
  }

  /** The slots that the last `find` found come first. */
  get slots(): Int32Array {
    return this.#keys.slots;
  }

  /** Finds the slots and returns how many there are. @param categoryUses number of filters per category */
  find(candidate: CandidateNumbers, categoryUses: readonly number[]): number {
    this.#keys.count = 0;
    this.#listWithCategory(0, candidate);
    for (let index = 0; index < candidate.categoryCount; index += 1) {
      const category = candidate.categories[index] ?? 0;
      if ((categoryUses[category] ?? 0) > 0) this.#listWithCategory(category, candidate);
    }
    return this.#findSlots();
  }

  /** @param category its number or 0 for any */
  #listWithCategory(category: number, { brand, size, titleWords }: CandidateNumbers): void {
    this.#listWithSize(category, 0, brand);
    if (size !== 0) this.#listWithSize(category, size, brand);
    for (let place = 0; place < titleWords.count; place += 1)
      this.#listWithWord(category, titleWords.inTitle[place] ?? 0, brand);
  }

  #listWithSize(category: number, size: number, brand: number): void {
    const categoryAndSize = categoryAndSizeOf(category, size);
    this.#add(categoryAndSize, 0, 0, hashOf(categoryAndSize, 0));
    if (brand !== 0) this.#add(categoryAndSize, brand, 0, hashOf(categoryAndSize, brand));
  }

  #listWithWord(category: number, word: number, brand: number): void {
    const categoryAndWord = categoryAndSizeOf(category, numberOfWord(word));
    this.#addIfUsed(categoryAndWord, brandBesideWord(0), word);
    if (brand !== 0) this.#addIfUsed(categoryAndWord, brandBesideWord(brand), word);
  }

  #addIfUsed(categoryAndWord: number, brand: number, word: number): void {
    const hash = hashOf(categoryAndWord, brand);
    if (this.#usedWithWord.mayContain(hash)) this.#add(categoryAndWord, brand, word, hash);
  }

  #add(categoryAndSize: number, brand: number, word: number, hash: number): void {
    const at = this.#keys.count;
    this.#keys.add(categoryAndSize, brand, hash);
    if (at === this.words.length) this.words = grownTwice(this.words);
    this.words[at] = word;
  }

  /** Looks up every key before any cell is read, so that the cache misses overlap. */
  #findSlots(): number {
    const { categoriesAndSizes, brands, hashes, slots, count } = this.#keys;
    const { words } = this;
    this.#slotTable.warm(hashes, count);
    let found = 0;
    for (let index = 0; index < count; index += 1) {
      const hash = hashes[index] ?? 0;
      const slot = this.#slotTable.find(categoriesAndSizes[index] ?? 0, brands[index] ?? 0, hash);
      if (slot === 0) continue;
      slots[found] = slot;
      words[found] = words[index] ?? 0;
      found += 1;
    }
    return found;
  }
}
