/** Feeds on a real store, in front of a marketplace in memory, in simulated time. */
import { afterEach, beforeEach, expect } from "vitest";
import type { EventBus } from "#domain/events.ts";
import { asFilterId, type ListingId, type UserId } from "#domain/ids.ts";
import type { Filter } from "#domain/market/filter.ts";
import { DAY_MS } from "#domain/clock.ts";
import { closingPiece } from "#market/market-memory.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { createEventBus } from "#server/events.ts";
import type { OpenStore } from "#store/open-store.ts";
import { heldMatches } from "#store/schema/tables.ts";
import type { Store } from "#store/store.ts";
import { storeForAll } from "#store/suite-store.suite.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import type { FactsStore, MatchFactsOptions } from "./facts/match-facts.ts";
import { createFeed, type FeedDeps } from "./feed-service.ts";
import type { Feed, KnownBackground, MatchBatch } from "./feed.ts";
import { factsFrom, MarketInMemory } from "./market-in-memory.suite.ts";
import { PAUSES_OUTSIDE } from "./read/market-pauses.ts";

export const READS_PER_SECOND = 20;
const MAX_FILTERS = 200;

/** A feed and everything that it publishes. */
export interface RunningFeed {
  readonly feed: Feed;
  readonly batches: readonly MatchBatch[];
  readonly backgrounds: readonly KnownBackground[];
  readonly events: EventBus;
  /** The logged states. */
  readonly states: () => readonly unknown[];
  /** Publishes that the person's filters changed. */
  readonly announce: (userId: UserId) => Promise<void>;
}

export async function startFeed(
  deps: Omit<FeedDeps, "events" | "random" | "log" | "isStoreAway">,
): Promise<RunningFeed> {
  const log = createQuietLog();
  const events = createEventBus(log);
  const feed = createFeed({ ...deps, isStoreAway: () => false, events, random: createFakeRandom(), log });
  const batches: MatchBatch[] = [];
  const backgrounds: KnownBackground[] = [];
  feed.onBatch((batch) => batches.push(batch));
  feed.onBackground((known) => backgrounds.push(known));
  await feed.run();
  return {
    feed,
    batches,
    backgrounds,
    events,
    states: () => log.lines.flatMap(({ fields }) => fields.state ?? []),
    announce: async (userId) => await events.publish({ kind: "filters_changed", userId, filterIds: [] }),
  };
}

/** A person with Thunder and these active filters, whose ids are the login and their place. */
export async function aThunderPerson(
  { users, filters: stored }: Pick<Store, "users" | "filters">,
  nowMs: number,
  login: string,
  filters: readonly Partial<Filter>[],
): Promise<UserId> {
  const { user } = await users.signIn(aUser({ login, providerId: login }), nowMs);
  await users.setPlan(user.id, "thunder", null);
  for (const [place, filter] of filters.entries()) {
    const times = { activatedAtMs: nowMs, createdAtMs: nowMs + place };
    const id = asFilterId(`${login}-${place}`);
    await stored.add(aFilter({ id, userId: user.id, ...times, ...filter }), MAX_FILTERS);
  }
  return user.id;
}

export async function eraseEverybody({ users }: Pick<Store, "users">): Promise<void> {
  for (const { id } of await users.all()) await users.erase(id);
}

export function matchedIds(batches: readonly MatchBatch[]): readonly ListingId[] {
  return batches.flatMap(({ matches }) => matches.map(({ listing }) => listing.listing.id));
}

export function wishedIds(batches: readonly MatchBatch[]): readonly ListingId[] {
  return batches.flatMap(({ wishes }) => wishes.map(({ listingId }) => listingId));
}

export interface StartOptions {
  readonly facts?: Partial<MatchFactsOptions>;
  readonly store?: Partial<FactsStore & Pick<FeedDeps["store"], "filters" | "listings">>;
  readonly memory?: FeedDeps["memory"];
  readonly clock?: FeedDeps["clock"];
}

/** Each test has its own people, time and listings; they share the store. */
export class FeedWorld {
  startMs = A_MOMENT_MS;
  clock = new FakeClock();
  market = new MarketInMemory(this.clock);
  readonly #store: () => OpenStore;
  readonly #running = new Set<Feed>();
  readonly #storeCalls = new Set<Promise<unknown>>();

  constructor(store: () => OpenStore) {
    this.#store = store;
  }

  get store(): OpenStore {
    return this.#store();
  }

  async begin(): Promise<void> {
    this.startMs += 7 * DAY_MS;
    this.reopenMarket(this.startMs);
    await this.store.listings.prune(this.startMs, closingPiece);
    await this.store.db.delete(heldMatches);
  }

  /** From now on the market has other listings, and the clock this time. */
  reopenMarket(nowMs: number): void {
    this.clock = new FakeClock(nowMs);
    this.market = new MarketInMemory(this.clock);
  }

  async end(): Promise<void> {
    for (const feed of this.#running) await this.stop(feed);
    await eraseEverybody(this.store);
  }

  async start({ facts, store, memory, clock = this.clock }: StartOptions = {}): Promise<RunningFeed> {
    const running = await startFeed({
      catalogue: this.market,
      store: { ...this.store, ...this.timelessStore(), ...store },
      budget: createRequestBudget(clock, {
        read: { perSecond: READS_PER_SECOND, burst: 5 },
        buy: { perSecond: Infinity, burst: 1 },
        look_up: { perSecond: 2, burst: 1 },
      }),
      clock,
      options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_OUTSIDE },
      facts: { ...factsFrom(this.market), ...facts },
      ...(memory === undefined ? {} : { memory }),
    });
    this.#running.add(running.feed);
    return running;
  }

  async stop(feed: Feed): Promise<void> {
    this.#running.delete(feed);
    let isStopped = false;
    const stopping = feed.stop().then(() => (isStopped = true));
    await this.until(() => isStopped);
    await stopping;
  }

  /** Parts of the store during whose calls the clock stands still: the machine's speed does not matter. */
  timelessStore(): FactsStore & Pick<FeedDeps["store"], "listings"> {
    const timeless = <Part extends object>(part: Part): Part =>
      wrapped(part, async (call) => {
        const called = call();
        this.#storeCalls.add(called);
        return await called.finally(() => this.#storeCalls.delete(called));
      });
    const { listings, held, sellerFacts, relists } = this.store;
    return {
      listings: timeless(listings),
      held: timeless(held),
      sellerFacts: timeless(sellerFacts),
      relists: timeless(relists),
    };
  }

  async pass(durationMs: number, stepMs = 50): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
      await this.clock.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
      while (this.#storeCalls.size > 0) await Promise.allSettled(this.#storeCalls);
    }
  }

  async until(isTrue: () => boolean): Promise<void> {
    for (let attempt = 0; attempt < 2_000 && !isTrue(); attempt += 1) await this.pass(50);
    expect(isTrue()).toBe(true);
  }

  async person(login: string, ...filters: readonly Partial<Filter>[]): Promise<UserId> {
    return await aThunderPerson(this.store, this.clock.nowMs(), login, filters);
  }

  /** Changes all filters of the person, of which no feed learns. */
  async change(userId: UserId, changes: Partial<Filter>): Promise<void> {
    const ids = (await this.store.filters.ofUser(userId)).map(({ id }) => id);
    const nowMs = this.clock.nowMs();
    await this.store.filters.change(userId, ids, (filter) => ({ ...filter, ...changes }), { nowMs });
  }
}

/** Call it once in a file. */
export function feedWorldForAll(): FeedWorld {
  const world = new FeedWorld(storeForAll(openTestStore));
  beforeEach(async () => await world.begin());
  afterEach(async () => await world.end());
  return world;
}

/** The same object, whose methods are all called through `around`. */
export function wrapped<Part extends object>(
  part: Part,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): Part {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) =>
        await around(async () => await (Reflect.apply(method, target, args) as Promise<unknown>));
    },
  });
}
