import type { Clock, Random } from "#domain/clock.ts";
import { BackgroundTasks, repeat } from "#domain/concurrency.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Checkout } from "#marketplace/marketplace.ts";
import type { StoryStore, AuditStore } from "#store/store.ts";
import { type AccountCalls, createAccountCalls, type AccountSessions } from "./account/account-sessions.ts";
import {
  createAccountReadiness,
  SWEEP_INTERVAL_MS,
  type AccountReadiness,
} from "./account/account-readiness.ts";
import { createAttempts } from "./attempt/attempts.ts";
import { countedCheckout, createBreaker, createGuards, type Guards } from "./account/breaker.ts";
import { type BuyingStore, retryWhileAway, type StoreRetry } from "./buying-store.ts";
import { createCancels } from "./reconcile/cancels.ts";
import { createMissRecorder } from "./miss-recorder.ts";
import { createClicks, type Clicks } from "./attempt/clicks.ts";
import { createDelivery } from "./attempt/prepare-quote.ts";
import { createDispatcher, type Dispatcher, type DispatcherDeps } from "./queue/dispatcher.ts";
import { createFollowUps, type FollowUps, createOrderChecks } from "./reconcile/order-check.ts";
import { budgetKeys, limitAgainst, nextDayMs, spentCents } from "./decide/limits.ts";
import { createMoves, type Moves } from "./moves.ts";
import { createOrderSweep } from "./reconcile/order-sweep.ts";
import { createOrdersReader } from "./reconcile/orders.ts";
import type { Purchasing, PurchasePage, PurchasingOperator } from "./purchasing.ts";
import {
  createRefusedPayers,
  createRestingFilters,
  type RefusedPayers,
  type RestingFilters,
} from "./queue/refused-payers.ts";
import { createRightOfWay } from "./queue/right-of-way.ts";
import { serveWish } from "./queue/wishes.ts";
import type { PurchaseStore, StopSwitchName } from "#store/purchase-store.ts";

/** The purchase engine (docs/purchase.md): takes wishes and clicks, keeps the ledger, publishes on the event bus. */
export interface PurchasingDeps {
  readonly store: BuyingStore;
  readonly checkout: Checkout;
  readonly sessions: AccountSessions;
  /** Records the missed wishes. */
  readonly stories: Pick<StoryStore, "recordMiss">;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Identifies this process; never reused. */
  readonly owner: string;
  /** No other process buys with this store: leases of earlier processes end at the start. */
  readonly isSoleNode: boolean;
  /** Whether this process resumes due work and sweeps the accounts. */
  readonly followsUp: boolean;
  /** Checked before each paying request: false once another process may have taken over. */
  readonly isAlive: () => boolean;
  /** Whether a failure of the store is transient, so that the call is retried. */
  readonly isStoreAway: (error: unknown) => boolean;
  /** The version of the mandate that automatic purchases need; null: none is needed (the sandbox). */
  readonly requiredMandate: number | null;
  /** Days on which similar listings must have been seen before a usual price is trusted. */
  readonly minPriceDays: number;
  /** RECONCILE_SECONDS: longest time to effect and read lag of the marketplace. */
  readonly reconcileMs: number;
  /** Concurrent automatic purchases. */
  readonly slots?: { readonly thunder: number; readonly acquire: number };
  /** The store runs queries in parallel. */
  readonly isStoreParallel?: boolean;
}

/** Few for Acquire: the embedded store and the marketplace serve one request at a time, and Thunder must not wait. */
const DEFAULT_SLOTS = { thunder: 16, acquire: 4 };
const FOLLOW_UP_INTERVAL_MS = 250;
const GUARD_INTERVAL_MS = 1_000;
const PENDING_INTERVAL_MS = 5_000;
const AUDIT_INTERVAL_MS = 60_000;
const WARM_INTERVAL_MS = 5 * 60_000;
/** How long an account's wait waits for the store. */
const WAIT_STORED_WITHIN_MS = 10_000;
const NEWEST_PAGE: PurchasePage = { limit: 1_000, before: undefined };

export function createPurchasing(deps: PurchasingDeps): Purchasing {
  const { store, clock } = deps;
  const life = { isRunning: false, isStopping: false };
  const parts = buildParts(deps, () => life.isStopping);
  const loops: AsyncDisposable[] = [];
  let unsubscribe = (): void => undefined;

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
      unsubscribe = deps.events.subscribe((event) => handleEvent(parts, event));
      loops.push(...startPeriodicTasks(deps, parts));
    },
    async stop() {
      life.isStopping = true;
      parts.dispatcher.dropAll();
      unsubscribe();
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
      await parts.background.settled();
      parts.background.start("published marks", () => parts.moves.flush());
      await parts.background.settled();
    },
  };
}

interface Parts {
  readonly background: BackgroundTasks;
  readonly accountCalls: AccountCalls;
  readonly dispatcher: Dispatcher;
  readonly followUps: FollowUps;
  readonly guards: Guards;
  readonly moves: Moves;
  readonly readiness: AccountReadiness;
  readonly refusedPayers: RefusedPayers;
  readonly restingFilters: RestingFilters;
  readonly calls: Pick<Clicks, "click"> & Pick<Purchasing, "cancel" | "operator">;
}

function buildParts(deps: PurchasingDeps, isStopping: () => boolean): Parts {
  const { store, sessions, events, clock, random, log, owner, isAlive, reconcileMs } = deps;
  const { purchases, audit } = store;
  const background = new BackgroundTasks(logFailure(log));
  const breaker = createBreaker(clock);
  const storeRetry = { clock, isStoreAway: deps.isStoreAway };
  const guards = createGuards({ ...storeRetry, purchases, breaker, log });
  const checkout = countedCheckout(deps.checkout, breaker);
  const calls = createAccountCalls({
    sessions,
    clock,
    log,
    onBlocked: (userId) => guards.pauseBlocked(userId),
    onPaused: (userId, untilMs) => makeWaitKnown(deps, storeRetry, { userId, untilMs }),
  });
  const moves = createMoves({ ...storeRetry, store, random, events, log, background, reconcileMs });
  const orders = createOrdersReader(calls, checkout);
  const orderSweep = createOrderSweep({ store, orders, moves, clock, random, log });
  const readiness = createAccountReadiness({ store, calls, orderSweep, clock, log, isStopping });
  const rightOfWay = createRightOfWay(clock, deps.isStoreParallel);
  const attempts = createAttempts({
    checkout,
    calls,
    delivery: createDelivery(checkout, clock),
    rightOfWay,
    ...storeRetry,
    accountReady: (userId, connectedAtMs) => readiness.ready(userId, connectedAtMs),
    store,
    events,
    log,
    moves,
    owner,
    isStopping,
    isAlive,
  });
  const busy = new Set<PurchaseId>();
  const misses = createMissRecorder({ ...storeRetry, stories: deps.stories, events, background });
  const refusedPayers = createRefusedPayers(clock);
  const restingFilters = createRestingFilters(clock);
  const shared = { store, moves, misses, refusedPayers, restingFilters, owner, busy };
  const terms = { requiredMandate: deps.requiredMandate, minPriceDays: deps.minPriceDays };
  const wishDeps = { ...storeRetry, ...shared, ...terms, random, log, attempts, rightOfWay };
  const serve: DispatcherDeps["serve"] = (wish, turn) => serveWish(wishDeps, wish, turn);
  const orderChecks = createOrderChecks({ orders, purchases, accounts: store.accounts, moves, clock, log });
  const cancelDeps = { purchases, checkout, calls, moves, background, clock, log, owner, isAlive };
  return {
    background,
    accountCalls: calls,
    guards,
    moves,
    readiness,
    refusedPayers,
    restingFilters,
    dispatcher: createDispatcher({
      clock,
      background,
      slots: deps.slots ?? DEFAULT_SLOTS,
      serve,
      onMissed: (wish, refusal) => misses.refused(wish, refusal),
    }),
    followUps: createFollowUps({ ...wishDeps, orderChecks, background }),
    calls: {
      ...createClicks({ ...wishDeps, events, background }),
      ...createCancels(cancelDeps),
      operator: createOperator({ purchases, audit, moves, events, clock }),
    },
  };
}

/** For this node and the others at once, and for those that start later. */
async function makeWaitKnown(
  { store, events, clock }: PurchasingDeps,
  storeRetry: StoreRetry,
  { userId, untilMs }: { readonly userId: UserId; readonly untilMs: number },
): Promise<void> {
  await events.publish({ kind: "account_paused", userId, untilMs });
  await retryWhileAway(storeRetry, clock.nowMs() + WAIT_STORED_WITHIN_MS, () =>
    store.accounts.askToWait(userId, untilMs),
  );
}

/** Below it a limit counts as reached. */
const SMALLEST_PURCHASE_CENTS = 100;

function callsOf(
  { store, clock }: PurchasingDeps,
  { calls }: Parts,
): Omit<Purchasing, "offer" | "run" | "stop"> {
  return {
    ...calls,
    async status(userId, limits) {
      const nowMs = clock.nowMs();
      const stop = await store.purchases.accountStop(userId);
      const isOver = stop === null || (stop.untilMs !== null && stop.untilMs <= nowMs);
      const { dayKey, monthKey } = budgetKeys(nowMs);
      const day = await store.purchases.totals(userId, dayKey);
      const month = await store.purchases.totals(userId, monthKey);
      const limit = limitAgainst({ limits, day, month }, SMALLEST_PURCHASE_CENTS);
      return {
        everyone: await calls.operator.stops(),
        account: isOver ? null : { untilMs: stop.untilMs },
        spentTodayCents: spentCents(day),
        reachedLimit: limit === null ? null : { limit, untilMs: limit === "month" ? null : nextDayMs(nowMs) },
      };
    },
    list: (userId, { limit, before } = NEWEST_PAGE) => store.purchases.list(userId, limit, before),
    byId: (userId, id) => store.purchases.record({ id, userId }),
    hideCancelled: (userId) => store.purchases.hideFinal(userId, clock.nowMs()),
  };
}

/** For background tasks and periodic ones. */
function logFailure(log: Log) {
  return (error: unknown, task: string): void =>
    log.error({ task, ...describeError(error) }, "a background task failed");
}

function startPeriodicTasks(
  { clock, log, followsUp }: PurchasingDeps,
  parts: Parts,
): readonly AsyncDisposable[] {
  const { background, dispatcher, followUps, guards, moves, readiness } = parts;
  const failed = logFailure(log);
  const every = (name: string, intervalMs: number, task: () => Promise<void>): AsyncDisposable =>
    repeat(clock, intervalMs, task, (error) => failed(error, name));
  // On every node: only this process sees its own calls fail.
  const own = [every("breaker", GUARD_INTERVAL_MS, () => guards.updateBreaker())];
  if (!followsUp) return own;
  background.start("prepare all accounts", () => readiness.prepareAll());
  return [
    ...own,
    every("follow-ups", FOLLOW_UP_INTERVAL_MS, async () => {
      dispatcher.pump();
      await followUps.resumeDue();
    }),
    every("pending publications", PENDING_INTERVAL_MS, () => moves.publishPending()),
    every("auditor", AUDIT_INTERVAL_MS, () => guards.auditLedger()),
    every("warm tokens", WARM_INTERVAL_MS, () => readiness.warmAll()),
    every("order sweep", SWEEP_INTERVAL_MS, () => readiness.sweepAll()),
  ];
}

function handleEvent(parts: Parts, event: ProductEvent): void {
  const { dispatcher, readiness, background, accountCalls, refusedPayers, restingFilters } = parts;
  if (event.kind === "account_paused") accountCalls.pause(event.userId, event.untilMs);
  if (event.kind === "filters_changed") {
    // Their waiting wishes may no longer match what the person wants.
    dispatcher.dropFilters(event.filterIds);
    restingFilters.forget(event.filterIds);
    background.start("prepare account", () => readiness.prepare(event.userId));
  }
  // Waiting wishes are decided by the new terms at their next turn.
  if (event.kind === "group_changed") restingFilters.forget(event.filterIds);
  if (event.kind === "settings_changed") {
    refusedPayers.allowRetry(event.userId);
    background.start("prepare account", () => readiness.prepare(event.userId));
  }
}

interface OperatorDeps {
  readonly purchases: PurchaseStore;
  readonly audit: Pick<AuditStore, "append">;
  readonly moves: Moves;
  readonly events: EventBus;
  readonly clock: Clock;
}

const ALL_SWITCHES: readonly StopSwitchName[] = ["operator", "breaker", "auditor"];

function createOperator(deps: OperatorDeps): PurchasingOperator {
  const { purchases, moves, clock } = deps;
  return {
    async stop(scope, reason) {
      const changedAtMs = clock.nowMs();
      if (scope === "everyone")
        await purchases.setSwitch({ name: "operator", isOn: true, reason, changedAtMs });
      else await purchases.stopAccount(scope, reason);
      await announce(deps, "stop", scope);
    },
    async resume(scope) {
      const changedAtMs = clock.nowMs();
      if (scope === "everyone")
        for (const name of ALL_SWITCHES)
          await purchases.setSwitch({ name, isOn: false, reason: "", changedAtMs });
      else await purchases.resumeAccount(scope, changedAtMs);
      await announce(deps, "resume", scope);
    },
    async resolve(id, as) {
      const found = await purchases.find(id);
      if (found === null) return { kind: "not_found" };
      const moved = await moves.move(found, { kind: "resolved", as });
      if (moved === null) return { kind: "not_found" };
      return moved.hasMoved ? { kind: "resolved", purchase: moved.record } : { kind: "not_undecided" };
    },
    async stops() {
      const switches = await purchases.switches();
      return switches
        .filter(({ isOn }) => isOn)
        .map(({ name, reason, changedAtMs }) => ({ by: name, reason, sinceMs: changedAtMs }));
    },
  };
}

async function announce(
  { audit, events, clock }: OperatorDeps,
  act: "stop" | "resume",
  scope: "everyone" | UserId,
): Promise<void> {
  const userId = scope === "everyone" ? null : scope;
  await audit.append({ atMs: clock.nowMs(), kind: `purchases.${act}`, userId, details: {} });
  if (userId === null) return;
  await events.publish({ kind: "user_changed", userId });
  await events.publish({ kind: "settings_changed", userId });
}
