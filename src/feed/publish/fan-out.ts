/**
 * Turns news of listings into matches for people's streams and wishes of automatic filters, in the order in which they
 * must be served. A person whose plan has expired gets nothing.
 */
import { describeError, type Log } from "#domain/log.ts";
import type { Listing, SeenListing } from "#domain/listing.ts";
import type { AutobuyWish, UserMatch } from "#domain/match.ts";
import { autobuyLaneNow, levelNow } from "#domain/user.ts";
import { type Candidate, candidateIn, type ListingReading, readListing } from "#matching/candidate.ts";
import type { FilterIndex } from "#matching/filter-index.ts";
import type { MatchBatch } from "../feed.ts";
import { isNewlyProven, type News } from "../read/ingest.ts";
import { appearedAtMs, byId, type SeenEntry } from "../read/seen-listings.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import { RANK_WEIGHTS } from "../schedule/slice.ts";
import type { ActiveFilter, ActiveFilters, Owner } from "./active-filters.ts";
import type { CursorSource } from "./cursors.ts";

/** A listing older than the filter is shown only if it appeared within this time. */
export const PAST_MATCH_AGE_MS = 3_600_000;

/** Older news is not bought: between nodes a message may be delivered again, after the person no longer wants it. */
const WISHED_WITHIN_MS = 60_000;

/** A filter that starts to match, and the earlier listings that it shows: at most as many as it may. */
export interface PastMatches {
  readonly active: ActiveFilter;
  readonly entries: readonly SeenEntry[];
}

export interface WeighedBatch extends MatchBatch {
  /** Total weight of the people waiting for what the page newly proved, whether shown or not. */
  readonly interest: number;
}

export interface FanOutParts {
  readonly index: FilterIndex;
  readonly filters: ActiveFilters;
  readonly demand: SliceDemand;
  readonly cursors: CursorSource;
  readonly log: Log;
}

/** The filters that hold a listing, those that did not hold it before, and which of them buy it. */
interface Held {
  readonly held: readonly ActiveFilter[];
  readonly newlyHeld: readonly ActiveFilter[];
  readonly wishes: readonly AutobuyWish[];
}

export class FanOut {
  readonly #parts: FanOutParts;
  /** Identifies the listing whose matches are being made: finds a person's match without a look-up. */
  #stamp = 0;
  /** The scout asks about the same listing repeatedly. */
  #lastRead: { readonly listing: Listing; readonly reading: ListingReading } | null = null;

  constructor(parts: FanOutParts) {
    this.#parts = parts;
  }

  /** @param news the oldest first */
  batch(news: readonly News[], nowMs: number): WeighedBatch {
    const parts = news.map((each) => this.#batchOf(each, nowMs));
    return {
      wishes: thunderFirst(parts.flatMap(({ wishes }) => wishes)),
      matches: parts.flatMap(({ matches }) => matches),
      interest: parts.reduce((total, { interest }) => total + interest, 0),
    };
  }

  /** Total weight of the people for whom these newly proven listings are news. Shows and counts nothing. */
  interestOf(proven: readonly News[], nowMs: number): number {
    const weights = proven.map((each) => {
      const held = this.#heldBy(each.entry.seen).filter(({ owner }) => levelNow(owner.user, nowMs) > 0);
      return this.#weightOf(this.#newlyHeldBy(each, held));
    });
    return weights.reduce((total, weight) => total + weight, 0);
  }

  /** Total weight of the filters that would hold the listing if this leaf and these colours were proven. */
  interestIn(listing: Listing, leafId: number | null, marketplaceColourIds: readonly number[]): number {
    return this.#weightOf(
      this.#match(candidateIn(this.#read(listing), leafId, marketplaceColourIds))
        .map((filterNumber) => this.#parts.filters.byNumber(filterNumber))
        .filter((active) => active !== undefined),
    );
  }

  #read(listing: Listing): ListingReading {
    if (this.#lastRead?.listing !== listing) this.#lastRead = { listing, reading: readListing(listing) };
    return this.#lastRead.reading;
  }

  #weightOf(held: readonly ActiveFilter[]): number {
    let weight = 0;
    for (const active of held) weight += RANK_WEIGHTS[this.#parts.filters.rankOf(active)];
    return weight;
  }

  #batchOf(news: News, nowMs: number): WeighedBatch {
    const { entry } = news;
    try {
      const held = this.#heldBy(entry.seen).filter(({ owner }) => levelNow(owner.user, nowMs) > 0);
      const newlyHeld = this.#newlyHeldBy(news, held);
      const isLate = nowMs - entry.seen.seenAtMs > WISHED_WITHIN_MS;
      const wishes = isLate ? [] : wishesFor(entry, newlyHeld, nowMs);
      const interest = isNewlyProven(news) ? this.#weightOf(newlyHeld) : 0;
      const shown = this.#shown(news, { held, newlyHeld, wishes }, nowMs);
      return { wishes, matches: this.#matchesOf(entry.seen, shown, nowMs), interest };
    } catch (error) {
      // A listing that cannot be processed must not cost people the rest of its page.
      this.#parts.log.error(
        { listingId: entry.seen.listing.id, ...describeError(error) },
        "a listing could not be matched",
      );
      return { wishes: [], matches: [], interest: 0 };
    }
  }

  /** The filters of everyone who receives the listing. */
  #shown(news: News, { held, newlyHeld, wishes }: Held, nowMs: number): readonly ActiveFilter[] {
    if (news.kind === "past") {
      const wishedIds = new Set(wishes.map(({ filterId }) => filterId));
      return newlyHeld.filter((active) => wishedIds.has(active.filter.id) || isShown(active, news, nowMs));
    }
    if (newlyHeld === held) return held;
    // A person who receives the listing is given all of their filters that hold it.
    const people = new Set(newlyHeld.map(({ owner }) => owner));
    return held.filter(({ owner }) => people.has(owner));
  }

  /** The matches of filters among listings that appeared before them. */
  pastBatch(past: readonly PastMatches[], nowMs: number): MatchBatch {
    const heldByEntry = new Map<SeenEntry, ActiveFilter[]>();
    for (const { active, entries } of past) {
      if (this.#parts.filters.byNumber(active.number) !== active) continue;
      for (const entry of entries) {
        const held = heldByEntry.get(entry);
        if (held === undefined) heldByEntry.set(entry, [active]);
        else held.push(active);
      }
    }
    const inOrder = [...heldByEntry].toSorted(([one], [other]) => byId(one, other));
    return {
      wishes: thunderFirst(
        inOrder.flatMap(([entry, held]) => wishesFor(entry, held.filter(isNewlyActive), nowMs)),
      ),
      matches: inOrder.flatMap(([entry, held]) => this.#matchesOf(entry.seen, held, nowMs)),
    };
  }

  /** One match per person, all with the listing's one cursor. */
  #matchesOf(seen: SeenListing, held: readonly ActiveFilter[], nowMs: number): readonly UserMatch[] {
    if (held.length === 0) return [];
    const cursor = this.#parts.cursors.next(nowMs);
    this.#stamp += 1;
    const matches: UserMatch[] = [];
    for (const { owner, filter, ownIds } of held) {
      const { place, userId } = owner;
      const own = place.stamp === this.#stamp ? matches[place.index] : undefined;
      if (own !== undefined) {
        matches[place.index] = { ...own, filterIds: [...own.filterIds, filter.id] };
        continue;
      }
      place.stamp = this.#stamp;
      place.index = matches.length;
      matches.push({ userId, listing: seen, filterIds: ownIds, cursor, matchedAtMs: nowMs });
    }
    return matches;
  }

  /** For a changed listing only the filters that did not hold it before. */
  #newlyHeldBy({ before, kind }: News, held: readonly ActiveFilter[]): readonly ActiveFilter[] {
    if (kind !== "changed" || before === null) return held;
    const heldBefore = new Set(this.#heldBy(before));
    return held.filter((active) => !heldBefore.has(active));
  }

  #heldBy(seen: SeenListing): readonly ActiveFilter[] {
    const [first, ...others] = candidatesOf(seen, this.#parts.demand);
    let held = this.#match(first);
    for (const other of others) {
      const alsoHeld = new Set(this.#match(other));
      held = held.filter((filterNumber) => alsoHeld.has(filterNumber));
    }
    const active: ActiveFilter[] = [];
    for (const filterNumber of held) {
      const one = this.#parts.filters.byNumber(filterNumber);
      if (one !== undefined && !one.owner.blocked.has(seen.listing.seller)) active.push(one);
    }
    return active;
  }

  #match(candidate: Candidate): readonly number[] {
    const { numbers, start, length } = this.#parts.index.match(candidate);
    return Array.from(numbers.subarray(start, start + length));
  }
}

/**
 * A listing that may be in more atoms than this counts as in no known category: it matches only filters without one.
 */
const MAX_CANDIDATES = 16;

/**
 * The listing in each category that it may be in, one per atom; a filter certainly holds it if it holds all of them.
 * Usually one; more only if filters were edited since its category was proven.
 */
export function candidatesOf(seen: SeenListing, demand: SliceDemand): readonly [Candidate, ...Candidate[]] {
  const reading = readListing(seen.listing);
  const { leafIds, marketplaceColourIds } = seen.facts;
  const representatives = demand.representatives(leafIds);
  const [first = null, ...others] = representatives.length > MAX_CANDIDATES ? [] : representatives;
  const inLeaf = (leafId: number | null): Candidate => candidateIn(reading, leafId, marketplaceColourIds);
  return [inLeaf(first), ...others.map(inLeaf)];
}

/** A listing that may be older than the filter uses one of its past matches, if it appeared within the last hour. */
function isShown(active: ActiveFilter, { entry, kind }: News, nowMs: number): boolean {
  if (kind !== "past" || isNewSince(active.filter.activatedAtMs ?? Infinity, entry)) return true;
  const appearedMs = appearedAtMs(entry);
  if (appearedMs === null || appearedMs < nowMs - PAST_MATCH_AGE_MS || active.pastMatchesLeft === 0)
    return false;
  active.pastMatchesLeft -= 1;
  return true;
}

/** The filter that buys for a person. */
interface Place {
  active: ActiveFilter;
}

/**
 * At most one wish per person, and one more if they have a simulating filter. The oldest of a person's filters is used.
 * People of one lane take turns: the listing's id decides who comes first.
 */
export function wishesFor(
  entry: SeenEntry,
  held: readonly ActiveFilter[],
  nowMs: number,
): readonly AutobuyWish[] {
  /** By owner, apart for filters that buy and those that simulate; in the order in which they were found. */
  const chosen = { real: new Map<Owner, Place>(), simulated: new Map<Owner, Place>() };
  const places: Place[] = [];
  for (const active of held) {
    if (active.matchClass === "shown" || !isNewSince(buysSinceMs(active), entry)) continue;
    const ofKind = active.filter.isSimulation ? chosen.simulated : chosen.real;
    const place = ofKind.get(active.owner);
    if (place === undefined) {
      const first = { active };
      ofKind.set(active.owner, first);
      places.push(first);
    } else if (active.filter.createdAtMs < place.active.filter.createdAtMs) place.active = active;
  }
  const { seen } = entry;
  const wishes = places.flatMap(({ active: { owner, filter } }): readonly AutobuyWish[] => {
    const lane = autobuyLaneNow(owner.user, nowMs);
    if (lane === null) return [];
    const { id: listingId } = seen.listing;
    const { id: filterId, isSimulation } = filter;
    return [
      { userId: owner.userId, filterId, isSimulation, listingId, lane, listing: seen, matchedAtMs: nowMs },
    ];
  });
  return [
    ...rotated(
      wishes.filter(({ lane }) => lane === "thunder"),
      seen.listing.id,
    ),
    ...rotated(
      wishes.filter(({ lane }) => lane === "acquire"),
      seen.listing.id,
    ),
  ];
}

/**
 * Whether the listing was first seen after a moment (contract §3). If it may have been on the market before, its photo
 * must not be older than the second of that moment.
 */
export function isNewSince(sinceMs: number, { seen, appearedAfterMs }: SeenEntry): boolean {
  if (seen.firstSeenAtMs < sinceMs) return false;
  if (appearedAfterMs !== null && appearedAfterMs >= sinceMs) return true;
  const photoTakenAtS = seen.listing.photoTakenAtUnixS;
  return photoTakenAtS !== null && photoTakenAtS >= Math.floor(sinceMs / 1_000);
}

/** After an edit, earlier listings are shown but not bought. */
function isNewlyActive({ formerSpec }: ActiveFilter): boolean {
  return formerSpec === null;
}

/** Automatic buying may have been allowed later than the filter became active. */
export function buysSinceMs({ filter, owner }: ActiveFilter): number {
  return Math.max(filter.activatedAtMs ?? Infinity, owner.autobuySinceMs);
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Thunder before Acquire over all listings; otherwise keeps the order. */
function thunderFirst(wishes: readonly AutobuyWish[]): readonly AutobuyWish[] {
  return [
    ...wishes.filter(({ lane }) => lane === "thunder"),
    ...wishes.filter(({ lane }) => lane === "acquire"),
  ];
}
