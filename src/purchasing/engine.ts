import type { Clock } from "#domain/clock.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { PurchaseId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/random.ts";
import type { Checkout } from "#marketplace/marketplace.ts";
import type { StoryStore } from "#store/store.ts";
import { type AccountCalls, createAccountCalls } from "./account-calls.ts";
import { createAccountReadiness, SWEEP_INTERVAL_MS, type AccountReadiness } from "./account-readiness.ts";
import type { AccountSessions } from "./account-sessions.ts";
import { createAttempts } from "./attempts.ts";
import { createBackground, type Background } from "./background.ts";
import { countedCheckout, createBreaker } from "./breaker.ts";
import type { BuyingStore } from "./buying-store.ts";
import { createCancels } from "./cancels.ts";
import { createChronicle } from "./chronicle.ts";
import { createClicks, type Clicks } from "./clicks.ts";
import { createDelivery } from "./delivery.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createFollowUps, type FollowUps } from "./follow-ups.ts";
import { createGuards, type Guards } from "./guards.ts";
import { budgetKeys, spentCents } from "./limits.ts";
import { createLooks } from "./looks.ts";
import { createMoves, type Moves } from "./moves.ts";
import { createOperator } from "./operator.ts";
import { createOrderSweep } from "./order-sweep.ts";
import { createOrdersReader } from "./orders.ts";
import type { Purchasing, PurchasePage } from "./purchasing.ts";
import { repeat } from "./repeating.ts";
import { createRefusedPayers, type RefusedPayers } from "./refused-payers.ts";
import { createRightOfWay } from "./right-of-way.ts";
import { serveWish } from "./wishes.ts";

/**
 * The purchase engine: what it promises stands in docs/purchase.md. It knows neither HTTP nor French, and
 * never asks who is looking: it takes wishes and clicks, keeps the books, and tells the event bus.
 */
export interface PurchasingDeps {
  readonly store: BuyingStore;
  readonly checkout: Checkout;
  readonly sessions: AccountSessions;
  /** Where it is written down what people are told afterwards; absent: nowhere. */
  readonly stories?: Pick<StoryStore, "recordMiss" | "recordOrigin">;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Names this process among several; never used twice. */
  readonly owner: string;
  /** No other process buys with these books: whatever an earlier one held is free at once. */
  readonly isSoleNode: boolean;
  /** Whether what is due is taken up here, whoever left it, and accounts are looked at by themselves. Absent: yes. */
  readonly followsUp?: boolean;
  /**
   * Asked right before a paying request leaves: false once another process may have taken over what this one
   * holds. Absent: nobody else can.
   */
  readonly isAlive?: () => boolean;
  /**
   * Whether a failure of the store says that it could not be reached, or went away under the question: it is asked
   * again then, for as long as the answer matters. Absent: no failure does.
   */
  readonly isStoreAway?: (error: unknown) => boolean;
  /** The version of the mandate that automatic purchases need; absent: none is needed (the sandbox). */
  readonly requiredMandate?: number;
  /** RECONCILE_SECONDS: longest time to effect and read lag of the marketplace. */
  readonly reconcileMs: number;
  /** Automatic purchases under way at once. */
  readonly slots?: { readonly thunder: number; readonly acquire: number };
  /** The store answers several questions at once. */
  readonly isStoreParallel?: boolean;
}

/** Few for Acquire: the embedded store and the marketplace serve one after the other, and Thunder comes through them. */
const DEFAULT_SLOTS = { thunder: 16, acquire: 4 };
const FOLLOW_UP_INTERVAL_MS = 250;
const GUARD_INTERVAL_MS = 1_000;
const FORGOTTEN_INTERVAL_MS = 5_000;
const AUDIT_INTERVAL_MS = 60_000;
const WARM_INTERVAL_MS = 5 * 60_000;
const NEWEST_PAGE: PurchasePage = { limit: 1_000, before: undefined };

export function createPurchasing(deps: PurchasingDeps): Purchasing {
  const { store, clock } = deps;
  const life = { isRunning: false, isStopping: false };
  const parts = buildParts(deps, () => life.isStopping);
  const ends: (() => void)[] = [];

  return {
    ...callsOf(deps, parts),
    offer(wishes) {
      if (!life.isRunning || life.isStopping || wishes.length === 0) return;
      const count = parts.dispatcher.offer(wishes);
      if (count > 0) deps.log.info({ count }, "wishes that were known already, or too many");
    },
    async run() {
      if (life.isRunning) return;
      life.isRunning = true;
      if (deps.isSoleNode) await store.purchases.endForeignLeases(deps.owner, clock.nowMs());
      ends.push(
        deps.events.subscribe((event) => hear(parts, event)),
        ...startRounds(deps, parts),
      );
    },
    async stop() {
      life.isStopping = true;
      parts.dispatcher.dropAll();
      for (const end of ends.splice(0)) end();
      await parts.background.settled();
    },
  };
}

interface Parts {
  readonly background: Background;
  readonly accountCalls: AccountCalls;
  readonly dispatcher: Dispatcher;
  readonly followUps: FollowUps;
  readonly guards: Guards;
  readonly moves: Moves;
  readonly readiness: AccountReadiness;
  readonly refusedPayers: RefusedPayers;
  readonly calls: Pick<Clicks, "click"> & Pick<Purchasing, "cancel" | "operator">;
}

function buildParts(deps: PurchasingDeps, isStopping: () => boolean): Parts {
  const { store, sessions, events, clock, random, log, owner, reconcileMs } = deps;
  const { purchases, audit } = store;
  const background = createBackground(log);
  const breaker = createBreaker(clock);
  const guards = createGuards({ purchases, breaker, clock, log });
  const checkout = countedCheckout(deps.checkout, breaker);
  const accountCalls = createAccountCalls({
    sessions,
    clock,
    onBlocked: (userId) => guards.blocked(userId),
    onPaused: (userId, untilMs) => events.publish({ kind: "account_paused", userId, untilMs }),
  });
  const storeRetry = { clock, isStoreAway: deps.isStoreAway ?? (() => false) };
  const moves = createMoves({ ...storeRetry, store, random, events, log, background, reconcileMs });
  const orders = createOrdersReader(accountCalls, checkout);
  const orderSweep = createOrderSweep({ store, orders, moves, clock, random, events, log });
  const readiness = createAccountReadiness({ store, sessions, orderSweep, clock, log, isStopping });
  const rightOfWay = createRightOfWay(clock, store, deps.isStoreParallel);
  const attempts = createAttempts({
    checkout,
    calls: accountCalls,
    delivery: createDelivery(checkout, clock),
    rightOfWay,
    ...storeRetry,
    accountReady: (userId) => readiness.ready(userId),
    store,
    events,
    log,
    moves,
    owner,
    isStopping,
    isAlive: deps.isAlive ?? (() => true),
  });
  const busy = new Set<PurchaseId>();
  const chronicle = createChronicle({ ...storeRetry, stories: deps.stories, background });
  const requiredMandate = deps.requiredMandate ?? null;
  const refusedPayers = createRefusedPayers(clock);
  const books = { store, moves, chronicle, refusedPayers, owner, busy };
  const wishDeps = { ...storeRetry, ...books, random, log, attempts, rightOfWay, requiredMandate };
  const serve = (wish: Parameters<typeof serveWish>[1]) => serveWish(wishDeps, wish);
  const looks = createLooks({ orders, purchases, accounts: store.accounts, moves, clock, log });
  const cancelDeps = { purchases, checkout, calls: accountCalls, moves, background, clock, log, owner };
  return {
    background,
    accountCalls,
    guards,
    moves,
    readiness,
    refusedPayers,
    dispatcher: createDispatcher({
      clock,
      background,
      slots: deps.slots ?? DEFAULT_SLOTS,
      serve,
      onStale: (wish) => chronicle.refused(wish, { kind: "stale" }),
    }),
    followUps: createFollowUps({ store, moves, attempts, looks, background, clock, owner, busy }),
    calls: {
      ...createClicks({ ...wishDeps, events, background }),
      ...createCancels(cancelDeps),
      operator: createOperator({ purchases, audit, moves, events, clock }),
    },
  };
}

function callsOf(
  { store, clock }: PurchasingDeps,
  { calls }: Parts,
): Omit<Purchasing, "offer" | "run" | "stop"> {
  return {
    ...calls,
    async standing(userId) {
      const nowMs = clock.nowMs();
      const stop = await store.purchases.accountStop(userId);
      const isOver = stop === null || (stop.untilMs !== null && stop.untilMs <= nowMs);
      return {
        everyone: await calls.operator.stops(),
        account: isOver ? null : { untilMs: stop.untilMs },
        spentTodayCents: spentCents(await store.purchases.totals(userId, budgetKeys(nowMs).dayKey)),
      };
    },
    list: (userId, { limit, before } = NEWEST_PAGE) => store.purchases.list(userId, limit, before),
    byId: (userId, id) => store.purchases.record({ id, userId }),
    hideCancelled: (userId) => store.purchases.hideFinal(userId, clock.nowMs()),
  };
}

/** The rounds that keep everything moving; each answer ends one. */
function startRounds({ clock, followsUp = true }: PurchasingDeps, parts: Parts): readonly (() => void)[] {
  const { background, dispatcher, followUps, guards, moves, readiness } = parts;
  const every = (name: string, intervalMs: number, task: () => Promise<void>): (() => void) =>
    repeat({ clock, background }, { name, intervalMs, startsAfterMs: intervalMs }, task);
  // What this process sees of the marketplace, only this process can say.
  const own = [every("breaker", GUARD_INTERVAL_MS, () => guards.minds())];
  if (!followsUp) return own;
  background.start("first look at all accounts", () => readiness.prepareAll());
  return [
    ...own,
    every("follow-ups", FOLLOW_UP_INTERVAL_MS, async () => {
      dispatcher.pump();
      await followUps.takeUp();
    }),
    every("forgotten news", FORGOTTEN_INTERVAL_MS, () => moves.tellForgotten()),
    every("auditor", AUDIT_INTERVAL_MS, () => guards.audits()),
    every("warm tokens", WARM_INTERVAL_MS, () => readiness.warmAll()),
    every("order sweep", SWEEP_INTERVAL_MS, () => readiness.sweepAll()),
  ];
}

function hear(parts: Parts, event: ProductEvent): void {
  const { dispatcher, readiness, background, accountCalls, refusedPayers } = parts;
  if (event.kind === "account_paused") accountCalls.pause(event.userId, event.untilMs);
  if (event.kind === "filters_changed") {
    // What they asked for when the wish arose may no longer be what the person wants.
    dispatcher.dropFilters(event.filterIds);
    background.start("prepare account", () => readiness.prepare(event.userId));
  }
  if (event.kind === "settings_changed") {
    refusedPayers.letTry(event.userId);
    background.start("prepare account", () => readiness.prepare(event.userId));
  }
}
