/** Where a person receives news of their purchases outside of the pages. */
import { TOKEN_MASK } from "#contract/bounds.ts";
import { calls } from "#contract/calls.ts";
import { Secret } from "#domain/secret.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS, tooMany } from "../refusal.ts";
import { type App, auditFacts, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const ACTION_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "settings" };
const SHOWN_LENGTH = 4;

export function addAlertRoutes(app: App, { store, alerts, clock }: HttpDeps): void {
  app.route({
    ...routeOf(calls.alerts, { access: "subscriber", origin: "read", rate: "read" }),
    handler: async (request) => ({
      alertes: { discord: maskOf(await store.alerts.webhook(visitorOf(request).user.id)) },
    }),
  });

  app.route({
    ...routeOf(calls.editAlerts, ACTION_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const { discord } = request.body;
      const webhook = discord === null ? null : readDiscordWebhook(discord.trim());
      if (discord !== null && webhook === null) throw new Refusal(400, TEXTS.noWebhook, { field: "discord" });
      await store.alerts.setWebhook(userId, webhook);
      await store.audit.append({
        atMs: clock.nowMs(),
        kind: "alerts_changed",
        userId,
        details: { hasWebhook: webhook !== null, ...auditFacts(request) },
      });
      return { message: webhook === null ? "Alertes Discord retirées." : "Alertes Discord enregistrées." };
    },
  });

  app.route({
    ...routeOf(calls.testAlert, ACTION_RULE),
    handler: async (request) => {
      const outcome = await alerts.test(visitorOf(request).user.id);
      switch (outcome.kind) {
        case "sent":
          return { message: "Essai envoyé : regardez votre salon Discord." };
        case "absent":
          throw new Refusal(409, TEXTS.webhookAbsent);
        case "gone":
          throw new Refusal(409, TEXTS.webhookGone);
        case "wait":
          throw tooMany(outcome.waitMs);
        case "failed":
          throw new Refusal(503, TEXTS.discordSilent);
        default:
          return outcome satisfies never;
      }
    },
  });
}

/** Eight dots and the last four characters; "" while none is saved. */
function maskOf(webhook: Secret | null): string {
  return webhook === null ? "" : TOKEN_MASK + webhook.reveal().slice(-SHOWN_LENGTH);
}

const DISCORD_WEBHOOK = /^https:\/\/discord\.com\/api\/webhooks\/(\d{15,22}\/[\w-]{40,100})$/u;

/**
 * The secret part of a Discord webhook's address, "id/key". The host is not part of it, so a person's input can never
 * choose whom the product calls. Null for any other text.
 */
export function readDiscordWebhook(text: string): Secret | null {
  const [, path] = DISCORD_WEBHOOK.exec(text) ?? [];
  return path === undefined ? null : new Secret(path);
}
