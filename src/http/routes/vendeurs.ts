/** Blocked sellers of a person. Calls are answered once this node's feed and open pages are informed. */
import { MAX_BLOCKED_SELLERS } from "#contract/bounds.ts";
import { calls } from "#contract/calls.ts";
import type { VendeurBloque } from "#contract/vendeur.ts";
import { type BlockedSeller, foldLogin } from "#domain/market/blocked-sellers.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

/** Holds `MAX_SELLERS_AT_ONCE` of the longest logins, even if each character is escaped in six bytes. */
const MAX_BLOCK_BYTES = 256 * 1_024;

const ACTION_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "write" };

export function addSellerRoutes(app: App, { store, events, clock }: HttpDeps): void {
  app.route({
    ...routeOf(calls.blockedSellers, { access: "subscriber", origin: "read", rate: "list" }),
    handler: async (request) => ({
      success: true as const,
      vendeurs: (await store.sellers.list(visitorOf(request).user.id)).map(presentBlockedSeller),
    }),
  });

  app.route({
    ...routeOf(calls.blockSellers, ACTION_RULE),
    bodyLimit: MAX_BLOCK_BYTES,
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const sellers = request.body.vendeurs.map(({ login, id }) => ({ login, sellerId: id ?? null }));
      const at = { nowMs: clock.nowMs(), limit: MAX_BLOCKED_SELLERS };
      const list = await store.sellers.block(userId, sellers, at);
      if (list === null) throw new Refusal(409, TEXTS.tooManySellers);
      await events.publish({ kind: "sellers_changed", userId });
      return {
        success: true as const,
        message: blockedText(sellers.map(({ login }) => login)),
        vendeurs: list.map(presentBlockedSeller),
      };
    },
  });

  app.route({
    ...routeOf(calls.unblockSeller, ACTION_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const { login } = request.body;
      const list = await store.sellers.unblock(userId, login);
      await events.publish({ kind: "sellers_changed", userId });
      return {
        success: true as const,
        message: `${login} n'est plus bloqué.`,
        vendeurs: list.map(presentBlockedSeller),
      };
    },
  });
}

function presentBlockedSeller({ sellerId, login, sinceMs }: BlockedSeller): VendeurBloque {
  return { id: sellerId, login, depuis: sinceMs };
}

/** "lea75 est bloqué : ni montré, ni acheté." */
function blockedText(logins: readonly string[]): string {
  const [login] = logins;
  const { size } = new Set(logins.map(foldLogin));
  return size === 1
    ? `${login} est bloqué : ni montré, ni acheté.`
    : `${size} vendeurs sont bloqués : ni montrés, ni achetés.`;
}
