import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock } from "#domain/clock.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { UserId } from "#domain/ids.ts";
import type { Store } from "#store/store.ts";
import type { ActiveFilter, ActiveFilters } from "./active-filters.ts";

export interface FilterSyncParts {
  readonly filters: Pick<Store["filters"], "activePages" | "activeOf" | "countActive">;
  readonly users: Pick<Store["users"], "subscribers">;
  readonly sellers: Pick<Store["sellers"], "blockedOf" | "blockedOfAll">;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly active: ActiveFilters;
  /** Called with filters that start to match, not with those that were active when the process started. */
  readonly onStarted: (started: readonly ActiveFilter[]) => void;
  readonly onChange: () => void;
  /** Called while many filters are being loaded at the start. @param share 0 to 1, never decreasing */
  readonly onLoading: (share: number) => void;
}

const FILTERS_PER_PAGE = 1_000;
/** Back-off after failed reads; the last value repeats. */
const RETRY_WAITS_MS: readonly number[] = [250, 500, 1_000, 2_000, 5_000, 10_000];
/** Filters added between two yields to the event loop: a few milliseconds. */
const FILTERS_AT_ONCE = 100;

/**
 * Keeps the active filters and their people's block lists in memory in sync with the store: loads all of them
 * at the start, then reloads one person after each change.
 */
export class FilterSync {
  readonly #parts: FilterSyncParts;
  /** One reload per person at a time, so that an older answer never replaces a newer one. */
  readonly #running = new Map<UserId, Promise<void>>();
  /** Reloads that have not begun: later callers share them. */
  readonly #waiting = new Map<UserId, Promise<void>>();
  /** People whose filters changed since their last successful reload. */
  readonly #stale = new Set<UserId>();
  readonly #retries = new Map<UserId, { readonly tries: number; readonly cancel: () => void }>();
  #unsubscribe: (() => void) | null = null;

  constructor(parts: FilterSyncParts) {
    this.#parts = parts;
  }

  /** Subscribes before loading, so that no edit is missed. */
  async start(): Promise<void> {
    const editedMeanwhile = new Set<UserId>();
    let isLoading = true;
    this.#unsubscribe = this.#parts.events.subscribe(async (event) => {
      if (!isOfMatching(event)) return;
      this.#stale.add(event.userId);
      if (isLoading) editedMeanwhile.add(event.userId);
      else await this.#reread(event.userId);
    });
    await this.#loadAll();
    isLoading = false;
    await Promise.all(Array.from(editedMeanwhile, async (userId) => await this.#reread(userId)));
  }

  /** Reloads everyone, one person after the other: events may have been missed. */
  async reload(): Promise<void> {
    const userIds = new Set(this.#parts.active.userIds());
    for await (const page of this.#parts.filters.activePages(FILTERS_PER_PAGE))
      for (const { userId } of page) userIds.add(userId);
    for (const userId of userIds) {
      if (this.#unsubscribe === null) return;
      await this.#reread(userId);
    }
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    for (const { cancel } of this.#retries.values()) cancel();
    this.#retries.clear();
    await Promise.allSettled([...this.#running.values(), ...this.#waiting.values()]);
  }

  async #loadAll(): Promise<void> {
    const { filters, onChange, onLoading } = this.#parts;
    const total = await filters.countActive();
    let readCount = 0;
    /** Filters of the page's last person: the next page may contain more of them. */
    let unfinished: readonly Filter[] = [];
    for await (const page of filters.activePages(FILTERS_PER_PAGE)) {
      if (total > FILTERS_PER_PAGE) onLoading(Math.min(1, readCount / total));
      const filtersByUser = Map.groupBy([...unfinished, ...page], ({ userId }) => userId);
      const [lastUserId, own] = [...filtersByUser].at(-1) ?? [];
      if (lastUserId !== undefined) filtersByUser.delete(lastUserId);
      unfinished = own ?? [];
      await this.#putAll(filtersByUser);
      readCount += page.length;
    }
    await this.#putAll(Map.groupBy(unfinished, ({ userId }) => userId));
    onChange();
  }

  async #putAll(filtersByUser: ReadonlyMap<UserId, readonly Filter[]>): Promise<void> {
    if (filtersByUser.size === 0) return;
    const { users, sellers, active, clock } = this.#parts;
    const userIds = [...filtersByUser.keys()];
    const [people, blockedOf] = await Promise.all([
      users.subscribers(userIds),
      sellers.blockedOfAll(userIds),
    ]);
    let taken = 0;
    for (const user of people) {
      const own = filtersByUser.get(user.id) ?? [];
      active.load(user, own, clock.nowMs(), blockedOf(user.id));
      taken += own.length;
      if (taken < FILTERS_AT_ONCE) continue;
      taken = 0;
      await yieldToEventLoop();
    }
  }

  #reread(userId: UserId): Promise<void> {
    const waiting = this.#waiting.get(userId);
    if (waiting !== undefined) return waiting;
    const before = this.#running.get(userId) ?? Promise.resolve();
    const turn = this.#rereadAfter(before, userId);
    this.#waiting.set(userId, turn);
    return turn;
  }

  async #rereadAfter(before: Promise<void>, userId: UserId): Promise<void> {
    // Its errors were reported to its own callers.
    await Promise.allSettled([before]);
    const turn = this.#waiting.get(userId);
    this.#waiting.delete(userId);
    if (turn !== undefined) this.#running.set(userId, turn);
    // Events from here on require another reload.
    const isStale = this.#stale.delete(userId);
    try {
      await this.#rereadNow(userId);
      this.#retries.get(userId)?.cancel();
      this.#retries.delete(userId);
    } catch (error) {
      if (isStale) this.#withhold(userId);
      throw error;
    } finally {
      if (this.#running.get(userId) === turn) this.#running.delete(userId);
    }
  }

  /** The filters in memory may be outdated: until the new ones are known, nothing is matched or bought. */
  #withhold(userId: UserId): void {
    const { active, clock, onChange } = this.#parts;
    this.#stale.add(userId);
    active.withhold(userId, clock.nowMs());
    onChange();
    if (this.#unsubscribe === null) return;
    const before = this.#retries.get(userId);
    before?.cancel();
    const tries = before === undefined ? 0 : before.tries + 1;
    const waitMs = RETRY_WAITS_MS[Math.min(tries, RETRY_WAITS_MS.length - 1)] ?? 0;
    // A failure schedules the next retry itself.
    const cancel = clock.schedule(waitMs, () => void this.#reread(userId).catch(() => undefined));
    this.#retries.set(userId, { tries, cancel });
  }

  async #rereadNow(userId: UserId): Promise<void> {
    const { users, sellers, filters, active, clock, onStarted, onChange } = this.#parts;
    const [[user], stored, blocked] = await Promise.all([
      users.subscribers([userId]),
      filters.activeOf(userId),
      sellers.blockedOf(userId),
    ]);
    if (user === undefined) active.forget(userId);
    else {
      const started = active.put(user, stored, clock.nowMs(), blocked);
      if (started.length > 0) onStarted(started);
    }
    onChange();
  }
}

/** Events that may change what a person's filters match. */
function isOfMatching(event: ProductEvent): event is Extract<ProductEvent, { kind: MatchingEvent }> {
  return (
    event.kind === "filters_changed" || event.kind === "user_changed" || event.kind === "sellers_changed"
  );
}

type MatchingEvent = "filters_changed" | "user_changed" | "sellers_changed";
