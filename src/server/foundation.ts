/** What every part of the product stands on. */
import { randomUUID } from "node:crypto";
import type { Sessions } from "#auth/sessions.ts";
import { createSessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/random.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { OpenStore } from "#store/open-store.ts";
import { openStore } from "#store/open-store.ts";
import { buildBudget, buildMarketplace } from "./build-outside.ts";
import type { Config, Secrets } from "./config.ts";
import { createEventBus } from "./events.ts";

export interface ProductOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The process must end: a part of it is beyond help, and a new process finds everything acknowledged. */
  readonly onFatal: (error: Error) => void;
}

/** What every part may be given. */
export interface Foundation extends ProductOptions {
  readonly store: OpenStore;
  readonly events: EventBus;
  readonly sessions: Sessions;
  readonly budget: RequestBudget;
  readonly marketplace: Marketplace;
  /** Names this process among several. */
  readonly owner: string;
}

export async function buildFoundation(
  options: ProductOptions,
  stack: AsyncDisposableStack,
): Promise<Foundation> {
  const { config, secrets, clock, random, log, onFatal } = options;
  const store = stack.use(
    await openStore({
      dataDir: config.dataDir,
      databaseUrl: secrets.databaseUrl?.reveal(),
      masterKeys: secrets.masterKeys?.reveal(),
      log,
      random,
      onFatal,
    }),
  );
  const events = createEventBus(log);
  const budget = buildBudget(config, clock);
  return {
    ...options,
    store,
    events,
    budget,
    sessions: createSessions({ sessions: store.sessions, events, clock }),
    marketplace: stack.use(buildMarketplace(config, clock, budget)),
    owner: randomUUID(),
  };
}
