import { createNodeLife } from "#cluster/node-life.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { Clock, Random } from "#domain/clock.ts";
import { createFeed, type FeedDeps, type FeedStore } from "#feed/feed-service.ts";
import { PAUSES_SANDBOX } from "#feed/read/market-pauses.ts";
import type { Exchange } from "#marketplace/exchange.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import { createRequestBudget, type RequestBudget } from "#marketplace/request-budget.ts";
import { createAccountSessions } from "#purchasing/account/account-sessions.ts";
import type { BuyingStore } from "#purchasing/buying-store.ts";
import { createPurchasing } from "#purchasing/engine.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { isStoreAway as isTransient } from "#store/errors.ts";
import type { FilterStore, GroupStore } from "#store/market-store.ts";
import type { NodeStore as NodeRegistry, SettingsStore, SellerStore } from "#store/store.ts";
import { createEventBus } from "#server/events.ts";
import type { AutobuyWish, UserMatch } from "#domain/market/match.ts";
import type { Machine } from "./machine.ts";
import { ORIGIN } from "./market-world.ts";
import { StoreConnectionLost } from "./store-line.ts";

/** The store as a node uses it, in memory or embedded. */
export interface NodeStore extends BuyingStore, FeedStore {
  readonly settings: Pick<SettingsStore, "get" | "change">;
  readonly sellers: SellerStore;
  readonly groups: GroupStore;
  readonly filters: FeedStore["filters"] & Pick<FilterStore, "stopAutobuy" | "change" | "byId" | "ofUser">;
  readonly listings: BuyingStore["listings"] & FeedStore["listings"];
}

/** One running product: the real feed and the real purchase engine on a simulated machine. */
export interface SimulatedNode {
  readonly machine: Machine;
  readonly purchasing: Purchasing;
  /** The store, over this node's simulated connection. */
  readonly store: NodeStore;
  readonly events: EventBus;
  /** Delivers an event of another node. */
  deliver(event: ProductEvent): void;
}

interface NodeParts {
  readonly machine: Machine;
  readonly store: NodeStore;
  readonly exchange: Exchange;
  readonly random: Random;
  readonly log: Log;
  /** What the nodes know of each other; null for a single node. */
  readonly registry: NodeRegistry | null;
  readonly reconcileMs: number;
  readonly memory: NonNullable<FeedDeps["memory"]>;
  /** The rate limit of purchase calls per second, shared by all people; null for none. */
  readonly buyingPerSecond: number | null;
  /** Publishes an event to the other nodes. */
  readonly toOthers: (event: ProductEvent) => void;
  readonly onMatches: (matches: readonly UserMatch[]) => void;
  readonly onWishes: (wishes: readonly AutobuyWish[]) => void;
  readonly onStartFailed: (error: unknown) => void;
  /** The process ends by itself. */
  readonly onFatal: (error: Error) => void;
}

/** Low, because simulating a page of listings costs as much as a whole purchase. */
const READS_PER_SECOND = 0.06;
/** As in production: a share of the low read rate would answer too late for everyone. */
const LOOK_UPS_PER_SECOND = 0.5;

const FACTS = { sellerSecret: Buffer.from("simulation"), relistApartMs: 0, looksUpSellers: true };

export function startNode(parts: NodeParts): SimulatedNode {
  const { machine, store, random, log, registry, reconcileMs, buyingPerSecond } = parts;
  const { clock, name: owner } = machine;
  const isSoleNode = registry === null;
  const local = createEventBus(log);
  const events = withOthers(local, parts.toOthers);
  const budget = budgetOf(clock, buyingPerSecond);
  const marketplace = createHttpMarketplace({
    origin: ORIGIN,
    userAgent: "simulation",
    clock,
    budget,
    exchange: parts.exchange,
  });
  const isStoreAway = (error: unknown): boolean => error instanceof StoreConnectionLost || isTransient(error);
  const shared = { clock, events, log, isStoreAway };
  const life =
    registry === null
      ? null
      : createNodeLife({ nodes: registry, id: owner, clock, log, onFatal: parts.onFatal });
  const buying = { ...shared, owner, isAlive: () => life?.isAlive() ?? true };
  const purchasing = createPurchasing({
    ...buying,
    store,
    checkout: marketplace,
    sessions: createAccountSessions({ ...buying, accounts: store.accounts, marketplace }),
    random,
    isSoleNode,
    followsUp: true,
    requiredMandate: null,
    minPriceDays: 7,
    // Missed wishes move no money.
    stories: { recordMiss: () => Promise.resolve(false) },
    reconcileMs,
  });
  const feed = createFeed({
    catalogue: marketplace,
    ...shared,
    store,
    budget,
    random,
    options: { readsPerSecond: READS_PER_SECOND, pauses: PAUSES_SANDBOX },
    memory: parts.memory,
    facts: { ...FACTS, pages: marketplace, isShared: !isSoleNode },
  });
  feed.onBatch(({ wishes, matches }) => {
    parts.onMatches(matches);
    if (wishes.length === 0) return;
    parts.onWishes(wishes);
    purchasing.offer(wishes);
  });
  void (async () => {
    try {
      await life?.run();
      await purchasing.run();
      await feed.run();
    } catch (error) {
      parts.onStartFailed(error);
    }
  })();
  return { machine, purchasing, store, events, deliver: (event) => void local.publish(event) };
}

function budgetOf(clock: Clock, buyingPerSecond: number | null): RequestBudget {
  const buy = { perSecond: buyingPerSecond ?? Infinity, burst: buyingPerSecond ?? 1 };
  const reading = createRequestBudget(clock, { read: { perSecond: READS_PER_SECOND, burst: 1 }, buy });
  const lookingUp = createRequestBudget(clock, { read: { perSecond: LOOK_UPS_PER_SECOND, burst: 1 }, buy });
  return { take: async (lane) => await (lane === "look_up" ? lookingUp : reading).take(lane) };
}

/** The event bus of one process, whose events reach the other nodes a moment later. */
function withOthers(local: EventBus, toOthers: (event: ProductEvent) => void): EventBus {
  return {
    async publish(event) {
      toOthers(event);
      await local.publish(event);
    },
    subscribe: (listener) => local.subscribe(listener),
  };
}
