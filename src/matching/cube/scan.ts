/**
 * The hot path: from a cell to the numbers of the filters that hold the candidate. Nothing here allocates, and the
 * loop over a flat cell has no branch that depends on an entry but the one that ends it: a number is written in any
 * case, and counts only when it passed.
 */
import type { Arena } from "./arena.ts";
import { FLAT, FLAT_CAPACITY_MASK, FLAT_COUNT_SHIFT, INLINE } from "./cell.ts";
import { countWithinCap } from "./entry-block.ts";
import { ACQUIRE_BIT, CAP_SHIFT, COLOUR_MASK, COLOUR_SHIFT, VERIFY } from "./entry-meta.ts";
import {
  CAPACITY_SHIFT,
  colourBitOfKind,
  conditionsOfKind,
  HEADER_WORDS,
  KIND_MASK,
  KINDS_PER_LANE,
  ROW_WORDS,
  STRATUM_MASK,
  VERIFIED_KIND,
} from "./strata.ts";

/** Runs of so few entries are copied one by one, up to the first cap below the price: halving them costs more. */
const FEW = 48;

/**
 * The candidate as the entries see it, and where what is found goes. One object, used again for every candidate.
 * Automatic cells are taken by lane, Thunder's numbers in front and Acquire's aside; shown cells know no lanes, and
 * their loop is the same but for that: a write and three operations less for each of the many entries.
 */
export class Sweep {
  /** Where the next number is written, of Thunder's where there are lanes. */
  front = 0;
  /** Where Acquire's next number is written. */
  back = 0;
  price = 0;
  conditionBit = 0;
  colourBits = 0;
  readonly #arena: Arena;
  readonly #verify: (filterNumber: number) => boolean;

  /** @param verify asks a filter itself about the candidate; called for entries whose meta does not tell all */
  constructor(arena: Arena, verify: (filterNumber: number) => boolean) {
    this.#arena = arena;
    this.#verify = verify;
  }

  /** Takes what passes of a shown cell, as its slot describes it. */
  take(tag: number, a: number, b: number): void {
    if (tag === INLINE) {
      this.#arena.words[this.front] = b;
      this.front += this.#passes(a, b);
    } else if (tag === FLAT) this.#scan(a, b & FLAT_CAPACITY_MASK, b >>> FLAT_COUNT_SHIFT);
    else this.#takeStrata(a, b, false);
  }

  /** Takes what passes of an automatic cell. */
  takeByLane(tag: number, a: number, b: number): void {
    if (tag === INLINE) this.#takeOneByLane(a, b);
    else if (tag === FLAT) this.#scanByLane(a, b & FLAT_CAPACITY_MASK, b >>> FLAT_COUNT_SHIFT);
    else this.#takeStrata(a, b, true);
  }

  #takeOneByLane(meta: number, filterNumber: number): void {
    const { words } = this.#arena;
    const passes = this.#passes(meta, filterNumber);
    const isAcquire = (meta >>> ACQUIRE_BIT) & 1;
    words[this.front] = filterNumber;
    words[this.back] = filterNumber;
    this.front += passes & ~isAcquire;
    this.back += passes & isAcquire;
  }

  /** 1 or 0, for an entry that stands alone. */
  #passes(meta: number, filterNumber: number): number {
    if (meta >>> CAP_SHIFT < this.price) return 0;
    const colourBit = (meta >>> COLOUR_SHIFT) & COLOUR_MASK;
    const passes = (meta >>> this.conditionBit) & (this.colourBits >>> colourBit) & 1;
    return (meta & VERIFY) !== 0 && passes !== 0 && !this.#verify(filterNumber) ? 0 : passes;
  }

  #scan(metas: number, capacity: number, count: number): void {
    const { words } = this.#arena;
    const { conditionBit, colourBits } = this;
    const numbers = metas + capacity;
    const leastMeta = this.price << CAP_SHIFT;
    let { front } = this;
    for (let place = 0; place < count; place += 1) {
      const meta = words[metas + place] ?? 0;
      if (meta < leastMeta) break;
      const filterNumber = words[numbers + place] ?? 0;
      let passes = (meta >>> conditionBit) & (colourBits >>> ((meta >>> COLOUR_SHIFT) & COLOUR_MASK)) & 1;
      if ((meta & VERIFY) !== 0 && passes !== 0) passes = this.#verify(filterNumber) ? 1 : 0;
      words[front] = filterNumber;
      front += passes;
    }
    this.front = front;
  }

  #scanByLane(metas: number, capacity: number, count: number): void {
    const { words } = this.#arena;
    const { conditionBit, colourBits } = this;
    const numbers = metas + capacity;
    const leastMeta = this.price << CAP_SHIFT;
    let { front, back } = this;
    for (let place = 0; place < count; place += 1) {
      const meta = words[metas + place] ?? 0;
      if (meta < leastMeta) break;
      const filterNumber = words[numbers + place] ?? 0;
      let passes = (meta >>> conditionBit) & (colourBits >>> ((meta >>> COLOUR_SHIFT) & COLOUR_MASK)) & 1;
      if ((meta & VERIFY) !== 0 && passes !== 0) passes = this.#verify(filterNumber) ? 1 : 0;
      const isAcquire = (meta >>> ACQUIRE_BIT) & 1;
      words[front] = filterNumber;
      words[back] = filterNumber;
      front += passes & ~isAcquire;
      back += passes & isAcquire;
    }
    this.front = front;
    this.back = back;
  }

  #takeStrata(directory: number, rowCount: number, hasLanes: boolean): void {
    const { words } = this.#arena;
    const { price, conditionBit, colourBits } = this;
    const end = directory + HEADER_WORDS + rowCount * ROW_WORDS;
    for (let row = directory + HEADER_WORDS; row < end; row += ROW_WORDS) {
      const caps = words[row + 3] ?? 0;
      const stratumAndCapacity = words[row] ?? 0;
      const kind = stratumAndCapacity & KIND_MASK;
      const takesCondition = (conditionsOfKind[kind] ?? 0) >>> conditionBit;
      const takesColour = colourBits >>> (colourBitOfKind[kind] ?? 0);
      if ((takesCondition & takesColour & 1) === 0 || caps >>> CAP_SHIFT < price) continue;
      const offset = words[row + 1] ?? 0;
      const count = words[row + 2] ?? 0;
      const capacity = stratumAndCapacity >>> CAPACITY_SHIFT;
      if (kind >= VERIFIED_KIND) {
        if (hasLanes) this.#scanByLane(offset, capacity, count);
        else this.#scan(offset, capacity, count);
        continue;
      }
      const isAside = (stratumAndCapacity & STRATUM_MASK) >= KINDS_PER_LANE;
      const to = isAside ? this.back : this.front;
      const isWhole = (caps & 0xffff) >= price;
      let taken = count;
      if (count <= FEW) taken = copyFew(words, to, row, isWhole ? 0 : price << CAP_SHIFT);
      else {
        if (!isWhole) taken = countWithinCap(words, offset, count, price);
        words.copyWithin(to, offset + capacity, offset + capacity + taken);
      }
      if (isAside) this.back += taken;
      else this.front += taken;
    }
  }
}

/** Copies a run's numbers up to the first cap below the price; answers how many. */
function copyFew(words: Int32Array, to: number, row: number, leastMeta: number): number {
  const metas = words[row + 1] ?? 0;
  const count = words[row + 2] ?? 0;
  const numbers = metas + ((words[row] ?? 0) >>> CAPACITY_SHIFT);
  let taken = 0;
  while (taken < count && (words[metas + taken] ?? 0) >= leastMeta) {
    words[to + taken] = words[numbers + taken] ?? 0;
    taken += 1;
  }
  return taken;
}
