/**
 * The product's HTTP server: the contract's calls and the web's pages. It uses the other rooms by their ports, reads and
 * writes French at its edge, and decides nothing about money. The caller makes it listen.
 */
import { randomBytes } from "node:crypto";
import fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { createNetworks, forwardedAddress } from "#auth/networks.ts";
import { boundConnections } from "./connections.ts";
import type { HttpDeps } from "./http-deps.ts";
import { logRequests } from "./plugins/access-log.ts";
import { admitRequests } from "./plugins/admission.ts";
import { declareRoutes } from "./plugins/declared-routes.ts";
import { answerBrokenConnection, answerFailures, answerUnroutable } from "./plugins/failures.ts";
import { readJsonBodies } from "./plugins/json-bodies.ts";
import { takeTurns } from "./plugins/turns.ts";
import { serveWeb } from "./plugins/web.ts";
import type { App } from "./route-rule.ts";
import { addAccountRoutes } from "./routes/account.ts";
import { addAlertRoutes } from "./routes/alertes.ts";
import { addArticleRoutes } from "./routes/articles.ts";
import { addAuthRoutes } from "./routes/auth.ts";
import { addFilterRoutes } from "./routes/filtres.ts";
import { addHealthRoute } from "./routes/health.ts";
import { addPurchaseRoutes } from "./routes/purchase.ts";
import { addPurchaseStoryRoutes } from "./routes/purchase-stories.ts";
import { addStateRoute } from "./routes/state.ts";
import { addVintedRoutes } from "./routes/vinted.ts";

const MAX_BODY_BYTES = 64 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** For headers and body together; there are no uploads. */
const REQUEST_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 65_000;
/** How long a connection may be idle while an answer is computed or read; a long poll of the stream takes 25 s. */
const STANDSTILL_MS = 60_000;
/** How often Node checks for slow requests; its default is 30 s. */
const CONNECTIONS_CHECK_MS = 2_000;
const REQUEST_ID_BYTES = 9;

/** Returns an application that is ready to listen; closing it releases its resources. */
export async function createHttpApp(deps: HttpDeps): Promise<App> {
  const app = fastify({
    // The product's log accepts an allowlist of fields; the framework's would log addresses.
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: STANDSTILL_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      // A request without a host is refused by the product, like one for a foreign host.
      requireHostHeader: false,
    },
    trustProxy: trusted(deps.config.trustedProxies),
    genReqId: () => randomBytes(REQUEST_ID_BYTES).toString("base64url"),
    // A HEAD of `/auth/out` would sign out: only routes that declare HEAD accept it.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerBrokenConnection,
  }).withTypeProvider<ZodTypeProvider>();
  boundConnections(app.server, deps.config);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);

  // The route list is first, so that it misses none; the log sees every answer; admission comes before bodies.
  const declared = declareRoutes(app);
  logRequests(app, deps);
  admitRequests(app, deps);
  readJsonBodies(app);
  answerFailures(app, deps, declared);
  takeTurns(app);

  addHealthRoute(app, deps);
  addAuthRoutes(app, deps);
  addAccountRoutes(app, deps);
  addStateRoute(app, deps);
  addFilterRoutes(app, deps);
  addVintedRoutes(app, deps);
  addAlertRoutes(app, deps);
  addPurchaseRoutes(app, deps);
  addPurchaseStoryRoutes(app, deps);
  addArticleRoutes(app, deps);
  await serveWeb(app, deps);

  await app.ready();
  return app;
}

/** The proxies whose forwarded client address is trusted. */
function trusted(proxies: readonly string[]): false | ((address: string) => boolean) {
  if (proxies.length === 0) return false;
  const isProxy = createNetworks(proxies);
  return (address) => isProxy(forwardedAddress(address));
}
