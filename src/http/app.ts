/**
 * The product's HTTP server: the contract's calls and the web's pages. It uses the other rooms by their
 * ports, converts French at its edge, and decides nothing about money. The caller makes it listen.
 */
import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { createNetworks, forwardedAddress } from "#auth/networks.ts";
import { parseJson } from "#domain/json.ts";
import type { HttpDeps } from "./http-deps.ts";
import { admitRequests, boundConnections, takeTurns } from "./plugins/admission.ts";
import {
  answerBrokenConnection,
  answerFailures,
  answerUnroutable,
  declareRoutes,
} from "./plugins/failures.ts";
import { serveWeb } from "./plugins/web.ts";
import { Refusal, TEXTS } from "./refusal.ts";
import type { App } from "./route-rule.ts";
import { addAccountRoutes, addAuthRoutes } from "./routes/auth.ts";
import { addAlertRoutes } from "./routes/alertes.ts";
import { addArticleRoutes } from "./routes/articles.ts";
import { addFilterRoutes } from "./routes/filtres.ts";
import { addMarketMemoryRoutes } from "./routes/marche.ts";
import { addHealthRoute, addStateRoute } from "./routes/health.ts";
import { addPurchaseRoutes, addPurchaseStoryRoutes } from "./routes/purchase.ts";
import { addGroupRoutes } from "./routes/groupes.ts";
import { addSellerRoutes } from "./routes/vendeurs.ts";
import { addVintedRoutes } from "./routes/vinted.ts";

const MAX_BODY_BYTES = 64 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** For headers and body together; there are no uploads. */
const REQUEST_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 65_000;
/** Maximum idle time of a connection while an answer is computed or read; a long poll takes 25 s. */
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
      // The product itself refuses a request without a host, like one for a foreign host.
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
  // No route takes it: without this the framework asks for a body's type first, before the answer 404 or 405.
  app.addHttpMethod("QUERY", { hasBody: false, overrideExisting: true });
  boundConnections(app.server, deps.config);
  ignoreExpectations(app);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);

  // In this order: the route list misses no route, the log sees every answer, admission precedes bodies.
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
  addMarketMemoryRoutes(app, deps);
  addVintedRoutes(app, deps);
  addAlertRoutes(app, deps);
  addPurchaseRoutes(app, deps);
  addPurchaseStoryRoutes(app, deps);
  addArticleRoutes(app, deps);
  addSellerRoutes(app, deps);
  addGroupRoutes(app, deps);
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

/** An expectation other than `100-continue` is ignored; Node alone would answer 417, without the checks of requests. */
function ignoreExpectations({ server }: App): void {
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response));
}

/** One log line per call: route, duration, status. Never a query, a header or a body. */
function logRequests(app: App, deps: Pick<HttpDeps, "log">): void {
  app.addHook("onResponse", async (request, reply) => {
    const {
      url,
      config: { rule },
    } = request.routeOptions;
    // Files and health checks are logged only when they fail.
    const isQuiet = rule === undefined || rule.origin === "any";
    const { statusCode: status } = reply;
    if (isQuiet && status < 500) return;
    const fields = {
      requestId: request.id,
      method: request.method,
      route: url ?? "",
      status,
      ms: Math.round(reply.elapsedTime),
    };
    // What is unavailable for a while has a line of its own where it failed, or is only starting.
    if (status >= 500 && status !== 503) deps.log.error(fields, "request");
    else if (status === 401 || status === 403 || status === 503) deps.log.warn(fields, "request");
    else deps.log.info(fields, "request");
  });
}

/** Bodies are JSON or empty. */
function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  // An empty POST has no body, whatever its content type.
  app.addContentTypeParser("*", ({ headers }, _payload, done) =>
    isEmpty(headers) ? done(null) : done(new Refusal(415, TEXTS.wrongContentType)),
  );
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null);
    // "__proto__" becomes an ordinary key here, and the schemas drop every unknown key.
    const body = isUtf8(bytes) ? parseJson(bytes.toString()) : undefined;
    if (body === undefined) return done(new Refusal(400, TEXTS.unreadableBody));
    return isStorable(body) ? done(null, body) : done(new Refusal(400, TEXTS.unstorableText));
  });
}

function isEmpty(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}

/** PostgreSQL rejects NUL and lone surrogates. Iterative, since the sender chooses the depth. */
function isStorable(root: unknown): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) return false;
    if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) open.push(inner);
  }
  return true;
}
