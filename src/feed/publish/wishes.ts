/** Which of the filters that hold a listing buy it, and in which order they are served. */
import type { UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { autobuyLaneNow } from "#domain/user.ts";
import type { SeenEntry } from "../read/seen-listings.ts";
import type { ActiveFilter, Owner } from "./active-filters.ts";

/** Filters of a person that a purchase of one listing may try. */
const MAX_FILTERS_PER_WISH = 10;

/**
 * At most one wish per person, plus one if they have simulating filters. The oldest filter comes first; the
 * others are tried if it refuses. Within a lane people rotate by the listing's id, for fairness.
 */
export function wishesFor(
  entry: Pick<SeenEntry, "seen" | "appearedAfterMs">,
  held: readonly ActiveFilter[],
  nowMs: number,
): readonly AutobuyWish[] {
  const buying = held.filter(
    (active) => active.matchClass !== "shown" && isNewSince(buysSinceMs(active), entry),
  );
  if (buying.length === 0) return [];
  const { real = [], simulated = [] } = Object.groupBy(buying, ({ filter }) =>
    filter.isSimulation ? "simulated" : "real",
  );
  const wishes = [real, simulated]
    .flatMap((ofKind) => [...Map.groupBy(ofKind, ({ owner }) => owner)])
    .flatMap(([owner, own]) => wishOf(owner, own, entry, nowMs) ?? []);
  const { thunder, acquire } = byLane(wishes);
  const { id } = entry.seen.listing;
  return [...rotated(thunder, id), ...rotated(acquire, id)];
}

function wishOf(
  { user, userId }: Owner,
  own: readonly ActiveFilter[],
  { seen }: Pick<SeenEntry, "seen">,
  nowMs: number,
): AutobuyWish | null {
  const lane = autobuyLaneNow(user, nowMs);
  const [first, ...others] = own
    .map(({ filter }) => filter)
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs)
    .slice(0, MAX_FILTERS_PER_WISH);
  if (lane === null || first === undefined) return null;
  return {
    userId,
    filterId: first.id,
    otherFilterIds: others.map(({ id }) => id),
    isSimulation: first.isSimulation,
    listingId: seen.listing.id,
    lane,
    listing: seen,
    matchedAtMs: nowMs,
  };
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

/** The later of two moments: the filter became active, and its person was allowed to buy automatically. */
export function buysSinceMs({ filter, owner }: ActiveFilter): number {
  return Math.max(filter.activatedAtMs ?? Infinity, owner.autobuySinceMs);
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** The newest, each once, oldest first; those of one moment keep their order. */
export function newestWishes(
  wishes: readonly AutobuyWish[],
  most: { readonly inAll: number; readonly perPerson: number },
): readonly AutobuyWish[] {
  const counts = new Map<UserId, number>();
  const once = new Map(wishes.map((wish) => [`${wish.filterId} ${wish.listingId}`, wish]));
  const ordered = [...once.values()].toSorted((one, other) => one.matchedAtMs - other.matchedAtMs);
  const newest = ordered.toReversed().filter(({ userId }) => {
    const count = (counts.get(userId) ?? 0) + 1;
    counts.set(userId, count);
    return count <= most.perPerson;
  });
  return newest.slice(0, most.inAll).toReversed();
}

/** Thunder before Acquire over all listings; otherwise keeps the order. */
export function thunderFirst(wishes: readonly AutobuyWish[]): readonly AutobuyWish[] {
  const { thunder, acquire } = byLane(wishes);
  return [...thunder, ...acquire];
}

function byLane(
  wishes: readonly AutobuyWish[],
): Readonly<Record<AutobuyWish["lane"], readonly AutobuyWish[]>> {
  return { thunder: [], acquire: [], ...Object.groupBy(wishes, ({ lane }) => lane) };
}
