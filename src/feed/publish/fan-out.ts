/**
 * From news of listings to what people get: matches for their streams, and wishes of automatic filters in the
 * order in which they must be served. Whose plan has ended gets nothing from that moment on.
 */
import { describeError } from "#domain/error-fields.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/listing.ts";
import type { Log } from "#domain/log.ts";
import type { AutobuyWish, UserMatch } from "#domain/match.ts";
import { autobuyLaneNow, levelNow } from "#domain/user.ts";
import { candidateIn, readListing, type Candidate, type ListingReading } from "#matching/candidate.ts";
import type { FilterIndex } from "#matching/filter-index.ts";
import type { ActiveFilter, ActiveFilters, Owner } from "./active-filters.ts";
import type { CursorSource } from "./cursors.ts";
import type { MatchBatch } from "../feed.ts";
import { isNewlyProven, type News } from "../read/ingest.ts";
import { appearedAtMs, byId, type SeenEntry } from "../read/seen-listings.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import { RANK_WEIGHTS } from "../schedule/slice.ts";

/** Listings older than a filter reach its person's stream only when they are not older than this. */
export const PAST_MATCH_AGE_MS = 3_600_000;

/**
 * What was seen longer ago is shown and bought for nobody: news between nodes may be told again, by a node that comes
 * back or by somebody who kept them, when what they once asked for is wanted no longer.
 */
const WISHED_WITHIN_MS = 60_000;

/** A filter that began to match, and what it holds of what was there before: at most as much as it may show. */
export interface PastMatches {
  readonly active: ActiveFilter;
  readonly entries: readonly SeenEntry[];
}

export interface WeighedBatch extends MatchBatch {
  /** The weight of all who wait for what the page newly proved, shown or not. */
  readonly interest: number;
}

export interface FanOutParts {
  readonly index: FilterIndex;
  readonly filters: ActiveFilters;
  readonly demand: SliceDemand;
  readonly cursors: CursorSource;
  readonly log: Log;
}

/** One person's filters that hold one listing. */
interface PersonMatch {
  readonly owner: Owner;
  filterIds: readonly FilterId[];
}

export class FanOut {
  readonly #parts: FanOutParts;
  /** Guessing where a listing lies asks about the same one again and again. */
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

  /** The weight of all to whom these, newly proven, are news: nothing is shown or counted by asking. */
  interestOf(proven: readonly News[], nowMs: number): number {
    const weights = proven.map((each) => {
      const held = this.#heldBy(each.entry.seen).filter(({ owner }) => levelNow(owner.user, nowMs) > 0);
      return this.#weightOf(this.#toldOf(each, held));
    });
    return weights.reduce((total, weight) => total + weight, 0);
  }

  /** The weight of all who hold a listing in this leaf and with these colours, were both proven. */
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
    return held.reduce((total, active) => total + RANK_WEIGHTS[this.#parts.filters.rankOf(active)], 0);
  }

  #batchOf(news: News, nowMs: number): WeighedBatch {
    const { entry } = news;
    try {
      const held = this.#heldBy(entry.seen).filter(({ owner }) => levelNow(owner.user, nowMs) > 0);
      const told = this.#toldOf(news, held);
      const isLate = nowMs - entry.seen.seenAtMs > WISHED_WITHIN_MS;
      const wishes = isLate ? [] : wishesFor(entry, told, nowMs);
      const wishedIds = new Set(wishes.map(({ filterId }) => filterId));
      const shown = told.filter((active) => wishedIds.has(active.filter.id) || isShown(active, news, nowMs));
      const people = new Set(shown.map(({ owner }) => owner));
      // Whoever is told of it is told all of their filters that hold it.
      const ofPeople = news.kind === "past" ? shown : held.filter(({ owner }) => people.has(owner));
      const interest = isNewlyProven(news) ? this.#weightOf(told) : 0;
      return { wishes, matches: this.#matchesOf(entry.seen, ofPeople, nowMs), interest };
    } catch (error) {
      // One listing that we cannot digest must not cost people all the others of its page.
      this.#parts.log.error(
        { listingId: entry.seen.listing.id, ...describeError(error) },
        "a listing could not be matched",
      );
      return { wishes: [], matches: [], interest: 0 };
    }
  }

  /** What filters found among the listings that were there before them. */
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
      wishes: thunderFirst(inOrder.flatMap(([entry, held]) => wishesFor(entry, held.filter(isBegun), nowMs))),
      matches: inOrder.flatMap(([entry, held]) => this.#matchesOf(entry.seen, held, nowMs)),
    };
  }

  /** A match of one listing for each person whose filters these are. */
  #matchesOf(seen: SeenListing, held: readonly ActiveFilter[], nowMs: number): readonly UserMatch[] {
    return byPerson(held).map(({ owner, filterIds }) => ({
      userId: owner.userId,
      listing: seen,
      filterIds,
      cursor: this.#parts.cursors.next(nowMs),
      matchedAtMs: nowMs,
    }));
  }

  /** What is only changed is news for those filters alone that did not hold it before. */
  #toldOf({ before, kind }: News, held: readonly ActiveFilter[]): readonly ActiveFilter[] {
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
    return held
      .map((filterNumber) => this.#parts.filters.byNumber(filterNumber))
      .filter((active) => active !== undefined);
  }

  #match(candidate: Candidate): readonly number[] {
    const { numbers, start, length } = this.#parts.index.match(candidate);
    return Array.from(numbers.subarray(start, start + length));
  }
}

/** What may lie in more atoms than these counts as in no known category: only who asks for none gets it. */
const MAX_CANDIDATES = 16;

/**
 * The listing in each category that it may be in, one for each atom: what holds all of them holds the listing for
 * certain. Nearly always one; more only when filters were edited since its category was proven.
 */
export function candidatesOf(seen: SeenListing, demand: SliceDemand): readonly [Candidate, ...Candidate[]] {
  const reading = readListing(seen.listing);
  const { leafIds, marketplaceColourIds } = seen.facts;
  const representatives = demand.representatives(leafIds);
  const [first = null, ...others] = representatives.length > MAX_CANDIDATES ? [] : representatives;
  const inLeaf = (leafId: number | null): Candidate => candidateIn(reading, leafId, marketplaceColourIds);
  return [inLeaf(first), ...others.map(inLeaf)];
}

/** What may be older than the filter takes one of its past matches, as long as it is of the last hour. */
function isShown(active: ActiveFilter, { entry, kind }: News, nowMs: number): boolean {
  if (kind !== "past" || isNewSince(active.filter.activatedAtMs ?? Infinity, entry)) return true;
  const appearedMs = appearedAtMs(entry);
  if (appearedMs === null || appearedMs < nowMs - PAST_MATCH_AGE_MS || active.pastMatchesLeft === 0)
    return false;
  active.pastMatchesLeft -= 1;
  return true;
}

/**
 * At most one wish for each person, and one more where they have a filter that only simulates. Among a person's
 * filters the oldest speaks. People of one lane take turns: the listing's id decides who is asked first.
 */
export function wishesFor(
  entry: SeenEntry,
  held: readonly ActiveFilter[],
  nowMs: number,
): readonly AutobuyWish[] {
  const chosen = new Map<string, ActiveFilter>();
  for (const active of held) {
    if (active.matchClass === "shown" || !isNewSince(buysSinceMs(active), entry)) continue;
    const key = `${active.owner.userId} ${active.filter.isSimulation}`;
    const rival = chosen.get(key);
    if (rival === undefined || active.filter.createdAtMs < rival.filter.createdAtMs) chosen.set(key, active);
  }
  const { seen } = entry;
  const wishes = [...chosen.values()].flatMap(({ owner, filter }): readonly AutobuyWish[] => {
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
 * Whether the listing was first seen after a moment (contract §3). Where it may have been on the market before, its
 * photo must not be older than the second of that moment.
 */
export function isNewSince(sinceMs: number, { seen, appearedAfterMs }: SeenEntry): boolean {
  if (seen.firstSeenAtMs < sinceMs) return false;
  if (appearedAfterMs !== null && appearedAfterMs >= sinceMs) return true;
  const photoTakenAtS = seen.listing.photoTakenAtUnixS;
  return photoTakenAtS !== null && photoTakenAtS >= Math.floor(sinceMs / 1_000);
}

/** An edit shows what it would have found; money is spent only on what comes after it. */
function isBegun({ formerSpec }: ActiveFilter): boolean {
  return formerSpec === null;
}

/** Automatic buying may have begun later than the filter. */
export function buysSinceMs({ filter, owner }: ActiveFilter): number {
  return Math.max(filter.activatedAtMs ?? Infinity, owner.autobuySinceMs);
}

function byPerson(held: readonly ActiveFilter[]): readonly PersonMatch[] {
  const people = new Map<UserId, PersonMatch>();
  for (const { owner, filter, aloneIds } of held) {
    const person = people.get(owner.userId);
    if (person === undefined) people.set(owner.userId, { owner, filterIds: aloneIds });
    else person.filterIds = [...person.filterIds, filter.id];
  }
  return [...people.values()];
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Thunder before Acquire over all listings; within a lane as it was. */
function thunderFirst(wishes: readonly AutobuyWish[]): readonly AutobuyWish[] {
  return [
    ...wishes.filter(({ lane }) => lane === "thunder"),
    ...wishes.filter(({ lane }) => lane === "acquire"),
  ];
}
