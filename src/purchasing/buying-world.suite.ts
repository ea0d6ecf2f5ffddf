import { sleep } from "#domain/clock.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { parseEurCents } from "#domain/money.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { Secret } from "#domain/secret.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { User } from "#domain/user.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { systemClock } from "#server/clock.ts";
import { createEventBus } from "#server/events.ts";
import { createSystemRandom } from "#server/random.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import { isStoreAway } from "#store/errors.ts";
import type { OpenStore } from "#store/open-store.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { createQuietLog, type LoggedLine } from "#verify/testing/quiet-log.ts";
import {
  sandboxClient,
  type SandboxClient,
  type TrueOrder,
  type NewListing,
} from "#verify/testing/sandbox-client.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createAccountSessions, type AccountSessions } from "./account/account-sessions.ts";
import { createPurchasing, type PurchasingDeps } from "./engine.ts";
import type { ClickOutcome, Purchasing } from "./purchasing.ts";
import { aMarketplaceAt, startTestSandbox } from "#verify/testing/a-sandbox.ts";

/** The real engine over the real store, the real adapter and the sandbox: only the feed and the web are absent. */
export interface BuyingWorld extends AsyncDisposable {
  readonly store: OpenStore;
  readonly sandbox: SandboxClient;
  readonly events: EventBus;
  readonly published: readonly ProductEvent[];
  readonly logged: readonly LoggedLine[];
  /** The current engine; `crash` replaces it. */
  readonly purchasing: () => Purchasing;
  /** A user with a connected account, an address and no pickup points. */
  readonly person: (name: string, plan?: User["plan"]) => Promise<User>;
  /** Has the only person's orders read, as when their settings change: a later fault then hits the purchase itself. */
  readonly ordersRead: (user: User) => Promise<void>;
  readonly limit: (user: User, limits: Partial<MoneyLimits>) => Promise<void>;
  /** Adds a filter with auto-buy. */
  readonly autobuyFilter: (user: User, traits?: Partial<Filter>) => Promise<Filter>;
  /** Publishes and records a listing as the feed would. */
  readonly listing: (attributes?: Partial<NewListing>) => Promise<Listing>;
  readonly listings: (count: number, attributes?: Partial<NewListing>) => Promise<readonly Listing[]>;
  readonly wish: (user: User, filter: Filter, listing: Listing) => AutobuyWish;
  /** Clicks on a listing at its last known price. */
  readonly click: (user: Pick<User, "id">, listing: Pick<Listing, "id">) => Promise<ClickOutcome>;
  /** The person's only purchase of the listing, once it is in one of these states. */
  readonly settled: (user: User, listing: Listing, ...states: PurchaseState[]) => Promise<PurchaseRecord>;
  readonly record: (user: User, listing: Listing) => Promise<PurchaseRecord | null>;
  /** The sandbox's own orders for a listing. */
  readonly truth: (listing: Listing) => Promise<readonly TrueOrder[]>;
  /** Simulates kill -9: the engine receives and sends nothing more; another starts over the same store. */
  readonly crash: () => Promise<void>;
  /** A second engine over the same store, as another node; optionally with its own store handle and clock. */
  readonly anotherNode: (own?: Partial<Pick<PurchasingDeps, "store" | "clock">>) => Promise<Purchasing>;
}

/** RECONCILE_SECONDS in ms: short; only faults that must miss the proof are delayed for longer. */
export const RECONCILE_MS = 1_500;
const SETTLE_TIMEOUT_MS = 240_000;

export type Call = keyof Marketplace;

export interface BuyingWorldOptions {
  readonly overrides?: Partial<PurchasingDeps>;
  /** Wraps every marketplace call, to observe, delay or lose calls and answers. */
  readonly intercept?: (name: Call, call: () => Promise<unknown>) => Promise<unknown>;
  /** Opens the store to use instead of an embedded one. */
  readonly openStore?: () => Promise<TestStore>;
  /** Runs whenever a call receives its access token. */
  readonly beforeAccess?: () => Promise<void>;
}

export async function startBuyingWorld(options: BuyingWorldOptions = {}): Promise<BuyingWorld> {
  await using stack = new AsyncDisposableStack();
  const log = createQuietLog();
  const { store } = stack.use(await (options.openStore?.() ?? openTestStore({ log })));
  const sandbox = await startTestSandbox({ log });
  stack.defer(() => sandbox.stop());
  const marketplace = stack.use(aMarketplaceAt(sandbox.url));
  const events = createEventBus(log);
  const published: ProductEvent[] = [];
  events.subscribe((event) => void published.push(event));
  const startEngine = enginesOver({ store, marketplace, events, log, options });
  const client = sandboxClient(sandbox.url);
  let engine = await startEngine();
  stack.defer(() => engine.purchasing.stop());
  const resources = stack.move();
  return {
    ...personHelpers(store),
    ...listingHelpers(store, client),
    store,
    sandbox: client,
    events,
    published,
    logged: log.lines,
    purchasing: () => engine.purchasing,
    async ordersRead({ id: userId }) {
      await events.publish({ kind: "settings_changed", userId });
      while (((await client.requests()).by_route["orders"] ?? 0) === 0) await sleep(systemClock, 20);
    },
    click: ({ id: userId }, { id: listingId }) =>
      engine.purchasing.click({ userId, listingId, seenPrice: null }),
    async crash() {
      engine.kill();
      engine = await startEngine();
    },
    async anotherNode(own) {
      const { purchasing } = await startEngine(own);
      resources.defer(() => purchasing.stop());
      return purchasing;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface Engine {
  readonly purchasing: Purchasing;
  kill(): void;
}

const NEVER = new Promise<never>(() => undefined);

/** Starts engines over one store and one marketplace, each as another node. */
export function enginesOver(parts: {
  readonly store: OpenStore;
  readonly marketplace: Marketplace;
  readonly events: EventBus;
  readonly log: ReturnType<typeof createQuietLog>;
  readonly options: BuyingWorldOptions;
}): (own?: Partial<PurchasingDeps>) => Promise<Engine> {
  const { store, events, log, options } = parts;
  const random = createSystemRandom();
  const clock = systemClock;
  let number = 0;
  return async (own = {}) => {
    number += 1;
    const { owner = `engine-${number}` } = own;
    let isKilled = false;
    const { intercept = (_name, call) => call() } = options;
    // A call of a dead process still takes effect at the marketplace; only its answer is lost.
    const marketplace = intercepted(parts.marketplace, async (name, call) => {
      if (isKilled) return await NEVER;
      const answer = await intercept(name, call);
      return isKilled ? await NEVER : answer;
    });
    const clockOfEngine = options.overrides?.clock ?? clock;
    const sessions = delayed(
      createAccountSessions({
        accounts: store.accounts,
        marketplace,
        clock: clockOfEngine,
        events,
        log,
        owner,
        isStoreAway: options.overrides?.isStoreAway ?? isStoreAway,
        isAlive: () => true,
      }),
      options.beforeAccess,
    );
    const purchasing = createPurchasing({
      store,
      stories: store.stories,
      checkout: marketplace,
      sessions,
      events,
      clock,
      random,
      log,
      owner,
      isSoleNode: true,
      followsUp: true,
      isAlive: () => true,
      requiredMandate: null,
      minPriceDays: 7,
      reconcileMs: RECONCILE_MS,
      isStoreAway,
      ...options.overrides,
      ...own,
    });
    await purchasing.run();
    return {
      purchasing,
      kill() {
        isKilled = true;
        // Not awaited: it never settles while one of its calls hangs.
        void purchasing.stop();
      },
    };
  };
}

function delayed(sessions: AccountSessions, before?: () => Promise<void>): AccountSessions {
  if (before === undefined) return sessions;
  return {
    withAccess: (userId, call, options) =>
      sessions.withAccess(
        userId,
        async (access) => {
          await before();
          return await call(access);
        },
        options,
      ),
  };
}

function intercepted(
  marketplace: Marketplace,
  intercept: (name: Call, call: () => Promise<unknown>) => Promise<unknown>,
): Marketplace {
  return new Proxy(marketplace, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) =>
        intercept(name as Call, () => Reflect.apply(method, target, args) as Promise<unknown>);
    },
  });
}

function personHelpers(store: OpenStore): Pick<BuyingWorld, "person" | "limit" | "autobuyFilter"> {
  let filterCount = 0;
  return {
    async person(name, plan = "thunder") {
      const nowMs = systemClock.nowMs();
      const { user } = await store.users.signIn(
        {
          provider: "sandbox",
          providerId: name,
          login: name,
          displayName: name,
          email: `${name}@example.org`,
          pictureUrl: null,
        },
        nowMs,
      );
      await store.users.setPlan(user.id, plan, null);
      const address = { street: "12 rue de la Roquette", city: "Paris", postalCode: 75_011 };
      await store.settings.change(
        user.id,
        { refreshToken: new Secret(`sandbox-${name}`), address: { ...address, country: "France" } },
        nowMs,
      );
      return { ...user, plan };
    },
    async limit(user, limits) {
      await store.settings.change(user.id, { limits }, systemClock.nowMs());
    },
    async autobuyFilter(user, traits = {}) {
      filterCount += 1;
      const activatedAtMs = systemClock.nowMs();
      const filter = aFilter({
        id: asFilterId(`filter-${filterCount}`),
        userId: user.id,
        isAutobuy: true,
        activatedAtMs,
        ...traits,
      });
      await store.filters.add(filter, 200);
      return filter;
    },
  };
}

function listingHelpers(
  store: OpenStore,
  sandbox: SandboxClient,
): Pick<BuyingWorld, "listing" | "listings" | "wish" | "settled" | "record" | "truth"> {
  const record = async (user: User, listing: Listing): Promise<PurchaseRecord | null> => {
    const journal = await store.purchases.journal(user.id, 1_000);
    return journal.find(({ purchase }) => purchase.listingId === listing.id)?.purchase ?? null;
  };
  const listings: BuyingWorld["listings"] = async (count, attributes = {}) => {
    const items = await sandbox.publish(
      Array.from({ length: count }, () => ({ title: "Robe d'été", price: 10, ...attributes })),
    );
    const found = await readListings(
      sandbox.url,
      items.map(({ id }) => id),
    );
    const nowMs = systemClock.nowMs();
    const facts = { leafIds: [221], marketplaceColourIds: [] };
    await store.listings.record({
      listings: found.map((listing) => ({ listing, facts, firstSeenAtMs: nowMs, seenAtMs: nowMs })),
      matches: [],
      marks: [],
    });
    return found;
  };
  return {
    record,
    listings,
    async listing(attributes) {
      const [listing] = await listings(1, attributes);
      if (listing === undefined) throw new Error("nothing was published");
      return listing;
    },
    wish(user, filter, listing) {
      const nowMs = systemClock.nowMs();
      const facts = { leafIds: [221], marketplaceColourIds: [] };
      return {
        userId: user.id,
        filterId: filter.id,
        listingId: listing.id,
        lane: user.plan === "thunder" ? "thunder" : "acquire",
        listing: { listing, facts, firstSeenAtMs: nowMs, seenAtMs: nowMs },
        matchedAtMs: nowMs,
        isSimulation: filter.isSimulation,
      };
    },
    async settled(user, listing, ...states) {
      const giveUpAtMs = systemClock.nowMs() + SETTLE_TIMEOUT_MS;
      let found = await record(user, listing);
      while (found === null || !states.includes(found.state)) {
        if (systemClock.nowMs() > giveUpAtMs)
          throw new Error(
            `${found?.state ?? "nothing"} (${found?.failureReason ?? ""}), not ${states.join()}`,
          );
        await sleep(systemClock, 20);
        found = await record(user, listing);
      }
      return found;
    },
    async truth(listing) {
      return (await sandbox.orders()).filter((order) => order.item_id === listing.id);
    },
  };
}

const PER_PAGE = 96;

/** Reads listings through the marketplace's catalogue, as the feed does. */
async function readListings(origin: string, ids: readonly number[]): Promise<readonly Listing[]> {
  await using marketplace = aMarketplaceAt(origin);
  const byId = new Map<number, Listing>();
  for (let page = 1; !ids.every((id) => byId.has(id)); page += 1) {
    const query = { leafIds: [], marketplaceColourIds: [], page, perPage: PER_PAGE };
    const { listings } = await marketplace.searchNewest(query);
    if (listings.length === 0) throw new Error(`the sandbox does not show all of ${ids.join()}`);
    for (const listing of listings) byId.set(listing.id, listing);
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Payments that the marketplace took for a listing, all accounts together. */
export function paymentsTaken(orders: readonly TrueOrder[]): number {
  return orders.reduce((sum, order) => sum + order.payments, 0);
}

export function centsOf(order: TrueOrder): number {
  return parseEurCents(order.total) ?? Number.NaN;
}
