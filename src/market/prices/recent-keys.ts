/** A set of 32-bit keys with the day each was last noted, in flat arrays. */

/** Upper bound of keys: about 80 MB. */
const MAX_KEYS = 8_000_000;
const LEAST_SLOTS = 4_096;
/** Days are stored modulo this, which exceeds any window. */
const DAYS = 256;

export interface RecentKeysSnapshot {
  readonly windowDays: number;
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly days: Uint8Array<ArrayBuffer>;
  readonly used: number;
  readonly newestDay: number;
}

export class RecentKeys {
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

  static from({ windowDays, keys, days, used, newestDay }: RecentKeysSnapshot): RecentKeys {
    const set = new RecentKeys(windowDays);
    set.#keys = keys;
    set.#days = days;
    set.#used = used;
    set.#newestDay = newestDay;
    return set;
  }

  /** Views of its own memory, to be transferred. */
  snapshot(): RecentKeysSnapshot {
    const [windowDays, newestDay] = [this.#windowDays, this.#newestDay];
    return { windowDays, keys: this.#keys, days: this.#days, used: this.#used, newestDay };
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#days.byteLength;
  }

  /** Adds the key, or renews it. @returns whether it was there, seen within the window */
  note(key: number, day: number): boolean {
    const stored = storedKey(key);
    this.#newestDay = Math.max(this.#newestDay, day);
    const slot = this.#slotOf(stored);
    if (this.#keys[slot] !== stored) {
      this.#add(stored, day);
      return false;
    }
    const noted = this.#dayIn(this.#days, slot);
    // The archive is read from its newest day backwards: an earlier sighting must not age the key.
    if (day > noted) this.#days[slot] = day % DAYS;
    return day - noted <= this.#windowDays;
  }

  /** The day on which the key was last noted, which may be a later one; null: not within the window. */
  dayOf(key: number, day: number): number | null {
    const slot = this.#slotOf(storedKey(key));
    if (this.#keys[slot] === 0) return null;
    const noted = this.#dayIn(this.#days, slot);
    return day - noted <= this.#windowDays ? noted : null;
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

  /** No key is ahead of the newest day. */
  #dayIn(days: Uint8Array, slot: number): number {
    return this.#newestDay - ((this.#newestDay - (days[slot] ?? 0)) & (DAYS - 1));
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
      keys[slot] !== 0 && this.#newestDay - this.#dayIn(days, slot) <= this.#windowDays;
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

/** 0 marks an unused slot. */
function storedKey(key: number): number {
  return key === 0 ? 1 : key;
}
