/**
 * The checks that every request passes, cheapest first: a decodable address, the public host, the flood limit, the
 * origin, a session that may use the route, and the person's rate limit.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { denialFor } from "#auth/access.ts";
import { networksOf } from "#auth/networks.ts";
import { isOwnRequest } from "#auth/origin-guard.ts";
import { createPlainHttpGuard } from "#auth/plain-http.ts";
import { isApiPath, isDecodable, isHostOf, isLoopbackAddress, localAddress, pathOf } from "../addresses.ts";
import { DENIAL_REFUSALS, TEXTS } from "../error-texts.ts";
import type { HttpDeps } from "../http-deps.ts";
import { createRateLimits, rateOf, type RateClass } from "../rate-limits.ts";
import { Refusal, tooMany } from "../refusal.ts";
import { auditFacts, type App, type RouteRule } from "../route-rule.ts";
import { setSecurityHeaders } from "./security-headers.ts";

export function admitRequests(app: App, deps: HttpDeps): void {
  const limits = createRateLimits();
  const isSafelyArrived = createPlainHttpGuard(deps.config.publicUrl, deps.config.trustedProxies);
  app.decorateRequest("visitor", null);

  /** @param share the multiple of the limit that the key has */
  async function checkPace(rate: RateClass, key: string, share = 1): Promise<void> {
    if (!deps.config.areRateLimitsOn) return;
    const waitMs =
      limits.waitMs(rate, key, deps.clock.nowMs(), share) ?? (await sharedWaitMs(rate, key, share));
    if (waitMs === null) return;
    throw tooMany(waitMs);
  }

  /** Checked last: a call that this node refuses need not be counted over all nodes. */
  async function sharedWaitMs(rate: RateClass, key: string, share: number): Promise<number | null> {
    if (deps.sharedPace === null) return null;
    try {
      const waitMs = await deps.sharedPace(`${rate} ${key}`, rateOf(rate, share));
      return waitMs > 0 ? waitMs : null;
    } catch {
      // Redis does not answer: each node's own limit still applies.
      return null;
    }
  }

  /** In the sandbox all people on this machine share one address, so it is not limited. */
  async function checkAddressPace(rate: RateClass, request: FastifyRequest): Promise<void> {
    if (deps.config.isSandbox && isLoopbackAddress(request.ip)) return;
    for (const { name, share } of networksOf(request.ip)) await checkPace(rate, `address ${name}`, share);
  }

  async function admit(request: FastifyRequest, rule: RouteRule): Promise<void> {
    if (rule.origin !== "any" && !isOwnRequest(request.headers, deps.config.publicUrl, rule.origin)) {
      throw new Refusal(403, TEXTS.foreignOrigin);
    }
    // Public calls and navigations do not depend on the session, so the store is not read.
    request.visitor =
      rule.origin === "any" || rule.origin === "navigation"
        ? null
        : await deps.sessions.visitor(request.headers.cookie);
    if (rule.rate !== null) {
      if (request.visitor === null) await checkAddressPace(rule.rate, request);
      else await checkPace(rule.rate, `user ${request.visitor.user.id}`);
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
    // Health checks reach the process directly, without the proxy.
    if (path !== "/health" && !isSafelyArrived(request.raw)) throw new Refusal(403, TEXTS.plainHttp);
    checkHost(request, reply, deps.config.publicUrl);
    if (reply.sent) return reply;
    await checkAddressPace("flood", request);
    const { rule } = request.routeOptions.config;
    // Without a rule there is no route: the answer is 404 or 405.
    if (rule !== undefined) await admit(request, rule);
    return undefined;
  });
}

/** Pages under another host redirect to the public address; calls are refused. */
function checkHost(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const path = pathOf(request.url);
  if (path === "/health" || isHostOf(request.host ?? "", publicUrl)) return;
  const isPage = (request.method === "GET" || request.method === "HEAD") && !isApiPath(path);
  const local = localAddress(request.url);
  // "m://evil.example" appended to "https://synapse.co" would be another host.
  if (!isPage || !local.startsWith("/")) throw new Refusal(421, TEXTS.foreignHost);
  void reply.redirect(`${publicUrl}${local}`, 302);
}
