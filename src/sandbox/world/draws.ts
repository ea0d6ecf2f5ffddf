/**
 * A seeded random number generator: the same key gives the same sequence on every machine. Not
 * cryptographically secure.
 */
export interface Draws {
  /** A number in [0, 1). */
  next(): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** An integer from `least` to `most`, inclusive. */
  whole(least: number, most: number): number;
  /** A uniformly chosen element; the list must not be empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** Standard normal. */
  normal(): number;
  /** Exponential of mean 1. */
  exponential(): number;
}

/** The generator of a key, such as `drawsFor(seed, "listing", 42)`. */
export function drawsFor(...key: readonly (string | number)[]): Draws {
  const next = mulberry32(hashOf(key.join("\u0000")));
  return {
    next,
    chance: (probability) => next() < probability,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => itemAt(items, Math.floor(next() * items.length)),
    // Box-Muller transform; 1 - next() is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    exponential: () => -Math.log(1 - next()),
  };
}

/** A 32-bit hash (FNV-1a with a final mix). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The generator itself, of numbers in [0, 1). */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function itemAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

/** A weighted random choice; items without weight are never drawn. Each draw is a binary search. */
export function weightedChoice<Item>(
  entries: readonly (readonly [item: Item, weight: number])[],
): (draws: Draws) => Item {
  const items: Item[] = [];
  const bounds: number[] = [];
  let total = 0;
  for (const [item, weight] of entries) {
    if (weight <= 0) continue;
    total += weight;
    items.push(item);
    bounds.push(total);
  }
  return (draws) => itemAt(items, firstAbove(bounds, draws.next() * total));
}

function firstAbove(bounds: readonly number[], wanted: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? Infinity) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
