import type { ListingId } from "#domain/ids.ts";

/** Beyond this, the listing sent longest ago is dropped: it left the screen hours ago. */
export const MAX_REMEMBERED = 4_096;
const FIRST_ROOM = 8;

/**
 * The listings that one client received, with their prices. Every open page has one: with 75 listings it takes 28 bytes
 * each, with thousands 12, where a Map took 66 and 44.
 */
export class SentListings {
  /** A ring buffer once it is full; 0, which is no listing's id, marks an empty slot. */
  #ids = new Float64Array(FIRST_ROOM);
  #cents = new Uint32Array(FIRST_ROOM);
  #next = 0;

  /** Whether a listing is new at this price: never sent, or only at a higher price. If so, it counts as sent now. */
  take(id: ListingId, cents: number): boolean {
    const place = this.#ids.indexOf(id);
    if (place === -1) this.#add(id, cents);
    else if (cents < (this.#cents[place] ?? 0)) this.#cents[place] = cents;
    else return false;
    return true;
  }

  /** Notes that a listing costs more by now. False for what was not sent, or is known to cost as much. */
  raise(id: ListingId, cents: number): boolean {
    const place = this.#ids.indexOf(id);
    if (place === -1 || cents <= (this.#cents[place] ?? 0)) return false;
    this.#cents[place] = cents;
    return true;
  }

  #add(id: ListingId, cents: number): void {
    if (this.#next === this.#ids.length) this.#makeRoom();
    this.#ids[this.#next] = id;
    this.#cents[this.#next] = cents;
    this.#next += 1;
  }

  #makeRoom(): void {
    const room = this.#ids.length;
    if (room === MAX_REMEMBERED) {
      this.#next = 0;
      return;
    }
    const [ids, cents] = [this.#ids, this.#cents];
    this.#ids = new Float64Array(2 * room);
    this.#cents = new Uint32Array(2 * room);
    this.#ids.set(ids);
    this.#cents.set(cents);
  }
}
