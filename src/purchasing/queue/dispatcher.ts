import type { Clock } from "#domain/clock.ts";
import type { BackgroundTasks } from "#domain/concurrency.ts";
import type { FilterId, GroupId, ListingId, UserId } from "#domain/ids.ts";
import { type AutobuyWish, filterIdsOf } from "#domain/market/match.ts";
import { STALE_AFTER_MS } from "../decide/attempt-transitions.ts";
import { MAX_BEING_PAID, type Refusal } from "../decide/admit.ts";

/** The result of a wish's turn. */
export type WishOutcome =
  /** Done; the listing may still be free for the next wish. */
  | "over"
  /** The listing is gone for everyone. */
  | "listing_gone"
  /** A purchase of the listing is in progress elsewhere: the wish keeps its place. */
  | "listing_busy"
  /** The person has the maximum of purchases in progress or awaiting the bank: the wish keeps its place. */
  | "person_busy"
  /** Thunder came to wait for the listing before a decision: the wish keeps its place. */
  | "overtaken"
  /** Purchases that may still fail use up the rules of the filter or its group: the wish keeps its place. */
  | { readonly waitsFor: GroupId | FilterId };

/** Gives automatic wishes their turn: lanes, slots, one attempt per listing, three per person. */
export interface Dispatcher {
  offer(wishes: readonly AutobuyWish[]): number;
  /** Starts every wish that may start now, and drops expired ones. */
  pump(): void;
  /**
   * Removes these filters from wishes, and the wishes that have no other filter. One that is being served gets no
   * further turn.
   */
  dropFilters(filterIds: readonly FilterId[]): void;
  dropAll(): void;
}

/** A wish's turn, while it is served. */
export interface Turn {
  /**
   * Whether Thunder now waits for the listing of an Acquire wish, and for nothing else, or the wish was dropped while it
   * was served.
   */
  isOvertaken(): boolean;
  /**
   * Frees the lane's slot for other wishes during a wait, for example for a Retry-After: the listing and the person stay
   * occupied. The slot is taken again afterwards, even if the lane is full meanwhile.
   */
  readonly leaveLane: LeaveLane;
}

export type LeaveLane = <Result>(wait: () => Promise<Result>) => Promise<Result>;

export interface DispatcherDeps {
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly serve: (wish: AutobuyWish, turn: Turn) => Promise<WishOutcome>;
  /** Called for wishes that end in the queue: expired, or their listing is gone. */
  readonly onMissed: (wish: AutobuyWish, refusal: Refusal) => void;
  /** Concurrent purchases per lane. A full lane never uses the slots of the other. */
  readonly slots: LaneSlots;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, background } = deps;
  const lanes: Lanes = createLanes();
  const occupancy = createOccupancy(clock, deps.slots);

  const settle = (wish: AutobuyWish, outcome: WishOutcome): void => {
    occupancy.end(wish);
    if (typeof outcome === "object") {
      occupancy.wait(wish, outcome.waitsFor);
      lanes.giveBack(wish);
      return;
    }
    if (outcome === "overtaken") {
      lanes.giveBack(wish);
      return;
    }
    if (outcome === "listing_busy" || outcome === "person_busy") {
      occupancy.rest(outcome === "listing_busy" ? wish.listingId : wish.userId);
      lanes.giveBack(wish);
      return;
    }
    occupancy.wake(wish);
    lanes.finish(wish);
    // A simulation pays nothing: a sold listing makes no difference to it.
    if (outcome !== "listing_gone") return;
    const isForIt = (other: AutobuyWish) => other.listingId === wish.listingId && other.isSimulation !== true;
    for (const other of lanes.drop(isForIt)) deps.onMissed(other, { kind: "taken", isOver: true });
  };

  const start = (wish: AutobuyWish): void => {
    occupancy.begin(wish);
    background.start("wish", async () => {
      let outcome: WishOutcome = "over";
      try {
        outcome = await deps.serve(wish, {
          isOvertaken: () => !lanes.isKnown(wish) || isOvertaken(wish, lanes, occupancy),
          leaveLane: (wait) => outOfLane(wish, occupancy, { pump, wait }),
        });
      } finally {
        settle(wish, outcome);
        pump();
      }
    });
  };

  const pump = (): void => {
    const staleBeforeMs = clock.nowMs() - STALE_AFTER_MS.auto;
    for (const wish of lanes.drop(({ matchedAtMs }) => matchedAtMs < staleBeforeMs))
      deps.onMissed(wish, { kind: "stale" });
    occupancy.forgetRests((wish) => lanes.isKnown(wish));
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
      const changed = lanes.forget((wish) => filterIdsOf(wish).some((id) => gone.has(id)));
      for (const wish of changed) {
        const [filterId, ...otherFilterIds] = filterIdsOf(wish).filter((id) => !gone.has(id));
        if (filterId !== undefined) lanes.add({ ...wish, filterId, otherFilterIds });
      }
    },
    dropAll() {
      lanes.drop(() => true);
    },
  };
}

async function outOfLane<Result>(
  wish: AutobuyWish,
  occupancy: Occupancy,
  { pump, wait }: { readonly pump: () => void; readonly wait: () => Promise<Result> },
): Promise<Result> {
  occupancy.leaveLane(wish);
  pump();
  try {
    return await wait();
  } finally {
    occupancy.enterLane(wish);
  }
}

function isOvertaken(wish: AutobuyWish, lanes: Lanes, occupancy: Occupancy): boolean {
  if (wish.lane !== "acquire" || wish.isSimulation === true) return false;
  // What Thunder could start if this wish were not in progress.
  occupancy.end(wish);
  const isThunderNext = lanes.isWaiting(
    (other) =>
      other.lane === "thunder" &&
      other.listingId === wish.listingId &&
      other.isSimulation !== true &&
      occupancy.mayStart(other),
  );
  occupancy.begin(wish);
  return isThunderNext;
}

/** Resources in use while wishes are served: slots of the lanes, listings, and the three purchases of a person. */
interface Occupancy {
  mayStart(wish: AutobuyWish): boolean;
  begin(wish: AutobuyWish): void;
  end(wish: AutobuyWish): void;
  /** Only the lane's slot. */
  enterLane(wish: AutobuyWish): void;
  leaveLane(wish: AutobuyWish): void;
  /** Does not check this listing, or this person, again for `RECHECK_MS`. */
  rest(what: ListingId | UserId): void;
  /**
   * The wish waits for the rules of a group or filter. It alone rests, the longer the more wait for the same: one of
   * them is checked every `RECHECK_MS`, in turn.
   */
  wait(wish: AutobuyWish, place: Place): void;
  /** The wish is over: the first that wait for its filters may be checked again at once. */
  wake(wish: AutobuyWish): void;
  forgetRests(isKnown: (wish: AutobuyWish) => boolean): void;
}

type LaneSlots = Readonly<Record<AutobuyWish["lane"], number>>;

/** The group or filter whose rules a wish waits for. */
type Place = GroupId | FilterId;

/** Among wishes that wait for the same thing only one checks, at this interval. */
const RECHECK_MS = 500;

function createOccupancy(clock: Clock, slots: LaneSlots): Occupancy {
  const running = { thunder: 0, acquire: 0 };
  const runningOfUser = new Map<UserId, number>();
  const busyListings = new Set<ListingId>();
  const restingUntilMs = new Map<UserId | ListingId, number>();
  /** First in, first out: the order of the map is that of the first `wait` of each wish. */
  const waits = new Map<AutobuyWish, { readonly place: Place; readonly untilMs: number }>();

  const isResting = (what: UserId | ListingId): boolean => (restingUntilMs.get(what) ?? 0) > clock.nowMs();

  const countUser = (userId: UserId, change: 1 | -1): void => {
    const count = (runningOfUser.get(userId) ?? 0) + change;
    if (count > 0) runningOfUser.set(userId, count);
    else runningOfUser.delete(userId);
  };

  const enterLane = ({ lane }: AutobuyWish): void => void (running[lane] += 1);
  const leaveLane = ({ lane }: AutobuyWish): void => void (running[lane] -= 1);

  return {
    enterLane,
    leaveLane,
    mayStart(wish) {
      const { userId, listingId } = wish;
      if ((waits.get(wish)?.untilMs ?? 0) > clock.nowMs()) return false;
      if (running[wish.lane] >= slots[wish.lane]) return false;
      if (wish.isSimulation === true) return true;
      const isFree = !busyListings.has(listingId) && (runningOfUser.get(userId) ?? 0) < MAX_BEING_PAID;
      return isFree && !isResting(listingId) && !isResting(userId);
    },
    begin(wish) {
      enterLane(wish);
      if (wish.isSimulation === true) return;
      countUser(wish.userId, 1);
      busyListings.add(wish.listingId);
    },
    end(wish) {
      leaveLane(wish);
      if (wish.isSimulation === true) return;
      countUser(wish.userId, -1);
      busyListings.delete(wish.listingId);
    },
    rest(what) {
      restingUntilMs.set(what, clock.nowMs() + RECHECK_MS);
    },
    wait(wish, place) {
      const others = [...waits].filter(([other, wait]) => other !== wish && wait.place === place);
      waits.set(wish, { place, untilMs: clock.nowMs() + RECHECK_MS * (others.length + 1) });
    },
    wake(wish) {
      const filterIds = new Set(filterIdsOf(wish));
      const awaited = new Set<Place>();
      for (const [other, { place }] of waits)
        if (filterIdsOf(other).some((id) => filterIds.has(id))) awaited.add(place);
      waits.delete(wish);
      for (const place of awaited) {
        const first = [...waits].filter(([, wait]) => wait.place === place).slice(0, MAX_BEING_PAID);
        for (const [other] of first) waits.set(other, { place, untilMs: 0 });
      }
    },
    forgetRests(isKnown) {
      for (const [what, untilMs] of restingUntilMs) if (untilMs <= clock.nowMs()) restingUntilMs.delete(what);
      for (const wish of waits.keys()) if (!isKnown(wish)) waits.delete(wish);
    },
  };
}

/**
 * The queue of wishes: Thunder first, then Acquire, first come, first served within each. A wish that cannot
 * start yet keeps its place and delays no other. It knows nothing of money.
 */
export interface Lanes {
  /**
   * False if the queue is full, or the filter's wish for the listing is known already. While that one waits, a later
   * version of the listing takes its place: its price may have fallen.
   */
  add(wish: AutobuyWish): boolean;
  /** The first wish that may start; it stays known until it is put back or finished. */
  take(mayStart: (wish: AutobuyWish) => boolean): AutobuyWish | null;
  /** Puts a taken wish back at its place. */
  giveBack(wish: AutobuyWish): void;
  /** A taken wish is finished. */
  finish(wish: AutobuyWish): void;
  /** Removes waiting wishes. @returns the removed ones */
  drop(isDropped: (wish: AutobuyWish) => boolean): readonly AutobuyWish[];
  /** Removes wishes, waiting or taken: a taken one is not put back. @returns the removed ones */
  forget(isForgotten: (wish: AutobuyWish) => boolean): readonly AutobuyWish[];
  isKnown(wish: AutobuyWish): boolean;
  isWaiting(isMeant: (wish: AutobuyWish) => boolean): boolean;
  waitingCount(): number;
}

export interface LaneBounds {
  readonly perLane: number;
  readonly perUser: number;
}

type WishKey = `${UserId} ${ListingId} ${FilterId}`;
type LaneName = AutobuyWish["lane"];

interface QueuedWish {
  readonly wish: AutobuyWish;
  /** Increases with each wish: the position in the queue, also after it is put back. */
  readonly order: number;
}

const LANE_ORDER: readonly LaneName[] = ["thunder", "acquire"];
const DEFAULT_BOUNDS: LaneBounds = { perLane: 5_000, perUser: 500 };

export function createLanes(bounds: LaneBounds = DEFAULT_BOUNDS): Lanes {
  const waiting: Record<LaneName, QueuedWish[]> = { thunder: [], acquire: [] };
  const known = new Map<WishKey, QueuedWish>();
  const countByUser = new Map<UserId, number>();
  let lastOrder = 0;

  const countUser = (userId: UserId, change: 1 | -1): void => {
    const count = (countByUser.get(userId) ?? 0) + change;
    if (count > 0) countByUser.set(userId, count);
    else countByUser.delete(userId);
  };

  /** The entry of this very wish; undefined once it was removed, even if an equal wish was added since. */
  const placeOf = (wish: AutobuyWish): QueuedWish | undefined => {
    const place = known.get(keyOf(wish));
    return place?.wish === wish ? place : undefined;
  };

  const finish = (wish: AutobuyWish): void => {
    if (placeOf(wish) === undefined) return;
    known.delete(keyOf(wish));
    countUser(wish.userId, -1);
  };

  const remove = (wishes: readonly AutobuyWish[]): readonly AutobuyWish[] => {
    const removed = new Set(wishes);
    if (removed.size > 0)
      for (const lane of LANE_ORDER) waiting[lane] = waiting[lane].filter(({ wish }) => !removed.has(wish));
    for (const wish of wishes) finish(wish);
    return wishes;
  };

  return {
    add(wish) {
      const earlier = known.get(keyOf(wish));
      if (earlier !== undefined) {
        const renewed = renewedIn(waiting[wish.lane], earlier, wish);
        known.set(keyOf(wish), renewed ?? earlier);
        return renewed !== null;
      }
      const isFull =
        waiting[wish.lane].length >= bounds.perLane || (countByUser.get(wish.userId) ?? 0) >= bounds.perUser;
      if (isFull) return false;
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
      const place = placeOf(wish);
      if (place === undefined) return;
      const lane = waiting[wish.lane];
      const index = lane.findIndex((other) => other.order > place.order);
      lane.splice(index === -1 ? lane.length : index, 0, place);
    },
    finish,
    drop: (isDropped) =>
      remove(LANE_ORDER.flatMap((lane) => waiting[lane].map(({ wish }) => wish)).filter(isDropped)),
    forget: (isForgotten) => remove(Array.from(known.values(), ({ wish }) => wish).filter(isForgotten)),
    isKnown: (wish) => placeOf(wish) !== undefined,
    isWaiting: (isMeant) => LANE_ORDER.some((lane) => waiting[lane].some(({ wish }) => isMeant(wish))),
    waitingCount: () => LANE_ORDER.reduce((sum, lane) => sum + waiting[lane].length, 0),
  };
}

/** Puts a later version of a waiting wish at its place; null if it does not wait, or is no older. */
function renewedIn(lane: QueuedWish[], earlier: QueuedWish, wish: AutobuyWish): QueuedWish | null {
  const index = lane.indexOf(earlier);
  if (index === -1 || wish.listing.seenAtMs <= earlier.wish.listing.seenAtMs) return null;
  const renewed = { ...earlier, wish };
  lane[index] = renewed;
  return renewed;
}

function keyOf({ userId, listingId, filterId }: AutobuyWish): WishKey {
  return `${userId} ${listingId} ${filterId}`;
}
