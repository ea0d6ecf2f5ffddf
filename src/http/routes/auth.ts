import { CALLBACK_PATH, CLEARED_OAUTH_COOKIE } from "#auth/oauth.ts";
import { CLEARED_SESSION_COOKIE } from "#auth/sessions.ts";
import { calls } from "#contract/calls.ts";
import { SIGN_IN_PATH } from "#contract/routes.ts";
import { presentUtilisateur } from "#presenters/utilisateur.ts";
import type { HttpDeps } from "../http-deps.ts";
import { type App, auditFacts, routeOf, type RouteRule } from "../route-rule.ts";

const SIGN_IN_RULE: RouteRule = { access: "anyone", origin: "navigation", rate: "sign_in" };

/** Where a person lands after signing in: the panel, or the plans while there is none. */
const PANEL_PATH = "/synapse/articles";
const PLANS_PATH = "/#prix";

export function addAuthRoutes(app: App, deps: HttpDeps): void {
  addSignInRoutes(app, deps);

  app.route({
    ...routeOf(calls.user, { access: "anyone", origin: "read", rate: "read" }),
    handler: async ({ visitor }) => {
      if (visitor === null) return { user: null };
      const { user, level } = visitor;
      const nowMs = deps.clock.nowMs();
      const place = level === 0 ? await deps.store.users.waitlistPlace(user.id, nowMs) : null;
      return { user: presentUtilisateur(user, nowMs, place) };
    },
  });

  app.route({
    // The session look-up of the admission keeps it alive.
    ...routeOf(calls.keepAlive, { access: "signed_in", origin: "action", rate: "read" }),
    handler: async () => ({ success: true as const }),
  });

  app.route({
    ...routeOf(calls.signOut, { access: "anyone", origin: "action", rate: "write" }),
    handler: async (request, reply) => {
      const { visitor } = request;
      void reply.header("set-cookie", CLEARED_SESSION_COOKIE);
      if (visitor === null) return { message: "Vous étiez déjà déconnecté." };
      const { sessionId, user } = visitor;
      await deps.sessions.end(sessionId);
      await deps.store.audit.append({
        atMs: deps.clock.nowMs(),
        kind: "logout",
        userId: user.id,
        details: auditFacts(request),
      });
      return { message: "Vous êtes déconnecté." };
    },
  });
}

function addSignInRoutes(app: App, deps: HttpDeps): void {
  app.route({
    method: "GET",
    url: SIGN_IN_PATH,
    config: { rule: SIGN_IN_RULE },
    handler: async (request, reply) => {
      const { location, cookie } = deps.signIn.begin(request.headers.cookie);
      return reply.header("set-cookie", cookie).redirect(location, 302);
    },
  });

  app.route({
    method: "GET",
    url: CALLBACK_PATH,
    config: { rule: SIGN_IN_RULE },
    handler: async (request, reply) => {
      const query = typeof request.query === "object" && request.query !== null ? { ...request.query } : {};
      const { cookie: cookieHeader, "user-agent": userAgent } = request.headers;
      const result = await deps.signIn.complete({ cookieHeader, query, userAgent });
      if (result.kind === "refused") {
        return reply.header("set-cookie", CLEARED_OAUTH_COOKIE).redirect("/", 302);
      }
      return reply
        .header("set-cookie", [result.cookie, CLEARED_OAUTH_COOKIE])
        .redirect(result.level > 0 ? PANEL_PATH : PLANS_PATH, 302);
    },
  });
}
