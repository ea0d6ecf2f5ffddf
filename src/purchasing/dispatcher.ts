import type { Clock } from "#domain/clock.ts";
import type { FilterId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/match.ts";
import type { Background } from "./background.ts";
import { STALE_AFTER_MS } from "./attempt-transitions.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { createOccupancy, type LaneSlots } from "./occupancy.ts";

/** The result of a wish's turn. */
export type WishOutcome =
  /** Done; the listing may still be free for the next wish. */
  | "over"
  /** The listing is gone for everyone. */
  | "listing_gone"
  /** A purchase of the listing is in progress elsewhere: the wish keeps its place. */
  | "listing_busy"
  /** Three of the person's purchases are in progress elsewhere: the wish keeps its place. */
  | "person_busy";

/** Gives automatic wishes their turn: lanes, slots, one attempt per listing, three per person. */
export interface Dispatcher {
  offer(wishes: readonly AutobuyWish[]): number;
  /** Starts every wish that may start now, and drops expired ones. */
  pump(): void;
  dropFilters(filterIds: readonly FilterId[]): void;
  dropAll(): void;
}

export interface DispatcherDeps {
  readonly clock: Clock;
  readonly background: Background;
  readonly serve: (wish: AutobuyWish) => Promise<WishOutcome>;
  /** Expired in the queue without a turn, or without completing one. */
  readonly onStale: (wish: AutobuyWish) => void;
  /** Concurrent purchases per lane. A full lane never uses the slots of the other. */
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
    // A simulation pays nothing: a sold listing makes no difference to it.
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
