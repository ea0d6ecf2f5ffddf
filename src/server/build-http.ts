import { join } from "node:path";
import type { PurchaseAlerts } from "#alerts/purchase-alerts.ts";
import { ownOrigins } from "#domain/loopback.ts";
import { createOAuth } from "#auth/oauth.ts";
import { createSocketAdapter } from "#cluster/socket-adapter.ts";
import { createSignIn } from "#auth/sign-in.ts";
import type { SignIn } from "#auth/sign-in.ts";
import type { Feed } from "#feed/feed.ts";
import { createRecentMarket } from "#feed/recent-market.ts";
import { createHttpApp } from "#http/app.ts";
import type { HttpConfig } from "#http/http-deps.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { Realtime } from "#realtime/socket-server.ts";
import { createRealtime } from "#realtime/socket-server.ts";
import { buildSignInProvider } from "./build-outside.ts";
import type { Config } from "./config.ts";
import type { Foundation } from "./foundation.ts";
import { describeError } from "#domain/error-fields.ts";
import { eraseOwnAccount } from "./erase-person.ts";
import { isStoreAway } from "#store/store-away.ts";
import { createDoor, type Door } from "./door.ts";

const WEB_ROOT = join(import.meta.dirname, "..", "..", "dist", "web");
/** Hosts on which a payment may be confirmed, besides the marketplace's own: none is known. */
const CONFIRMATION_HOSTS: readonly string[] = [];
/** The picture hosts of an outside marketplace and of the sign-in provider. */
const OUTSIDE_PICTURES = ["https://*.vinted.net", "https://cdn.discordapp.com"];

export interface WebParts {
  readonly realtime: Realtime;
  readonly door: Door;
}

/** Calls, pages and sockets on one server. */
export async function buildHttp(
  foundation: Foundation,
  parts: { readonly purchasing: Purchasing; readonly feed: Feed; readonly alerts: PurchaseAlerts },
): Promise<WebParts> {
  const { purchasing, feed, alerts } = parts;
  const { config, cluster } = foundation;
  let fault: "starting" | "stopping" | null = "starting";
  const app = await createHttpApp({
    ...foundation,
    config: httpConfig(config),
    signIn: buildSignIn(foundation),
    purchasing,
    alerts,
    feed: config.services.has("feed") || cluster !== null ? feed : null,
    sharedPace: cluster === null ? null : (key, rate) => cluster.pace.take(key, { ...rate, isStrict: true }),
    recentMarket: createRecentMarket({ listings: foundation.store.listings, clock: foundation.clock }),
    eraseAccount: (user) => eraseOwnAccount(user, { ...foundation, purchasing }),
    describeError,
    isStoreAway,
    fault: () => fault,
  });
  const realtime = createRealtime({
    ...foundation,
    server: app.server,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    marketUrl: config.marketplace.publicUrl,
    confirmationHosts: CONFIRMATION_HOSTS,
    feed,
    purchaseById: (userId, id) => purchasing.byId(userId, id),
    areLimitsOn: config.areRateLimitsOn,
    isSandbox: config.marketplace.isSandbox,
    ...(cluster === null
      ? {}
      : { adapter: await createSocketAdapter(cluster.redis, cluster.signatures, foundation.clock) }),
  });
  const tell = (state: "stopping" | null): void => {
    fault = state;
  };
  const door = createDoor({ app, sockets: realtime, tell }, config.listen);
  return { realtime, door };
}

function buildSignIn(foundation: Foundation): SignIn {
  const { config, secrets, store, clock } = foundation;
  const oauth = createOAuth({
    provider: buildSignInProvider(config, secrets),
    publicUrl: config.publicUrl,
    // Derived, not random: a sign-in may begin on one node and end on another, or after a restart.
    cookieKey: store.sharedKey("sign-in cookie"),
    clock,
  });
  return createSignIn({ ...foundation, oauth });
}

function httpConfig(config: Config): HttpConfig {
  const { isSandbox, publicUrl: marketUrl } = config.marketplace;
  return {
    publicUrl: config.publicUrl,
    marketUrl,
    confirmationHosts: CONFIRMATION_HOSTS,
    imageSources: isSandbox ? ownOrigins(marketUrl) : [marketUrl, ...OUTSIDE_PICTURES],
    webRoot: WEB_ROOT,
    supportEmail: config.supportEmail,
    trustedProxies: config.trustedProxies,
    readsPerSecond: config.marketplace.requestsPerSecond,
    areRateLimitsOn: config.areRateLimitsOn,
    isSandbox,
  };
}
