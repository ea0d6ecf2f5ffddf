import { randomUUID } from "node:crypto";
import { createSessions, type Sessions } from "#auth/sessions.ts";
import { type Bus, createRedisBus, type SharedEventsDeps, shareEvents } from "#cluster/bus.ts";
import { ClockWrong, createNodeLife, LIFE_MS, type NodeLife, ONLY_NODE } from "#cluster/node-life.ts";
import { openRedis, type Redis, RedisUnreachable } from "#cluster/redis.ts";
import { createSharedBudget, createSharedPace, type SharedPace } from "#cluster/shared-pace.ts";
import { type Clock, sleep, type Random, withTimeout } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { EventBus } from "#domain/events.ts";
import type { Service } from "#domain/service.ts";
import { MarketMemory } from "#market/market-memory.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { createSandboxHistory } from "#marketplace/sandbox-history.ts";
import { createRequestBudget, type RequestBudget } from "#marketplace/request-budget.ts";
import { openStore, type OpenStore } from "#store/open-store.ts";
import type { Config, Secrets } from "./config.ts";
import { createEventBus } from "./events.ts";
import type { Instruments } from "./metrics/instruments.ts";
import { meteredMarketplace, meteredStore } from "./metrics/metered.ts";
import { StartLater, StartRefused } from "./start-refused.ts";

/** The inputs of the whole product. */
export interface ProductOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The address of Discord's webhooks, for tests; absent: Discord. */
  readonly discordUrl?: string;
  /** Ends the process after an unrecoverable failure of a part; everything acknowledged is durable. */
  readonly onFatal: (error: Error) => void;
}

/** The dependencies that all parts share. */
export interface Foundation extends ProductOptions {
  readonly store: OpenStore;
  readonly events: EventBus;
  readonly sessions: Sessions;
  readonly budget: RequestBudget;
  readonly marketplace: Marketplace;
  readonly memory: MarketMemory;
  /** Identifies this process among the nodes. */
  readonly owner: string;
  /** Connections that the nodes share; null: this process is the only node. */
  readonly cluster: Cluster | null;
  readonly node: Pick<NodeLife, "isAlive">;
  /** Null unless METRICS_PORT is set. */
  readonly instruments: Instruments | null;
}

export async function buildFoundation(
  options: ProductOptions,
  stack: AsyncDisposableStack,
): Promise<Foundation> {
  const { config, secrets, clock, random, log, onFatal } = options;
  const instruments =
    config.metrics === null ? null : (await import("./metrics/instruments.ts")).createInstruments();
  const opened = stack.use(
    await openStore({
      dataDir: config.dataDir,
      databaseUrl: secrets.databaseUrl?.reveal(),
      masterKeys: secrets.masterKeys?.reveal(),
      log,
      random,
      onFatal,
    }),
  );
  const store = instruments === null ? opened : meteredStore(opened, instruments, clock);
  const owner = randomUUID();
  const cluster = await buildCluster(options, owner, stack);
  const node = await registerNode(options, { store, owner }, stack);
  const local = createEventBus(log);
  const onDone: SharedEventsDeps["onDone"] = (event, afterMs) =>
    instruments?.eventSeconds.observe({ event }, afterMs / 1_000);
  const events =
    cluster === null
      ? local
      : await shareEvents(local, { ...options, bus: cluster.bus, name: owner, onDone });
  const budget = buildBudget(config, clock, cluster?.pace ?? null);
  const market = stack.use(buildMarketplace(config, clock, budget));
  return {
    ...options,
    instruments,
    store,
    events,
    budget,
    sessions: createSessions({ sessions: store.sessions, events, clock }),
    memory: buildMemory({ ...options, store, events }, stack),
    marketplace: instruments === null ? market : meteredMarketplace(market, instruments),
    owner,
    cluster,
    node,
  };
}

/** What the nodes share besides the database. */
interface Cluster {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly pace: SharedPace;
}

/** Null without REDIS_URL: this process is the only node. */
async function buildCluster(
  { secrets, clock, log }: ProductOptions,
  owner: string,
  stack: AsyncDisposableStack,
): Promise<Cluster | null> {
  const url = secrets.redisUrl?.reveal();
  if (url === undefined) return null;
  const redis = stack.use(await openOrRefuse(url, log));
  const bus = createRedisBus({ redis, name: owner, clock, log });
  stack.defer(() => bus.stop());
  return { redis, bus, pace: createSharedPace(redis) };
}

async function openOrRefuse(url: string, log: Log): Promise<Redis> {
  try {
    return await openRedis({ url, log });
  } catch (error) {
    if (!(error instanceof RedisUnreachable)) throw error;
    throw error.mayPass ? new StartLater(error.message) : new StartRefused(error.message);
  }
}

/** Registers this process as a node, unless its database is the embedded one. */
async function registerNode(
  options: ProductOptions,
  { store, owner }: { readonly store: OpenStore; readonly owner: string },
  stack: AsyncDisposableStack,
): Promise<Pick<NodeLife, "isAlive">> {
  const { secrets, clock, log, onFatal } = options;
  if (secrets.databaseUrl === null) return ONLY_NODE;
  if (secrets.redisUrl === null) await refuseSecondProcess(store, owner, clock);
  const node = createNodeLife({ nodes: store.nodes, id: owner, clock, log, onFatal });
  try {
    await runPart("life", node, { ...options, stack });
  } catch (error) {
    throw error instanceof ClockWrong ? new StartLater(error.message) : error;
  }
  return node;
}

/** A little more than two renewals of a living node. */
const OTHER_PROCESS_WATCHED_MS = 2_500;

/** Without Redis, two processes would not receive each other's changes of filters and purchases. */
async function refuseSecondProcess(store: OpenStore, owner: string, clock: Clock): Promise<void> {
  const before = await store.nodes.others(owner);
  if (before.size === 0) return;
  // A process that was killed a moment ago is still registered but no longer renews.
  await sleep(clock, Math.min(OTHER_PROCESS_WATCHED_MS, LIFE_MS));
  const after = await store.nodes.others(owner);
  for (const [id, aliveUntilMs] of after)
    if (aliveUntilMs !== before.get(id))
      throw new StartRefused("another process uses this database: several nodes need REDIS_URL");
}

const VERSION = "0.1.0";

/** @param pace the shared rate limit of several nodes, so that the budget covers all of them */
function buildBudget({ marketplace }: Config, clock: Clock, pace: SharedPace | null): RequestBudget {
  const { requestsPerSecond, sellerRequestsShare: share, buyingRequestsPerSecond: buying } = marketplace;
  const rates = {
    // Evenly spaced, so that a host with short rate windows never sees a burst of reads.
    read: { perSecond: requestsPerSecond, burst: 1 },
    ...(share === 0 ? {} : { look_up: { perSecond: requestsPerSecond * share, burst: 1 } }),
    buy: buying === null ? { perSecond: Infinity, burst: 1 } : { perSecond: buying, burst: buying },
  };
  return pace === null ? createRequestBudget(clock, rates) : createSharedBudget(clock, pace, rates);
}

/** The archive of the market and its usual prices. Only the sandbox provides a history. */
function buildMemory(
  { config, clock, log, store, events }: ProductOptions & Pick<Foundation, "store" | "events">,
  stack: AsyncDisposableStack,
): MarketMemory {
  const { isSandbox, url, relistApartMs } = config.marketplace;
  const history = isSandbox
    ? stack.use(createSandboxHistory(url, { clock, userAgent: userAgentOf(config) }))
    : null;
  const { days: windowDays, maxBytes } = config.archive;
  const memory = new MarketMemory({
    archive: store.archive,
    clock,
    log,
    windowDays,
    maxBytes,
    history,
    relistApartMs,
  });
  stack.defer(() => memory.stop());
  stack.defer(
    events.subscribe(async (event) => {
      if (event.kind === "archive_erased") await memory.forget();
    }),
  );
  return memory;
}

/** Identifies the product, with a contact address. */
function userAgentOf({ publicUrl, supportEmail }: Config): string {
  return `Synapse/${VERSION} (+${publicUrl}; ${supportEmail})`;
}

function buildMarketplace(config: Config, clock: Clock, budget: RequestBudget) {
  return createHttpMarketplace({
    origin: config.marketplace.url,
    userAgent: userAgentOf(config),
    clock,
    budget,
  });
}

/** All parts together must stop before a supervisor's timeout. */
const STOP_TIMEOUT_MS = 1_500;

/**
 * Runs a part and registers its stop: parts stop in the reverse order of their start, each within a bounded time.
 * @param name for the log
 */
export async function runPart(
  name: string,
  service: Service,
  { stack, clock, log }: Pick<ProductOptions, "clock" | "log"> & { readonly stack: AsyncDisposableStack },
): Promise<void> {
  stack.defer(async () => {
    const stopped = service
      .stop()
      .catch((error: unknown) => log.error({ part: name, ...describeError(error) }, "a part failed to stop"))
      .then(() => true);
    if (!(await withTimeout(clock, STOP_TIMEOUT_MS, stopped, false)))
      log.warn({ part: name }, "a part is too slow to stop: going on without it");
  });
  await service.run();
}
