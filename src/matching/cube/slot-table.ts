/**
 * Where the cell of a key is: a hash table of 4,096 segments that grow one by one, so that no edit ever rebuilds
 * more than one small segment. A slot is four words of the arena:
 *
 *   [category << 16 | size,  brand | tag << 24,  a,  b]
 *
 * The tag says what kind of cell `a` and `b` describe (cell.ts); 0: none, the slot is empty. Within a segment a key
 * is at its hash or in the next free slot after it (linear probing); a removal closes the gap, so there are no
 * tombstones.
 */
import { classFor, type Arena } from "./arena.ts";

const SLOT_WORDS = 4;
const TAG_SHIFT = 24;
const BRAND_MASK = 0xff_ffff;

export function tagAt(words: Int32Array, slot: number): number {
  return (words[slot + 1] ?? 0) >>> TAG_SHIFT;
}

/** The offset of the cell's `a`; `b` follows it. */
export function cellAt(slot: number): number {
  return slot + 2;
}

export function setTag(words: Int32Array, slot: number, tag: number): void {
  words[slot + 1] = ((words[slot + 1] ?? 0) & BRAND_MASK) | (tag << TAG_SHIFT);
}

const SEGMENT_BITS = 12;
const SEGMENT_COUNT = 1 << SEGMENT_BITS;
const FIRST_CAPACITY = 4;

/** Maximum load factor of a segment. */
const MOST_TAKEN = 0.7;

/** Offset, capacity and used slots of each segment. */
const DIRECTORY_WORDS = 3;

export class SlotTable {
  readonly #arena: Arena;
  readonly #segments = new Int32Array(SEGMENT_COUNT * DIRECTORY_WORDS);
  /** The sum of what `warm` read: kept so that the compiler cannot remove the reads. */
  warmed = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** The slot of a key, or 0: no slot has the offset 0. */
  find(categoryAndSize: number, brand: number, hash = hashOf(categoryAndSize, brand)): number {
    const row = (hash >>> (32 - SEGMENT_BITS)) * DIRECTORY_WORDS;
    const capacity = this.#segments[row + 1] ?? 0;
    if (capacity === 0) return 0;
    const { words } = this.#arena;
    const segment = this.#segments[row] ?? 0;
    const wrap = capacity - 1;
    for (let place = hash & wrap; ; place = (place + 1) & wrap) {
      const slot = segment + place * SLOT_WORDS;
      const brandAndTag = words[slot + 1] ?? 0;
      if (brandAndTag >>> TAG_SHIFT === 0) return 0;
      if (words[slot] === categoryAndSize && (brandAndTag & BRAND_MASK) === brand) return slot;
    }
  }

  /** Whether the slot still belongs to the key. */
  isAt(slot: number, categoryAndSize: number, brand: number): boolean {
    const { words } = this.#arena;
    const brandAndTag = words[slot + 1] ?? 0;
    return (
      words[slot] === categoryAndSize &&
      (brandAndTag & BRAND_MASK) === brand &&
      brandAndTag >>> TAG_SHIFT !== 0
    );
  }

  /** Prefetches the first word that the look-up of each key will read, so that the cache misses overlap. */
  warm(hashes: Int32Array, count: number): void {
    const { words } = this.#arena;
    const segments = this.#segments;
    let sum = 0;
    for (let index = 0; index < count; index += 1) {
      const hash = hashes[index] ?? 0;
      const row = (hash >>> (32 - SEGMENT_BITS)) * DIRECTORY_WORDS;
      const capacity = segments[row + 1] ?? 0;
      // For an empty segment this reads the arena's first block, which is never allocated.
      const place = capacity === 0 ? 0 : hash & (capacity - 1);
      sum ^= words[(segments[row] ?? 0) + place * SLOT_WORDS] ?? 0;
    }
    this.warmed = sum;
  }

  /** The slot of a key, added if missing: the caller must then store a cell in it. */
  findOrAdd(categoryAndSize: number, brand: number, hash = hashOf(categoryAndSize, brand)): number {
    const known = this.find(categoryAndSize, brand, hash);
    if (known !== 0) return known;
    const row = (hash >>> (32 - SEGMENT_BITS)) * DIRECTORY_WORDS;
    const taken = (this.#segments[row + 2] ?? 0) + 1;
    if (taken > (this.#segments[row + 1] ?? 0) * MOST_TAKEN) this.#growSegment(row);
    this.#segments[row + 2] = taken;
    const slot = this.#firstFree(row, hash);
    const { words } = this.#arena;
    words[slot] = categoryAndSize;
    words[slot + 1] = brand;
    return slot;
  }

  /** Removes a slot and closes the gap. Other slots of its segment may move. */
  remove(slot: number): void {
    const { words } = this.#arena;
    const row = (this.#hashAt(slot) >>> (32 - SEGMENT_BITS)) * DIRECTORY_WORDS;
    const segment = this.#segments[row] ?? 0;
    const wrap = (this.#segments[row + 1] ?? 0) - 1;
    let gap = (slot - segment) / SLOT_WORDS;
    for (let place = (gap + 1) & wrap; ; place = (place + 1) & wrap) {
      const from = segment + place * SLOT_WORDS;
      if ((words[from + 1] ?? 0) >>> TAG_SHIFT === 0) break;
      const home = this.#hashAt(from) & wrap;
      // A key may fill the gap unless its home position is between the gap and its slot.
      if (((place - home) & wrap) < ((place - gap) & wrap)) continue;
      words.copyWithin(segment + gap * SLOT_WORDS, from, from + SLOT_WORDS);
      gap = place;
    }
    words[segment + gap * SLOT_WORDS + 1] = 0;
    this.#segments[row + 2] = (this.#segments[row + 2] ?? 0) - 1;
  }

  #growSegment(row: number): void {
    const oldCapacity = this.#segments[row + 1] ?? 0;
    const oldSegment = this.#segments[row] ?? 0;
    const capacity = oldCapacity === 0 ? FIRST_CAPACITY : oldCapacity * 2;
    const segment = this.#arena.allocate(classFor(capacity * SLOT_WORDS));
    const { words } = this.#arena;
    words.fill(0, segment, segment + capacity * SLOT_WORDS);
    this.#segments[row] = segment;
    this.#segments[row + 1] = capacity;
    if (oldCapacity === 0) return;
    for (let place = 0; place < oldCapacity; place += 1) {
      const from = oldSegment + place * SLOT_WORDS;
      if ((words[from + 1] ?? 0) >>> TAG_SHIFT === 0) continue;
      words.copyWithin(this.#firstFree(row, this.#hashAt(from)), from, from + SLOT_WORDS);
    }
    this.#arena.free(oldSegment, classFor(oldCapacity * SLOT_WORDS));
  }

  #firstFree(row: number, hash: number): number {
    const { words } = this.#arena;
    const segment = this.#segments[row] ?? 0;
    const wrap = (this.#segments[row + 1] ?? 0) - 1;
    let place = hash & wrap;
    while ((words[segment + place * SLOT_WORDS + 1] ?? 0) >>> TAG_SHIFT !== 0) place = (place + 1) & wrap;
    return segment + place * SLOT_WORDS;
  }

  #hashAt(slot: number): number {
    const { words } = this.#arena;
    return hashOf(words[slot] ?? 0, (words[slot + 1] ?? 0) & BRAND_MASK);
  }
}

/** The top bits select the segment, the low ones the position: both must depend on the whole key. */
export function hashOf(categoryAndSize: number, brand: number): number {
  let mixed = Math.imul(categoryAndSize, 0x9e37_79b1) ^ Math.imul(brand, 0x85eb_ca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return mixed ^ (mixed >>> 15);
}
