import type { PlanKey } from "#catalogue/plans.ts";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import { asksForFacts, type Filter } from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import { autobuyLaneNow, levelNow, paidUntilMs, planNow, type User } from "#domain/user.ts";
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
  /** The criteria before an edit, whose matches were published already; null for a filter that became active. */
  readonly formerSpec: FilterSpec | null;
  /** Since when the filter has these criteria; -Infinity if it had them when this process started. */
  specSinceMs: number;
  /** How many listings older than the filter may still be shown (contract §3: up to 50). */
  pastMatchesLeft: number;
}

export interface Owner {
  readonly userId: UserId;
  user: User;
  /** All filters that are active in the store, whether or not the plan allows them to match. */
  stored: readonly Filter[];
  readonly matching: Map<FilterId, ActiveFilter>;
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

export const MAX_PAST_MATCHES = 50;

/**
 * All active filters in memory; updates the index and the slice demand with them. The store is the source of
 * truth: after a change all filters of the person are read again and passed in.
 */
export class ActiveFilters {
  readonly #index: FilterIndex;
  readonly #demand: SliceDemand;
  readonly #owners = new Map<UserId, Owner>();
  readonly #watching = new Set<UserId>();
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
    user: User,
    stored: readonly Filter[],
    nowMs: number,
    blocked: BlockedSellers = BlockedSellers.NONE,
  ): readonly ActiveFilter[] {
    const owner = this.#ownerOf(user, nowMs);
    owner.blocked = blocked;
    owner.stored = stored;
    if (stored.length === 0) this.#owners.delete(user.id);
    return this.#settle(owner, nowMs);
  }

  /** As `put`, for filters that were active before this process started. */
  load(user: User, stored: readonly Filter[], nowMs: number, blocked: BlockedSellers): void {
    for (const active of this.put(user, stored, nowMs, blocked)) active.specSinceMs = -Infinity;
  }

  /** Removes a person who was deleted, or whose changed filters could not be read. */
  forget(userId: UserId): void {
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
    for (const active of this.#owners.get(userId)?.matching.values() ?? []) this.#ask(active);
  }

  #ownerOf(user: User, nowMs: number): Owner {
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
    return wanted.map((filter) => this.#take(owner, filter, nowMs)).filter((started) => started !== null);
  }

  /** @returns the filter if it starts to match or its criteria changed, otherwise null */
  #take(owner: Owner, filter: Filter, nowMs: number): ActiveFilter | null {
    const known = owner.matching.get(filter.id);
    const isContinued = known?.filter.activatedAtMs === filter.activatedAtMs;
    const spec = compileFilter(filter);
    const isOfSameForm = known !== undefined && JSON.stringify(known.spec) === JSON.stringify(spec);
    const { specSinceMs, pastMatchesLeft } =
      isContinued && isOfSameForm ? known : { specSinceMs: nowMs, pastMatchesLeft: MAX_PAST_MATCHES };
    const matchClass: MatchClass = (filter.isAutobuy ? autobuyLaneNow(owner.user, nowMs) : null) ?? "shown";
    if (isOfSameForm && known.matchClass === matchClass) {
      known.filter = filter;
      known.isAsking = asksForFacts(filter);
      known.specSinceMs = specSinceMs;
      known.pastMatchesLeft = pastMatchesLeft;
      return isContinued ? null : known;
    }
    if (known !== undefined) this.#drop(known);
    if (spec === null) return null;
    const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
    const formerSpec = isContinued ? known.spec : null;
    const ownIds = [filter.id] as const;
    const isAsking = asksForFacts(filter);
    const active: ActiveFilter = {
      number,
      filter,
      isAsking,
      spec,
      matchClass,
      owner,
      ownIds,
      formerSpec,
      specSinceMs,
      pastMatchesLeft,
    };
    this.#byNumber[number] = active;
    owner.matching.set(filter.id, active);
    this.#index.insert(number, spec, matchClass);
    this.#ask(active);
    return isContinued && isOfSameForm ? null : active;
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
