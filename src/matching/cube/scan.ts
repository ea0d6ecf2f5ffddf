/**
 * The hot path: from a cell to the numbers of the filters that hold the candidate. It allocates nothing, and
 * its loops have no data-dependent branch except the one that ends them: a number is always written, and kept
 * only if it passes.
 */
import type { Arena } from "./arena.ts";
import { FLAT, FLAT_CAPACITY_MASK, FLAT_COUNT_SHIFT, FLAT_HEADER_WORDS, INLINE } from "./cell.ts";
import { countOfLeast } from "./entry-block.ts";
import {
  CLASS_SHIFT,
  classNumbers,
  leastMetaOf,
  TRAIT_MASK,
  TRAIT_SHIFT,
  VERIFY,
  type ClassNumber,
} from "./entry-meta.ts";
import {
  CAPACITY_SHIFT,
  conditionsOfKind,
  HEADER_WORDS,
  HIGHEST_CAP_SHIFT,
  KIND_MASK,
  LOWEST_CAP_MASK,
  ROW_ENDS_AT,
  ROW_WORDS,
  traitOfKind,
  VERIFIED_KIND,
} from "./strata.ts";
import { TRAIT_COUNT } from "./traits.ts";

/**
 * Runs of at most this many entries are copied one by one up to the first cap below the price: cheaper than a
 * binary search.
 */
const FEW = 48;

/** Rows of a directory that are examined in one batch before any of them is copied. */
const ROWS_AT_A_TIME = 64;

/**
 * The candidate in the encoding of the entries, and the position of the output. Reused for every candidate.
 */
export class Sweep {
  /** Where the next number is written. */
  front = 0;
  price = 0;
  conditionBit = 0;
  /** By trait: 1 if the candidate has it. */
  readonly traits = new Uint8Array(TRAIT_COUNT);
  /** The sum of what `warm` read: kept so that the compiler cannot remove the reads. */
  warmed = 0;
  readonly #arena: Arena;
  readonly #verify: (filterNumber: number) => boolean;
  readonly #rows = new Int32Array(ROWS_AT_A_TIME);

  /** @param verify tests the filter itself; called for entries whose meta does not encode everything */
  constructor(arena: Arena, verify: (filterNumber: number) => boolean) {
    this.#arena = arena;
    this.#verify = verify;
  }

  /**
   * Prefetches the first words of a cell. Called for all cells before any is scanned, so that their cache
   * misses overlap.
   */
  warm(tag: number, a: number, b: number): void {
    if (tag === INLINE) return;
    const { words } = this.#arena;
    const second = tag === FLAT ? b & FLAT_CAPACITY_MASK : HEADER_WORDS * ROW_WORDS;
    this.warmed ^= (words[a] ?? 0) ^ (words[a + second] ?? 0);
  }

  /** Appends the matching entries of one class of a cell, as its slot describes it. */
  take(classNumber: ClassNumber, tag: number, a: number, b: number): void {
    if (tag === INLINE) this.#takeOne(classNumber, a, b);
    else if (tag === FLAT) this.#takeFlat(classNumber, a, b);
    else this.#takeStrata(classNumber, a, b);
  }

  #takeOne(classNumber: number, meta: number, filterNumber: number): void {
    if (meta >>> CLASS_SHIFT !== classNumber || meta < leastMetaOf(classNumber, this.price)) return;
    if (!this.#passes(meta, filterNumber)) return;
    this.#arena.words[this.front] = filterNumber;
    this.front += 1;
  }

  #passes(meta: number, filterNumber: number): boolean {
    const hasTrait = this.traits[(meta >>> TRAIT_SHIFT) & TRAIT_MASK] ?? 0;
    const passes = (meta >>> this.conditionBit) & hasTrait;
    return passes !== 0 && ((meta & VERIFY) === 0 || this.#verify(filterNumber));
  }

  #takeFlat(classNumber: ClassNumber, block: number, countAndCapacity: number): void {
    const ends = this.#arena.words[block] ?? 0;
    const metas = block + FLAT_HEADER_WORDS;
    const capacity = countAndCapacity & FLAT_CAPACITY_MASK;
    const thunderEnd = ends & 0xffff;
    const acquireEnd = ends >>> 16;
    if (classNumber === classNumbers.shown) {
      const count = countAndCapacity >>> FLAT_COUNT_SHIFT;
      this.#scan(metas + acquireEnd, metas + count, capacity, leastMetaOf(classNumber, this.price));
    } else if (classNumber === classNumbers.acquire) {
      this.#scan(metas + thunderEnd, metas + acquireEnd, capacity, leastMetaOf(classNumber, this.price));
    } else this.#scan(metas, metas + thunderEnd, capacity, leastMetaOf(classNumber, this.price));
  }

  /** Appends the matching entries among the metas from `from` to before `end`, down to the least. */
  #scan(from: number, end: number, capacity: number, leastMeta: number): void {
    const { words } = this.#arena;
    const { conditionBit, traits } = this;
    let { front } = this;
    let passed = 0;
    for (let at = from; at < end; at += 1) {
      const meta = words[at] ?? 0;
      if (meta < leastMeta) break;
      const passes = (meta >>> conditionBit) & (traits[(meta >>> TRAIT_SHIFT) & TRAIT_MASK] ?? 0);
      words[front] = words[at + capacity] ?? 0;
      front += passes;
      passed |= meta & -passes;
    }
    // Entries to verify are rare: the loop above ignores them, and is repeated if there were any.
    if ((passed & VERIFY) === 0) this.front = front;
    else this.#scanAsking(from, end, capacity, leastMeta);
  }

  #scanAsking(from: number, end: number, capacity: number, leastMeta: number): void {
    const { words } = this.#arena;
    for (let at = from; at < end; at += 1) {
      const meta = words[at] ?? 0;
      if (meta < leastMeta) break;
      const filterNumber = words[at + capacity] ?? 0;
      if (!this.#passes(meta, filterNumber)) continue;
      words[this.front] = filterNumber;
      this.front += 1;
    }
  }

  #takeStrata(classNumber: ClassNumber, directory: number, rowCount: number): void {
    const { words } = this.#arena;
    const thunderEnd = words[directory + ROW_ENDS_AT] ?? 0;
    const acquireEnd = words[directory + ROW_ENDS_AT + 1] ?? 0;
    const isShown = classNumber === classNumbers.shown;
    const isThunder = classNumber === classNumbers.thunder;
    const first = isShown ? acquireEnd : isThunder ? 0 : thunderEnd;
    const last = isShown ? rowCount : isThunder ? thunderEnd : acquireEnd;
    const end = directory + HEADER_WORDS + last * ROW_WORDS;
    for (let row = directory + HEADER_WORDS + first * ROW_WORDS; row < end;) {
      const until = Math.min(end, row + ROWS_AT_A_TIME * ROW_WORDS);
      this.#takeRows(this.#chooseRows(row, until), leastMetaOf(classNumber, this.price));
      row = until;
    }
  }

  /** Collects the rows that may contain matches and prefetches their runs. @returns how many */
  #chooseRows(from: number, until: number): number {
    const { words } = this.#arena;
    const rows = this.#rows;
    const { price, conditionBit, traits } = this;
    let chosen = 0;
    for (let row = from; row < until; row += ROW_WORDS) {
      const kind = (words[row] ?? 0) & KIND_MASK;
      const highestCap = (words[row + 3] ?? 0) >>> HIGHEST_CAP_SHIFT;
      const takesCondition = (conditionsOfKind[kind] ?? 0) >>> conditionBit;
      const takesTrait = traits[traitOfKind[kind] ?? 0] ?? 0;
      rows[chosen] = row;
      // The sign bit of the difference: the highest cap is at least the price.
      chosen += takesCondition & takesTrait & ((price - 1 - highestCap) >>> 31);
    }
    let sum = 0;
    for (let index = 0; index < chosen; index += 1) {
      const row = rows[index] ?? 0;
      const metas = words[row + 1] ?? 0;
      const capacity = (words[row] ?? 0) >>> CAPACITY_SHIFT;
      sum ^= (words[metas] ?? 0) ^ (words[metas + capacity] ?? 0);
    }
    this.warmed ^= sum;
    return chosen;
  }

  #takeRows(chosen: number, leastMeta: number): void {
    const { words } = this.#arena;
    const rows = this.#rows;
    const { price } = this;
    for (let index = 0; index < chosen; index += 1) {
      const row = rows[index] ?? 0;
      const kindAndCapacity = words[row] ?? 0;
      const metas = words[row + 1] ?? 0;
      const count = words[row + 2] ?? 0;
      const capacity = kindAndCapacity >>> CAPACITY_SHIFT;
      if ((kindAndCapacity & KIND_MASK) >= VERIFIED_KIND) {
        this.#scan(metas, metas + count, capacity, leastMeta);
        continue;
      }
      const isWhole = ((words[row + 3] ?? 0) & LOWEST_CAP_MASK) >= price;
      if (count <= FEW) this.#copyFew(metas, count, capacity, isWhole ? 0 : leastMeta);
      else {
        const taken = isWhole ? count : countOfLeast(words, metas, count, leastMeta);
        words.copyWithin(this.front, metas + capacity, metas + capacity + taken);
        this.front += taken;
      }
    }
  }

  /** Copies the numbers of a run up to the first meta below the least. */
  #copyFew(metas: number, count: number, capacity: number, leastMeta: number): void {
    const { words } = this.#arena;
    const end = metas + count;
    let { front } = this;
    for (let at = metas; at < end && (words[at] ?? 0) >= leastMeta; at += 1) {
      words[front] = words[at + capacity] ?? 0;
      front += 1;
    }
    this.front = front;
  }
}
