/** A set of 32-bit keys with the day each was last seen: detects listings that return under another id. */

import { createHmac } from "node:crypto";

/** Upper bound of keys: about 80 MB. */
const MAX_KEYS = 8_000_000;
const LEAST_SLOTS = 4_096;
/** Days are stored modulo this, which exceeds any window. */
const DAYS = 256;

export interface RelistKeysSnapshot {
  readonly windowDays: number;
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly days: Uint8Array<ArrayBuffer>;
  readonly used: number;
  readonly newestDay: number;
}

export class RelistKeys {
  readonly #windowDays: number;
  readonly #maxKeys: number;
  /** Open addressing; 0: never used. */
  #keys = new Uint32Array(LEAST_SLOTS);
  #days = new Uint8Array(LEAST_SLOTS);
  #used = 0;
  #newestDay = 0;
  /** The day on which expired keys were last removed from a full set. */
  #clearedDay = 0;

  constructor(windowDays: number, maxKeys = MAX_KEYS) {
    this.#windowDays = windowDays;
    this.#maxKeys = maxKeys;
  }

  static from({ windowDays, keys, days, used, newestDay }: RelistKeysSnapshot): RelistKeys {
    const set = new RelistKeys(windowDays);
    set.#keys = keys;
    set.#days = days;
    set.#used = used;
    set.#newestDay = newestDay;
    return set;
  }

  /** Views of its own memory, to be transferred. */
  snapshot(): RelistKeysSnapshot {
    const [windowDays, newestDay] = [this.#windowDays, this.#newestDay];
    return { windowDays, keys: this.#keys, days: this.#days, used: this.#used, newestDay };
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#days.byteLength;
  }

  /** Adds the key, or renews it. @returns whether it was there, seen within the window */
  note(key: number, day: number): boolean {
    const stored = key === 0 ? 1 : key;
    this.#newestDay = Math.max(this.#newestDay, day);
    const slot = this.#slotOf(stored);
    if (this.#keys[slot] !== stored) {
      this.#add(stored, day);
      return false;
    }
    const wasRecent = this.#isRecentIn(this.#days, slot, day);
    if (!this.#isAhead(slot, day)) this.#days[slot] = day % DAYS;
    return wasRecent;
  }

  #add(key: number, day: number): void {
    if (!this.#hasRoom()) return;
    const slot = this.#slotOf(key);
    this.#keys[slot] = key;
    this.#days[slot] = day % DAYS;
    this.#used += 1;
    if (this.#used * 5 > this.#keys.length * 4) this.#rehash();
  }

  /** Expired keys are removed from a full set at most once a day, because that scans all of it. */
  #hasRoom(): boolean {
    if (this.#used >= this.#maxKeys && this.#clearedDay < this.#newestDay) {
      this.#clearedDay = this.#newestDay;
      this.#rehash();
    }
    return this.#used < this.#maxKeys;
  }

  #isRecentIn(days: Uint8Array, slot: number, day: number): boolean {
    const age = (day - (days[slot] ?? 0)) & (DAYS - 1);
    // The stored day may be ahead, by a second reader or a page that arrives late.
    return age <= this.#windowDays || age >= DAYS - 2;
  }

  /** The archive is read from its newest day backwards: an earlier sighting must not age the key. */
  #isAhead(slot: number, day: number): boolean {
    const aheadDays = ((this.#days[slot] ?? 0) - day) & (DAYS - 1);
    return aheadDays > 0 && aheadDays <= this.#windowDays;
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul(key ^ (key >>> 16), 0x45d9_f3b5) & mask;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  /**
   * Removes expired keys, and grows if more than half remains. Expiry is relative to the newest day, because
   * the archive is read from its newest day backwards.
   */
  #rehash(): void {
    const [keys, days] = [this.#keys, this.#days];
    const isKept = (slot: number): boolean =>
      keys[slot] !== 0 && this.#isRecentIn(days, slot, this.#newestDay);
    let keptCount = 0;
    for (let slot = 0; slot < keys.length; slot += 1) if (isKept(slot)) keptCount += 1;
    const length = keptCount * 2 > keys.length ? keys.length * 2 : keys.length;
    this.#keys = new Uint32Array(length);
    this.#days = new Uint8Array(length);
    this.#used = keptCount;
    for (let slot = 0; slot < keys.length; slot += 1) {
      if (!isKept(slot)) continue;
      const place = this.#slotOf(keys[slot] ?? 0);
      this.#keys[place] = keys[slot] ?? 0;
      this.#days[place] = days[slot] ?? 0;
    }
  }
}

/**
 * A keyed 32-bit hash of a seller, who cannot be identified without the secret.
 * @param secret the same in every process that shares a database
 */
export function sellerHash(secret: Uint8Array, sellerId: number): number {
  return createHmac("sha256", secret).update(String(sellerId)).digest().readUInt32BE(0);
}

/** FNV-1a over what a listing keeps when its seller relists it. */
export function relistKeyOf(listing: {
  readonly sellerHash: number;
  readonly foldedTitle: string;
  readonly sizeIds: readonly number[];
  readonly brandId: number;
}): number {
  let hash = mixed(0x811c_9dc5, listing.sellerHash);
  for (let index = 0; index < listing.foldedTitle.length; index += 1)
    hash = Math.imul(hash ^ listing.foldedTitle.charCodeAt(index), 0x0100_0193);
  hash = mixed(hash, listing.sizeIds[0] ?? 0);
  hash = mixed(hash, listing.brandId);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function mixed(hash: number, value: number): number {
  return Math.imul(Math.imul(hash ^ (value & 0xffff), 0x0100_0193) ^ (value >>> 16), 0x0100_0193);
}
