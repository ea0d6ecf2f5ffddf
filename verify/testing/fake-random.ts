import type { Random } from "#domain/clock.ts";

const GOLDEN_STEP = 0x9e3779b9;

/** Deterministic randomness: the same seed gives the same numbers and ids. */
export function createFakeRandom(seed = 1): Random {
  let state = seed >>> 0;
  let count = 0;

  function next(): number {
    state = (state + GOLDEN_STEP) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    uuid(nowMs) {
      count += 1;
      const time = Math.trunc(nowMs).toString(16).padStart(12, "0");
      const tail = count.toString(16).padStart(12, "0");
      const seedPart = (seed & 0xfff).toString(16).padStart(3, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-7${seedPart}-8000-${tail}`;
    },
  };
}
