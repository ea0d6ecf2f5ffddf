import type { PlanKey } from "#catalogue/plans.ts";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import { asksForFacts, type Filter } from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import { autobuyLaneNow, levelNow, paidUntilMs, planNow, type Subscriber } from "#domain/user.ts";
import { compileFilter, type FilterSpec } from "#matching/compile-filter.ts";
import type { FilterIndex, MatchClass } from "#matching/filter-index.ts";
import { demandOf, type SliceDemand } from "../schedule/slice-demand.ts";
import type { SliceRank } from "../schedule/slice.ts";

/** A filter that is being matched. */
export interface ActiveFilter {
  /** Its number in the index; changes when its criteria or its lane change. */
  readonly number: number;
  filter: Filter;
  /** Its matches wait for facts that catalogue pages lack. */
  isAsking: boolean;
  readonly spec: FilterSpec;
  readonly matchClass: MatchClass;
  readonly owner: Owner;
  /** The filter's id as an array, shared by all matches that name only this filter. */
  readonly ownIds: readonly [FilterId];
  course: Course;
}

/** The criteria of a filter while it stays active. */
interface Course {
  /** Null: criteria that hold nothing. */
  readonly spec: FilterSpec | null;
  /** What it asks beyond the listing. */
  readonly asks: AskedFacts;
  /** Since when the filter has these criteria; -Infinity if it had them when this process started. */
  readonly sinceMs: number;
  /** The criteria that it was matched with before, and whose matches were published then; null if there were none. */
  readonly former: FormerCourse | null;
  /** Whether it may buy earlier listings that it starts to hold; otherwise it only shows them. */
  readonly buysEarlier: boolean;
  /** How many listings older than the filter may still be shown (contract §3: up to 50). */
  pastMatchesLeft: number;
}

type AskedFacts = Pick<Filter, "seller" | "ignoresRelists">;

interface FormerCourse extends Pick<Course, "spec" | "sinceMs"> {
  readonly untilMs: number;
  /** It asked other facts than now, so that what it held may have been refused for them. */
  readonly askedOtherwise: boolean;
}

/** The course of a filter that is active but not matched: it holds nothing, or was withheld. */
interface PausedCourse {
  readonly course: Course;
  readonly activatedAtMs: number | null;
  /** Null if it holds nothing. */
  readonly withheldAtMs: number | null;
}

export interface Owner {
  readonly userId: UserId;
  user: Subscriber;
  /** All filters that are active in the store, whether or not the plan allows them to match. */
  stored: readonly Filter[];
  readonly matching: Map<FilterId, ActiveFilter>;
  readonly paused: Map<FilterId, PausedCourse>;
  /** Sellers whose listings never match for the person. */
  blocked: BlockedSellers;
  /** The plan for which `matching` was computed. */
  settledPlan: PlanKey;
  /** When the plan ends, and with it the person's matches. */
  paidUntilMs: number;
  /** Since when automatic buying is allowed; -Infinity if it was when this process started. */
  autobuySinceMs: number;
  /** Index of the person's match among those of the listing with this stamp (`FanOut`). */
  readonly place: { stamp: number; index: number };
}

const MAX_PAST_MATCHES = 50;

/**
 * All active filters in memory; updates the index and the slice demand with them. The store is the source of
 * truth: after a change all filters of the person are read again and passed in.
 */
export class ActiveFilters {
  readonly #index: FilterIndex;
  readonly #demand: SliceDemand;
  readonly #owners = new Map<UserId, Owner>();
  readonly #watching = new Set<UserId>();
  readonly #withheld = new Set<UserId>();
  readonly #byNumber: (ActiveFilter | undefined)[] = [];
  readonly #freeNumbers: number[] = [];

  constructor(index: FilterIndex, demand: SliceDemand) {
    this.#index = index;
    this.#demand = demand;
  }

  /** Number of filters being matched. */
  get size(): number {
    return this.#byNumber.length - this.#freeNumbers.length;
  }

  byNumber(filterNumber: number): ActiveFilter | undefined {
    return this.#byNumber[filterNumber];
  }

  /** The filters of a person that are being matched. */
  ofPerson(userId: UserId): ReadonlyMap<FilterId, ActiveFilter> | undefined {
    return this.#owners.get(userId)?.matching;
  }

  /** People with at least one active filter. */
  userIds(): Iterable<UserId> {
    return this.#owners.keys();
  }

  /** Matching filters that became active after a moment. */
  activatedSince(sinceMs: number): readonly ActiveFilter[] {
    return this.#byNumber
      .filter((active) => active !== undefined)
      .filter(({ filter }) => (filter.activatedAtMs ?? 0) > sinceMs);
  }

  /** Replaces a person's active filters. @returns those that are new or whose criteria changed */
  put(
    user: Subscriber,
    stored: readonly Filter[],
    nowMs: number,
    blocked: BlockedSellers = BlockedSellers.NONE,
  ): readonly ActiveFilter[] {
    const owner = this.#ownerOf(user, nowMs);
    this.#withheld.delete(user.id);
    owner.blocked = blocked;
    owner.stored = stored;
    if (stored.length === 0) this.#owners.delete(user.id);
    return this.#settle(owner, nowMs);
  }

  /** As `put`, for filters that were active before this process started. */
  load(user: Subscriber, stored: readonly Filter[], nowMs: number, blocked: BlockedSellers): void {
    for (const active of this.put(user, stored, nowMs, blocked))
      active.course = { ...active.course, sinceMs: -Infinity };
  }

  /** Matches nothing for a person whose changed filters could not be read, until they are `put` again. */
  withhold(userId: UserId, nowMs: number): void {
    this.#withheld.add(userId);
    const owner = this.#owners.get(userId);
    if (owner === undefined) return;
    for (const active of owner.matching.values()) {
      this.#drop(active);
      const { id, activatedAtMs } = active.filter;
      owner.paused.set(id, { course: active.course, activatedAtMs, withheldAtMs: nowMs });
    }
    owner.stored = [];
  }

  /** Whether it is unknown which filters of the person are active. */
  isWithheld(userId: UserId): boolean {
    return this.#withheld.has(userId);
  }

  /** Removes a person who was deleted. */
  forget(userId: UserId): void {
    this.#withheld.delete(userId);
    const owner = this.#owners.get(userId);
    if (owner === undefined) return;
    for (const active of owner.matching.values()) this.#drop(active);
    this.#owners.delete(userId);
  }

  /** Applies plans that have expired by now. */
  refresh(nowMs: number): void {
    for (const owner of this.#owners.values()) {
      if (owner.settledPlan !== planNow(owner.user, nowMs)) this.#settle(owner, nowMs);
    }
  }

  /** Whether the person has an open stream: the slices of their filters are then read more often. */
  setWatching(userId: UserId, isWatching: boolean): void {
    if (this.#watching.has(userId) === isWatching) return;
    if (isWatching) this.#watching.add(userId);
    else this.#watching.delete(userId);
    this.#demand.setPreviewed(this.#watching.size > 0);
    for (const active of this.#owners.get(userId)?.matching.values() ?? []) this.#ask(active);
  }

  #ownerOf(user: Subscriber, nowMs: number): Owner {
    const known = this.#owners.get(user.id);
    if (known !== undefined) {
      const couldBuy = autobuyLaneNow(known.user, nowMs) !== null;
      if (!couldBuy && autobuyLaneNow(user, nowMs) !== null) known.autobuySinceMs = nowMs;
      known.user = user;
      return known;
    }
    const owner: Owner = {
      userId: user.id,
      user,
      stored: [],
      matching: new Map(),
      paused: new Map(),
      blocked: BlockedSellers.NONE,
      settledPlan: "none",
      paidUntilMs: -Infinity,
      autobuySinceMs: -Infinity,
      place: { stamp: 0, index: 0 },
    };
    this.#owners.set(user.id, owner);
    return owner;
  }

  #settle(owner: Owner, nowMs: number): readonly ActiveFilter[] {
    owner.settledPlan = planNow(owner.user, nowMs);
    owner.paidUntilMs = paidUntilMs(owner.user);
    const wanted = levelNow(owner.user, nowMs) > 0 ? owner.stored : [];
    const wantedIds = new Set(wanted.map(({ id }) => id));
    for (const active of owner.matching.values()) if (!wantedIds.has(active.filter.id)) this.#drop(active);
    for (const id of owner.paused.keys()) if (!wantedIds.has(id)) owner.paused.delete(id);
    return wanted.map((filter) => this.#take(owner, filter, nowMs)).filter((started) => started !== null);
  }

  /** @returns the filter if it starts to match or its criteria changed, otherwise null */
  #take(owner: Owner, filter: Filter, nowMs: number): ActiveFilter | null {
    const { activatedAtMs } = filter;
    const known = owner.matching.get(filter.id);
    const paused = owner.paused.get(filter.id);
    owner.paused.delete(filter.id);
    const spec = compileFilter(filter);
    const before =
      known === undefined
        ? paused
        : { course: known.course, activatedAtMs: known.filter.activatedAtMs, withheldAtMs: null };
    const course =
      before?.activatedAtMs === activatedAtMs
        ? courseAfter(before, newCourse(filter, spec, nowMs))
        : newCourse(filter, spec, nowMs);
    const isUnchanged = course === before?.course;
    const matchClass: MatchClass = (filter.isAutobuy ? autobuyLaneNow(owner.user, nowMs) : null) ?? "shown";
    if (known?.matchClass === matchClass && isSame(known.spec, spec)) {
      known.filter = filter;
      known.isAsking = asksForFacts(filter);
      known.course = course;
      return isUnchanged ? null : known;
    }
    if (known !== undefined) this.#drop(known);
    if (spec === null) {
      owner.paused.set(filter.id, { course, activatedAtMs, withheldAtMs: null });
      return null;
    }
    const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
    const ownIds = [filter.id] as const;
    const isAsking = asksForFacts(filter);
    const active: ActiveFilter = { number, filter, isAsking, spec, matchClass, owner, ownIds, course };
    this.#byNumber[number] = active;
    owner.matching.set(filter.id, active);
    this.#index.insert(number, spec, matchClass);
    this.#ask(active);
    return isUnchanged ? null : active;
  }

  #drop(active: ActiveFilter): void {
    this.#index.remove(active.number);
    this.#demand.drop(active.number);
    active.owner.matching.delete(active.filter.id);
    this.#byNumber[active.number] = undefined;
    this.#freeNumbers.push(active.number);
  }

  #ask(active: ActiveFilter): void {
    this.#demand.put(active.number, demandOf(active.spec, this.rankOf(active)));
  }

  rankOf({ matchClass, owner }: ActiveFilter): SliceRank {
    if (matchClass !== "shown") return matchClass;
    return this.#watching.has(owner.userId) ? "watched" : "rest";
  }
}

function newCourse({ seller, ignoresRelists }: AskedFacts, spec: FilterSpec | null, nowMs: number): Course {
  const asks = { seller, ignoresRelists };
  return { spec, asks, sinceMs: nowMs, former: null, buysEarlier: true, pastMatchesLeft: MAX_PAST_MATCHES };
}

/**
 * The course of a filter that stayed active: the same object if nothing changed for it.
 * @param next as if the filter were new
 */
function courseAfter({ course, withheldAtMs }: PausedCourse, next: Course): Course {
  const asksOtherwise = !isSame(course.asks, next.asks);
  const isEdited = asksOtherwise || !isSame(course.spec, next.spec);
  if (!isEdited && withheldAtMs === null) return course;
  const { spec, sinceMs } = course;
  const askedOtherwise = asksOtherwise && asksForFacts(course.asks);
  const former = { spec, sinceMs, untilMs: withheldAtMs ?? next.sinceMs, askedOtherwise };
  // What appeared while an unchanged filter was withheld is still to be shown and bought.
  return isEdited ? { ...next, former, buysEarlier: false } : { ...next, former, sinceMs };
}

function isSame<Value extends FilterSpec | AskedFacts | null>(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
