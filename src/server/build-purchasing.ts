import { MANDATE_VERSION } from "#domain/settings.ts";
import { createAccountSessions } from "#purchasing/account-sessions.ts";
import { createPurchasing } from "#purchasing/engine.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { isStoreAway } from "#store/store-away.ts";
import type { Foundation } from "./foundation.ts";

/** Purchases under way at once, where each takes up to two seconds at the marketplace and twenty come a second. */
const SLOTS_ON_A_SERVER = { thunder: 48, acquire: 48 };

/** The one engine of all purchases, with the people's marketplace sessions that it pays in. */
export function buildPurchasing(foundation: Foundation): Purchasing {
  const { config, secrets, store, marketplace } = foundation;
  return createPurchasing({
    ...foundation,
    checkout: marketplace,
    stories: store.stories,
    sessions: createAccountSessions({ ...foundation, accounts: store.accounts, isStoreAway }),
    // The embedded store lets no second process in; a PostgreSQL server cannot say who else uses it.
    isSoleNode: secrets.databaseUrl === null,
    isStoreAway,
    // The embedded store answers one question at a time: more purchases at once would only make Thunder wait.
    ...(secrets.databaseUrl === null ? {} : { slots: SLOTS_ON_A_SERVER, isStoreParallel: true }),
    isAlive: () => foundation.life.isAlive(),
    // A node that only serves people buys what they click, at once and by itself; what is left over of it, here or
    // anywhere, is followed up by the nodes that buy.
    followsUp: config.services.has("buy") || foundation.cluster === null,
    ...(config.marketplace.isSandbox ? {} : { requiredMandate: MANDATE_VERSION }),
    reconcileMs: config.reconcileMs,
  });
}
