/**
 * What a page of a slice reveals: new listings, newly proven facts, edits and price drops. Pure except for the memory
 * of seen listings that it updates.
 */
import type { Listing, ProvenFacts, SeenListing } from "#domain/market/listing.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import type { ArchivePiece } from "#store/market-store.ts";
import type { ReadMark, SliceState } from "../schedule/slice-states.ts";
import type { Slice } from "../schedule/slice.ts";
import { isEdited, type SeenEntry, type SeenListings } from "./seen-listings.ts";

export interface News {
  readonly entry: SeenEntry;
  /** The previously known version; null: never seen. */
  readonly before: SeenListing | null;
  /**
   * new: appeared since the slice was last read. past: first seen, but not proven new.
   * changed: known, with other texts, a higher price or newly proven facts. cheaper: its price fell.
   */
  readonly kind: "new" | "past" | "changed" | "cheaper";
}

export interface PageReading {
  /** The oldest first. */
  readonly news: readonly News[];
  /** Every listing of the page whose stored version must be updated. */
  readonly toRecord: readonly SeenListing[];
  readonly newCount: number;
  /** Listings that arrived in this slice since its last reading, even if other slices showed them first. */
  readonly arrivedCount: number;
  /** The page overlaps with known listings: further pages contain no new ones. */
  readonly reachesKnown: boolean;
  /** The news as the archive keeps them; absent: none are kept. */
  readonly archive?: ArchivePiece;
  /** 0 for a page without listings. */
  readonly highestListingId: number;
}

/** A listing still on sale is recorded again after this time: the store prunes those not seen for a day. */
const RECORD_AGAIN_MS = 3_600_000;

/** A photo is hardly ever taken longer than this before its listing is published; clocks differ by less. */
const DRAFTED_WITHIN_MS = 3_600_000;

/** Listings at the end of a first reading's page that must be older than the demand for the slice. */
const FOOT_LENGTH = 10;

/** Cost: one look-up per unchanged listing. */
export function ingestPage(page: SearchPage, state: SliceState, memory: SeenListings): PageReading {
  const news: News[] = [];
  const toRecord: SeenListing[] = [];
  let arrivedCount = 0;
  let hasKnownBelow = false;
  // From the bottom up: oldest first, and a listing above a known one is newer than it.
  for (const listing of page.listings.toReversed()) {
    const known = memory.get(listing.id);
    const isNew = isNewSince(seenUpTo(state), listing, hasKnownBelow && wouldBeKnown(listing, state, memory));
    const sighting =
      known === undefined
        ? firstSighting(listing, { state, isNew, nowMs: page.receivedAtMs })
        : laterSighting(known, { listing, state, nowMs: page.receivedAtMs });
    if (!listing.isPromoted && isKnownSince(state, known)) hasKnownBelow = true;
    const entry = sighting?.entry ?? known;
    if (entry === undefined) continue;
    memory.markSeen(entry, page.receivedAtMs);
    if (sighting !== null) news.push(sighting);
    if (sighting !== null && isNew && isNewlyProven(sighting)) arrivedCount += 1;
    if (sighting !== null || page.receivedAtMs - entry.recordedAtMs > RECORD_AGAIN_MS) {
      entry.recordedAtMs = Math.max(entry.recordedAtMs, page.receivedAtMs);
      if (sighting === null) entry.seen = { ...entry.seen, seenAtMs: page.receivedAtMs };
      toRecord.push(entry.seen);
    }
  }
  return {
    news,
    toRecord,
    newCount: news.filter(({ kind }) => kind === "new").length,
    arrivedCount,
    reachesKnown: reachesKnown(page, state, memory),
    highestListingId: page.listings.reduce(
      (highest, { id, isPromoted }) => (isPromoted ? highest : Math.max(highest, id)),
      0,
    ),
  };
}

/** Whether the slice proved a fact about the listing that was not proven before. */
export function isNewlyProven({ entry, before }: News): boolean {
  return before === null || before.facts !== entry.seen.facts;
}

function firstSighting(
  listing: Listing,
  { state, isNew, nowMs }: { state: SliceState; isNew: boolean; nowMs: number },
): News {
  const { provenLeafIds: leafIds, marketplaceColourIds } = state.slice;
  const entry: SeenEntry = {
    seen: { listing, facts: { leafIds, marketplaceColourIds }, firstSeenAtMs: nowMs, seenAtMs: nowMs },
    appearedAfterMs: isNew ? (seenUpTo(state)?.sentAtMs ?? null) : null,
    firstSlice: state.slice.key,
    lastSeenMs: nowMs,
    recordedAtMs: nowMs,
  };
  return { entry, before: null, kind: entry.appearedAfterMs === null ? "past" : "new" };
}

/**
 * Pages may arrive out of order, because several are requested in parallel: an older page adds proven facts
 * but does not revert the listing.
 */
function laterSighting(
  entry: SeenEntry,
  { listing, state, nowMs }: { listing: Listing; state: SliceState; nowMs: number },
): News | null {
  const before = entry.seen;
  const isLate = nowMs < entry.lastSeenMs;
  const facts = mergeFacts(before.facts, state.slice, isLate);
  const newest = isLate ? before.listing : listing;
  if (facts === before.facts && !isEdited(before.listing, newest)) return null;
  const seenAtMs = Math.max(nowMs, before.seenAtMs);
  const change = newest.totalPriceCents - before.listing.totalPriceCents;
  const isCheaper = change < 0;
  const fell = isCheaper ? seenAtMs : change > 0 ? undefined : before.cheaperSinceMs;
  const cheaper = fell === undefined ? {} : { cheaperSinceMs: fell };
  entry.seen = { listing: newest, facts, firstSeenAtMs: before.firstSeenAtMs, seenAtMs, ...cheaper };
  return { entry, before, kind: isCheaper ? "cheaper" : "changed" };
}

/** Whether the memory would contain the listing if it had been in the slice at its last reading. */
function wouldBeKnown({ id }: Listing, { coveredFrom }: SliceState, memory: SeenListings): boolean {
  return coveredFrom !== null && id > coveredFrom && memory.wasNeverSeen(id);
}

/** Listings that appeared after this mark are new, even if the mark is unconfirmed. */
function seenUpTo({ mark, unconfirmedMark }: SliceState): ReadMark | null {
  return mark ?? unconfirmedMark;
}

/**
 * An unseen listing is new if it is above the mark, or above a listing that was known at the mark. Below
 * those it may be old stock that moved up as others were sold. A promoted one may be old in any position, and
 * so may one that the memory may have evicted.
 */
function isNewSince(mark: ReadMark | null, listing: Listing, isAboveKnown: boolean): boolean {
  if (mark === null) return false;
  if (mark.highestListingId === 0) return isFresh(listing, mark.sentAtMs);
  return listing.id > mark.highestListingId || (isAboveKnown && !listing.isPromoted);
}

/**
 * For the mark of an empty slice, which may have been a wrong answer: the photo's time distinguishes new
 * listings from old stock.
 */
function isFresh({ photoTakenAtUnixS }: Listing, sinceMs: number): boolean {
  return photoTakenAtUnixS !== null && photoTakenAtUnixS * 1_000 > sinceMs - DRAFTED_WITHIN_MS;
}

/**
 * Whether the reading that set the mark covered the listing. One that another slice showed while that answer
 * was in flight may not have existed when the answer was generated: unread listings may be below it.
 */
function isKnownSince({ mark, slice }: SliceState, known: SeenEntry | undefined): boolean {
  if (mark === null || known === undefined || known.seen.listing.id > mark.highestListingId) return false;
  const { firstSeenAtMs } = known.seen;
  if (firstSeenAtMs <= mark.sentAtMs) return true;
  return firstSeenAtMs <= mark.receivedAtMs && known.firstSlice === slice.key;
}

/**
 * Whether the page ends among known listings. Tests the last listing in the marketplace's order, because
 * those above may be out of order. An id below the mark is no proof: one absurd id may have raised the mark
 * beyond all others.
 */
function reachesKnown(page: SearchPage, state: SliceState, memory: SeenListings): boolean {
  const { mark, coveredFrom, wantedSinceMs } = state;
  const last = page.listings.findLast(({ isPromoted }) => !isPromoted);
  if (last === undefined) return false;
  if (mark === null) {
    // A slice that was never read is read back to the moment at which it was first wanted. One old photo is
    // not enough, and without photo times further pages would prove no more.
    const wantedSinceS = Math.floor(wantedSinceMs / 1_000);
    return page.listings
      .filter(({ isPromoted }) => !isPromoted)
      .slice(-FOOT_LENGTH)
      .every(({ photoTakenAtUnixS }) => photoTakenAtUnixS === null || photoTakenAtUnixS < wantedSinceS);
  }
  if (isKnownSince(state, memory.get(last.id))) return true;
  if (last.id > mark.highestListingId) return false;
  if (memory.mayHaveForgotten(last.id)) return true;
  // Below the covered range is old stock, never read; within it the listing is new, and more may follow.
  if (coveredFrom !== null) return last.id < coveredFrom;
  return page.listings.some(({ id, isPromoted }) => !isPromoted && isKnownSince(state, memory.get(id)));
}

/** Returns the same object if the slice proves nothing more. */
function mergeFacts(before: ProvenFacts, slice: Slice, isLate: boolean): ProvenFacts {
  const leafIds = mergeLeaves(before.leafIds, slice.provenLeafIds, isLate);
  const newColourIds = slice.marketplaceColourIds.filter((id) => !before.marketplaceColourIds.includes(id));
  if (leafIds === before.leafIds && newColourIds.length === 0) return before;
  return { leafIds, marketplaceColourIds: [...before.marketplaceColourIds, ...newColourIds] };
}

/**
 * A listing proven to be in both sets of leaves is in their intersection. If that is empty, the seller moved
 * it to another category, and the newer proof counts.
 */
function mergeLeaves(
  before: readonly number[],
  proven: readonly number[],
  isLate: boolean,
): readonly number[] {
  if (proven === before || proven.length === 0) return before;
  if (before.length === 0) return proven;
  const provenSet = new Set(proven);
  const common = before.filter((id) => provenSet.has(id));
  if (common.length === before.length) return before;
  if (common.length === 0) return isLate ? before : proven;
  return common.length === proven.length ? proven : common;
}
