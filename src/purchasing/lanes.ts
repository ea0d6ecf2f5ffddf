import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/match.ts";

/**
 * The queue of wishes: Thunder first, then Acquire, first come, first served within each. A wish that cannot start yet
 * keeps its place and delays no other. Money is unknown here.
 */
export interface Lanes {
  /** False if the filter's wish for the listing is known already, or the queue is full. */
  add(wish: AutobuyWish): boolean;
  /** The first wish that may start; it stays known until it is put back or finished. */
  take(mayStart: (wish: AutobuyWish) => boolean): AutobuyWish | null;
  /** Puts a taken wish back at its place. */
  giveBack(wish: AutobuyWish): void;
  /** A taken wish is finished. */
  finish(wish: AutobuyWish): void;
  /** Removes waiting wishes. @returns the removed ones */
  drop(isDropped: (wish: AutobuyWish) => boolean): readonly AutobuyWish[];
  waitingCount(): number;
}

export interface LaneBounds {
  readonly perLane: number;
  readonly perUser: number;
}

type WishKey = `${UserId} ${ListingId} ${FilterId}`;
type LaneName = AutobuyWish["lane"];

interface Place {
  readonly wish: AutobuyWish;
  /** Increases with each wish: its place, also after it is put back. */
  readonly order: number;
}

const LANE_ORDER: readonly LaneName[] = ["thunder", "acquire"];
const DEFAULT_BOUNDS: LaneBounds = { perLane: 5_000, perUser: 500 };

export function createLanes(bounds: LaneBounds = DEFAULT_BOUNDS): Lanes {
  const waiting: Record<LaneName, Place[]> = { thunder: [], acquire: [] };
  const known = new Map<WishKey, Place>();
  const countByUser = new Map<UserId, number>();
  let lastOrder = 0;

  const countUser = (userId: UserId, change: 1 | -1): void => {
    const count = (countByUser.get(userId) ?? 0) + change;
    if (count > 0) countByUser.set(userId, count);
    else countByUser.delete(userId);
  };

  const forget = (wish: AutobuyWish): void => {
    if (known.delete(keyOf(wish))) countUser(wish.userId, -1);
  };

  return {
    add(wish) {
      const isFull =
        waiting[wish.lane].length >= bounds.perLane || (countByUser.get(wish.userId) ?? 0) >= bounds.perUser;
      if (known.has(keyOf(wish)) || isFull) return false;
      lastOrder += 1;
      const place = { wish, order: lastOrder };
      waiting[wish.lane].push(place);
      known.set(keyOf(wish), place);
      countUser(wish.userId, 1);
      return true;
    },
    take(mayStart) {
      for (const lane of LANE_ORDER) {
        const index = waiting[lane].findIndex(({ wish }) => mayStart(wish));
        if (index !== -1) return waiting[lane].splice(index, 1)[0]?.wish ?? null;
      }
      return null;
    },
    giveBack(wish) {
      const place = known.get(keyOf(wish));
      if (place === undefined) return;
      const lane = waiting[wish.lane];
      const index = lane.findIndex((other) => other.order > place.order);
      lane.splice(index === -1 ? lane.length : index, 0, place);
    },
    finish: forget,
    drop(isDropped) {
      const all: AutobuyWish[] = [];
      for (const lane of LANE_ORDER) {
        const { dropped = [], kept = [] } = Object.groupBy(waiting[lane], ({ wish }) =>
          isDropped(wish) ? "dropped" : "kept",
        );
        waiting[lane] = kept;
        for (const { wish } of dropped) {
          forget(wish);
          all.push(wish);
        }
      }
      return all;
    },
    waitingCount: () => LANE_ORDER.reduce((sum, lane) => sum + waiting[lane].length, 0),
  };
}

function keyOf({ userId, listingId, filterId }: AutobuyWish): WishKey {
  return `${userId} ${listingId} ${filterId}`;
}
