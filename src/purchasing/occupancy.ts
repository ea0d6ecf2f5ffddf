import type { Clock } from "#domain/clock.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/match.ts";
import { MAX_BEING_PAID } from "./admit.ts";

/** Resources in use while wishes are served: slots of the lanes, listings, and the three purchases of a person. */
export interface Occupancy {
  mayStart(wish: AutobuyWish): boolean;
  begin(wish: AutobuyWish): void;
  end(wish: AutobuyWish): void;
  /** This listing, or this person, is not checked again for a while. */
  rest(what: ListingId | UserId): void;
  forgetRests(): void;
}

export type LaneSlots = Readonly<Record<AutobuyWish["lane"], number>>;

/** Of many wishes that wait for the same thing only one checks this often. */
const LOOK_AGAIN_MS = 500;

export function createOccupancy(clock: Clock, slots: LaneSlots): Occupancy {
  const running = { thunder: 0, acquire: 0 };
  const runningOfUser = new Map<UserId, number>();
  const busyListings = new Set<ListingId>();
  const restingUntilMs = new Map<UserId | ListingId, number>();

  const isResting = (what: UserId | ListingId): boolean => (restingUntilMs.get(what) ?? 0) > clock.nowMs();

  const countUser = (userId: UserId, change: 1 | -1): void => {
    const count = (runningOfUser.get(userId) ?? 0) + change;
    if (count > 0) runningOfUser.set(userId, count);
    else runningOfUser.delete(userId);
  };

  return {
    mayStart(wish) {
      const { userId, listingId } = wish;
      if (running[wish.lane] >= slots[wish.lane]) return false;
      if (wish.isSimulation === true) return true;
      const isFree = !busyListings.has(listingId) && (runningOfUser.get(userId) ?? 0) < MAX_BEING_PAID;
      return isFree && !isResting(listingId) && !isResting(userId);
    },
    begin(wish) {
      running[wish.lane] += 1;
      if (wish.isSimulation === true) return;
      countUser(wish.userId, 1);
      busyListings.add(wish.listingId);
    },
    end(wish) {
      running[wish.lane] -= 1;
      if (wish.isSimulation === true) return;
      countUser(wish.userId, -1);
      busyListings.delete(wish.listingId);
    },
    rest(what) {
      restingUntilMs.set(what, clock.nowMs() + LOOK_AGAIN_MS);
    },
    forgetRests() {
      for (const [what, untilMs] of restingUntilMs) if (untilMs <= clock.nowMs()) restingUntilMs.delete(what);
    },
  };
}
