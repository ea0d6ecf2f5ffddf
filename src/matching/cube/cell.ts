/**
 * The entries of one key in one cube. A cell takes the shape that its size asks for, told by its tag:
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
import { cellAt, isEmptyAt, setTag, tagAt, type CubeName, type SlotTable } from "./slot-table.ts";
import {
  createDirectory,
  entriesOfStrata,
  entryCountOf,
  freeStrata,
  insertIntoStrata,
  removeFromStrata,
  type Entry,
  type Strata,
} from "./strata.ts";

const NONE = 0;
export const INLINE = 1;
export const FLAT = 2;
const STRATA = 3;

export const FLAT_CAPACITY_MASK = 0xffff;
export const FLAT_COUNT_SHIFT = 16;

const MAX_FLAT_ENTRIES = 256;

/** Strata become flat again well below the size at which they began, so that no cell flutters. */
const FLAT_AGAIN_ENTRIES = 128;

export interface CellKey {
  readonly categoryAndSize: number;
  readonly brand: number;
}

/** Which of a slot's cells. */
interface Place {
  readonly slot: number;
  readonly cube: CubeName;
}

export class Cells {
  readonly #arena: Arena;
  readonly #slots: SlotTable;

  constructor(arena: Arena, slots: SlotTable) {
    this.#arena = arena;
    this.#slots = slots;
  }

  insert(cube: CubeName, key: CellKey, entry: Entry): void {
    const arena = this.#arena;
    const place = { slot: this.#slots.findOrAdd(key.categoryAndSize, key.brand), cube };
    switch (tagAt(arena.words, place.slot, cube)) {
      case INLINE:
        inlineToFlat(arena, place, entry);
        return;
      case FLAT:
        insertIntoFlat(arena, place, entry);
        return;
      case STRATA:
        insertIntoStrataAt(arena, place, entry);
        return;
      default:
        describe(arena, place, { tag: INLINE, a: entry.meta, b: entry.number });
    }
  }

  /** False when the cell does not hold the entry. */
  remove(cube: CubeName, key: CellKey, entry: Entry): boolean {
    const slot = this.#slots.find(key.categoryAndSize, key.brand);
    if (slot === 0 || !removeAtPlace(this.#arena, { slot, cube }, entry)) return false;
    if (isEmptyAt(this.#arena.words, slot)) this.#slots.remove(slot);
    return true;
  }
}

function removeAtPlace(arena: Arena, place: Place, entry: Entry): boolean {
  switch (tagAt(arena.words, place.slot, place.cube)) {
    case INLINE:
      if (arena.words[cellAt(place.slot, place.cube) + 1] !== entry.number) return false;
      describe(arena, place, { tag: NONE, a: 0, b: 0 });
      return true;
    case FLAT:
      return removeFromFlat(arena, place, entry);
    case STRATA:
      return removeFromStrataAt(arena, place, entry);
    default:
      return false;
  }
}

function describe(
  { words }: Arena,
  { slot, cube }: Place,
  cell: { readonly tag: number; readonly a: number; readonly b: number },
): void {
  setTag(words, slot, cube, cell.tag);
  words[cellAt(slot, cube)] = cell.a;
  words[cellAt(slot, cube) + 1] = cell.b;
}

interface FlatCell {
  readonly offset: number;
  readonly capacity: number;
  readonly count: number;
}

function flatAt({ words }: Arena, { slot, cube }: Place): FlatCell {
  const at = cellAt(slot, cube);
  const b = words[at + 1] ?? 0;
  return {
    offset: words[at] ?? 0,
    capacity: b & FLAT_CAPACITY_MASK,
    count: b >>> FLAT_COUNT_SHIFT,
  };
}

function describeFlat(arena: Arena, place: Place, { offset, capacity, count }: FlatCell): void {
  describe(arena, place, { tag: FLAT, a: offset, b: (count << FLAT_COUNT_SHIFT) | capacity });
}

function inlineToFlat(arena: Arena, place: Place, entry: Entry): void {
  const at = cellAt(place.slot, place.cube);
  const alone: Entry = { meta: arena.words[at] ?? 0, number: arena.words[at + 1] ?? 0 };
  writeFlat(arena, place, [alone]);
  insertIntoFlat(arena, place, entry);
}

/** Makes the slot a flat cell of these entries, which must not be more than one holds; any order. */
function writeFlat(arena: Arena, place: Place, entries: Iterable<Entry>): void {
  const all = [...entries];
  const classIndex = classForEntries(all.length + 1);
  const cell = { offset: arena.allocate(classIndex), capacity: capacityOfClass(classIndex), count: 0 };
  for (const entry of all) {
    insertAt(arena.words, cell, placeOf(arena.words, cell, entry), entry);
    cell.count += 1;
  }
  describeFlat(arena, place, cell);
}

function insertIntoFlat(arena: Arena, place: Place, entry: Entry): void {
  const cell = flatAt(arena, place);
  if (cell.count === MAX_FLAT_ENTRIES) {
    flatToStrata(arena, place, cell);
    insertIntoStrataAt(arena, place, entry);
    return;
  }
  const roomy = cell.count < cell.capacity ? cell : resizeFlat(arena, cell, cell.count + 1);
  insertAt(arena.words, roomy, placeOf(arena.words, roomy, entry), entry);
  describeFlat(arena, place, { ...roomy, count: roomy.count + 1 });
}

function removeFromFlat(arena: Arena, place: Place, entry: Entry): boolean {
  const cell = flatAt(arena, place);
  const index = placeOf(arena.words, cell, entry);
  const isThere = index < cell.count && arena.words[cell.offset + cell.capacity + index] === entry.number;
  if (!isThere) return false;
  removeAt(arena.words, cell, index);
  const left = { ...cell, count: cell.count - 1 };
  if (left.count === 0) {
    arena.free(cell.offset, classForEntries(cell.capacity));
    describe(arena, place, { tag: NONE, a: 0, b: 0 });
  } else if (left.count === 1) {
    const meta = arena.words[cell.offset] ?? 0;
    const number = arena.words[cell.offset + cell.capacity] ?? 0;
    arena.free(cell.offset, classForEntries(cell.capacity));
    describe(arena, place, { tag: INLINE, a: meta, b: number });
  } else {
    describeFlat(
      arena,
      place,
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

function flatToStrata(arena: Arena, place: Place, cell: FlatCell): void {
  const strata = { directory: createDirectory(arena), rowCount: 0 };
  for (let index = 0; index < cell.count; index += 1) {
    const meta = arena.words[cell.offset + index] ?? 0;
    const number = arena.words[cell.offset + cell.capacity + index] ?? 0;
    insertIntoStrata(arena, strata, { meta, number });
  }
  arena.free(cell.offset, classForEntries(cell.capacity));
  describe(arena, place, { tag: STRATA, a: strata.directory, b: strata.rowCount });
}

function strataAt({ words }: Arena, { slot, cube }: Place): Strata {
  const at = cellAt(slot, cube);
  return { directory: words[at] ?? 0, rowCount: words[at + 1] ?? 0 };
}

function insertIntoStrataAt(arena: Arena, place: Place, entry: Entry): void {
  const strata = strataAt(arena, place);
  insertIntoStrata(arena, strata, entry);
  describe(arena, place, { tag: STRATA, a: strata.directory, b: strata.rowCount });
}

function removeFromStrataAt(arena: Arena, place: Place, entry: Entry): boolean {
  const strata = strataAt(arena, place);
  if (!removeFromStrata(arena, strata, entry)) return false;
  if (entryCountOf(arena, strata) > FLAT_AGAIN_ENTRIES) {
    describe(arena, place, { tag: STRATA, a: strata.directory, b: strata.rowCount });
    return true;
  }
  const entries = [...entriesOfStrata(arena, strata)];
  freeStrata(arena, strata);
  writeFlat(arena, place, entries);
  return true;
}
