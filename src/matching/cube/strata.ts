/**
 * A cell of many entries, divided into strata: one for each class and set of conditions. All entries of a stratum
 * agree except for their caps, so a candidate takes all of it, nothing, or its first entries, and taking is copying
 * memory. Entries that require a trait are in a stratum of that trait, all floors in one, those that must be verified in
 * one of their own; these kinds are scanned, the first only for candidates with that trait. A stratum is one or more runs
 * of at most 2,048 entries, so that an insertion moves little.
 *
 * The directory is a block of rows of four words behind a header of four:
 *
 *   header  [total entries, size class of the directory, rows of Thunder's, rows of Thunder's and Acquire's]
 *   row     [stratum | capacity of the run << 9,  offset of the run,  entries,  highest cap << 16 | lowest cap]
 *
 * Rows are sorted by stratum, Thunder's first, and by cap within one.
 */
import { classFor, classWords, type Arena } from "./arena.ts";
import {
  capacityOfClass,
  classForEntries,
  copyToNewBlock,
  insertAt,
  placeOf,
  removeAt,
  type Entry,
  type EntryBlock,
} from "./entry-block.ts";
import {
  capOf,
  classNumbers,
  classOf,
  CONDITION_MASK,
  TRAIT_MASK,
  TRAIT_SHIFT,
  VERIFY,
} from "./entry-meta.ts";
import { FIRST_FLOOR } from "./traits.ts";

export const ROW_WORDS = 4;
export const HEADER_WORDS = 4;
/** Position in the header of the count of Thunder's rows; that of Thunder's and Acquire's follows. */
export const ROW_ENDS_AT = 2;
export const CAPACITY_SHIFT = 9;
export const HIGHEST_CAP_SHIFT = 16;
export const LOWEST_CAP_MASK = 0xffff;
const STRATUM_MASK = 0x1ff;

/**
 * The kind of a stratum, without its class: 0 takes any condition, 1–31 are sets of conditions, 32 must be verified,
 * the others are 32 and the trait that their entries require, the first floor's for all floors.
 */
const KINDS_PER_CLASS = 128;
export const KIND_MASK = KINDS_PER_CLASS - 1;
export const VERIFIED_KIND = 32;

const MAX_RUN_ENTRIES = 2_048;

/** The condition bits of the entries of a kind. */
export const conditionsOfKind: Int32Array = Int32Array.from({ length: KINDS_PER_CLASS }, (_, kind) =>
  kind === 0 || kind >= VERIFIED_KIND ? CONDITION_MASK : kind,
);

/** The trait that a kind requires; every candidate has the trait 0. */
export const traitOfKind: Int32Array = Int32Array.from({ length: KINDS_PER_CLASS }, (_, kind) =>
  Math.max(0, kind - VERIFIED_KIND),
);

function stratumOf(meta: number): number {
  return (classNumbers.thunder - classOf(meta)) * KINDS_PER_CLASS + kindOf(meta);
}

function kindOf(meta: number): number {
  const trait = (meta >>> TRAIT_SHIFT) & TRAIT_MASK;
  const mask = meta & CONDITION_MASK;
  if ((meta & VERIFY) !== 0) return VERIFIED_KIND;
  if (trait !== 0) return VERIFIED_KIND + Math.min(trait, FIRST_FLOOR);
  return mask === CONDITION_MASK ? 0 : mask;
}

/** A directory without rows. */
export function createDirectory(arena: Arena): number {
  const classIndex = classFor(HEADER_WORDS + 2 * ROW_WORDS);
  const directory = arena.allocate(classIndex);
  arena.words.fill(0, directory, directory + HEADER_WORDS);
  arena.words[directory + 1] = classIndex;
  return directory;
}

/** A cell of strata as described by its slot: both values change with edits. */
export interface Strata {
  directory: number;
  rowCount: number;
}

export function entryCountOf(arena: Arena, { directory }: Strata): number {
  return arena.words[directory] ?? 0;
}

export function insertIntoStrata(arena: Arena, strata: Strata, entry: Entry): void {
  const stratum = stratumOf(entry.meta);
  const row = rowFor(arena, strata, stratum, entry);
  if (row.isMissing) addRow(arena, strata, row.index, newRun(arena, stratum));
  const index = withRoom(arena, strata, row.index, entry);
  const { words } = arena;
  const at = rowAt(strata, index);
  const block = blockOf(words, at);
  const place = placeOf(words, block, entry);
  insertAt(words, block, place, entry);
  words[at + 2] = block.count + 1;
  if (place === 0 || place === block.count) noteCaps(words, at);
  words[strata.directory] = (words[strata.directory] ?? 0) + 1;
}

/** False if there is no such entry. */
export function removeFromStrata(arena: Arena, strata: Strata, entry: Entry): boolean {
  const { words } = arena;
  const row = rowFor(arena, strata, stratumOf(entry.meta), entry);
  if (row.isMissing) return false;
  const at = rowAt(strata, row.index);
  const block = blockOf(words, at);
  const place = placeOf(words, block, entry);
  if (place === block.count || words[block.offset + block.capacity + place] !== entry.number) return false;
  removeAt(words, block, place);
  words[at + 2] = block.count - 1;
  words[strata.directory] = (words[strata.directory] ?? 0) - 1;
  if (block.count === 1) dropRow(arena, strata, row.index);
  else if (place === 0 || place === block.count - 1) noteCaps(words, at);
  return true;
}

/** Every entry, stratum by stratum. */
export function* entriesOfStrata(arena: Arena, strata: Strata): Iterable<Entry> {
  for (let index = 0; index < strata.rowCount; index += 1) {
    const { offset, capacity, count } = blockOf(arena.words, rowAt(strata, index));
    for (let place = 0; place < count; place += 1) {
      yield {
        meta: arena.words[offset + place] ?? 0,
        number: arena.words[offset + capacity + place] ?? 0,
      };
    }
  }
}

/** Frees the directory and every run. */
export function freeStrata(arena: Arena, strata: Strata): void {
  for (let index = 0; index < strata.rowCount; index += 1) {
    const { offset, capacity } = blockOf(arena.words, rowAt(strata, index));
    arena.free(offset, classForEntries(capacity));
  }
  arena.free(strata.directory, arena.words[strata.directory + 1] ?? 0);
}

function rowAt({ directory }: Strata, index: number): number {
  return directory + HEADER_WORDS + index * ROW_WORDS;
}

function blockOf(words: Int32Array, row: number): EntryBlock {
  return {
    offset: words[row + 1] ?? 0,
    capacity: (words[row] ?? 0) >>> CAPACITY_SHIFT,
    count: words[row + 2] ?? 0,
  };
}

/** The row of the stratum that contains the entry or should; if the stratum has none, the position for one. */
function rowFor(
  arena: Arena,
  strata: Strata,
  stratum: number,
  entry: Entry,
): { readonly index: number; readonly isMissing: boolean } {
  const { words } = arena;
  const first = firstRowOf(words, strata, stratum);
  let index = first;
  while (index < strata.rowCount && ((words[rowAt(strata, index)] ?? 0) & STRATUM_MASK) === stratum) {
    if (!standsBehind(words, rowAt(strata, index), entry)) return { index, isMissing: false };
    index += 1;
  }
  // Behind every run of its stratum: it belongs to the last one.
  return index > first ? { index: index - 1, isMissing: false } : { index, isMissing: true };
}

/** Binary search for the first row that is not before those of the stratum. */
function firstRowOf(words: Int32Array, strata: Strata, stratum: number): number {
  let low = 0;
  let high = strata.rowCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (((words[rowAt(strata, middle)] ?? 0) & STRATUM_MASK) < stratum) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Whether the entry, of the row's stratum, is behind the last one of the run. The caps in the row usually decide;
 * reading the run itself may be a cache miss.
 */
function standsBehind(words: Int32Array, row: number, entry: Entry): boolean {
  const lowestCap = (words[row + 3] ?? 0) & LOWEST_CAP_MASK;
  const cap = capOf(entry.meta);
  if (cap !== lowestCap) return cap < lowestCap;
  const { offset, capacity, count } = blockOf(words, row);
  return entry.number > (words[offset + capacity + count - 1] ?? 0);
}

interface Run {
  readonly stratum: number;
  readonly offset: number;
  readonly classIndex: number;
  readonly count: number;
}

function newRun(arena: Arena, stratum: number): Run {
  const classIndex = classForEntries(4);
  return { stratum, offset: arena.allocate(classIndex), classIndex, count: 0 };
}

/** Makes room in a run by a larger block or by splitting it; returns the row for the entry. */
function withRoom(arena: Arena, strata: Strata, index: number, entry: Entry): number {
  const at = rowAt(strata, index);
  const block = blockOf(arena.words, at);
  if (block.count < block.capacity) return index;
  if (block.capacity < MAX_RUN_ENTRIES) {
    resizeRun(arena, at, Math.min(MAX_RUN_ENTRIES, block.count + (block.count >>> 2) + 1));
    return index;
  }
  const stratum = (arena.words[at] ?? 0) & STRATUM_MASK;
  const half = block.count >>> 1;
  const classIndex = classForEntries(block.count - half + (half >>> 1));
  const offset = copyToNewBlock(arena, block, { from: half, until: block.count }, classIndex);
  arena.words[at + 2] = half;
  noteCaps(arena.words, at);
  addRow(arena, strata, index + 1, { stratum, offset, classIndex, count: block.count - half });
  return standsBehind(arena.words, rowAt(strata, index), entry) ? index + 1 : index;
}

function resizeRun(arena: Arena, at: number, entryCount: number): void {
  const block = blockOf(arena.words, at);
  const classIndex = classForEntries(entryCount);
  const offset = copyToNewBlock(arena, block, { from: 0, until: block.count }, classIndex);
  const { words } = arena;
  words[at] = ((words[at] ?? 0) & STRATUM_MASK) | (capacityOfClass(classIndex) << CAPACITY_SHIFT);
  words[at + 1] = offset;
  arena.free(block.offset, classForEntries(block.capacity));
}

function addRow(arena: Arena, strata: Strata, index: number, run: Run): void {
  const oldClass = arena.words[strata.directory + 1] ?? 0;
  const neededWords = HEADER_WORDS + (strata.rowCount + 1) * ROW_WORDS;
  if (neededWords > classWords(oldClass)) {
    const classIndex = classFor(neededWords + (neededWords >>> 2));
    const directory = arena.allocate(classIndex);
    arena.words.copyWithin(directory, strata.directory, rowAt(strata, strata.rowCount));
    arena.words[directory + 1] = classIndex;
    arena.free(strata.directory, oldClass);
    strata.directory = directory;
  }
  const { words } = arena;
  const at = rowAt(strata, index);
  words.copyWithin(at + ROW_WORDS, at, rowAt(strata, strata.rowCount));
  words[at] = run.stratum | (capacityOfClass(run.classIndex) << CAPACITY_SHIFT);
  words[at + 1] = run.offset;
  words[at + 2] = run.count;
  strata.rowCount += 1;
  noteRow(words, strata, run.stratum, 1);
  if (run.count > 0) noteCaps(words, at);
}

function dropRow(arena: Arena, strata: Strata, index: number): void {
  const { words } = arena;
  const at = rowAt(strata, index);
  const { offset, capacity } = blockOf(words, at);
  noteRow(words, strata, (words[at] ?? 0) & STRATUM_MASK, -1);
  arena.free(offset, classForEntries(capacity));
  words.copyWithin(at, at + ROW_WORDS, rowAt(strata, strata.rowCount));
  strata.rowCount -= 1;
}

/** Adjusts the class boundaries when a row is added or removed. */
function noteRow(words: Int32Array, { directory }: Strata, stratum: number, change: 1 | -1): void {
  const at = directory + ROW_ENDS_AT;
  if (stratum < KINDS_PER_CLASS) words[at] = (words[at] ?? 0) + change;
  if (stratum < 2 * KINDS_PER_CLASS) words[at + 1] = (words[at + 1] ?? 0) + change;
}

function noteCaps(words: Int32Array, at: number): void {
  const { offset, count } = blockOf(words, at);
  const highest = capOf(words[offset] ?? 0);
  const lowest = capOf(words[offset + count - 1] ?? 0);
  words[at + 3] = (highest << HIGHEST_CAP_SHIFT) | lowest;
}
