/** The dependencies that all parts share. */
import { randomUUID } from "node:crypto";
import type { Sessions } from "#auth/sessions.ts";
import { createSessions } from "#auth/sessions.ts";
import type { EventBus } from "#domain/events.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { OpenStore } from "#store/open-store.ts";
import { openStore } from "#store/open-store.ts";
import { shareEvents, type SharedEventsDeps } from "#cluster/shared-events.ts";
import type { NodeLife } from "#cluster/node-life.ts";
import type { Cluster } from "./build-cluster.ts";
import { beginLife, buildCluster } from "./build-cluster.ts";
import { buildBudget, buildMarketplace } from "./build-outside.ts";
import { createEventBus } from "./events.ts";
import type { ProductOptions } from "./product-options.ts";
import type { Instruments } from "./metrics/instruments.ts";
import { meteredMarketplace } from "./metrics/metered-marketplace.ts";
import { meteredStore } from "./metrics/metered-store.ts";

/** The shared dependencies. */
export interface Foundation extends ProductOptions {
  readonly store: OpenStore;
  readonly events: EventBus;
  readonly sessions: Sessions;
  readonly budget: RequestBudget;
  readonly marketplace: Marketplace;
  /** Names this process among several. */
  readonly owner: string;
  /** Shared with the other nodes; null: this process is the whole product. */
  readonly cluster: Cluster | null;
  readonly life: Pick<NodeLife, "isAlive">;
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
  const cluster = await buildCluster(options, { store, owner }, stack);
  const life = await beginLife(options, { store, owner }, stack);
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
    marketplace: instruments === null ? market : meteredMarketplace(market, instruments),
    owner,
    cluster,
    life,
  };
}
