import type { Clock } from "#domain/clock.ts";
import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/match.ts";
import type { Background } from "./background.ts";
import { MAX_BEING_PAID } from "./admit.ts";
import { STALE_AFTER_MS } from "./attempt-transitions.ts";
import { createLanes, type Lanes } from "./lanes.ts";

/** What became of a wish's turn. */
export type WishOutcome =
  /** It is over; the listing may still be free for the next in line. */
  | "over"
  /** The listing is gone for everybody. */
  | "listing_gone"
  /** It may not start yet: it waits where it stood. */
  | "wait";

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
  /** Purchases under way at once. A full lane never takes the other's slots. */
  readonly slots: Readonly<Record<AutobuyWish["lane"], number>>;
}

const RETRY_MS = 250;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, background } = deps;
  const lanes: Lanes = createLanes();
  const running = { thunder: 0, acquire: 0 };
  const runningOfUser = new Map<UserId, number>();
  const busyListings = new Set<ListingId>();
  const notBeforeMs = new WeakMap<AutobuyWish, number>();

  const mayStart = (wish: AutobuyWish): boolean =>
    running[wish.lane] < deps.slots[wish.lane] &&
    !busyListings.has(wish.listingId) &&
    (runningOfUser.get(wish.userId) ?? 0) < MAX_BEING_PAID &&
    (notBeforeMs.get(wish) ?? 0) <= clock.nowMs();

  const occupy = (wish: AutobuyWish, change: 1 | -1): void => {
    running[wish.lane] += change;
    const count = (runningOfUser.get(wish.userId) ?? 0) + change;
    if (count > 0) runningOfUser.set(wish.userId, count);
    else runningOfUser.delete(wish.userId);
    if (change === 1) busyListings.add(wish.listingId);
    else busyListings.delete(wish.listingId);
  };

  const settle = (wish: AutobuyWish, outcome: WishOutcome): void => {
    occupy(wish, -1);
    if (outcome === "wait") {
      notBeforeMs.set(wish, clock.nowMs() + RETRY_MS);
      lanes.giveBack(wish);
      return;
    }
    lanes.finish(wish);
    if (outcome === "listing_gone") lanes.drop(({ listingId }) => listingId === wish.listingId);
  };

  const start = (wish: AutobuyWish): void => {
    occupy(wish, 1);
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
    lanes.drop(({ matchedAtMs }) => matchedAtMs < staleBeforeMs);
    for (let wish = lanes.take(mayStart); wish !== null; wish = lanes.take(mayStart)) start(wish);
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
