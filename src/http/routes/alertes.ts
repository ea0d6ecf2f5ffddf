/** Destinations of alerts, their journal, and purchases by an alert's link. */
import { deviceOf } from "#auth/sign-in.ts";
import type { CentreAlertes } from "#contract/alerte.ts";
import type { CentreAlertesInput } from "#contract/alerte-input.ts";
import { TOKEN_MASK } from "#contract/bounds.ts";
import { calls } from "#contract/calls.ts";
import { ALERT_CHANNELS } from "#catalogue/alert-channels.ts";
import type { AlertSettingsChange, Destination, JournaledAlert } from "#domain/alert.ts";
import type { UserId } from "#domain/ids.ts";
import { eur } from "#domain/money.ts";
import type { Secret } from "#domain/secret.ts";
import { presentAchat } from "#presenters/achat.ts";
import { presentCanal, presentEnvoi, presentReglages } from "#presenters/alerte.ts";
import { purchaseMessage } from "#presenters/french-texts.ts";
import { presentProduit } from "#presenters/produit.ts";
import { minuteOf } from "#presenters/regles.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS, tooMany } from "../refusal.ts";
import { type App, auditFacts, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";
import { clickRefusal } from "./purchase.ts";

const READ_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "read" };
const SETTINGS_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "settings" };
const ACTION_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "alert" };

export function addAlertRoutes(app: App, deps: HttpDeps): void {
  addDiscordRoutes(app, deps);
  addCentreRoutes(app, deps);
  addDeviceRoutes(app, deps);
  addChannelRoutes(app, deps);
  addLinkRoutes(app, deps);
}

/** The webhook in the settings: the original calls of the Discord channel. */
function addDiscordRoutes(app: App, deps: HttpDeps): void {
  const { connections } = deps.alerts;
  app.route({
    ...routeOf(calls.alerts, READ_RULE),
    handler: async (request) => ({
      alertes: { discord: maskOf(await connections.discordAddress(visitorOf(request).user.id)) },
    }),
  });

  app.route({
    ...routeOf(calls.editAlerts, SETTINGS_RULE),
    handler: async (request) => {
      const { discord } = request.body;
      const saved = await connections.setDiscord(visitorOf(request).user.id, discord?.trim() ?? null);
      if (saved === "unreadable") throw new Refusal(400, TEXTS.noWebhook, { field: "discord" });
      return { message: saved === "removed" ? "Alertes Discord retirées." : "Alertes Discord enregistrées." };
    },
  });

  app.route({
    ...routeOf(calls.testAlert, SETTINGS_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const own = (await connections.of(userId)).find(({ channel }) => channel === "discord");
      if (own === undefined) throw new Refusal(409, TEXTS.webhookAbsent);
      await tryChannel(deps, { userId, id: own.id }, { gone: TEXTS.webhookGone, away: TEXTS.discordSilent });
      return { message: "Essai envoyé : regardez votre salon Discord." };
    },
  });
}

/** Eight dots and the last four characters; "" if none is saved. */
function maskOf(webhook: Secret | null): string {
  const SHOWN_LENGTH = 4;
  return webhook === null ? "" : TOKEN_MASK + webhook.reveal().slice(-SHOWN_LENGTH);
}

/** @returns the journal's entry of a delivered test */
async function tryChannel(
  { alerts: { connections }, clock }: Pick<HttpDeps, "alerts" | "clock">,
  destination: { readonly userId: UserId; readonly id: string },
  texts: { readonly gone: string; readonly away: string },
): Promise<JournaledAlert> {
  const tested = await connections.test(destination.userId, destination.id);
  if (tested.kind === "absent") throw new Refusal(404, TEXTS.channelNotFound);
  if (tested.kind === "early") throw tooMany(tested.waitMs);
  const { entry } = tested;
  if (entry?.result === "sent") return entry;
  if (entry?.reason === "lost") throw new Refusal(409, texts.gone);
  if (entry?.reason === "rate") throw tooMany(Math.max(1, entry.dueAtMs - clock.nowMs()));
  throw new Refusal(503, texts.away);
}

function addCentreRoutes(app: App, deps: HttpDeps): void {
  const { alerts, store, events, clock } = deps;
  app.route({
    ...routeOf(calls.alertCentre, READ_RULE),
    handler: async (request) => ({ alertes: await centreOf(deps, visitorOf(request)) }),
  });

  app.route({
    ...routeOf(calls.editAlertCentre, ACTION_RULE),
    handler: async (request) => {
      const visitor = visitorOf(request);
      const { id: userId } = visitor.user;
      const { reglages, canaux } = request.body;
      const known = await store.alerts.settings(userId);
      const change = changeOf(reglages ?? {});
      const quiet = { ...known.quiet, ...change.quiet };
      if (quiet.from === quiet.to)
        throw new Refusal(400, TEXTS.quietHoursEmpty, { field: "reglages.calme.a" });
      const changes = changesOf(await alerts.connections.of(userId), canaux ?? []);
      if (changes.length > 0 && !(await store.alerts.destinations.setEvents(userId, changes)))
        throw new Refusal(404, TEXTS.channelNotFound);
      await store.alerts.changeSettings(userId, change);
      await store.audit.append({
        atMs: clock.nowMs(),
        kind: "alerts.changed",
        userId,
        details: { ...changeFacts(change, changes.length > 0), ...auditFacts(request) },
      });
      await events.publish({ kind: "alerts_changed", userId });
      return { message: "Alertes enregistrées.", alertes: await centreOf(deps, visitor) };
    },
  });

  app.route({
    ...routeOf(calls.pauseAlerts, ACTION_RULE),
    handler: async (request) => {
      const { minutes } = request.body;
      const untilMs = await alerts.actions.pause(visitorOf(request).user.id, minutes);
      return minutes === 0
        ? { message: "Les alertes reprennent.", pause_jusqua: null }
        : { message: "Alertes d'articles en pause.", pause_jusqua: untilMs };
    },
  });
}

async function centreOf(
  { alerts, store, clock }: HttpDeps,
  { user, sessionId }: Pick<ReturnType<typeof visitorOf>, "user" | "sessionId">,
): Promise<CentreAlertes> {
  const destinations = await alerts.connections.of(user.id);
  const settings = await store.alerts.settings(user.id);
  const bot = await alerts.botName();
  return {
    canaux: destinations.map((one) => presentCanal(one, one.sessionId === sessionId)),
    offerts: {
      push: { cle: alerts.vapidKey },
      telegram: bot === null ? null : { bot },
      courriel: alerts.hasMail && user.email !== "",
    },
    reglages: presentReglages(settings, clock.nowMs()),
    boite: alerts.inboxUrl,
  };
}

type Reglages = NonNullable<CentreAlertesInput["reglages"]>;

/** Absent members keep their values. */
function changeOf({ max_heure: max, calme = {}, achat_telegram: buys }: Reglages): AlertSettingsChange {
  const { actif, de, a } = calme;
  const quiet = {
    ...(actif === undefined ? {} : { isOn: actif }),
    ...(de === undefined ? {} : { from: minuteOf(de) }),
    ...(a === undefined ? {} : { to: minuteOf(a) }),
  };
  return {
    ...(max === undefined ? {} : { maxPerHour: max }),
    ...(Object.keys(quiet).length === 0 ? {} : { quiet }),
    ...(buys === undefined ? {} : { buysFromTelegram: buys }),
  };
}

/** The changed parts, for the audit entry, and whether Telegram may buy. */
function changeFacts(change: AlertSettingsChange, hasChannels: boolean) {
  const { buysFromTelegram } = change;
  const parts = [...Object.keys(change), ...(hasChannels ? ["channels"] : [])].join(",");
  return buysFromTelegram === undefined ? { parts } : { parts, buysFromTelegram };
}

/** @throws Refusal if a channel is not the person's or must not carry listings */
function changesOf(own: readonly Destination[], sent: NonNullable<CentreAlertesInput["canaux"]>) {
  return sent.map(({ id, evenements }) => {
    const known = own.find((one) => one.id === id);
    if (known === undefined) throw new Refusal(404, TEXTS.channelNotFound);
    const { articles, achats, compte, resume } = evenements;
    if (articles === true && !ALERT_CHANNELS[known.channel].mayHaveArticles)
      throw new Refusal(400, TEXTS.noArticlesByMail, { field: "canaux" });
    // Only the sent members, so that concurrent changes do not overwrite each other.
    const events = {
      ...(articles === undefined ? {} : { articles }),
      ...(achats === undefined ? {} : { purchases: achats }),
      ...(compte === undefined ? {} : { account: compte }),
      ...(resume === undefined ? {} : { summary: resume }),
    };
    return { id, events };
  });
}

function addDeviceRoutes(app: App, { alerts }: HttpDeps): void {
  app.route({
    ...routeOf(calls.addAlertDevice, ACTION_RULE),
    handler: async (request) => {
      const { user, sessionId } = visitorOf(request);
      const { abonnement, nom = "", essai = false, renouvelle: isRenewal = false } = request.body;
      const name = essai
        ? "Téléphone d'essai"
        : nom || deviceOf(request.headers["user-agent"]) || "Cet appareil";
      if (essai && alerts.inboxUrl === null) throw new Refusal(400, TEXTS.noSubscription, { field: "essai" });
      const subscription = essai ? await alerts.trialDevice(name) : (abonnement ?? null);
      if (subscription === null && essai) throw new Refusal(503, TEXTS.serviceSilent);
      if (subscription === null) throw new Refusal(400, TEXTS.noSubscription, { field: "abonnement" });
      // A trial device is no browser: it is not removed with the session.
      const ofSession = essai ? null : sessionId;
      const added = await alerts.connections.addDevice({
        userId: user.id,
        sessionId: ofSession,
        name,
        subscription,
        isRenewal,
      });
      if (added.kind === "unreadable") throw new Refusal(400, TEXTS.noSubscription, { field: "abonnement" });
      if (added.kind === "absent") throw new Refusal(404, TEXTS.channelNotFound);
      if (added.kind === "full") throw new Refusal(409, TEXTS.tooManyDevices);
      return {
        message: "C'est réglé : un essai arrive sur cet appareil.",
        canal: presentCanal(added.destination, added.destination.sessionId === sessionId),
      };
    },
  });

  app.route({
    ...routeOf(calls.pairTelegram, ACTION_RULE),
    handler: async (request) => {
      const bot = await alerts.botName();
      if (bot === null) throw new Refusal(409, TEXTS.noBot);
      const { code, expiresAtMs } = await alerts.connections.newCode(visitorOf(request).user.id);
      return { code, lien: alerts.pairingLink(bot, code), expire_a: expiresAtMs };
    },
  });
}

function addChannelRoutes(app: App, deps: HttpDeps): void {
  const { alerts, store } = deps;
  app.route({
    ...routeOf(calls.removeAlertChannel, ACTION_RULE),
    handler: async (request) => {
      const removed = await alerts.connections.remove(visitorOf(request).user.id, request.body.id);
      if (removed === "absent") throw new Refusal(404, TEXTS.channelNotFound);
      if (removed === "fixed") throw new Refusal(409, TEXTS.mailStays);
      return { message: "Canal retiré." };
    },
  });

  app.route({
    ...routeOf(calls.testAlertChannel, ACTION_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const own = (await alerts.connections.of(userId)).find(({ id }) => id === request.body.id);
      // Nothing is sent to a lost destination, except for mail: only a test can reactivate it.
      if (own?.state === "lost" && own.channel !== "courriel") throw new Refusal(409, TEXTS.channelGone);
      const texts = { gone: TEXTS.channelGone, away: TEXTS.serviceSilent };
      const entry = await tryChannel(deps, { userId, id: request.body.id }, texts);
      return { message: "Essai envoyé.", envoi: presentEnvoi(entry) };
    },
  });

  app.route({
    ...routeOf(calls.alertJournal, READ_RULE),
    handler: async (request) => {
      const journal = await store.alerts.outbox.journal(visitorOf(request).user.id, request.query.limit);
      return { envois: journal.map(presentEnvoi) };
    },
  });
}

const LINK_STATES = { valid: "valide", used: "utilise", expired: "expire" } as const;

function addLinkRoutes(app: App, { alerts, config }: HttpDeps): void {
  const { actions } = alerts;
  app.route({
    ...routeOf(calls.alertLink, { access: "subscriber", origin: "action", rate: "read" }),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const found = await actions.look(userId, request.body.jeton);
      if (found === null) throw new Refusal(404, TEXTS.linkNotFound);
      const { state, link, listing } = found;
      const purchase = await actions.purchaseOf(userId, link);
      return {
        lien: {
          etat: LINK_STATES[state],
          expire_a: link.expiresAtMs,
          prix: eur(link.totalPriceCents),
          produit: listing === null ? null : presentProduit(listing.listing, config.marketUrl),
          achat: purchase === null ? null : presentAchat(purchase, config.marketUrl),
        },
      };
    },
  });

  app.route({
    ...routeOf(calls.buyFromAlert, { access: "subscriber", origin: "action", rate: "click" }),
    handler: async (request) => {
      const bought = await actions.buy(visitorOf(request).user.id, request.body.jeton);
      if (bought.kind === "unknown") throw new Refusal(404, TEXTS.linkNotFound);
      if (bought.kind === "used") throw new Refusal(409, "Ce lien a déjà servi", { code: "jeton_utilise" });
      if (bought.kind === "expired") throw new Refusal(409, "Ce lien a expiré", { code: "jeton_expire" });
      if (bought.outcome.kind !== "accepted") throw clickRefusal(bought.outcome);
      const { purchase } = bought.outcome;
      return {
        message: purchaseMessage(purchase),
        purchase: presentAchat(purchase, config.marketUrl),
      };
    },
  });
}
