/**
 * The entries of one key. A cell takes the shape that its size asks for, told by the tag of its slot:
 *
 *   inline  one entry, in the slot itself:  a = meta, b = filter number
 *   flat    up to 256 entries in one block: a = offset, b = entries << 16 | capacity
 *   strata  more than that (strata.ts):     a = directory, b = rows
 */
import { type Arena } from "./arena.ts";
import {
  capacityOfClass,
  classForEntries,
  copyToNewBlock,
  insertAt,
  placeOf,
  removeAt,
} from "./entry-block.ts";
import { SLOT_WORDS, TAG_SHIFT, type SlotTable } from "./slot-table.ts";
import {
  createDirectory,
  entriesOfStrata,
  entryCountOf,
  freeStrata,
  insertIntoStrata,
  removeFromStrata,
  type Entry,
} from "./strata.ts";

export const INLINE = 1;
export const FLAT = 2;
export const STRATA = 3;

export const FLAT_CAPACITY_MASK = 0xffff;
export const FLAT_COUNT_SHIFT = 16;

const MAX_FLAT_ENTRIES = 256;

/** Strata become flat again well below the size at which they began, so that no cell flutters. */
const FLAT_AGAIN_ENTRIES = 128;

/** Where a key's cell is described. */
export interface CellKey {
  readonly categoryAndSize: number;
  readonly brand: number;
}

export function insertEntry(arena: Arena, slots: SlotTable, key: CellKey, entry: Entry): void {
  const slot = slots.findOrAdd(key.categoryAndSize, key.brand);
  switch (tagAt(arena, slot)) {
    case INLINE:
      return inlineToFlat(arena, slot, entry);
    case FLAT:
      return insertIntoFlat(arena, slot, entry);
    case STRATA:
      return insertIntoStrataAt(arena, slot, entry);
    default:
      return describe(arena, slot, { tag: INLINE, a: entry.meta, b: entry.number });
  }
}

/** False when the cell does not hold the entry. */
export function removeEntry(arena: Arena, slots: SlotTable, key: CellKey, entry: Entry): boolean {
  const slot = slots.find(key.categoryAndSize, key.brand);
  if (slot === 0) return false;
  switch (tagAt(arena, slot)) {
    case INLINE:
      if (arena.words[slot + 3] !== entry.number) return false;
      slots.remove(slot);
      return true;
    case FLAT:
      return removeFromFlat(arena, slots, slot, entry);
    default:
      return removeFromStrataAt(arena, slot, entry);
  }
}

function tagAt({ words }: Arena, slot: number): number {
  return (words[slot + 1] ?? 0) >>> TAG_SHIFT;
}

function describe(
  { words }: Arena,
  slot: number,
  cell: { readonly tag: number; readonly a: number; readonly b: number },
): void {
  const brand = (words[slot + 1] ?? 0) & ((1 << TAG_SHIFT) - 1);
  words[slot + 1] = brand | (cell.tag << TAG_SHIFT);
  words[slot + 2] = cell.a;
  words[slot + SLOT_WORDS - 1] = cell.b;
}

interface FlatCell {
  readonly offset: number;
  readonly capacity: number;
  readonly count: number;
}

function flatAt({ words }: Arena, slot: number): FlatCell {
  const b = words[slot + 3] ?? 0;
  return {
    offset: words[slot + 2] ?? 0,
    capacity: b & FLAT_CAPACITY_MASK,
    count: b >>> FLAT_COUNT_SHIFT,
  };
}

function describeFlat(arena: Arena, slot: number, { offset, capacity, count }: FlatCell): void {
  describe(arena, slot, { tag: FLAT, a: offset, b: (count << FLAT_COUNT_SHIFT) | capacity });
}

function inlineToFlat(arena: Arena, slot: number, entry: Entry): void {
  const alone: Entry = { meta: arena.words[slot + 2] ?? 0, number: arena.words[slot + 3] ?? 0 };
  writeFlat(arena, slot, [alone]);
  insertIntoFlat(arena, slot, entry);
}

/** Makes the slot a flat cell of these entries, which must not be more than one holds; any order. */
function writeFlat(arena: Arena, slot: number, entries: Iterable<Entry>): void {
  const all = [...entries];
  const classIndex = classForEntries(all.length + 1);
  const cell = { offset: arena.allocate(classIndex), capacity: capacityOfClass(classIndex), count: 0 };
  for (const entry of all) {
    insertAt(arena.words, cell, placeOf(arena.words, cell, entry), entry);
    cell.count += 1;
  }
  describeFlat(arena, slot, cell);
}

function insertIntoFlat(arena: Arena, slot: number, entry: Entry): void {
  const cell = flatAt(arena, slot);
  if (cell.count === MAX_FLAT_ENTRIES) {
    flatToStrata(arena, slot, cell);
    insertIntoStrataAt(arena, slot, entry);
    return;
  }
  const roomy = cell.count < cell.capacity ? cell : resizeFlat(arena, cell, cell.count + 1);
  insertAt(arena.words, roomy, placeOf(arena.words, roomy, entry), entry);
  describeFlat(arena, slot, { ...roomy, count: roomy.count + 1 });
}

function removeFromFlat(arena: Arena, slots: SlotTable, slot: number, entry: Entry): boolean {
  const cell = flatAt(arena, slot);
  const place = placeOf(arena.words, cell, entry);
  const isThere = place < cell.count && arena.words[cell.offset + cell.capacity + place] === entry.number;
  if (!isThere) return false;
  removeAt(arena.words, cell, place);
  const left = { ...cell, count: cell.count - 1 };
  if (left.count === 0) {
    arena.free(cell.offset, classForEntries(cell.capacity));
    slots.remove(slot);
  } else if (left.count === 1) {
    const meta = arena.words[cell.offset] ?? 0;
    const number = arena.words[cell.offset + cell.capacity] ?? 0;
    arena.free(cell.offset, classForEntries(cell.capacity));
    describe(arena, slot, { tag: INLINE, a: meta, b: number });
  } else {
    describeFlat(
      arena,
      slot,
      left.count * 4 <= left.capacity ? resizeFlat(arena, left, left.count + 1) : left,
    );
  }
  return true;
}

function resizeFlat(arena: Arena, cell: FlatCell, entryCount: number): FlatCell {
  const classIndex = classForEntries(entryCount);
  const offset = copyToNewBlock(arena, cell, { from: 0, until: cell.count }, classIndex);
  arena.free(cell.offset, classForEntries(cell.capacity));
  return { offset, capacity: capacityOfClass(classIndex), count: cell.count };
}

function flatToStrata(arena: Arena, slot: number, cell: FlatCell): void {
  const strata = { directory: createDirectory(arena), rowCount: 0 };
  for (let place = 0; place < cell.count; place += 1) {
    const meta = arena.words[cell.offset + place] ?? 0;
    const number = arena.words[cell.offset + cell.capacity + place] ?? 0;
    insertIntoStrata(arena, strata, { meta, number });
  }
  arena.free(cell.offset, classForEntries(cell.capacity));
  describe(arena, slot, { tag: STRATA, a: strata.directory, b: strata.rowCount });
}

function insertIntoStrataAt(arena: Arena, slot: number, entry: Entry): void {
  const strata = { directory: arena.words[slot + 2] ?? 0, rowCount: arena.words[slot + 3] ?? 0 };
  insertIntoStrata(arena, strata, entry);
  describe(arena, slot, { tag: STRATA, a: strata.directory, b: strata.rowCount });
}

function removeFromStrataAt(arena: Arena, slot: number, entry: Entry): boolean {
  const strata = { directory: arena.words[slot + 2] ?? 0, rowCount: arena.words[slot + 3] ?? 0 };
  if (!removeFromStrata(arena, strata, entry)) return false;
  if (entryCountOf(arena, strata) > FLAT_AGAIN_ENTRIES) {
    describe(arena, slot, { tag: STRATA, a: strata.directory, b: strata.rowCount });
    return true;
  }
  const entries = [...entriesOfStrata(arena, strata)];
  freeStrata(arena, strata);
  writeFlat(arena, slot, entries);
  return true;
}
