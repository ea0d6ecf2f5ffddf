/**
 * The part of each seller in each narrow cell: it bounds one seller's influence on a usual price. Every counted
 * price takes one of the seller's few places in the cell, and each place is a key with the day it was last taken.
 */
import { finished, mixed } from "./relist-keys.ts";
import type { Thing } from "./price-book.ts";
import { RecentKeys, type RecentKeysSnapshot } from "./recent-keys.ts";

const MAX_PER_DAY = 3;
/** Less than half of what a purchase by price needs (`MIN_SAMPLE_TO_BUY`). */
const MAX_PER_WINDOW = 9;

export class SellerShares {
  readonly #keys: RecentKeys;

  constructor(keys: RecentKeys) {
    this.#keys = keys;
  }

  static from(snapshot: RecentKeysSnapshot): SellerShares {
    return new SellerShares(RecentKeys.from(snapshot));
  }

  snapshot(): RecentKeysSnapshot {
    return this.#keys.snapshot();
  }

  get bytes(): number {
    return this.#keys.bytes;
  }

  /**
   * Takes a place for one more price. The first free one: those after it were not taken today.
   * @returns false: the seller has no place left today or in the window, or the memory is full
   */
  take(sellerHash: number, { typeId, brandId, conditionId }: Thing, day: number): boolean {
    const pair = mixed(mixed(mixed(mixed(0x811c_9dc5, sellerHash), typeId), brandId), conditionId);
    let today = 0;
    for (let place = 1; place <= MAX_PER_WINDOW; place += 1) {
      const key = finished(mixed(pair, place));
      const takenOn = this.#keys.dayOf(key, day);
      if (takenOn === null) {
        this.#keys.note(key, day);
        return this.#keys.dayOf(key, day) !== null;
      }
      if (takenOn === day) today += 1;
      if (today === MAX_PER_DAY) return false;
    }
    return false;
  }
}
