/** Which of the filters that hold a listing buy it, and in which order they are served. */
import type { AutobuyWish } from "#domain/market/match.ts";
import { isWellKnown } from "#domain/standing.ts";
import { autobuyLaneNow } from "#domain/user.ts";
import type { SeenEntry } from "../read/seen-listings.ts";
import type { ActiveFilter, Owner } from "./active-filters.ts";

export interface WishTerms {
  readonly nowMs: number;
  /** Days on which similar listings must have been seen before a filter buys by their price. */
  readonly minPriceDays: number;
}

/** The filter that buys for a person. */
interface Place {
  active: ActiveFilter;
}

/**
 * At most one wish per person, and one more if they have a simulating filter. The oldest of a person's filters is used,
 * before those that ask for a good price and may not buy because too little is known of it.
 * People of one lane take turns: the listing's id decides who comes first.
 */
export function wishesFor(
  entry: Pick<SeenEntry, "seen" | "appearedAfterMs">,
  held: readonly ActiveFilter[],
  { nowMs, minPriceDays }: WishTerms,
): readonly AutobuyWish[] {
  const isPriceKnown = isWellKnown(entry.seen.standing ?? null, minPriceDays);
  const mayBuy = ({ filter }: ActiveFilter): boolean => isPriceKnown || filter.bargainPercent === null;
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
    } else if (isBefore(active, place.active, mayBuy)) place.active = active;
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

function isBefore(
  one: ActiveFilter,
  other: ActiveFilter,
  mayBuy: (active: ActiveFilter) => boolean,
): boolean {
  if (mayBuy(one) !== mayBuy(other)) return mayBuy(one);
  return one.filter.createdAtMs < other.filter.createdAtMs;
}

/**
 * Whether the listing was first seen after a moment (contract §3). If it may have been on the market before, its photo
 * must not be older than the second of that moment.
 */
export function isNewSince(
  sinceMs: number,
  { seen, appearedAfterMs }: Pick<SeenEntry, "seen" | "appearedAfterMs">,
): boolean {
  if (seen.firstSeenAtMs < sinceMs) return false;
  if (appearedAfterMs !== null && appearedAfterMs >= sinceMs) return true;
  const photoTakenAtS = seen.listing.photoTakenAtUnixS;
  return photoTakenAtS !== null && photoTakenAtS >= Math.floor(sinceMs / 1_000);
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
export function thunderFirst(wishes: readonly AutobuyWish[]): readonly AutobuyWish[] {
  return [
    ...wishes.filter(({ lane }) => lane === "thunder"),
    ...wishes.filter(({ lane }) => lane === "acquire"),
  ];
}
