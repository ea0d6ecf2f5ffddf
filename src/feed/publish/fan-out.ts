/**
 * Turns news of listings into matches for people's streams and wishes of automatic filters, in the order in which they
 * must be served. A person whose plan has expired gets nothing.
 */
import { LRUCache } from "lru-cache";
import { describeError, type Log } from "#domain/log.ts";
import type { FilterId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import type { AutobuyWish, HeldMatch, UserMatch } from "#domain/market/match.ts";
import { asksForSeller, type SellerFacts } from "#domain/market/seller.ts";
import { type Candidate, candidateIn, type ListingReading, readListing } from "#matching/candidate.ts";
import { filterHolds, type FilterSpec } from "#matching/compile-filter.ts";
import type { FilterIndex } from "#matching/filter-index.ts";
import type { FanOutResult } from "../feed-queue.ts";
import type { MatchBatch } from "../feed.ts";
import type { News } from "../read/ingest.ts";
import { appearedAtMs, byId, type SeenEntry } from "../read/seen-listings.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import { RANK_WEIGHTS } from "../schedule/slice.ts";
import type { ActiveFilter, ActiveFilters } from "./active-filters.ts";
import type { CursorSource } from "./cursors.ts";
import { FormerCriteria, readingOf } from "./former-criteria.ts";
import { isNewSince, thunderFirst, wishesFor } from "./wishes.ts";

/** A listing older than the filter is shown only if it appeared within this time. */
export const PAST_MATCH_AGE_MS = 3_600_000;

/** Older news is not bought: between nodes a message may be delivered again, after the person no longer wants it. */
const WISHED_WITHIN_MS = 60_000;
/** Between the first sight of a listing and its match: a later match is one of an edit or of a changed listing. */
const NEW_WITHIN_MS = 2_000;

/** Maximum age of a held listing's latest sighting for it to be bought. */
const BOUGHT_WITHIN_MS = 30_000;

/** How long a match waits for facts; then it passes or is dropped, as its filter says. */
const PASSES_AFTER_MS = 4_500;
const DROPPED_AFTER_MS = 10 * 60_000;

/** Upper bound of the released matches whose filters are remembered. */
const MAX_RELEASED = 5_000;

/** A filter that starts to match, and the earlier listings that it shows. */
export interface PastMatches {
  readonly active: ActiveFilter;
  readonly entries: readonly SeenEntry[];
}

export interface FanOutParts {
  readonly index: FilterIndex;
  readonly filters: ActiveFilters;
  readonly demand: SliceDemand;
  readonly cursors: CursorSource;
  readonly log: Log;
  /** A seller's cached facts; absent: none are known. */
  readonly sellerOf?: (sellerId: number) => SellerFacts | null;
}

/** The filters that hold a listing, those that did not hold it before, and those older than which it may be. */
interface Held {
  readonly held: readonly ActiveFilter[];
  readonly newlyHeld: readonly ActiveFilter[];
  readonly younger: ReadonlySet<ActiveFilter>;
}

const NO_FILTERS: ReadonlySet<ActiveFilter> = new Set();

export class FanOut {
  readonly #parts: FanOutParts;
  /** Number of the listing being matched, which makes `owner.place` valid; saves a map per listing. */
  #stamp = 0;
  /** By person and listing: the filters of the matches that were released. */
  readonly #released = new LRUCache<string, readonly FilterId[]>({ max: MAX_RELEASED });
  readonly #former = new FormerCriteria();
  /** A cache of one entry: the scout asks about the same listing repeatedly. */
  #lastRead: { readonly listing: Listing; readonly reading: ListingReading } | null = null;

  constructor(parts: FanOutParts) {
    this.#parts = parts;
  }

  /** @param news the oldest first */
  batch(news: readonly News[], nowMs: number): FanOutResult {
    const parts = news.map((each) => this.#batchOf(each, nowMs));
    return {
      wishes: thunderFirst(parts.flatMap(({ wishes }) => wishes)),
      matches: parts.flatMap(({ matches }) => matches),
      held: parts.flatMap(({ held }) => held),
    };
  }

  /** Total weight of the people for whom these newly proven listings are news. No side effects. */
  interestOf(proven: readonly News[], nowMs: number): number {
    const weights = proven.map((each) => {
      const held = this.#heldBy(each.entry.seen, nowMs);
      return this.#weightOf(this.#newlyHeldBy(each, held, nowMs));
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

  #batchOf(news: News, nowMs: number): FanOutResult {
    const { entry } = news;
    try {
      const held = this.#heldBy(entry.seen, nowMs);
      const newlyHeld = this.#newlyHeldBy(news, held, nowMs);
      const isLate = nowMs - entry.seen.seenAtMs > WISHED_WITHIN_MS;
      const plain = withoutAsking(held);
      const newlyPlain = newlyHeld === held ? plain : withoutAsking(newlyHeld);
      const younger = this.#youngerThan(news, newlyHeld, nowMs);
      const buying = younger.size === 0 ? newlyPlain : newlyPlain.filter((active) => !younger.has(active));
      const shown = shownOf(news, { held: plain, newlyHeld: newlyPlain, younger }, nowMs);
      return {
        wishes: isLate ? [] : wishesFor(entry, buying, nowMs),
        matches: this.#matchesOf(this.#withBackground(entry.seen), shown, nowMs),
        held: plain === held ? [] : heldFrom(news, newlyHeld.filter(isAsking), younger, nowMs),
      };
    } catch (error) {
      // One listing that cannot be processed must not lose the rest of its page.
      this.#parts.log.error(
        { listingId: entry.seen.listing.id, ...describeError(error) },
        "a listing could not be matched",
      );
      return { wishes: [], matches: [], held: [] };
    }
  }

  /**
   * Newly holding filters whose criteria may be younger than the listing. They show it like the listings of their
   * backfill and do not buy it, unless it has changed since: a newly proven fact is not a change of the listing.
   */
  #youngerThan(
    { entry, before, kind }: News,
    newlyHeld: readonly ActiveFilter[],
    nowMs: number,
  ): ReadonlySet<ActiveFilter> {
    const { seen } = entry;
    if (kind === "past")
      return new Set(newlyHeld.filter((active) => !isNewSince(this.#activeSinceMs(active, entry), entry)));
    if (kind !== "changed" || before === null) return NO_FILTERS;
    const later = newlyHeld.filter(
      (active) => this.#criteriaSinceMs(active, seen, before) > seen.firstSeenAtMs,
    );
    if (later.length === 0) return NO_FILTERS;
    const unchanged = new Set(this.#heldBy({ ...seen, listing: before.listing }, nowMs));
    return new Set(later.filter((active) => unchanged.has(active)));
  }

  /** Since when the filter is active with criteria that hold such a listing. */
  #activeSinceMs(active: ActiveFilter, { seen }: SeenEntry): number {
    return Math.max(active.filter.activatedAtMs ?? Infinity, this.#criteriaSinceMs(active, seen, null));
  }

  /** The criteria before an edit count as well if they too begin to hold the listing only now. */
  #criteriaSinceMs(
    { course: { former, sinceMs } }: ActiveFilter,
    seen: SeenListing,
    before: SeenListing | null,
  ): number {
    const areOlder = before !== null && sinceMs <= seen.firstSeenAtMs;
    if (former === null || areOlder || !this.#former.hold(former.spec, seen)) return sinceMs;
    return before !== null && this.#former.hold(former.spec, before) ? sinceMs : former.sinceMs;
  }

  #withBackground(seen: SeenListing): SeenListing {
    const seller = this.#parts.sellerOf?.(seen.listing.seller.id) ?? null;
    if (seller === null) return seen;
    return { ...seen, background: { relist: seen.background?.relist ?? null, seller } };
  }

  /** Whether a filter holds the listing of its held match now, and its person may be shown it. */
  holds({ userId, filterId, listing }: HeldMatch, nowMs: number): boolean {
    const active = this.#parts.filters.ofPerson(userId)?.get(filterId);
    return (
      active !== undefined &&
      mayBeShown(active, listing, nowMs) &&
      holdsAll(active.spec, candidatesOf(listing, this.#parts.demand))
    );
  }

  /**
   * Matches and wishes of filters whose facts allow a listing, without filters that no longer hold it or
   * whose person's plan has expired. A match also names the person's other filters that hold it.
   */
  released(seen: SeenListing, allowed: readonly HeldMatch[], nowMs: number): MatchBatch {
    const held = this.#heldBy(seen, nowMs);
    const rowOf = new Map(allowed.map((row) => [row.filterId, row]));
    const passed = held.filter(({ filter }) => rowOf.has(filter.id));
    const people = new Set(passed.map(({ owner }) => owner));
    const plain = withoutAsking(held).filter(({ owner }) => people.has(owner));
    const matches = this.#matchesOf(this.#withBackground(seen), [...plain, ...passed], nowMs);
    const isFresh = nowMs - seen.seenAtMs <= BOUGHT_WITHIN_MS;
    const buying = passed.filter((active) => {
      const row = rowOf.get(active.filter.id);
      return isFresh && row?.mayBuy === true && boughtAt(active, row.heldAtMs);
    });
    const appearedAfterMs = allowed[0]?.appearedAfterMs ?? null;
    for (const match of matches) this.#released.set(releasedKey(match), match.filterIds);
    return { wishes: wishesFor({ seen, appearedAfterMs }, buying, nowMs), matches };
  }

  /**
   * The wishes of matches that were published before. A match does not say who was to buy the listing, so only new
   * listings count, and filters that bought then, still hold the listing and ask for no further facts.
   */
  wishesOf(matches: readonly UserMatch[], nowMs: number): readonly AutobuyWish[] {
    const recent = matches.filter((each) => each.matchedAtMs - each.listing.firstSeenAtMs <= NEW_WITHIN_MS);
    const byListing = Map.groupBy(recent, ({ listing, cursor }) => `${listing.listing.id} ${cursor}`);
    return [...byListing.values()]
      .flatMap((own) => this.#wishesAgain(own))
      .map((wish) => ({ ...wish, heldAgainAtMs: nowMs }));
  }

  /** @param matches of one listing, published together: all people at once, so that they take the same turns again */
  #wishesAgain(matches: readonly UserMatch[]): readonly AutobuyWish[] {
    const [match] = matches;
    if (match === undefined) return [];
    const { listing: seen, matchedAtMs } = match;
    const matched = new Set(matches.flatMap(({ filterIds }) => filterIds));
    const buying = withoutAsking(this.#heldBy(seen, matchedAtMs)).filter(
      (active) => matched.has(active.filter.id) && boughtAt(active, matchedAtMs),
    );
    return wishesFor({ seen, appearedAfterMs: null }, buying, matchedAtMs);
  }

  /** A later match of the same listing keeps the filters of an earlier, released one that still hold it. */
  #withReleased(match: UserMatch): UserMatch {
    const released = this.#released.get(releasedKey(match));
    if (released === undefined) return match;
    const matching = this.#parts.filters.ofPerson(match.userId);
    const candidates = candidatesOf(match.listing, this.#parts.demand);
    const still = released.filter((id) => {
      const active = matching?.get(id);
      return active !== undefined && holdsAll(active.spec, candidates);
    });
    return { ...match, filterIds: [...new Set([...still, ...match.filterIds])] };
  }

  /** The matches of filters that start to match among earlier listings. */
  pastBatch(past: readonly PastMatches[], nowMs: number): FanOutResult {
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
        inOrder.flatMap(([entry, held]) => wishesFor(entry, withoutAsking(held).filter(buysEarlier), nowMs)),
      ),
      matches: inOrder.flatMap(([entry, held]) =>
        this.#matchesOf(
          this.#withBackground(entry.seen),
          this.#withOthers(entry.seen, withoutAsking(held), nowMs),
          nowMs,
        ),
      ),
      held: inOrder.flatMap(([entry, held]) =>
        held
          .filter(isAsking)
          .map((active) => heldMatchOf(entry, active, { mayBuy: active.course.buysEarlier, nowMs })),
      ),
    };
  }

  /** Adds the other filters of the same people that hold the listing: a later match replaces an earlier one. */
  #withOthers(seen: SeenListing, started: readonly ActiveFilter[], nowMs: number): readonly ActiveFilter[] {
    if (started.length === 0) return started;
    const people = new Set(started.map(({ owner }) => owner));
    const held = withoutAsking(this.#heldBy(seen, nowMs)).filter(({ owner }) => people.has(owner));
    return [...new Set([...started, ...held])];
  }

  /** One match per person, all with the same cursor. */
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
    return this.#released.size === 0 ? matches : matches.map((match) => this.#withReleased(match));
  }

  /** For a changed listing: only filters that did not hold the earlier version. */
  #newlyHeldBy(
    { before, kind }: News,
    held: readonly ActiveFilter[],
    nowMs: number,
  ): readonly ActiveFilter[] {
    if (kind !== "changed" || before === null) return held;
    const heldBefore = new Set(this.#heldBy(before, nowMs));
    return held.filter((active) => !heldBefore.has(active));
  }

  /** The filters that hold a listing and whose person has a plan and does not block the seller. */
  #heldBy(seen: SeenListing, nowMs: number): readonly ActiveFilter[] {
    const [first, ...others] = candidatesOf(seen, this.#parts.demand);
    let held = this.#match(first);
    for (const other of others) {
      const alsoHeld = new Set(this.#match(other));
      held = held.filter((filterNumber) => alsoHeld.has(filterNumber));
    }
    const active: ActiveFilter[] = [];
    for (const filterNumber of held) {
      const one = this.#parts.filters.byNumber(filterNumber);
      if (one !== undefined && mayBeShown(one, seen, nowMs)) active.push(one);
    }
    return active;
  }

  #match(candidate: Candidate): readonly number[] {
    const { numbers, start, length } = this.#parts.index.match(candidate);
    const held: number[] = [];
    for (let at = start; at < start + length; at += 1) held.push(numbers[at] ?? 0);
    return held;
  }
}

/**
 * A listing that may be in more atoms counts as uncategorised: it matches only filters without categories.
 */
const MAX_CANDIDATES = 16;

/**
 * One candidate for each atom that the listing may be in; a filter certainly holds the listing if it holds
 * all of them. More than one only if filters were edited since its category was proven.
 */
export function candidatesOf(
  seen: SeenListing,
  demand: SliceDemand,
  reading = readingOf(seen),
): readonly [Candidate, ...Candidate[]] {
  const { leafIds, marketplaceColourIds } = seen.facts;
  const representatives = demand.representatives(leafIds);
  const [first = null, ...others] = representatives.length > MAX_CANDIDATES ? [] : representatives;
  const inLeaf = (leafId: number | null): Candidate => candidateIn(reading, leafId, marketplaceColourIds);
  return [inLeaf(first), ...others.map(inLeaf)];
}

function releasedKey({ userId, listing }: Pick<UserMatch, "userId" | "listing">): string {
  return `${userId} ${listing.listing.id}`;
}

/** Only for criteria that the demand contains. */
export function holdsAll(spec: FilterSpec, candidates: readonly Candidate[]): boolean {
  return candidates.every((candidate) => filterHolds(spec, candidate));
}

/** The filters of everyone who receives the listing. */
function shownOf(
  { entry, kind }: News,
  { held, newlyHeld, younger }: Held,
  nowMs: number,
): readonly ActiveFilter[] {
  const shown =
    younger.size === 0
      ? newlyHeld
      : newlyHeld.filter((active) => !younger.has(active) || takesPastMatch(active, entry, nowMs));
  if (kind === "past" || shown === held) return shown;
  // A person who receives the listing is given all of their filters that hold it.
  const people = new Set(shown.map(({ owner }) => owner));
  return held.filter(({ owner }) => people.has(owner));
}

/** Filters that ask for facts hold what they would otherwise show or buy, until the facts allow it. */
function heldFrom(
  news: News,
  asking: readonly ActiveFilter[],
  younger: ReadonlySet<ActiveFilter>,
  nowMs: number,
): readonly HeldMatch[] {
  const shown = shownOf(news, { held: asking, newlyHeld: asking, younger }, nowMs);
  return shown.map((active) => heldMatchOf(news.entry, active, { mayBuy: !younger.has(active), nowMs }));
}

/** A listing that may be older than the filter uses up a past match, and must be less than an hour old. */
function takesPastMatch(active: ActiveFilter, entry: SeenEntry, nowMs: number): boolean {
  const { course } = active;
  const appearedMs = appearedAtMs(entry);
  if (appearedMs === null || appearedMs < nowMs - PAST_MATCH_AGE_MS || course.pastMatchesLeft === 0)
    return false;
  course.pastMatchesLeft -= 1;
  return true;
}

/** Whether the person has a plan and does not block the seller. */
function mayBeShown({ owner }: ActiveFilter, { listing }: SeenListing, nowMs: number): boolean {
  return owner.paidUntilMs > nowMs && !owner.blocked.has(listing.seller);
}

function isAsking(active: ActiveFilter): boolean {
  return active.isAsking;
}

/** Returns the same array if no filter asks for facts, which is the usual case. */
function withoutAsking(held: readonly ActiveFilter[]): readonly ActiveFilter[] {
  return held.some(isAsking) ? held.filter((active) => !isAsking(active)) : held;
}

function heldMatchOf(
  { seen, appearedAfterMs }: SeenEntry,
  { filter, owner }: ActiveFilter,
  { mayBuy, nowMs }: { readonly mayBuy: boolean; readonly nowMs: number },
): HeldMatch {
  const isDropped = asksForSeller(filter.seller) && filter.seller.ifUnknown === "hold";
  return {
    userId: owner.userId,
    filterId: filter.id,
    listing: seen,
    appearedAfterMs,
    mayBuy,
    heldAtMs: nowMs,
    untilMs: nowMs + (isDropped ? DROPPED_AFTER_MS : PASSES_AFTER_MS),
  };
}

function buysEarlier({ course }: ActiveFilter): boolean {
  return course.buysEarlier;
}

/** Whether the filter's automatic buying, other than in simulation, began before a match. */
function boughtAt({ filter }: ActiveFilter, matchedAtMs: number): boolean {
  return (filter.autobuySinceMs ?? 0) <= matchedAtMs;
}
