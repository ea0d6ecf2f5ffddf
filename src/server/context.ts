/**
 * Composes the product: the only place that builds its parts and passes dependencies. Parts start in the order of this
 * file, dependencies first, and stop in the reverse order.
 */
import { accessSync, chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Alerts } from "#alerts/alerts.ts";
import { createLeadership } from "#cluster/leadership.ts";
import { createRedisFeedQueue, queueDepths } from "#cluster/redis-feed-queue.ts";
import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { isLoopbackHost } from "#domain/network.ts";
import type { Service } from "#domain/service.ts";
import { MANDATE_VERSION } from "#domain/settings.ts";
import { createFeed, type FeedNode } from "#feed/feed-service.ts";
import type { Feed } from "#feed/feed.ts";
import { PAUSES_OUTSIDE, PAUSES_SANDBOX } from "#feed/read/market-pauses.ts";
import { createAccountSessions } from "#purchasing/account/account-sessions.ts";
import { createPurchasing } from "#purchasing/engine.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { isStoreAway } from "#store/errors.ts";
import { buildAlerts } from "./build-alerts.ts";
import { buildHttp } from "./build-http.ts";
import type { Config, SandboxConfig } from "./config.ts";
import { buildFoundation, type Foundation, type ProductOptions, runPart } from "./foundation.ts";
import { createMetricsServer, type Gauged } from "./metrics/metrics-server.ts";
import { answerOperator } from "./operator/answer-operator.ts";
import { operatorSocketPath } from "./operator/data-dir.ts";
import { createOperatorSocket } from "./operator/operator-socket.ts";
import { dataDirFailure, StartRefused } from "./start-refused.ts";
import { createUpkeep } from "./upkeep.ts";

/** Settles once all parts named by SERVICES run. Disposing of the result stops them. */
export async function startProduct(options: ProductOptions): Promise<AsyncDisposable> {
  const { config } = options;
  await using stack = new AsyncDisposableStack();
  prepareDataDir(config.dataDir);
  if (config.sandbox !== null) {
    const sandbox = await buildSandbox(config, config.sandbox, options);
    stack.defer(() => sandbox.stop());
  }
  const isSandboxAlone = config.services.has("sandbox") && config.services.size === 1;
  if (!isSandboxAlone) await startParts(options, stack);
  return stack.move();
}

async function startParts(options: ProductOptions, stack: AsyncDisposableStack): Promise<void> {
  const { services } = options.config;
  const start = (name: string, service: Service): Promise<void> =>
    runPart(name, service, { ...options, stack });
  const foundation = await buildFoundation(options, stack);
  const { store } = foundation;
  const purchasing = buildPurchasing(foundation);
  const feed = buildFeed(foundation);

  const alerts = await buildAlerts(foundation, { purchasing, feed });
  await start("operator", buildOperator(foundation, { purchasing, feed, alerts }));
  await start(
    "upkeep",
    createUpkeep({ ...foundation, listings: store.listings, stories: store.stories, alerts: store.alerts }),
  );
  // Started first and stopped last, so that the last purchases are announced too.
  if (services.has("web")) await start("alerts", alerts);
  if (services.has("buy") || services.has("web")) await start("purchasing", purchasing);
  if (services.has("buy")) stack.defer(feed.onBatch(({ wishes }) => purchasing.offer(wishes)));
  // Sockets receive every match from the first one on, so they start before the feed reads.
  const web = services.has("web") ? await buildHttp(foundation, { purchasing, feed, alerts }) : null;
  if (web !== null) await start("realtime", web.realtime);
  if (web !== null) await start("port", web.port);
  // With several nodes every part receives listings through the feed's queue.
  if (services.has("feed") || foundation.cluster !== null) await start("feed", feed);
  if (web !== null) await start("http", web.requests);
  const { instruments } = foundation;
  const { metrics } = options.config;
  if (instruments === null || metrics === null) return;
  const gauged = buildGauged(foundation, {
    purchasing,
    feed,
    socketCount: () => web?.realtime.socketCount ?? 0,
  });
  await start("metrics", createMetricsServer(metrics, instruments, gauged));
}

function buildGauged(
  { store, cluster, clock }: Foundation,
  parts: { readonly purchasing: Purchasing; readonly feed: Feed; readonly socketCount: () => number },
): Gauged {
  return {
    store,
    clock,
    feedState: () => parts.feed.state(),
    stops: async () => await parts.purchasing.operator.stops(),
    socketCount: parts.socketCount,
    queues: async () => (cluster === null ? {} : await queueDepths(cluster.redis)),
  };
}

function buildOperator(
  foundation: Foundation,
  {
    purchasing,
    feed,
    alerts,
  }: { readonly purchasing: Purchasing; readonly feed: Feed; readonly alerts: Alerts },
): Service {
  const { config, log } = foundation;
  const feedState = config.services.has("feed") || foundation.cluster !== null ? () => feed.state() : null;
  return createOperatorSocket({
    path: operatorSocketPath(config.dataDir),
    answer: (command, input) =>
      answerOperator(command, input, { ...foundation, purchasing, alerts, feedState }),
    log,
  });
}

/**
 * Creates the data directory for this system user only, and removes wider permissions from an existing one.
 * @throws StartRefused when it cannot be used, StartLater when its disk is full
 */
function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode } = statSync(dataDir);
    if ((mode & 0o077) !== 0) chmodSync(dataDir, mode & 0o700);
  } catch (error) {
    throw dataDirFailure(dataDir, error);
  }
}

/** Concurrent purchases: each takes up to two seconds at the marketplace, and twenty per second arrive. */
const SLOTS_ON_A_SERVER = { thunder: 48, acquire: 48 };

/** The purchase engine, with the marketplace sessions of people that it pays with. */
function buildPurchasing(foundation: Foundation): Purchasing {
  const { config, secrets, store, marketplace } = foundation;
  const isAlive = (): boolean => foundation.node.isAlive();
  return createPurchasing({
    ...foundation,
    checkout: marketplace,
    stories: store.stories,
    sessions: createAccountSessions({ ...foundation, accounts: store.accounts, isStoreAway, isAlive }),
    // The embedded store admits no second process; PostgreSQL may have others.
    isSoleNode: secrets.databaseUrl === null,
    isStoreAway,
    // The embedded store runs one statement at a time: more concurrent purchases would only make Thunder wait.
    ...(secrets.databaseUrl === null ? {} : { slots: SLOTS_ON_A_SERVER, isStoreParallel: true }),
    isAlive,
    // A node with pages only performs clicks itself; unfinished purchases are followed up by the nodes that buy.
    followsUp: config.services.has("buy") || foundation.cluster === null,
    requiredMandate: config.marketplace.isSandbox ? null : MANDATE_VERSION,
    minPriceDays: config.minPriceDays,
    reconcileMs: config.reconcileMs,
  });
}

/** The feed: complete, or this node's parts of it. */
function buildFeed(foundation: Foundation): Feed {
  const { config, store, marketplace, memory, events, budget, clock, random, log } = foundation;
  const { isSandbox, requestsPerSecond, sellerRequestsShare, relistApartMs } = config.marketplace;
  const node = buildFeedNode(foundation);
  return createFeed({
    catalogue: marketplace,
    memory,
    store,
    isStoreAway,
    events,
    budget,
    clock,
    random,
    log,
    options: {
      readsPerSecond: requestsPerSecond,
      pauses: isSandbox ? PAUSES_SANDBOX : PAUSES_OUTSIDE,
    },
    facts: {
      pages: marketplace,
      sellerSecret: store.sharedKey("seller hash"),
      relistApartMs,
      looksUpSellers: sellerRequestsShare > 0,
      isShared: foundation.cluster !== null,
    },
    ...(node === undefined ? {} : { node }),
  });
}

/** The feed's parts on this node; undefined: the whole feed. */
function buildFeedNode({ config, store, cluster, owner, clock, log }: Foundation): FeedNode | undefined {
  if (cluster === null) return undefined;
  const { services } = config;
  const [reads, matches] = [services.has("feed"), services.has("match")];
  const parts = { reads, matches, serves: services.has("web"), buys: services.has("buy") };
  const role = "reading the market";
  return {
    queue: createRedisFeedQueue({ ...cluster, clock, log, isStoreAway, parts }),
    hasFilters: reads || matches,
    leadership: reads
      ? (lead) => createLeadership({ nodes: store.nodes, role, id: owner, clock, log, lead })
      : null,
  };
}

const SQLITE_BUSY = 5;

/** Starts the sandbox. Its code is loaded on demand: with an outside marketplace none of it is in the process. */
async function buildSandbox(
  config: Config,
  { host, port, publicUrl, seed, listingsPerSecond, historyDays }: SandboxConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<{ stop(): Promise<void> }> {
  const { startSandbox } = await import("#sandbox/sandbox.ts");
  const dataDir = join(config.dataDir, "sandbox");
  const starting = startSandbox({
    host,
    port,
    publicUrl,
    dataDir,
    seed,
    listingsPerSecond,
    historyDays,
    isAllowedRedirect: (redirectUri) =>
      redirectUri.origin === config.publicUrl || isLoopbackHost(redirectUri.hostname),
    log,
    clock,
  });
  return starting.catch((error: unknown) => {
    throw isHeldByAnother(error)
      ? new StartRefused(`another process uses the sandbox's books in ${dataDir}`)
      : error;
  });
}

function isHeldByAnother(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("errcode" in error && error.errcode === SQLITE_BUSY) || isHeldByAnother(error.cause);
}
