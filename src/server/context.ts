/**
 * Composes the product: the only place that builds its parts and passes dependencies. Parts start in the order of this
 * file, dependencies first, and stop in the reverse order.
 */
import { queueDepths } from "#cluster/redis-feed-queue.ts";
import type { Service } from "#domain/service.ts";
import type { Feed } from "#feed/feed.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { buildAlerts } from "./build-alerts.ts";
import { buildFeed } from "./build-feed.ts";
import { buildHttp } from "./build-http.ts";
import { buildPurchasing } from "./build-purchasing.ts";
import { buildSandbox } from "./build-sandbox.ts";
import type { Foundation } from "./foundation.ts";
import { buildFoundation } from "./foundation.ts";
import { answerOperator } from "./operator/answer-operator.ts";
import { operatorSocketPath } from "./operator/operator-socket-path.ts";
import { createOperatorSocket } from "./operator/operator-socket.ts";
import { prepareDataDir } from "./prepare-data-dir.ts";
import type { ProductOptions } from "./product-options.ts";
import type { Gauged } from "./metrics/metrics-server.ts";
import { createMetricsServer } from "./metrics/metrics-server.ts";
import { runPart } from "./services.ts";
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
  const start = (name: string, service: Service): Promise<void> => runPart({ name, service }, stack, options);
  const foundation = await buildFoundation(options, stack);
  const { store } = foundation;
  const purchasing = buildPurchasing(foundation);
  const feed = buildFeed(foundation);

  await start("operator", buildOperator(foundation, { purchasing, feed }));
  await start("upkeep", createUpkeep({ ...foundation, listings: store.listings, stories: store.stories }));
  const alerts = buildAlerts(foundation, purchasing);
  if (services.has("buy") || services.has("web")) {
    // First, so that they stop last: the last purchases are reported too.
    await start("alerts", alerts);
    await start("purchasing", purchasing);
  }
  if (services.has("buy")) stack.defer(feed.onBatch(({ wishes }) => purchasing.offer(wishes)));
  // Sockets receive every match from the first one on, so they start before the feed reads.
  const web = services.has("web") ? await buildHttp(foundation, { purchasing, feed, alerts }) : null;
  if (web !== null) await start("realtime", web.realtime);
  if (web !== null) await start("port", web.door.port);
  // Over several nodes every part receives the market through the feed's queue.
  if (services.has("feed") || foundation.cluster !== null) await start("feed", feed);
  if (web !== null) await start("http", web.door.work);
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
    busRefusedCount: () => cluster?.signatures.refusedCount ?? 0,
    queues: async () => (cluster === null ? {} : await queueDepths(cluster.redis)),
  };
}

function buildOperator(
  foundation: Foundation,
  { purchasing, feed }: { readonly purchasing: Purchasing; readonly feed: Feed },
): Service {
  const { config, log } = foundation;
  const feedState = config.services.has("feed") || foundation.cluster !== null ? () => feed.state() : null;
  return createOperatorSocket({
    path: operatorSocketPath(config.dataDir),
    answer: (command, input) => answerOperator(command, input, { ...foundation, purchasing, feedState }),
    log,
  });
}
