/**
 * Reverse search for a million filters.
 *
 * Category, brand and size of a filter must equal those of the listing, and have few values. Each filter is
 * therefore stored under every combination of its values (a key), where "any" is a value too. A listing looks
 * under the keys that its brand, its size and the categories of its path form with "any"; everything else is
 * never touched. If a filter requires title words, its keys name one of them in place of the size
 * (key-words.ts), and the listing looks under each word of its title too, except for the many keys known to
 * be unused (used-keys.ts, candidate-lookup.ts). Within a key, entries are sorted by class and price cap, and
 * one word of each entry encodes conditions and a colour, good price or price floor (traits.ts), so a scan
 * compares one number and ends at the first cap below the price (entry-meta.ts, entry-block.ts). Large cells
 * are divided by class and conditions, and copied as memory (strata.ts). What an entry cannot encode (further
 * title words, huge caps, more than 64 combinations) is verified on the filter itself (filter-book.ts).
 *
 * A match passes over its cells three times, for Thunder, Acquire and the rest: what must be bought first is
 * found first, and nothing is sorted. Everything is in one array of 32-bit words (arena.ts) without an object
 * per filter, and matching allocates nothing. `createNaiveIndex` defines the correct result in twenty lines.
 */
import { unknownCandidate, type Candidate } from "../candidate.ts";
import type { FilterSpec } from "../compile-filter.ts";
import type { FilterIndex, MatchClass, MatchWindow } from "../filter-index.ts";
import { Arena, classFor, classWords } from "./arena.ts";
import { CandidateLookup } from "./candidate-lookup.ts";
import { Cells } from "./cell.ts";
import {
  classNumbers,
  classOf,
  conditionBitOf,
  fitsMeta,
  metaOf,
  priceFieldOf,
  type ClassNumber,
} from "./entry-meta.ts";
import { FilterBook, type BookedFilter, type CandidateNumbers } from "./filter-book.ts";
import {
  Interner,
  isKeyedWhole,
  KeyList,
  keyedDimensions,
  MAX_BRANDS,
  MAX_CATEGORIES,
  MAX_SIZES,
} from "./filter-keys.ts";
import { besideKeyWords, KeyWords } from "./key-words.ts";
import { Sweep } from "./scan.ts";
import { cellAt, SlotTable, tagAt } from "./slot-table.ts";
import { writeTraits } from "./traits.ts";
import { UsedKeys } from "./used-keys.ts";

/** A category and its ancestors; deeper trees do not occur. */
const MAX_PATH = 15;

export function createCubeIndex(): CubeIndex {
  return new CubeIndex();
}

export class CubeIndex implements FilterIndex {
  readonly #arena = new Arena();
  readonly #book = new FilterBook(this.#arena);
  readonly #sweep: Sweep;
  readonly #cells: Cells;
  readonly #lookup: CandidateLookup;
  readonly #categories = new Interner(MAX_CATEGORIES);
  readonly #brands = new Interner(MAX_BRANDS);
  readonly #sizes = new Interner(MAX_SIZES);
  readonly #keyWords = new KeyWords();
  /** Number of filters with a key of this category number: unused branches are not looked up. */
  readonly #categoryUses: number[] = [];
  /** Number of filters per class number. */
  readonly #classCounts: Record<ClassNumber, number> = { 0: 0, 1: 0, 2: 0 };
  readonly #keys = new KeyList();
  /** The keys with a word, of all filters. */
  readonly #usedWithWord = new UsedKeys();
  #answer = { offset: 0, classIndex: 0 };

  // The current candidate in the index's numbering.
  readonly #numbers: CandidateNumbers = {
    candidate: unknownCandidate,
    categories: new Int32Array(MAX_PATH),
    categoryCount: 0,
    brand: 0,
    size: 0,
    titleWords: this.#keyWords,
    keyWord: 0,
  };
  readonly #window: { numbers: Int32Array; start: number; length: number };

  constructor() {
    const slots = new SlotTable(this.#arena);
    this.#cells = new Cells(this.#arena, slots);
    this.#lookup = new CandidateLookup(slots, this.#usedWithWord);
    this.#sweep = new Sweep(this.#arena, (filterNumber) => this.#book.holds(filterNumber, this.#numbers));
    this.#window = { numbers: this.#arena.words, start: 0, length: 0 };
  }

  get size(): number {
    const { thunder, acquire, shown } = classNumbers;
    return this.#classCounts[thunder] + this.#classCounts[acquire] + this.#classCounts[shown];
  }

  /** Bytes of the arena in use and of the used keys. */
  get usedBytes(): number {
    return this.#arena.usedWords * Int32Array.BYTES_PER_ELEMENT + this.#usedWithWord.bytes;
  }

  insert(filterNumber: number, spec: FilterSpec, matchClass: MatchClass): void {
    if (this.#book.has(filterNumber)) throw new RangeError(`filter number ${filterNumber} is taken`);
    const filter = this.#booked(spec, matchClass);
    this.#book.put(filterNumber, filter);
    const entry = { meta: filter.meta, number: filterNumber };
    const keys = this.#listKeys(filter);
    this.#cells.warm(keys);
    for (let index = 0; index < keys.count; index += 1) this.#cells.insert(keys, index, entry);
    this.#count(filter, 1);
    this.#makeRoomForAnswer();
  }

  remove(filterNumber: number): boolean {
    const filter = this.#book.get(filterNumber);
    if (filter === null) return false;
    const entry = { meta: filter.meta, number: filterNumber };
    const keys = this.#listKeys(filter);
    this.#cells.warm(keys);
    for (let index = 0; index < keys.count; index += 1) {
      if (this.#cells.remove(keys, index, entry)) continue;
      throw new Error(`the index lost an entry of filter number ${filterNumber}`);
    }
    this.#keyWords.release(filter.keyWords);
    this.#book.remove(filterNumber);
    this.#count(filter, -1);
    return true;
  }

  match(candidate: Candidate): MatchWindow {
    const sweep = this.#sweep;
    this.#prepare(candidate);
    const slotCount = this.#lookup.find(this.#numbers, this.#categoryUses);
    this.#warmCells(slotCount);
    const start = this.#answer.offset;
    sweep.front = start;
    this.#takeAll(classNumbers.thunder, slotCount);
    this.#takeAll(classNumbers.acquire, slotCount);
    this.#takeAll(classNumbers.shown, slotCount);
    this.#window.numbers = this.#arena.words;
    this.#window.start = start;
    this.#window.length = sweep.front - start;
    return this.#window;
  }

  #warmCells(slotCount: number): void {
    const { words } = this.#arena;
    const { slots } = this.#lookup;
    for (let index = 0; index < slotCount; index += 1) {
      const slot = slots[index] ?? 0;
      const at = cellAt(slot);
      this.#sweep.warm(tagAt(words, slot), words[at] ?? 0, words[at + 1] ?? 0);
    }
  }

  #takeAll(classNumber: ClassNumber, slotCount: number): void {
    if (this.#classCounts[classNumber] === 0) return;
    const { words } = this.#arena;
    const { slots, words: keyWords } = this.#lookup;
    for (let index = 0; index < slotCount; index += 1) {
      const slot = slots[index] ?? 0;
      this.#numbers.keyWord = keyWords[index] ?? 0;
      const at = cellAt(slot);
      this.#sweep.take(classNumber, tagAt(words, slot), words[at] ?? 0, words[at + 1] ?? 0);
    }
  }

  #prepare(candidate: Candidate): void {
    const numbers = this.#numbers;
    numbers.candidate = candidate;
    numbers.brand = this.#brands.numberOf(candidate.brandId);
    numbers.size = this.#sizes.numberOf(candidate.sizeId);
    numbers.categoryCount = 0;
    const { categoryIds } = candidate;
    // No iterator: it would allocate.
    for (let index = 0; index < categoryIds.length && numbers.categoryCount < MAX_PATH; index += 1) {
      const category = this.#categories.numberOf(categoryIds[index] ?? 0);
      if (category === 0) continue;
      numbers.categories[numbers.categoryCount] = category;
      numbers.categoryCount += 1;
    }
    this.#sweep.price = priceFieldOf(candidate);
    this.#sweep.conditionBit = conditionBitOf(candidate);
    writeTraits(candidate, this.#sweep.traits);
    this.#keyWords.readTitle(candidate.titleWords);
  }

  #booked(spec: FilterSpec, matchClass: MatchClass): BookedFilter {
    const categories = spec.categoryIds.map((id) => this.#categories.intern(id));
    const brands = spec.brandIds.map((id) => this.#brands.intern(id));
    const sizes = spec.sizeIds.map((id) => this.#sizes.intern(id));
    const counts = { categories: categories.length, brands: brands.length, sizes: sizes.length };
    const keyWords = this.#keyWords.take(spec.includeWords);
    const isWhole = isKeyedWhole(counts, keyedDimensions(counts, keyWords.length));
    return {
      meta: metaOf(spec, matchClass, isWhole),
      priceCapEur: spec.priceCapEur,
      categories,
      brands,
      sizes,
      keyWords,
      whole: fitsMeta(besideKeyWords(spec)) ? null : spec,
    };
  }

  #listKeys(filter: BookedFilter): KeyList {
    this.#keys.list(filter, filter.keyWords);
    return this.#keys;
  }

  /** @param change 1: the filter whose keys are listed was inserted; -1: it was removed */
  #count({ meta, categories, keyWords }: BookedFilter, change: 1 | -1): void {
    const { thunder, acquire, shown } = classNumbers;
    const classNumber = [shown, acquire, thunder][classOf(meta)] ?? shown;
    this.#classCounts[classNumber] += change;
    for (const category of categories) {
      while (this.#categoryUses.length <= category) this.#categoryUses.push(0);
      this.#categoryUses[category] = (this.#categoryUses[category] ?? 0) + change;
    }
    if (keyWords.length > 0) this.#usedWithWord.count(this.#keys, change);
  }

  /** Room for every filter once, plus one word: a scan writes a number before it knows whether it passes. */
  #makeRoomForAnswer(): void {
    this.#answer = this.#roomFor(this.#answer, this.size + 2);
  }

  #roomFor(room: { offset: number; classIndex: number }, wordCount: number): typeof room {
    if (room.offset !== 0 && wordCount <= classWords(room.classIndex)) return room;
    if (room.offset !== 0) this.#arena.free(room.offset, room.classIndex);
    const classIndex = classFor(wordCount + (wordCount >>> 1));
    return { offset: this.#arena.allocate(classIndex), classIndex };
  }
}
