import { MANDATE_VERSION } from "#domain/settings.ts";
import { createAccountSessions } from "#purchasing/account-sessions.ts";
import { createPurchasing } from "#purchasing/engine.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { isStoreAway } from "#store/store-away.ts";
import type { Foundation } from "./foundation.ts";

/** Concurrent purchases: each takes up to two seconds at the marketplace, and twenty a second arrive. */
const SLOTS_ON_A_SERVER = { thunder: 48, acquire: 48 };

/** The purchase engine, with the marketplace sessions of people that it pays with. */
export function buildPurchasing(foundation: Foundation): Purchasing {
  const { config, secrets, store, marketplace } = foundation;
  return createPurchasing({
    ...foundation,
    checkout: marketplace,
    stories: store.stories,
    sessions: createAccountSessions({ ...foundation, accounts: store.accounts, isStoreAway }),
    // The embedded store admits no second process; PostgreSQL may have others.
    isSoleNode: secrets.databaseUrl === null,
    isStoreAway,
    // The embedded store runs one statement at a time: more concurrent purchases would only make Thunder wait.
    ...(secrets.databaseUrl === null ? {} : { slots: SLOTS_ON_A_SERVER, isStoreParallel: true }),
    isAlive: () => foundation.life.isAlive(),
    // A node with pages only performs clicks itself; unfinished purchases are followed up by the nodes that buy.
    followsUp: config.services.has("buy") || foundation.cluster === null,
    ...(config.marketplace.isSandbox ? {} : { requiredMandate: MANDATE_VERSION }),
    reconcileMs: config.reconcileMs,
  });
}
