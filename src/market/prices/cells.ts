/**
 * Counts of prices per cell: how many, on which days, their mean logarithm and a histogram in steps of 2 %.
 * All cells are in a few flat arrays, because there may be hundreds of thousands. Integer sums make adding
 * and removing a price exact inverses.
 */

/** A price is counted between these. */
export const MIN_PRICE_CENTS = 50;
export const MAX_PRICE_CENTS = 1_000_000;

const STEP = Math.log(1.02);
const LEAST_LOG = Math.log(MIN_PRICE_CENTS);
export const BIN_COUNT = Math.ceil((Math.log(MAX_PRICE_CENTS) - LEAST_LOG) / STEP) + 1;

/** The position of a price in a histogram, in steps from its start. */
export function placeOf(cents: number): number {
  return (Math.log(cents) - LEAST_LOG) / STEP;
}

export function centsAt(place: number): number {
  return Math.round(Math.exp(LEAST_LOG + place * STEP));
}

/** Fixed-point scale of summed places, so that sums stay exact. */
const SUM_SCALE = 65_536;

/** One bit per day, by day number modulo this, which exceeds any window. */
const DAY_BITS = 96;

/** A histogram entry: the bin in the upper bits, the count in the lower 23. */
const BIN_SHIFT = 2 ** 23;
const LEAST_CAPACITY = 4;
/** Less than doubling: wasted memory matters more than a few more copies. */
const GROWTH = 1.5;
const CLASSES = 8;

const FREE_KEY = 0;

export interface CellsSnapshot {
  readonly count: number;
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly sums: Float64Array<ArrayBuffer>;
  readonly days: Uint32Array<ArrayBuffer>;
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly sizes: Uint16Array<ArrayBuffer>;
  readonly classes: Uint8Array<ArrayBuffer>;
  readonly slots: Uint32Array<ArrayBuffer>;
  readonly entries: Uint32Array<ArrayBuffer>;
  readonly entriesUsed: number;
  readonly free: readonly (readonly number[])[];
}

/** Cells by a key from 1 to 2^32 - 1. A cell is identified by its index, from 0. */
export class Cells {
  #count = 0;
  #keys = new Uint32Array(1_024);
  #counts = new Uint32Array(1_024);
  #sums = new Float64Array(1_024);
  #days = new Uint32Array(3 * 1_024);
  #offsets = new Uint32Array(1_024);
  #sizes = new Uint16Array(1_024);
  #classes = new Uint8Array(1_024);
  /** Cell numbers plus one, by hashed key; at most half full. */
  #slots = new Uint32Array(4_096);
  #entries = new Uint32Array(16_384);
  #entriesUsed = 0;
  #free: number[][] = Array.from({ length: CLASSES }, () => []);

  static from(snapshot: CellsSnapshot): Cells {
    const cells = new Cells();
    cells.#count = snapshot.count;
    cells.#keys = snapshot.keys;
    cells.#counts = snapshot.counts;
    cells.#sums = snapshot.sums;
    cells.#days = snapshot.days;
    cells.#offsets = snapshot.offsets;
    cells.#sizes = snapshot.sizes;
    cells.#classes = snapshot.classes;
    cells.#slots = snapshot.slots;
    cells.#entries = snapshot.entries;
    cells.#entriesUsed = snapshot.entriesUsed;
    cells.#free = snapshot.free.map((list) => [...list]);
    return cells;
  }

  /** Views of the cells' own memory, to be transferred: do not use the cells afterwards. */
  snapshot(): CellsSnapshot {
    return {
      count: this.#count,
      keys: this.#keys,
      counts: this.#counts,
      sums: this.#sums,
      days: this.#days,
      offsets: this.#offsets,
      sizes: this.#sizes,
      classes: this.#classes,
      slots: this.#slots,
      entries: this.#entries,
      entriesUsed: this.#entriesUsed,
      free: this.#free,
    };
  }

  get size(): number {
    return this.#count;
  }

  get bytes(): number {
    const { keys, counts, sums, days, offsets, sizes, classes, slots, entries } = this.snapshot();
    const arrays = [keys, counts, sums, days, offsets, sizes, classes, slots, entries];
    return arrays.reduce((total, { byteLength }) => total + byteLength, 0);
  }

  /** -1: there is no such cell. */
  find(key: number): number {
    return (this.#slots[this.#slotOf(key)] ?? 0) - 1;
  }

  /** Finds or adds the cell. */
  take(key: number): number {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    if (this.#count === this.#keys.length) this.#grow();
    const cell = this.#count;
    this.#count += 1;
    this.#keys[cell] = key;
    this.#offsets[cell] = this.#allocate(0);
    this.#slots[slot] = this.#count;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return cell;
  }

  countOf(cell: number): number {
    return this.#counts[cell] ?? 0;
  }

  /** On how many days its prices were seen. */
  daysOf(cell: number): number {
    let days = 0;
    for (let word = 0; word < 3; word += 1) days += bitsOf(this.#days[cell * 3 + word] ?? 0);
    return days;
  }

  /** The mean place of its prices; 0 for an empty cell. */
  meanOf(cell: number): number {
    const count = this.countOf(cell);
    return count === 0 ? 0 : (this.#sums[cell] ?? 0) / SUM_SCALE / count;
  }

  add(cell: number, place: number, day: number): void {
    this.#counts[cell] = this.countOf(cell) + 1;
    this.#sums[cell] = (this.#sums[cell] ?? 0) + Math.round(place * SUM_SCALE);
    const bit = day % DAY_BITS;
    const word = cell * 3 + (bit >>> 5);
    this.#days[word] = (this.#days[word] ?? 0) | (1 << (bit & 31));
    this.#change(cell, binOf(place), 1);
  }

  /** Removes a price that was added; the day's bit stays until `endDay`. */
  remove(cell: number, place: number): void {
    this.#counts[cell] = this.countOf(cell) - 1;
    this.#sums[cell] = (this.#sums[cell] ?? 0) - Math.round(place * SUM_SCALE);
    this.#change(cell, binOf(place), -1);
  }

  /** Clears a day's bit once all of its prices were removed. */
  endDay(day: number): void {
    const bit = day % DAY_BITS;
    const mask = ~(1 << (bit & 31));
    for (let cell = 0; cell < this.#count; cell += 1) {
      const word = cell * 3 + (bit >>> 5);
      this.#days[word] = (this.#days[word] ?? 0) & mask;
    }
  }

  /**
   * Adds the cell's histogram to `mass`, weighted and shifted by a number of steps, clamped at the ends.
   * @param shift a fraction is divided between two bins
   */
  spread(cell: number, mass: Float64Array, { weight, shift }: { weight: number; shift: number }): void {
    const offset = this.#offsets[cell] ?? 0;
    const size = this.#sizes[cell] ?? 0;
    const steps = Math.floor(shift);
    const upper = shift - steps;
    for (let index = 0; index < size; index += 1) {
      const entry = this.#entries[offset + index] ?? 0;
      const bin = Math.floor(entry / BIN_SHIFT) + steps;
      const own = (entry % BIN_SHIFT) * weight;
      const low = Math.min(BIN_COUNT - 1, Math.max(0, bin));
      const high = Math.min(BIN_COUNT - 1, Math.max(0, bin + 1));
      mass[low] = (mass[low] ?? 0) + own * (1 - upper);
      if (upper > 0) mass[high] = (mass[high] ?? 0) + own * upper;
    }
  }

  #slotOf(key: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul(key ^ (key >>> 15), 0x2c1b_3c6d) >>> 0;
    slot = (slot ^ (slot >>> 13)) & mask;
    for (;;) {
      const cell = this.#slots[slot] ?? 0;
      if (cell === 0 || this.#keys[cell - 1] === key) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #change(cell: number, bin: number, change: 1 | -1): void {
    let offset = this.#offsets[cell] ?? 0;
    const size = this.#sizes[cell] ?? 0;
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Math.floor((this.#entries[offset + middle] ?? 0) / BIN_SHIFT) < bin) low = middle + 1;
      else high = middle;
    }
    const at = offset + low;
    const entry = low < size ? (this.#entries[at] ?? 0) : 0;
    if (low < size && Math.floor(entry / BIN_SHIFT) === bin) {
      this.#entries[at] = entry + change;
      if (change > 0 || entry % BIN_SHIFT > 1) return;
      this.#entries.copyWithin(at, at + 1, offset + size);
      this.#sizes[cell] = size - 1;
      return;
    }
    if (change < 0) return;
    offset = this.#makeRoom(cell, size);
    this.#entries.copyWithin(offset + low + 1, offset + low, offset + size);
    this.#entries[offset + low] = bin * BIN_SHIFT + 1;
    this.#sizes[cell] = size + 1;
  }

  /** @returns the offset of its entries, with room for one more */
  #makeRoom(cell: number, size: number): number {
    const offset = this.#offsets[cell] ?? 0;
    const sizeClass = this.#classes[cell] ?? 0;
    if (size < LEAST_CAPACITY << sizeClass) return offset;
    const larger = this.#allocate(sizeClass + 1);
    this.#entries.copyWithin(larger, offset, offset + size);
    this.#free[sizeClass]?.push(offset);
    this.#offsets[cell] = larger;
    this.#classes[cell] = sizeClass + 1;
    return larger;
  }

  #allocate(sizeClass: number): number {
    const reused = this.#free[sizeClass]?.pop();
    if (reused !== undefined) return reused;
    const offset = this.#entriesUsed;
    this.#entriesUsed += LEAST_CAPACITY << sizeClass;
    if (this.#entriesUsed > this.#entries.length) {
      const length = Math.max(this.#entriesUsed, Math.ceil(this.#entries.length * GROWTH));
      this.#entries = moved(this.#entries, new Uint32Array(length));
    }
    return offset;
  }

  #grow(): void {
    const length = Math.ceil(this.#keys.length * GROWTH);
    this.#keys = moved(this.#keys, new Uint32Array(length));
    this.#counts = moved(this.#counts, new Uint32Array(length));
    this.#sums = moved(this.#sums, new Float64Array(length));
    this.#days = moved(this.#days, new Uint32Array(length * 3));
    this.#offsets = moved(this.#offsets, new Uint32Array(length));
    this.#sizes = moved(this.#sizes, new Uint16Array(length));
    this.#classes = moved(this.#classes, new Uint8Array(length));
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let cell = 0; cell < this.#count; cell += 1)
      this.#slots[this.#slotOf(this.#keys[cell] ?? FREE_KEY)] = cell + 1;
  }
}

export function binOf(place: number): number {
  return Math.min(BIN_COUNT - 1, Math.max(0, Math.floor(place)));
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function moved<Words extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  words: ArrayLike<number>,
  room: Words,
): Words {
  room.set(words);
  return room;
}
