import type { Clock } from "#domain/clock.ts";
import type { FilterId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/match.ts";
import type { Background } from "./background.ts";
import { STALE_AFTER_MS } from "./attempt-transitions.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { createOccupancy, type LaneSlots } from "./occupancy.ts";

/** What became of a wish's turn. */
export type WishOutcome =
  /** It is over; the listing may still be free for the next in line. */
  | "over"
  /** The listing is gone for everybody. */
  | "listing_gone"
  /** Somebody's purchase of the listing is under way elsewhere: it waits where it stood. */
  | "listing_busy"
  /** Three of the person's purchases are under way elsewhere: it waits where it stood. */
  | "person_busy";

/** Gives automatic wishes their turn: lanes, slots, one attempt per listing, three per person. */
export interface Dispatcher {
  offer(wishes: readonly AutobuyWish[]): number;
  /** Starts whatever may start now, and forgets what is stale. */
  pump(): void;
  dropFilters(filterIds: readonly FilterId[]): void;
  dropAll(): void;
}

export interface DispatcherDeps {
  readonly clock: Clock;
  readonly background: Background;
  readonly serve: (wish: AutobuyWish) => Promise<WishOutcome>;
  /** Its time passed in the queue: it never had a turn, or none to the end. */
  readonly onStale: (wish: AutobuyWish) => void;
  /** Purchases under way at once. A full lane never takes the other's slots. */
  readonly slots: LaneSlots;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, background } = deps;
  const lanes: Lanes = createLanes();
  const occupancy = createOccupancy(clock, deps.slots);

  const settle = (wish: AutobuyWish, outcome: WishOutcome): void => {
    occupancy.end(wish);
    if (outcome === "listing_busy" || outcome === "person_busy") {
      occupancy.rest(outcome === "listing_busy" ? wish.listingId : wish.userId);
      lanes.giveBack(wish);
      return;
    }
    lanes.finish(wish);
    // A simulation pays nothing: that the listing is gone is nothing to it.
    if (outcome === "listing_gone")
      lanes.drop(({ listingId, isSimulation }) => listingId === wish.listingId && isSimulation !== true);
  };

  const start = (wish: AutobuyWish): void => {
    occupancy.begin(wish);
    background.start("wish", async () => {
      let outcome: WishOutcome = "over";
      try {
        outcome = await deps.serve(wish);
      } finally {
        settle(wish, outcome);
        pump();
      }
    });
  };

  const pump = (): void => {
    const staleBeforeMs = clock.nowMs() - STALE_AFTER_MS.auto;
    for (const wish of lanes.drop(({ matchedAtMs }) => matchedAtMs < staleBeforeMs)) deps.onStale(wish);
    occupancy.forgetRests();
    const next = (): AutobuyWish | null => lanes.take((wish) => occupancy.mayStart(wish));
    for (let wish = next(); wish !== null; wish = next()) start(wish);
  };

  return {
    offer(wishes) {
      const refused = wishes.filter((wish) => !lanes.add(wish)).length;
      pump();
      return refused;
    },
    pump,
    dropFilters(filterIds) {
      const gone = new Set(filterIds);
      lanes.drop(({ filterId }) => gone.has(filterId));
    },
    dropAll() {
      lanes.drop(() => true);
    },
  };
}
