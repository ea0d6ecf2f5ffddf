import type { ListingId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/listing.ts";

/** A listing that the product remembers. */
export interface SeenEntry {
  seen: SeenListing;
  /**
   * As far as can be told it was not on the market at this moment; null when it may have been there for ever. A filter
   * that was active by then has it as new, whatever its photo says.
   */
  readonly appearedAfterMs: number | null;
  /** The key of the slice that showed it first; absent where another process or an earlier one saw it. */
  readonly firstSlice?: string;
  lastSightMs: number;
  /** When it was last handed to the store, so that what is still on sale is not forgotten there. */
  recordedAtMs: number;
}

export interface SeenListingsOptions {
  readonly maxEntries: number;
  readonly maxAgeMs: number;
}

/** What is on the market as far as it was read; forgets what was not sighted for long, or what is too much. */
export class SeenListings {
  readonly #options: SeenListingsOptions;
  /** In the order of the last sight, the oldest first. */
  readonly #entries = new Map<ListingId, SeenEntry>();
  /** No listing above it was ever left out. */
  #forgottenUpTo: ListingId | null = null;
  /** No listing above it was ever forgotten for its age. */
  #agedUpTo: ListingId | null = null;

  constructor(options: SeenListingsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether it may have been left out: what is newer than all that was is as new as it seems. */
  mayHaveForgotten(id: ListingId): boolean {
    return this.#forgottenUpTo !== null && id <= this.#forgottenUpTo && !this.#entries.has(id);
  }

  /** It was not even sighted long ago. */
  neverHeld(id: ListingId): boolean {
    if (this.mayHaveForgotten(id) || this.#entries.has(id)) return false;
    return this.#agedUpTo === null || id > this.#agedUpTo;
  }

  /** Tells that there was more to remember than was put in, none of it above this id. */
  markIncomplete(upTo: ListingId): void {
    if (this.#forgottenUpTo === null || upTo > this.#forgottenUpTo) this.#forgottenUpTo = upTo;
  }

  get(id: ListingId): SeenEntry | undefined {
    return this.#entries.get(id);
  }

  /** Notes a sight: the entry is the last to be forgotten. */
  sight(entry: SeenEntry, nowMs: number): void {
    const { id } = entry.seen.listing;
    entry.lastSightMs = Math.max(entry.lastSightMs, nowMs);
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    this.#forget(nowMs);
  }

  all(): Iterable<SeenEntry> {
    return this.#entries.values();
  }

  #forget(nowMs: number): void {
    for (const [id, entry] of this.#entries) {
      const isTooMuch = this.#entries.size > this.#options.maxEntries;
      if (!isTooMuch && entry.lastSightMs >= nowMs - this.#options.maxAgeMs) return;
      this.#entries.delete(id);
      if (isTooMuch) this.markIncomplete(id);
      else if (this.#agedUpTo === null || id > this.#agedUpTo) this.#agedUpTo = id;
    }
  }
}

/**
 * About when the listing came on the market: our first sight where that is certain, else its photo; null when
 * neither says.
 */
export function appearedAtMs({ seen, appearedAfterMs }: SeenEntry): number | null {
  if (appearedAfterMs !== null) return seen.firstSeenAtMs;
  const photoTakenAtS = seen.listing.photoTakenAtUnixS;
  return photoTakenAtS === null ? null : photoTakenAtS * 1_000;
}

/** In the order in which the marketplace numbered them, the oldest first. */
export function byId(one: SeenEntry, other: SeenEntry): number {
  return one.seen.listing.id - other.seen.listing.id;
}

/** Whether two versions of a listing differ in anything that people see or filters look at. */
export function isEdited(before: Listing, after: Listing): boolean {
  return (
    before.totalPriceCents !== after.totalPriceCents ||
    before.itemPriceCents !== after.itemPriceCents ||
    before.title !== after.title ||
    before.brandTitle !== after.brandTitle ||
    before.sizeTitle !== after.sizeTitle ||
    before.conditionLabel !== after.conditionLabel ||
    before.photoUrl !== after.photoUrl
  );
}
