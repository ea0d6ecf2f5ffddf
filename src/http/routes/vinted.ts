import { z } from "zod";
import { PURCHASES_PER_PAGE } from "#contract/bounds.ts";
import { calls } from "#contract/calls.ts";
import { asPurchaseId, type PurchaseId, type UserId } from "#domain/ids.ts";
import { MANDATE_VERSION, type SettingsChange } from "#domain/settings.ts";
import { presentAchat } from "#presenters/achat.ts";
import {
  chosenMandate,
  maskOf,
  presentParametres,
  readParametres,
  readToken,
  type ReadToken,
} from "#presenters/parametres.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS, tooMany } from "../refusal.ts";
import { type App, auditFacts, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const TOKEN_SHOWN = "token_shown";
const MAX_SHOWS = 10;
const SHOWS_WINDOW_MS = 3_600_000;

const READ_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "read" };

export function addVintedRoutes(app: App, deps: HttpDeps): void {
  addSettingsReads(app, deps);
  addSettingsEdit(app, deps);
  addPurchaseListRoutes(app, deps);
}

function addSettingsReads(app: App, deps: HttpDeps): void {
  const { store, clock, config } = deps;

  /** The rate limit in memory ends with the process, unlike the audit log. */
  async function refuseTooManyShows(userId: UserId): Promise<void> {
    const nowMs = clock.nowMs();
    const moments = await store.audit.momentsOf(userId, TOKEN_SHOWN, nowMs - SHOWS_WINDOW_MS);
    const oldestThatCounts = moments[MAX_SHOWS - 1];
    if (oldestThatCounts === undefined) return;
    throw tooMany(oldestThatCounts + SHOWS_WINDOW_MS - nowMs);
  }

  app.route({
    ...routeOf(calls.settings, READ_RULE),
    handler: async (request) => ({
      vinted: presentParametres(await store.settings.get(visitorOf(request).user.id), !config.isSandbox),
    }),
  });

  app.route({
    ...routeOf(calls.token, { access: "subscriber", origin: "action", rate: "token" }),
    handler: async (request) => {
      const { user } = visitorOf(request);
      if (config.areRateLimitsOn) await refuseTooManyShows(user.id);
      const token = await store.settings.refreshToken(user.id);
      // Audited before the token is sent, so that none is shown without a trace.
      await store.audit.append({
        atMs: clock.nowMs(),
        kind: TOKEN_SHOWN,
        userId: user.id,
        details: { isSaved: token !== null, ...auditFacts(request) },
      });
      return { token: token?.reveal() ?? "" };
    },
  });
}

function addSettingsEdit(app: App, deps: HttpDeps): void {
  const { store, clock, events } = deps;

  app.route({
    ...routeOf(calls.editSettings, {
      access: "subscriber",
      origin: "action",
      rate: "settings",
      rateOf: (body) => (stopsAll.safeParse(body).success ? "stop" : "settings"),
    }),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const { account } = await store.settings.get(userId);
      refuseOtherMandate(chosenMandate(request.body));
      const change: SettingsChange = {
        ...readParametres(request.body),
        ...tokenChange(readToken(request.body.token, maskOf(account))),
      };
      const nowMs = clock.nowMs();
      await store.settings.change(userId, change, nowMs);
      await store.audit.append({
        atMs: nowMs,
        kind: "settings_changed",
        userId,
        details: { parts: Object.keys(change).join(","), ...mandateFacts(change), ...auditFacts(request) },
      });
      await events.publish({ kind: "settings_changed", userId });
      if (change.mandateVersion === null) {
        // Withdrawing the mandate switched automatic buying off in all filters.
        const filterIds = (await store.filters.ofUser(userId)).map(({ id }) => id);
        await events.publish({ kind: "filters_changed", userId, filterIds });
      }
      // For subscribers that cache facts about the person.
      if (change.limits?.isStopped !== undefined) await events.publish({ kind: "user_changed", userId });
      return { message: "Paramètres enregistrés." };
    },
  });
}

/** 'Tout arrêter' (contract §5), alone or among other changes. */
const stopsAll = z.object({ limites: z.object({ arret: z.literal(true) }) });

/** The person agrees to the text that was shown: an older version is refused. */
function refuseOtherMandate(version: number | null | undefined): void {
  if (version === undefined || version === null || version === MANDATE_VERSION) return;
  throw new Refusal(409, TEXTS.otherMandate, { field: "mandat" });
}

/** The mandate's version, for the audit entry. */
function mandateFacts({ mandateVersion }: SettingsChange): { readonly mandate?: number | null } {
  return mandateVersion === undefined ? {} : { mandate: mandateVersion };
}

function addPurchaseListRoutes(app: App, deps: HttpDeps): void {
  const { config, purchasing } = deps;

  async function purchasesOf(userId: UserId, before?: PurchaseId) {
    const purchases = await purchasing.list(userId, { limit: PURCHASES_PER_PAGE, before });
    return {
      purch: purchases.map((purchase) => presentAchat(purchase, config.marketUrl)),
    };
  }

  app.route({
    ...routeOf(calls.purchases, { ...READ_RULE, rate: "history" }),
    handler: ({ query: { avant }, visitor }) =>
      purchasesOf(visitorOf({ visitor }).user.id, avant === undefined ? undefined : asPurchaseId(avant)),
  });

  app.route({
    ...routeOf(calls.cancelPurchase, { access: "subscriber", origin: "action", rate: "write" }),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const outcome = await purchasing.cancel(userId, request.body.id);
      if (outcome.kind === "not_found") throw new Refusal(404, TEXTS.purchaseNotFound);
      if (outcome.kind === "not_confirmed") throw new Refusal(409, TEXTS.purchaseNotConfirmed);
      return purchasesOf(userId);
    },
  });
}

function tokenChange(read: ReadToken): Pick<SettingsChange, "refreshToken"> {
  switch (read.kind) {
    case "keep":
      return {};
    case "disconnect":
      return { refreshToken: null };
    case "replace":
      return { refreshToken: read.token };
    case "foreign_mask":
      throw new Refusal(400, TEXTS.foreignMask, { field: "token" });
    case "wrong_length":
      throw new Refusal(400, TEXTS.tokenLength, { field: "token" });
    default:
      return read satisfies never;
  }
}
