/**
 * The checks of every request, cheapest first: decodable address, public host, flood limit, origin, a session
 * that may use the route, and the person's rate limit.
 */
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createNetworks, createPlainHttpGuard, LOOPBACK, networksOf, plainAddress } from "#auth/networks.ts";
import { isHostOf, isOwnRequest } from "#auth/origin-guard.ts";
import { denialFor } from "#auth/sessions.ts";
import { createKeyedQueue } from "#domain/concurrency.ts";
import { isApiPath, isDecodable, localAddress, pathOf } from "../addresses.ts";
import type { HttpConfig, HttpDeps } from "../http-deps.ts";
import { createRateLimits, type RateClass, rateOf } from "../rate-limits.ts";
import { DENIAL_REFUSALS, Refusal, TEXTS, tooMany } from "../refusal.ts";
import { type App, auditFacts, type RouteRule } from "../route-rule.ts";
import { setSecurityHeaders } from "./security-headers.ts";

export function admitRequests(app: App, deps: HttpDeps): void {
  const limits = createRateLimits();
  const isOwnMachine = createNetworks(LOOPBACK);
  const isSafelyArrived = createPlainHttpGuard(deps.config.publicUrl, deps.config.trustedProxies);
  app.decorateRequest("visitor", null);

  /** @param share the multiple of the limit that applies to the key */
  async function checkPace(rate: RateClass, key: string, share = 1): Promise<void> {
    if (!deps.config.areRateLimitsOn) return;
    const waitMs =
      limits.waitMs(rate, key, deps.clock.nowMs(), share) ?? (await sharedWaitMs(deps, rate, key, share));
    if (waitMs === null) return;
    throw tooMany(waitMs);
  }

  /** In the sandbox everyone on this machine shares one address, so it is not limited. */
  async function checkAddressPace(rate: RateClass, request: FastifyRequest): Promise<void> {
    if (deps.config.isSandbox && isOwnMachine(plainAddress(request.ip))) return;
    for (const { name, share } of networksOf(request.ip)) await checkPace(rate, `address ${name}`, share);
  }

  async function admit(request: FastifyRequest, rule: RouteRule): Promise<void> {
    if (rule.origin !== "any" && !isOwnRequest(request.headers, deps.config.publicUrl, rule.origin)) {
      throw new Refusal(403, TEXTS.foreignOrigin);
    }
    // Public calls and navigations do not depend on the session, so it is not read.
    request.visitor =
      rule.origin === "any" || rule.origin === "navigation"
        ? null
        : await deps.sessions.visitor(request.headers.cookie);
    if (rule.rate !== null) {
      if (request.visitor === null) await checkAddressPace(rule.rate, request);
      else if (rule.rateOf === undefined) await checkPace(rule.rate, `user ${request.visitor.user.id}`);
    }
    await checkAccess(request, rule);
  }

  async function checkAccess(request: FastifyRequest, rule: RouteRule): Promise<void> {
    const denial = denialFor(rule.access, request.visitor);
    if (denial === null) return;
    const isOnRecord = (userId: string): boolean =>
      limits.waitMs("denial", `user ${userId}`, deps.clock.nowMs()) === null;
    // Repeated refusals must not fill the audit log.
    if (request.visitor !== null && isOnRecord(request.visitor.user.id)) {
      await deps.store.audit.append({
        atMs: deps.clock.nowMs(),
        kind: "access_denied",
        userId: request.visitor.user.id,
        details: { denial, route: request.routeOptions.url ?? "", ...auditFacts(request) },
      });
    }
    const { status, text } = DENIAL_REFUSALS[denial];
    throw new Refusal(status, text);
  }

  app.addHook("onRequest", async (request, reply) => {
    setSecurityHeaders(reply);
    const path = pathOf(request.url);
    if (isApiPath(path)) void reply.header("cache-control", "no-store");
    if (!isDecodable(request.url)) throw new Refusal(400, TEXTS.undecodable);
    if (path !== "/health" && deps.fault() === "starting")
      throw new Refusal(503, TEXTS.starting, { code: "demarrage" });
    // Health checks reach the process directly, not through the proxy.
    if (path !== "/health" && !isSafelyArrived(request.raw)) throw new Refusal(403, TEXTS.plainHttp);
    checkHost(request, reply, deps.config.publicUrl);
    if (reply.sent) return reply;
    await checkAddressPace("flood", request);
    const { rule } = request.routeOptions.config;
    // Without a rule there is no route: the answer is 404 or 405.
    if (rule !== undefined) await admit(request, rule);
    return undefined;
  });

  // The body is parsed, but not validated yet.
  app.addHook("preValidation", async ({ visitor, body, routeOptions }) => {
    const rateOf = routeOptions.config.rule?.rateOf;
    if (rateOf !== undefined && visitor !== null) await checkPace(rateOf(body), `user ${visitor.user.id}`);
  });
}

/** Last: a call that this node refuses need not be counted over all nodes. */
async function sharedWaitMs(
  { sharedPace }: Pick<HttpDeps, "sharedPace">,
  rate: RateClass,
  key: string,
  share: number,
): Promise<number | null> {
  if (sharedPace === null) return null;
  try {
    const waitMs = await sharedPace(`${rate} ${key}`, rateOf(rate, share));
    return waitMs > 0 ? waitMs : null;
  } catch {
    // Redis does not answer: each node's own limit still applies.
    return null;
  }
}

/** Pages under another host redirect to the public address; calls are refused. */
function checkHost(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const path = pathOf(request.url);
  if (path === "/health" || isHostOf(request.host ?? "", publicUrl)) return;
  const isPage = (request.method === "GET" || request.method === "HEAD") && !isApiPath(path);
  const local = localAddress(request.url);
  // Without the slash, "m://evil.example" appended to "https://synapse.co" would name another host.
  if (!isPage || !local.startsWith("/")) throw new Refusal(421, TEXTS.foreignHost);
  void reply.redirect(`${publicUrl}${local}`, 302);
}

/** A page opens at most seven, so that a whole office behind one address fits. */
const MAX_PER_ADDRESS = 256;

/** The part of Node's server that is used. */
interface Connecting {
  on(event: "connection", listener: (wire: Peer) => void): unknown;
}
type Peer = Pick<Socket, "remoteAddress" | "destroy"> & {
  once(event: "close", listener: () => void): unknown;
};

/**
 * Closes connections beyond an address's share: each costs a file descriptor and the memory of unread output.
 * Trusted proxies, which carry everyone's connections, and this machine in the sandbox are not counted.
 */
export function boundConnections(
  server: Connecting,
  config: Pick<HttpConfig, "areRateLimitsOn" | "isSandbox" | "trustedProxies">,
): void {
  if (!config.areRateLimitsOn) return;
  const isFree = createNetworks([...config.trustedProxies, ...(config.isSandbox ? LOOPBACK : [])]);
  const openOf = new Map<string, number>();

  function count(name: string, change: 1 | -1): void {
    const open = (openOf.get(name) ?? 0) + change;
    if (open === 0) openOf.delete(name);
    else openOf.set(name, open);
  }

  server.on("connection", (wire) => {
    const address = plainAddress(wire.remoteAddress);
    if (isFree(address)) return;
    const networks = networksOf(address);
    if (networks.some(({ name, share }) => (openOf.get(name) ?? 0) >= MAX_PER_ADDRESS * share)) {
      wire.destroy();
      return;
    }
    for (const { name } of networks) count(name, 1);
    wire.once("close", () => {
      for (const { name } of networks) count(name, -1);
    });
  });
}

/** Rate classes of requests that cost many times as much as others. */
const HEAVY: ReadonlySet<RateClass | null> = new Set(["list", "history", "preview"]);

/** Serialises each person's expensive requests, so that a hundred of one person do not delay everyone. */
export function takeTurns(app: App): void {
  const inTurn = createKeyedQueue();
  app.addHook("onRoute", (route) => {
    const { handler } = route;
    const rule = route.config?.rule;
    if (!(rule?.isInTurn ?? HEAVY.has(rule?.rate ?? null))) return;
    route.handler = async function handleInTurn(request, reply) {
      const { visitor } = request;
      if (visitor === null) throw new Error("a request that takes turns needs a session");
      return await inTurn(visitor.user.id, async () => await handler.call(this, request, reply));
    };
  });
}
