import { asListingId, type ListingId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import type { FeedSliceMark, ListingStore } from "#store/market-store.ts";

/** A remembered listing. */
export interface SeenEntry {
  seen: SeenListing;
  /**
   * The listing was certainly not on the market at this time; null: it may have been there before. It is new
   * to a filter that was active by then, regardless of its photo's time.
   */
  readonly appearedAfterMs: number | null;
  /** Key of the slice that showed it first; absent if another or an earlier process saw it. */
  readonly firstSlice?: string;
  lastSeenMs: number;
  /** When it was last handed to the store, which prunes listings that are not refreshed. */
  recordedAtMs: number;
}

export interface SeenListingsOptions {
  readonly maxEntries: number;
  readonly maxAgeMs: number;
}

/** The listings seen on the market, bounded by number and by age since they were last seen. */
export class SeenListings {
  readonly #options: SeenListingsOptions;
  /** By the time they were last seen, oldest first. */
  readonly #entries = new Map<ListingId, SeenEntry>();
  /** No listing above this id was ever evicted for lack of space. */
  #forgottenUpTo: ListingId | null = null;
  /** No listing above this id was ever evicted for its age. */
  #agedUpTo: ListingId | null = null;

  constructor(options: SeenListingsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether it may have been evicted for lack of space; false for listings above all evicted ones. */
  mayHaveForgotten(id: ListingId): boolean {
    return this.#forgottenUpTo !== null && id <= this.#forgottenUpTo && !this.#entries.has(id);
  }

  /** Whether it was certainly never seen, not even long ago. */
  wasNeverSeen(id: ListingId): boolean {
    if (this.mayHaveForgotten(id) || this.#entries.has(id)) return false;
    return this.#agedUpTo === null || id > this.#agedUpTo;
  }

  /** Records that listings up to this id may be missing. */
  markIncomplete(upTo: ListingId): void {
    if (this.#forgottenUpTo === null || upTo > this.#forgottenUpTo) this.#forgottenUpTo = upTo;
  }

  get(id: ListingId): SeenEntry | undefined {
    return this.#entries.get(id);
  }

  /** Moves the entry to the end of the eviction order. */
  markSeen(entry: SeenEntry, nowMs: number): void {
    const { id } = entry.seen.listing;
    entry.lastSeenMs = Math.max(entry.lastSeenMs, nowMs);
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
      if (!isTooMuch && entry.lastSeenMs >= nowMs - this.#options.maxAgeMs) return;
      this.#entries.delete(id);
      if (isTooMuch) this.markIncomplete(id);
      else if (this.#agedUpTo === null || id > this.#agedUpTo) this.#agedUpTo = id;
    }
  }
}

/** When the listing appeared: first seen, if that is certain, otherwise its photo's time; null: unknown. */
export function appearedAtMs({ seen, appearedAfterMs }: SeenEntry): number | null {
  if (appearedAfterMs !== null) return seen.firstSeenAtMs;
  const photoTakenAtS = seen.listing.photoTakenAtUnixS;
  return photoTakenAtS === null ? null : photoTakenAtS * 1_000;
}

/**
 * The listing is new to a filter that was active by this moment (`isNewSince` in publish/wishes.ts); null: it
 * is new to none, because it may have been on the market before.
 */
export function newSinceMs({ seen, appearedAfterMs }: SeenEntry): number | null {
  const photoTakenAtS = seen.listing.photoTakenAtUnixS;
  // The photo counts until the end of its second.
  const byPhoto = photoTakenAtS === null ? -Infinity : photoTakenAtS * 1_000 + 999;
  const latest = Math.max(appearedAfterMs ?? -Infinity, byPhoto);
  return latest === -Infinity ? null : latest;
}

/** The marketplace's numbering, oldest first. */
export function byId(one: SeenEntry, other: SeenEntry): number {
  return one.seen.listing.id - other.seen.listing.id;
}

/** Whether two versions differ in anything that people see or filters test. */
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

/**
 * Reloads from the store the listings of a page that the memory may have evicted, so that none is published
 * twice. At most one query; none for a page of known or newer listings.
 */
export async function loadForgotten(
  store: Pick<ListingStore, "byIds">,
  memory: SeenListings,
  { listings }: SearchPage,
): Promise<void> {
  const ids = new Set<ListingId>(listings.map(({ id }) => id).filter((id) => memory.mayHaveForgotten(id)));
  if (ids.size === 0) return;
  for (const seen of await store.byIds([...ids]))
    if (memory.get(seen.listing.id) === undefined) memory.markSeen(entryOf(seen), seen.seenAtMs);
}

/** The store does not record whether a listing was certainly new when it was first seen. */
function entryOf(seen: SeenListing): SeenEntry {
  const { seenAtMs } = seen;
  return { seen, appearedAfterMs: null, lastSeenMs: seenAtMs, recordedAtMs: seenAtMs };
}

/** More would delay the start by seconds; `loadForgotten` loads the rest when a page shows it. */
const MAX_RESTORED = 20_000;

/**
 * Fills the memory with the latest listings that an earlier process recorded (those on sale within the last
 * hour). Listings of one slice share their array of leaves, which may have hundreds of entries.
 * @param marks how far the slices were read: bounds the ids of listings that were not restored
 */
export async function restoreSeen(
  store: Pick<ListingStore, "seenSince">,
  memory: SeenListings,
  { sinceMs, marks }: { readonly sinceMs: number; readonly marks: readonly FeedSliceMark[] },
): Promise<void> {
  const recorded = await store.seenSince(sinceMs, MAX_RESTORED);
  if (recorded.length === MAX_RESTORED) {
    const ids = [...recorded.map(({ listing }) => listing.id), ...marks.map((mark) => mark.highestListingId)];
    memory.markIncomplete(asListingId(ids.reduce((highest, id) => Math.max(highest, id), 0)));
  }
  const sharedLeafIds = new Map<string, readonly number[]>();
  for (const seen of recorded.toReversed()) {
    const key = seen.facts.leafIds.join();
    const leafIds = sharedLeafIds.get(key) ?? seen.facts.leafIds;
    sharedLeafIds.set(key, leafIds);
    memory.markSeen(entryOf({ ...seen, facts: { ...seen.facts, leafIds } }), seen.seenAtMs);
  }
}
