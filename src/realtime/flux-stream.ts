/**
 * One client's stream: pending listings, sent ones, and polls to answer. It knows nothing of sockets: it passes one
 * event at a time to its sink and continues when the sink is free.
 */
import { FLUX_MAX_ITEMS } from "#contract/bounds.ts";
import type { PriceRise } from "#domain/events.ts";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { ListingId } from "#domain/ids.ts";
import { type ListingBackground, withRisenPrice } from "#domain/market/listing.ts";
import { newestFirst, type UserMatch } from "#domain/market/match.ts";

/** The content of one event. */
export interface FluxChunk {
  /** Newest first. */
  readonly matches: readonly UserMatch[];
  readonly cursor: string;
}

interface FluxSink {
  /** Sends one event; `whenSent` is called once it has been written. */
  send(chunk: FluxChunk, whenSent: () => void): void;
  /** Sends the filters of later matches with listings that were sent before. */
  sendFilters(matches: readonly UserMatch[]): void;
  /** The sink is free and more is pending: the owner should call `flush`. */
  resume(): void;
  /** More is pending than may be held. */
  overflow(): void;
}

/** The cursor of a client that has received nothing. */
export const NO_CURSOR = "0";

/** A client this far behind does not read: it is disconnected and catches up by its cursor. */
const MAX_WAITING = 20_000;

export class FluxStream {
  readonly #sink: FluxSink;
  readonly #waiting = new Map<ListingId, UserMatch>();
  readonly #sent = new SentListings();
  /** The listings that the page had before it connected: a compact array, since every open page has one. */
  readonly #shown: Float64Array;
  #cursor: string;
  #isCatchingUp = true;
  #isSending = false;
  #isAnswerDue = false;

  constructor(sink: FluxSink, cursor: string, shown: readonly number[] = []) {
    this.#sink = sink;
    this.#cursor = cursor;
    this.#shown = Float64Array.from(shown);
  }

  /** Offers the matches that the client missed, in any order; nothing is sent before them. */
  catchUp(missed: readonly UserMatch[]): void {
    const cameMeanwhile = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#isCatchingUp = false;
    this.offer([...missed, ...cameMeanwhile]);
  }

  /** Offers new matches, in any order. */
  offer(matches: readonly UserMatch[]): void {
    for (const match of matches.toSorted(byCursor)) this.#hold(match);
    if (this.#waiting.size > MAX_WAITING) this.#sink.overflow();
  }

  /** Raises a pending listing. Returns whether the client may have it at a lower price and must learn of the new one. */
  priceRose({ listingId, ...rise }: Omit<PriceRise, "kind">): boolean {
    const match = this.#waiting.get(listingId);
    if (match !== undefined && match.listing.seenAtMs <= rise.seenAtMs)
      this.#waiting.set(listingId, { ...match, listing: withRisenPrice(match.listing, rise) });
    return this.#sent.has(listingId)
      ? this.#sent.raise(listingId, rise.totalPriceCents)
      : this.#shown.includes(listingId);
  }

  /** Adds a fact to a pending listing. Returns whether the client has the listing already. */
  learn(id: ListingId, background: ListingBackground): boolean {
    const match = this.#waiting.get(id);
    if (match !== undefined) this.#waiting.set(id, { ...match, listing: { ...match.listing, background } });
    return this.#sent.has(id) || this.#shown.includes(id);
  }

  /** Registers a poll, which one event must answer. False while an answer is already outstanding. */
  registerPoll(): boolean {
    if (this.#isAnswerDue) return false;
    this.#isAnswerDue = true;
    return true;
  }

  /**
   * Sends one event if something is pending, oldest first, so that a broken connection leaves no gap before
   * the cursor.
   * @param blocked the sellers whose listings are omitted, as of now: they may have been blocked since the
   * match
   */
  flush(blocked: BlockedSellers = BlockedSellers.NONE): void {
    if (this.#isCatchingUp || this.#isSending) return;
    const matches = this.#takeWaiting(blocked);
    if (matches.length === 0 && !this.#isAnswerDue) return;
    this.#isAnswerDue = false;
    this.#isSending = true;
    this.#sink.send({ matches, cursor: this.#cursor }, () => {
      this.#isSending = false;
      if (this.#waiting.size > 0 || this.#isAnswerDue) this.#sink.resume();
    });
  }

  /** The latest state of a listing replaces a pending earlier one and keeps its filters. */
  #hold(match: UserMatch): void {
    const { id } = match.listing.listing;
    const earlier = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#waiting.set(id, earlier === undefined ? match : withFiltersOf(match, earlier));
  }

  /** The next listings to send; the filters of those that were sent before are sent at once. */
  #takeWaiting(blocked: BlockedSellers): readonly UserMatch[] {
    const taken: UserMatch[] = [];
    const sentBefore: UserMatch[] = [];
    for (const [id, match] of this.#waiting) {
      if (taken.length === FLUX_MAX_ITEMS) break;
      this.#waiting.delete(id);
      this.#cursor = laterCursor(this.#cursor, match.cursor);
      if (blocked.has(match.listing.listing.seller)) continue;
      // A listing is sent once per connection, and again only if its price fell.
      const isNews = this.#sent.take(id, match.listing.listing.totalPriceCents);
      (isNews ? taken : sentBefore).push(match);
    }
    if (sentBefore.length > 0) this.#sink.sendFilters(sentBefore);
    return taken.toSorted(newestFirst);
  }
}

function withFiltersOf(match: UserMatch, earlier: UserMatch): UserMatch {
  const filterIds = [...new Set([...earlier.filterIds, ...match.filterIds])];
  return filterIds.length === match.filterIds.length ? match : { ...match, filterIds };
}

function byCursor(one: UserMatch, other: UserMatch): number {
  return compareCursors(one.cursor, other.cursor);
}

function compareCursors(one: string, other: string): number {
  const difference = BigInt(one) - BigInt(other);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function laterCursor(one: string, other: string): string {
  return compareCursors(one, other) < 0 ? other : one;
}

/** Beyond this the least recently sent listing is dropped: it left the screen hours ago. */
export const MAX_REMEMBERED = 4_096;
const FIRST_ROOM = 8;

/**
 * The listings that one client received, with their prices. Every open page has one: it takes 28 bytes per
 * listing with 75 listings and 12 with thousands, where a Map took 66 and 44.
 */
export class SentListings {
  /** A ring buffer once it is full; 0, which is no listing's id, marks an empty slot. */
  #ids = new Float64Array(FIRST_ROOM);
  #cents = new Uint32Array(FIRST_ROOM);
  #next = 0;

  has(id: ListingId): boolean {
    return this.#ids.includes(id);
  }

  /** Whether a listing is new at this price: never sent, or only at a higher one. If so, marks it as sent. */
  take(id: ListingId, cents: number): boolean {
    const place = this.#ids.indexOf(id);
    if (place === -1) this.#add(id, cents);
    else if (cents < (this.#cents[place] ?? 0)) this.#cents[place] = cents;
    else return false;
    return true;
  }

  /** Records a higher price. False if the listing was not sent, or at this price or a higher one. */
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
