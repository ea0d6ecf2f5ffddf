/** One log line per call: route, duration, status. Never a query, a header or a body. */
import type { HttpDeps } from "../http-deps.ts";
import type { App } from "../route-rule.ts";

export function logRequests(app: App, deps: Pick<HttpDeps, "log">): void {
  app.addHook("onResponse", async (request, reply) => {
    const { rule, url } = { rule: request.routeOptions.config.rule, url: request.routeOptions.url };
    // Files and health checks are logged only when they fail.
    const isQuiet = rule === undefined || rule.origin === "any";
    if (isQuiet && reply.statusCode < 500) return;
    const fields = {
      requestId: request.id,
      method: request.method,
      route: url ?? "",
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (reply.statusCode >= 500) deps.log.error(fields, "request");
    else if (reply.statusCode === 401 || reply.statusCode === 403) deps.log.warn(fields, "request");
    else deps.log.info(fields, "request");
  });
}
