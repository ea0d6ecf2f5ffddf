/**
 * A block of entries, all metas first, then all filter numbers: [metas × capacity | numbers × capacity]. Entries are
 * sorted by rank, descending, then by number: a scan ends at the first cap below the price, and an entry is found by
 * binary search. Flat cells and the runs of strata are such blocks.
 */
import { classFor, classWords, type Arena } from "./arena.ts";
import { rankOf } from "./entry-meta.ts";

export interface Entry {
  readonly meta: number;
  readonly number: number;
}

export interface EntryBlock {
  readonly offset: number;
  readonly capacity: number;
  readonly count: number;
}

/** Number of entries in a block of that class. */
export function capacityOfClass(classIndex: number): number {
  return classWords(classIndex) >>> 1;
}

export function classForEntries(entryCount: number): number {
  return classFor(entryCount * 2);
}

/** The position of an entry, or where it must be inserted. */
export function placeOf(words: Int32Array, block: EntryBlock, entry: Entry): number {
  const { offset, capacity } = block;
  const rank = rankOf(entry.meta);
  let low = 0;
  let high = block.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const middleRank = rankOf(words[offset + middle] ?? 0);
    const isBefore =
      middleRank > rank || (middleRank === rank && (words[offset + capacity + middle] ?? 0) < entry.number);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Number of entries, at the front, with at least this meta. Branches on purpose: speculative reads measured faster than
 * a branch-free search.
 */
export function countOfLeast(words: Int32Array, offset: number, count: number, leastMeta: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[offset + middle] ?? 0) >= leastMeta) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Opens a gap and writes the entry; the block must have room. */
export function insertAt(words: Int32Array, block: EntryBlock, place: number, entry: Entry): void {
  const metas = block.offset;
  const numbers = block.offset + block.capacity;
  words.copyWithin(metas + place + 1, metas + place, metas + block.count);
  words.copyWithin(numbers + place + 1, numbers + place, numbers + block.count);
  words[metas + place] = entry.meta;
  words[numbers + place] = entry.number;
}

export function removeAt(words: Int32Array, block: EntryBlock, place: number): void {
  const metas = block.offset;
  const numbers = block.offset + block.capacity;
  words.copyWithin(metas + place, metas + place + 1, metas + block.count);
  words.copyWithin(numbers + place, numbers + place + 1, numbers + block.count);
}

/** Copies entries `from` to `until` into another block of the given capacity, which must have room. */
export function copyEntries(
  words: Int32Array,
  block: EntryBlock,
  span: { readonly from: number; readonly until: number },
  to: { readonly offset: number; readonly capacity: number },
): void {
  const metas = block.offset;
  const numbers = block.offset + block.capacity;
  words.copyWithin(to.offset, metas + span.from, metas + span.until);
  words.copyWithin(to.offset + to.capacity, numbers + span.from, numbers + span.until);
}

/** Copies entries `from` to `until` into a new block of the class and returns its offset. The old block remains. */
export function copyToNewBlock(
  arena: Arena,
  block: EntryBlock,
  span: { readonly from: number; readonly until: number },
  classIndex: number,
): number {
  const offset = arena.allocate(classIndex);
  copyEntries(arena.words, block, span, { offset, capacity: capacityOfClass(classIndex) });
  return offset;
}
