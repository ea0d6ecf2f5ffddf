/** Sign-in and sign-out, the account with its devices, and its erasure. */
import { CALLBACK_PATH, CLEARED_OAUTH_COOKIE } from "#auth/oauth.ts";
import { CLEARED_SESSION_COOKIE, sessionIdOf } from "#auth/sessions.ts";
import { calls } from "#contract/calls.ts";
import { SIGN_IN_PATH } from "#contract/first-routes.ts";
import { countText } from "#presenters/french-texts.ts";
import { presentUtilisateur } from "#presenters/utilisateur.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, auditFacts, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const SIGN_IN_RULE: RouteRule = { access: "anyone", origin: "navigation", rate: "sign_in" };

/** The page after a sign-in: the panel, or the plans if the person has none. */
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
    // The admission's look-up of the session keeps it alive.
    ...routeOf(calls.keepAlive, { access: "signed_in", origin: "action", rate: "read" }),
    handler: async () => ({ success: true as const }),
  });

  app.route({
    ...routeOf(calls.signOut, { access: "anyone", origin: "action", rate: "write" }),
    handler: async (request, reply) => {
      const { visitor } = request;
      // One that expired has left its devices, which this person no longer wants here.
      const sessionId = visitor?.sessionId ?? sessionIdOf(request.headers.cookie);
      if (sessionId !== null) await deps.sessions.end(sessionId);
      // Only now: without its cookie a sign-out that failed could not be repeated.
      void reply.header("set-cookie", CLEARED_SESSION_COOKIE);
      if (visitor === null) return { message: "Vous étiez déjà déconnecté." };
      await deps.store.audit.append({
        atMs: deps.clock.nowMs(),
        kind: "logout",
        userId: visitor.user.id,
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
        if (result.isOver) void reply.header("set-cookie", CLEARED_OAUTH_COOKIE);
        return reply.redirect("/", 302);
      }
      return reply
        .header("set-cookie", [result.cookie, CLEARED_OAUTH_COOKIE])
        .redirect(result.level > 0 ? PANEL_PATH : PLANS_PATH, 302);
    },
  });
}

const ACTION_RULE: RouteRule = { access: "signed_in", origin: "action", rate: "settings" };

export function addAccountRoutes(app: App, deps: HttpDeps): void {
  addSessionRoutes(app, deps);

  app.route({
    ...routeOf(calls.deleteAccount, ACTION_RULE),
    handler: async (request, reply) => {
      const outcome = await deps.eraseAccount(visitorOf(request).user);
      if (outcome === "barred") throw new Refusal(403, TEXTS.erasureBarred);
      if (outcome === "open_purchases") throw new Refusal(409, TEXTS.openPurchases);
      void reply.header("set-cookie", CLEARED_SESSION_COOKIE);
      return { message: "Votre compte est supprimé." };
    },
  });
}

function addSessionRoutes(app: App, { sessions, store, clock }: HttpDeps): void {
  app.route({
    ...routeOf(calls.sessions, { access: "signed_in", origin: "read", rate: "read" }),
    handler: async (request) => {
      const { user, sessionId } = visitorOf(request);
      const own = await sessions.ofUser(user.id);
      return {
        sessions: own.map(({ id, handle, device, createdAtMs, lastSeenAtMs }) => ({
          id: handle,
          nom: device,
          depuis: createdAtMs,
          vu: lastSeenAtMs,
          actuel: id === sessionId,
        })),
      };
    },
  });

  app.route({
    ...routeOf(calls.endSessions, ACTION_RULE),
    handler: async (request, reply) => {
      const { user, sessionId } = visitorOf(request);
      const { id: handle } = request.body;
      const own = await sessions.ofUser(user.id);
      const ended = own.filter((one) =>
        handle === undefined ? one.id !== sessionId : one.handle === handle,
      );
      if (handle !== undefined && ended.length === 0) throw new Refusal(404, TEXTS.sessionNotFound);
      for (const { id } of ended) await sessions.end(id);
      if (ended.some(({ id }) => id === sessionId)) void reply.header("set-cookie", CLEARED_SESSION_COOKIE);
      await store.audit.append({
        atMs: clock.nowMs(),
        kind: "sessions_ended",
        userId: user.id,
        details: { count: ended.length },
      });
      return { message: `${countText(ended.length, "appareil déconnecté", "appareils déconnectés")}.` };
    },
  });
}
