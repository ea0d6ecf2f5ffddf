/** The account itself: where its owner is signed in, and its end. */
import { CLEARED_SESSION_COOKIE } from "#auth/sessions.ts";
import { calls } from "#contract/calls.ts";
import { countText } from "#presenters/french-texts.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

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
