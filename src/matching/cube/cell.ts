/**
 * The entries of one key. The tag encodes the representation, which depends on the size:
 *
 *   inline  one entry, in the slot itself:    a = meta, b = filter number
 *   flat    up to 512 entries in one block:   a = offset, b = entries << 16 | capacity
 *   strata  more than that (strata.ts):       a = directory, b = rows
 *
 * A flat cell's block begins with a word that encodes where its classes end, followed by the entries:
 *
 *   [Thunder's entries | Thunder's and Acquire's << 16, metas × capacity, numbers × capacity]
 */
import { classFor, classWords, type Arena } from "./arena.ts";
import { copyEntries, insertAt, placeOf, removeAt, type Entry, type EntryBlock } from "./entry-block.ts";
import { classNumbers, classOf } from "./entry-meta.ts";
import type { KeyList } from "./filter-keys.ts";
import { cellAt, setTag, tagAt, type SlotTable } from "./slot-table.ts";
import {
  createDirectory,
  entriesOfStrata,
  entryCountOf,
  freeStrata,
  HEADER_WORDS,
  insertIntoStrata,
  removeFromStrata,
  ROW_WORDS,
  type Strata,
} from "./strata.ts";

const NONE = 0;
export const INLINE = 1;
export const FLAT = 2;
const STRATA = 3;

export const FLAT_HEADER_WORDS = 1;
export const FLAT_CAPACITY_MASK = 0xffff;
export const FLAT_COUNT_SHIFT = 16;

const MAX_FLAT_ENTRIES = 512;

/** Strata become flat again only well below the size at which they are created (hysteresis). */
const FLAT_AGAIN_ENTRIES = 256;

export class Cells {
  readonly #arena: Arena;
  readonly #slots: SlotTable;
  /** The sum of what `warm` read: kept so that the compiler cannot remove the reads. */
  warmed = 0;

  constructor(arena: Arena, slots: SlotTable) {
    this.#arena = arena;
    this.#slots = slots;
  }

  /**
   * Prefetches the words that an edit of these keys will read, before any is edited, so that the cache misses
   * overlap. A filter has up to 64 keys, each leading to a slot and from there to a block.
   */
  warm({ categoriesAndSizes, brands, hashes, slots, count }: KeyList): void {
    this.#slots.warm(hashes, count);
    let sum = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = this.#slots.find(categoriesAndSizes[index] ?? 0, brands[index] ?? 0, hashes[index] ?? 0);
      slots[index] = slot;
      if (slot !== 0) sum ^= warmCell(this.#arena, slot);
    }
    this.warmed = sum;
  }

  /** @param index of the key in the list */
  insert({ categoriesAndSizes, brands, hashes }: KeyList, index: number, entry: Entry): void {
    const arena = this.#arena;
    const slot = this.#slots.findOrAdd(
      categoriesAndSizes[index] ?? 0,
      brands[index] ?? 0,
      hashes[index] ?? 0,
    );
    switch (tagAt(arena.words, slot)) {
      case INLINE:
        inlineToFlat(arena, slot, entry);
        return;
      case FLAT:
        insertIntoFlat(arena, slot, entry);
        return;
      case STRATA:
        insertIntoStrataAt(arena, slot, entry);
        return;
      default:
        describeInline(arena, slot, entry.meta, entry.number);
    }
  }

  /** Call after `warm`, which found the slots. False if the cell does not contain the entry. */
  remove({ categoriesAndSizes, brands, hashes, slots }: KeyList, index: number, entry: Entry): boolean {
    const categoryAndSize = categoriesAndSizes[index] ?? 0;
    const brand = brands[index] ?? 0;
    const found = slots[index] ?? 0;
    // Earlier removals may have moved the slot, but never free its memory: checking it is safe.
    const slot = this.#slots.isAt(found, categoryAndSize, brand)
      ? found
      : this.#slots.find(categoryAndSize, brand, hashes[index] ?? 0);
    if (slot === 0 || !removeAtSlot(this.#arena, slot, entry)) return false;
    if (tagAt(this.#arena.words, slot) === NONE) this.#slots.remove(slot);
    return true;
  }
}

/** The words in the middle of a flat cell or directory, where a binary search starts. */
function warmCell(arena: Arena, slot: number): number {
  const { words } = arena;
  switch (tagAt(words, slot)) {
    case FLAT: {
      const { offset, capacity, count } = flatAt(arena, slot);
      const middle = offset + (count >>> 1);
      return (
        (words[offset - FLAT_HEADER_WORDS] ?? 0) ^ (words[middle] ?? 0) ^ (words[middle + capacity] ?? 0)
      );
    }
    case STRATA: {
      const { directory, rowCount } = strataAt(arena, slot);
      const rows = directory + HEADER_WORDS;
      const quarter = (rowCount >>> 2) * ROW_WORDS;
      return (
        (words[directory] ?? 0) ^
        (words[rows + quarter] ?? 0) ^
        (words[rows + 2 * quarter] ?? 0) ^
        (words[rows + 3 * quarter] ?? 0)
      );
    }
    default:
      return 0;
  }
}

function removeAtSlot(arena: Arena, slot: number, entry: Entry): boolean {
  switch (tagAt(arena.words, slot)) {
    case INLINE:
      if (arena.words[cellAt(slot) + 1] !== entry.number) return false;
      setTag(arena.words, slot, NONE);
      return true;
    case FLAT:
      return removeFromFlat(arena, slot, entry);
    case STRATA:
      return removeFromStrataAt(arena, slot, entry);
    default:
      return false;
  }
}

function describeInline({ words }: Arena, slot: number, meta: number, filterNumber: number): void {
  setTag(words, slot, INLINE);
  words[cellAt(slot)] = meta;
  words[cellAt(slot) + 1] = filterNumber;
}

/** The entries of a flat cell; its header precedes them. */
function flatAt({ words }: Arena, slot: number): EntryBlock {
  const at = cellAt(slot);
  const b = words[at + 1] ?? 0;
  return {
    offset: (words[at] ?? 0) + FLAT_HEADER_WORDS,
    capacity: b & FLAT_CAPACITY_MASK,
    count: b >>> FLAT_COUNT_SHIFT,
  };
}

function describeFlat(arena: Arena, slot: number, { offset, capacity, count }: EntryBlock): void {
  setTag(arena.words, slot, FLAT);
  arena.words[cellAt(slot)] = offset - FLAT_HEADER_WORDS;
  arena.words[cellAt(slot) + 1] = (count << FLAT_COUNT_SHIFT) | capacity;
}

/** An empty flat cell with room for this many entries, not referenced by a slot yet. */
function newFlat(arena: Arena, entryCount: number): EntryBlock {
  const classIndex = classForFlat(entryCount);
  const offset = arena.allocate(classIndex) + FLAT_HEADER_WORDS;
  arena.words[offset - FLAT_HEADER_WORDS] = 0;
  return { offset, capacity: (classWords(classIndex) - FLAT_HEADER_WORDS) >>> 1, count: 0 };
}

function freeFlat(arena: Arena, { offset, capacity }: EntryBlock): void {
  arena.free(offset - FLAT_HEADER_WORDS, classForFlat(capacity));
}

function classForFlat(entryCount: number): number {
  return classFor(FLAT_HEADER_WORDS + entryCount * 2);
}

/** Inserts an entry into a flat cell that has room and returns the updated cell. */
function added({ words }: Arena, cell: EntryBlock, entry: Entry): EntryBlock {
  insertAt(words, cell, placeOf(words, cell, entry), entry);
  noteClass(words, cell, entry, 1);
  return { offset: cell.offset, capacity: cell.capacity, count: cell.count + 1 };
}

/** Adjusts the class boundaries after an insertion or removal. */
function noteClass(words: Int32Array, { offset }: EntryBlock, { meta }: Entry, change: 1 | -1): void {
  const classNumber = classOf(meta);
  const header = offset - FLAT_HEADER_WORDS;
  if (classNumber === classNumbers.shown) return;
  const ends = classNumber === classNumbers.thunder ? 0x1_0001 : 0x1_0000;
  words[header] = (words[header] ?? 0) + change * ends;
}

function inlineToFlat(arena: Arena, slot: number, entry: Entry): void {
  const at = cellAt(slot);
  const alone: Entry = { meta: arena.words[at] ?? 0, number: arena.words[at + 1] ?? 0 };
  describeFlat(arena, slot, added(arena, added(arena, newFlat(arena, 2), alone), entry));
}

function insertIntoFlat(arena: Arena, slot: number, entry: Entry): void {
  const cell = flatAt(arena, slot);
  if (cell.count === MAX_FLAT_ENTRIES) {
    flatToStrata(arena, slot, cell);
    insertIntoStrataAt(arena, slot, entry);
    return;
  }
  const roomy = cell.count < cell.capacity ? cell : resizeFlat(arena, cell, cell.count + 1);
  describeFlat(arena, slot, added(arena, roomy, entry));
}

function removeFromFlat(arena: Arena, slot: number, entry: Entry): boolean {
  const { words } = arena;
  const cell = flatAt(arena, slot);
  const index = placeOf(words, cell, entry);
  if (index === cell.count || words[cell.offset + cell.capacity + index] !== entry.number) return false;
  removeAt(words, cell, index);
  noteClass(words, cell, entry, -1);
  const left = { offset: cell.offset, capacity: cell.capacity, count: cell.count - 1 };
  if (left.count > 1) {
    const isSparse = left.count * 4 <= left.capacity;
    describeFlat(arena, slot, isSparse ? resizeFlat(arena, left, left.count + 1) : left);
    return true;
  }
  // A flat cell has at least two entries, so one remains.
  const meta = words[cell.offset] ?? 0;
  const number = words[cell.offset + cell.capacity] ?? 0;
  freeFlat(arena, cell);
  describeInline(arena, slot, meta, number);
  return true;
}

function resizeFlat(arena: Arena, cell: EntryBlock, entryCount: number): EntryBlock {
  const resized = newFlat(arena, entryCount);
  const { words } = arena;
  words[resized.offset - FLAT_HEADER_WORDS] = words[cell.offset - FLAT_HEADER_WORDS] ?? 0;
  copyEntries(words, cell, { from: 0, until: cell.count }, resized);
  freeFlat(arena, cell);
  return { ...resized, count: cell.count };
}

function flatToStrata(arena: Arena, slot: number, cell: EntryBlock): void {
  const strata = { directory: createDirectory(arena), rowCount: 0 };
  for (let index = 0; index < cell.count; index += 1) {
    const meta = arena.words[cell.offset + index] ?? 0;
    const number = arena.words[cell.offset + cell.capacity + index] ?? 0;
    insertIntoStrata(arena, strata, { meta, number });
  }
  freeFlat(arena, cell);
  describeStrata(arena, slot, strata);
}

function strataAt({ words }: Arena, slot: number): Strata {
  const at = cellAt(slot);
  return { directory: words[at] ?? 0, rowCount: words[at + 1] ?? 0 };
}

function describeStrata(arena: Arena, slot: number, { directory, rowCount }: Strata): void {
  setTag(arena.words, slot, STRATA);
  arena.words[cellAt(slot)] = directory;
  arena.words[cellAt(slot) + 1] = rowCount;
}

function insertIntoStrataAt(arena: Arena, slot: number, entry: Entry): void {
  const strata = strataAt(arena, slot);
  insertIntoStrata(arena, strata, entry);
  describeStrata(arena, slot, strata);
}

function removeFromStrataAt(arena: Arena, slot: number, entry: Entry): boolean {
  const strata = strataAt(arena, slot);
  if (!removeFromStrata(arena, strata, entry)) return false;
  const left = entryCountOf(arena, strata);
  if (left > FLAT_AGAIN_ENTRIES) {
    describeStrata(arena, slot, strata);
    return true;
  }
  const entries = [...entriesOfStrata(arena, strata)];
  freeStrata(arena, strata);
  let cell = newFlat(arena, left + 1);
  for (const entry of entries) cell = added(arena, cell, entry);
  describeFlat(arena, slot, cell);
  return true;
}
