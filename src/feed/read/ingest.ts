/**
 * What one page of a slice tells that was not known: new listings, facts newly proven, edits and price drops.
 * Pure but for the memory of seen listings that it is given.
 */
import type { Listing, ProvenFacts, SeenListing } from "#domain/listing.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { isEdited, type SeenEntry, type SeenListings } from "./seen-listings.ts";
import type { Slice } from "../schedule/slice.ts";
import type { ReadMark, SliceState } from "../schedule/slice-states.ts";

export interface News {
  readonly entry: SeenEntry;
  /** The listing as it was known; null: it never was seen. */
  readonly before: SeenListing | null;
  /**
   * new: it appeared since the slice was last read. past: unseen, yet nothing says that it is new.
   * changed: known, with other texts, a higher price or newly proven facts. cheaper: its price fell.
   */
  readonly kind: "new" | "past" | "changed" | "cheaper";
}

export interface PageReading {
  /** The oldest first. */
  readonly news: readonly News[];
  /** Everything of the page that the store should hold as it is now. */
  readonly toRecord: readonly SeenListing[];
  readonly newCount: number;
  /** Listings that came to this slice since its last reading, wherever else they were seen before. */
  readonly arrivedCount: number;
  /** Whatever is new stands on the page or on those before. */
  readonly reachesKnown: boolean;
  /** 0 for a page without any. */
  readonly highestListingId: number;
}

/** What is still on sale is recorded again after this long: the store forgets what was not seen for a day. */
const RECORD_AGAIN_MS = 3_600_000;

/** Between taking a photo and putting it on the market with it hardly ever lies more; clocks differ by less. */
const DRAFTED_WITHIN_MS = 3_600_000;

/** So many at the foot of a page must be older than a slice is wanted. */
const FOOT_LENGTH = 10;

/** Cost: a look-up for each listing; nothing more for those that did not change. */
export function takePage(page: SearchPage, state: SliceState, memory: SeenListings): PageReading {
  const news: News[] = [];
  const toRecord: SeenListing[] = [];
  let arrivedCount = 0;
  let hasKnownBelow = false;
  // From the bottom up: the oldest first, and what stands above something known is newer than that.
  for (const listing of page.listings.toReversed()) {
    const known = memory.get(listing.id);
    const isNew = isNewSince(seenUpTo(state), listing, hasKnownBelow && wouldBeKnown(listing, state, memory));
    const told =
      known === undefined
        ? firstSight(listing, { state, isNew, nowMs: page.receivedAtMs })
        : nextSight(known, { listing, state, nowMs: page.receivedAtMs });
    if (!listing.isPromoted && isKnownSince(state, known)) hasKnownBelow = true;
    const entry = told?.entry ?? known;
    if (entry === undefined) continue;
    memory.sight(entry, page.receivedAtMs);
    if (told !== null) news.push(told);
    if (told !== null && isNew && isNewlyProven(told)) arrivedCount += 1;
    if (told !== null || page.receivedAtMs - entry.recordedAtMs > RECORD_AGAIN_MS) {
      entry.recordedAtMs = Math.max(entry.recordedAtMs, page.receivedAtMs);
      if (told === null) entry.seen = { ...entry.seen, seenAtMs: page.receivedAtMs };
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

/** Whether the slice proved something of the listing that was not known. */
export function isNewlyProven({ entry, before }: News): boolean {
  return before === null || before.facts !== entry.seen.facts;
}

function firstSight(
  listing: Listing,
  { state, isNew, nowMs }: { state: SliceState; isNew: boolean; nowMs: number },
): News {
  const { provenLeafIds: leafIds, marketplaceColourIds } = state.slice;
  const entry: SeenEntry = {
    seen: { listing, facts: { leafIds, marketplaceColourIds }, firstSeenAtMs: nowMs, seenAtMs: nowMs },
    appearedAfterMs: isNew ? (seenUpTo(state)?.sentAtMs ?? null) : null,
    firstSlice: state.slice.key,
    lastSightMs: nowMs,
    recordedAtMs: nowMs,
  };
  return { entry, before: null, kind: entry.appearedAfterMs === null ? "past" : "new" };
}

/**
 * A page may be taken after a newer one, as more was asked for meanwhile: what it proves is added, nothing taken back.
 */
function nextSight(
  entry: SeenEntry,
  { listing, state, nowMs }: { listing: Listing; state: SliceState; nowMs: number },
): News | null {
  const before = entry.seen;
  const isLate = nowMs < entry.lastSightMs;
  const facts = mergeFacts(before.facts, state.slice, isLate);
  const newest = isLate ? before.listing : listing;
  if (facts === before.facts && !isEdited(before.listing, newest)) return null;
  const seenAtMs = Math.max(nowMs, before.seenAtMs);
  entry.seen = { listing: newest, facts, firstSeenAtMs: before.firstSeenAtMs, seenAtMs };
  const isCheaper = newest.totalPriceCents < before.listing.totalPriceCents;
  return { entry, before, kind: isCheaper ? "cheaper" : "changed" };
}

/** Had it been there when the slice was last read, it would be in memory. */
function wouldBeKnown({ id }: Listing, { coveredFrom }: SliceState, memory: SeenListings): boolean {
  return coveredFrom !== null && id > coveredFrom && memory.neverHeld(id);
}

/** What was not there by then is new, even if more was there than the reading of then was shown. */
function seenUpTo({ mark, unconfirmedMark }: SliceState): ReadMark | null {
  return mark ?? unconfirmedMark;
}

/**
 * Unseen, above the mark or above something that was known by then: it appeared since. Below all that is known or was
 * looked at it may be old stock that moved up as others were sold, a promoted one may be old wherever it stands, and so
 * may what memory may have forgotten.
 */
function isNewSince(mark: ReadMark | null, listing: Listing, isAboveKnown: boolean): boolean {
  if (mark === null) return false;
  if (mark.highestListingId === 0) return isFresh(listing, mark.sentAtMs);
  return listing.id > mark.highestListingId || (isAboveKnown && !listing.isPromoted);
}

/** Where nothing was ever shown, which may have been a lie, the photo tells what is new from old stock. */
function isFresh({ photoTakenAtUnixS }: Listing, sinceMs: number): boolean {
  return photoTakenAtUnixS !== null && photoTakenAtUnixS * 1_000 > sinceMs - DRAFTED_WITHIN_MS;
}

/**
 * Whether the reading that set the mark had it too. What another slice showed while that reading's answer was on its way
 * may not have been on the market yet when it was given: below it may stand what nobody has read.
 */
function isKnownSince({ mark, slice }: SliceState, known: SeenEntry | undefined): boolean {
  if (mark === null || known === undefined || known.seen.listing.id > mark.highestListingId) return false;
  const { firstSeenAtMs } = known.seen;
  if (firstSeenAtMs <= mark.sentAtMs) return true;
  return firstSeenAtMs <= mark.receivedAtMs && known.firstSlice === slice.key;
}

/**
 * Whether the page ends in what was known before it. Asks its last listing in the marketplace's order, since anything
 * above may be out of order. An id below the mark alone proves nothing: one absurd id may have put the mark out of
 * reach.
 */
export function reachesKnown(page: SearchPage, state: SliceState, memory: SeenListings): boolean {
  const { mark, coveredFrom, wantedSinceMs } = state;
  const last = page.listings.findLast(({ isPromoted }) => !isPromoted);
  if (last === undefined) return false;
  if (mark === null) {
    // A slice that never was read is read back to when somebody began to want it. A single old photo proves nothing,
    // and where photos have no times no page below would prove more.
    const wantedSinceS = Math.floor(wantedSinceMs / 1_000);
    return page.listings
      .filter(({ isPromoted }) => !isPromoted)
      .slice(-FOOT_LENGTH)
      .every(({ photoTakenAtUnixS }) => photoTakenAtUnixS === null || photoTakenAtUnixS < wantedSinceS);
  }
  if (isKnownSince(state, memory.get(last.id))) return true;
  if (last.id > mark.highestListingId) return false;
  if (memory.mayHaveForgotten(last.id)) return true;
  // What nobody looked at lies below all that is known; elsewhere it came late, and more of it may follow.
  if (coveredFrom !== null) return last.id < coveredFrom;
  return page.listings.some(({ id, isPromoted }) => !isPromoted && isKnownSince(state, memory.get(id)));
}

/** Answers the very same facts when the slice proves nothing more. */
function mergeFacts(before: ProvenFacts, slice: Slice, isLate: boolean): ProvenFacts {
  const leafIds = mergeLeaves(before.leafIds, slice.provenLeafIds, isLate);
  const newColourIds = slice.marketplaceColourIds.filter((id) => !before.marketplaceColourIds.includes(id));
  if (leafIds === before.leafIds && newColourIds.length === 0) return before;
  return { leafIds, marketplaceColourIds: [...before.marketplaceColourIds, ...newColourIds] };
}

/** In one of these and in one of those: in one of both. Where nothing is common, its seller moved it to the newer. */
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
