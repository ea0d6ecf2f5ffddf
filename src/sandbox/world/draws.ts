/**
 * Chance from a seed: the same key always draws the same sequence, on every machine.
 * Not for secrets: whoever knows the seed knows every draw.
 */
export interface Draws {
  /** At least 0, below 1. */
  next(): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** One of a list, each as likely; the list must not be empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** Standard normal. */
  normal(): number;
  /** Exponential of mean 1. */
  exponential(): number;
}

/** Draws that belong to a key, such as `drawsFor(seed, "listing", 42)`. */
export function drawsFor(...key: readonly (string | number)[]): Draws {
  const next = generator(hashOf(key.join("\u0000")));
  return {
    next,
    chance: (probability) => next() < probability,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => itemAt(items, Math.floor(next() * items.length)),
    // Box and Muller; 1 - next() is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    exponential: () => -Math.log(1 - next()),
  };
}

/** A number from 0 to 2^32 - 1 that depends on every character (FNV-1a with a final mix). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Mulberry32: small, fast and even enough for a made-up market. */
function generator(seed: number): () => number {
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

/** Draws items by weight; items without any weight are never drawn. Cost of a draw: a binary search. */
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
