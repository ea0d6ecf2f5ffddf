import { lookup } from "node:dns/promises";
import { join } from "node:path";
import type { Alerts } from "#alerts/alerts.ts";
import { createOAuth } from "#auth/oauth.ts";
import { discordProvider, sandboxProvider, type OAuthProvider } from "#auth/provider-calls.ts";
import { createSignIn, type SignIn } from "#auth/sign-in.ts";
import { createSocketCounts } from "#cluster/open-pages.ts";
import { ownOrigins } from "#domain/network.ts";
import type { Service } from "#domain/service.ts";
import type { Feed } from "#feed/feed.ts";
import { createHttpApp } from "#http/app.ts";
import type { HttpConfig } from "#http/http-deps.ts";
import type { App } from "#http/route-rule.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { createRealtime, type Realtime } from "#realtime/socket-server.ts";
import { isStoreAway } from "#store/errors.ts";
import type { Config, Secrets } from "./config.ts";
import { eraseOwnAccount } from "./erase-person.ts";
import type { Foundation } from "./foundation.ts";
import { StartRefused } from "./start-refused.ts";

const WEB_ROOT = join(import.meta.dirname, "..", "..", "dist", "web");
/** The picture hosts of an outside marketplace and of the sign-in provider. */
const OUTSIDE_PICTURES = ["https://*.vinted.net", "https://cdn.discordapp.com"];

interface WebParts {
  readonly realtime: Realtime;
  /** Opens early, so that `/health` reports the progress of the start; other requests are refused. */
  readonly port: Service;
  /** Accepts requests once all other parts run; the first part to stop. */
  readonly requests: Service;
}

/** Calls, pages and sockets on one server. */
export async function buildHttp(
  foundation: Foundation,
  parts: { readonly purchasing: Purchasing; readonly feed: Feed; readonly alerts: Alerts },
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
    eraseAccount: (user) => eraseOwnAccount(user, { ...foundation, purchasing }),
    isStoreAway,
    fault: () => fault,
  });
  const realtime = createRealtime({
    ...foundation,
    server: app.server,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    marketUrl: config.marketplace.publicUrl,
    feed,
    sellers: foundation.store.sellers,
    filters: foundation.store.filters,
    groups: foundation.store.groups,
    purchaseById: (userId, id) => purchasing.byId(userId, id),
    areLimitsOn: config.areRateLimitsOn,
    minPriceDays: config.minPriceDays,
    isSandbox: config.marketplace.isSandbox,
    otherNodes:
      cluster === null ? null : createSocketCounts({ ...foundation, ...cluster, name: foundation.owner }),
  });
  const setFault = (state: "stopping" | null): void => {
    fault = state;
  };
  return {
    realtime,
    port: portService(app, config.listen),
    requests: requestService(app, realtime, setFault),
  };
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

function buildSignInProvider(config: Config, secrets: Secrets): OAuthProvider {
  if (config.signIn.kind === "sandbox") return sandboxProvider(config.marketplace);
  const { discordClientSecret: secret } = secrets;
  if (secret === null) throw new StartRefused("DISCORD_CLIENT_SECRET is missing");
  return discordProvider({ id: config.signIn.clientId, secret });
}

function httpConfig(config: Config): HttpConfig {
  const { isSandbox, publicUrl: marketUrl } = config.marketplace;
  return {
    publicUrl: config.publicUrl,
    marketUrl,
    imageSources: isSandbox ? ownOrigins(marketUrl) : [marketUrl, ...OUTSIDE_PICTURES],
    webRoot: WEB_ROOT,
    supportEmail: config.supportEmail,
    trustedProxies: config.trustedProxies,
    readsPerSecond: config.marketplace.requestsPerSecond,
    areRateLimitsOn: config.areRateLimitsOn,
    minPriceDays: config.minPriceDays,
    archiveDays: config.archive.days,
    isSandbox,
  };
}

function portService(app: App, listen: Config["listen"]): Service {
  return {
    async run() {
      // A host name may have two addresses, but the socket server uses one HTTP server.
      const { address } = await lookup(listen.host).catch((cause: unknown) => {
        throw new StartRefused("HOST is no address of this machine", { cause });
      });
      await app.listen({ host: address, port: listen.port });
    },
    async stop() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Requests in progress may take this long during the stop; then their connections are closed. */
const DRAIN_MS = 1_000;

/** The sockets are closed with the requests: their open connections would keep the port open. */
function requestService(app: App, sockets: Service, setFault: (fault: "stopping" | null) => void): Service {
  return {
    async run() {
      setFault(null);
      await Promise.resolve();
    },
    async stop() {
      setFault("stopping");
      const timeout = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      // Refuses new connections first, since a client that loses its socket reconnects immediately.
      const closed = app.close();
      await sockets.stop();
      await closed;
      clearTimeout(timeout);
    },
  };
}
