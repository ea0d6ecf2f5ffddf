/**
 * Alerts outside of the pages, on nodes with pages: each delivers, one plans, one reads Telegram. Matches and
 * purchases never wait for them.
 */
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import type { Purchase } from "#domain/purchase.ts";
import type { Service } from "#domain/service.ts";
import type { ClickOutcome, Purchasing } from "#purchasing/purchasing.ts";
import type { ChannelStatistics } from "#store/alert-store.ts";
import type { Store } from "#store/store.ts";
import { type AlertActions, createAlertActions } from "./actions.ts";
import { createPoster } from "./post.ts";
import { type Channels, createChannels, type MailOptions, type SandboxServices } from "./channels.ts";
import { makeVapidKeys, type PushSubscription } from "./channels/push/push.ts";
import { type BotApi, createBotApi } from "./channels/telegram/bot-api.ts";
import { startTelegramUpdates } from "./channels/telegram/updates.ts";
import { Connections } from "./connections.ts";
import { Delivery, type DeliveryDeps } from "./delivery.ts";
import { createLinkTokens } from "./links.ts";
import { createAuditReader } from "./plan/audit-events.ts";
import { startPlanner, type PlannerDeps } from "./plan/planner.ts";
import { z } from "zod";

export interface Alerts extends Service {
  readonly connections: Connections;
  readonly actions: AlertActions;
  /** The public key for subscriptions, base64url. */
  readonly vapidKey: string;
  readonly hasMail: boolean;
  /** The sandbox's page of received alerts; null outside of it. */
  readonly inboxUrl: string | null;
  /** The bot's name; null: no bot, or Telegram does not answer. */
  botName(): Promise<string | null>;
  /** A link that opens a chat with the bot and sends the code. */
  pairingLink(bot: string, code: string): string;
  /** A simulated device; null outside of the sandbox, or if it does not answer. */
  trialDevice(name: string): Promise<PushSubscription | null>;
  statistics(): Promise<readonly ChannelStatistics[]>;
  /** The channels whose service refuses the product's credentials. */
  refusedServices(): Promise<readonly string[]>;
}

export interface AlertsDeps {
  readonly store: Pick<Store, "alerts" | "audit" | "filters" | "groups" | "listings" | "sellers" | "users">;
  readonly purchasing: Pick<Purchasing, "byId" | "click" | "list">;
  readonly onBatch: PlannerDeps["onBatch"];
  readonly events: Pick<EventBus, "publish" | "subscribe">;
  /** Runs a task on one node at a time; immediately if this is the only one. */
  readonly lead: (role: string, task: () => Promise<() => Promise<void>>) => Service;
  readonly isSoleNode: boolean;
  readonly nodeCount?: DeliveryDeps["nodeCount"];
  /** Whether a failure is the store's, and transient. */
  readonly isStoreAway: (error: unknown) => boolean;
  readonly refusalText: (outcome: Exclude<ClickOutcome, { readonly kind: "accepted" }>) => string;
  readonly options: AlertsOptions;
  readonly clock: Clock;
  readonly log: Log;
}

interface AlertsOptions {
  readonly publicUrl: string;
  /** The marketplace as people's browsers reach it. */
  readonly marketUrl: string;
  readonly supportEmail: string;
  readonly sandbox: SandboxServices | null;
  readonly discordUrl?: string | undefined;
  readonly telegram: { readonly origin: string; readonly token: string; readonly isSandbox: boolean } | null;
  readonly mail: MailOptions | null;
  readonly hourMs: number;
}

const BOT_KNOWN_MS = 60_000;
const PEOPLE_AGE_MS = 5 * 60_000;

export async function createAlerts(deps: AlertsDeps): Promise<Alerts> {
  const { store, purchasing, options, clock, log, events } = deps;
  const { publicUrl, marketUrl, sandbox, telegram } = options;
  const areLinksShown = publicUrl.startsWith("https:") || telegram?.isSandbox !== false;
  const vapidKeys = await store.alerts.vapidKeys(makeVapidKeys);
  const botApi = telegram === null ? null : createBotApi(telegram.origin, telegram.token);
  const vapidSubject = publicUrl.startsWith("https:") ? publicUrl : `mailto:${options.supportEmail}`;
  const channels = createChannels({ ...options, vapidKeys, vapidSubject, botApi, areLinksShown });
  const links = createLinkTokens(store.alerts.linkKey);
  const purchaseById = (userId: UserId, id: PurchaseId): Promise<Purchase | null> =>
    purchasing.byId(userId, id);
  const delivery = new Delivery({
    outbox: store.alerts.outbox,
    sellers: store.sellers,
    purchaseById,
    channels,
    nodeCount: deps.nodeCount,
    links,
    publicUrl,
    marketUrl,
    onLost: (userId) => void events.publish({ kind: "alerts_changed", userId }),
    clock,
    log,
  });
  const connections = new Connections({
    ...store,
    channels,
    sandbox,
    delivery,
    events,
    isStoreAway: deps.isStoreAway,
    clock,
    log,
  });
  const actions = createAlertActions({ ...store, purchasing, events, clock });
  const roles = rolesOf(deps, { links, delivery, connections, actions, botApi, areLinksShown, purchaseById });
  return {
    ...serviceOf(deps, { channels, delivery, roles }),
    ...servicesOf(options, { channels, botApi, clock }),
    connections,
    actions,
    vapidKey: vapidKeys.publicKey,
    hasMail: channels.courriel !== null,
    inboxUrl: sandbox === null ? null : `${sandbox.publicUrl}/boite`,
    statistics: () => store.alerts.outbox.statistics(clock.nowMs()),
  };
}

interface Parts {
  readonly links: PlannerDeps["links"];
  readonly delivery: Delivery;
  readonly connections: Connections;
  readonly actions: AlertActions;
  readonly botApi: BotApi | null;
  readonly areLinksShown: boolean;
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
}

/** The tasks that run on one node at a time. */
function rolesOf(deps: AlertsDeps, parts: Parts): readonly Service[] {
  const { store, options, clock, log, events, lead } = deps;
  const { delivery, connections, purchaseById } = parts;
  const planning = lead("planning alerts", () =>
    startPlanner({
      alerts: store.alerts,
      listings: store.listings,
      onBatch: deps.onBatch,
      events,
      links: parts.links,
      readAudit: createAuditReader({
        alerts: store.alerts,
        audit: store.audit,
        filters: store.filters,
        groups: store.groups,
        purchaseById,
        ensureMail: (userId) => connections.ensureMail(userId),
        isStoreAway: deps.isStoreAway,
        clock,
        log,
      }),
      wake: () => delivery.wake(),
      hourMs: options.hourMs,
      peopleAgeMs: deps.isSoleNode ? Infinity : PEOPLE_AGE_MS,
      clock,
      log,
    }),
  );
  const { botApi, actions, areLinksShown } = parts;
  if (botApi === null) return [planning];
  const reading = lead("reading Telegram", async () =>
    startTelegramUpdates({
      api: botApi,
      actions,
      pair: (code, chatId, name) => connections.pair(code, chatId, name),
      unpair: (chatId) => connections.unpair(chatId),
      personOf: async (chatId) => {
        const userId = await connections.ownerOfChat(chatId);
        if (userId === null) return null;
        return { userId, maySpend: (await store.alerts.settings(userId)).buysFromTelegram };
      },
      refusalText: deps.refusalText,
      publicUrl: options.publicUrl,
      marketUrl: options.marketUrl,
      areLinksShown,
      clock,
      log,
    }),
  );
  return [planning, reading];
}

function serviceOf(
  { store, isSoleNode }: AlertsDeps,
  {
    channels,
    delivery,
    roles,
  }: { readonly channels: Channels; readonly delivery: Delivery; readonly roles: readonly Service[] },
): Service {
  return {
    async run() {
      if (isSoleNode) await store.alerts.outbox.freeLeases();
      delivery.run();
      for (const role of roles) await role.run();
    },
    async stop() {
      await Promise.all(roles.map((role) => role.stop()));
      await delivery.stop();
      for (const channel of Object.values(channels)) await channel?.[Symbol.asyncDispose]();
    },
  };
}

const trialAnswer = z.object({
  abonnement: z.object({
    endpoint: z.string(),
    keys: z.object({ p256dh: z.string(), auth: z.string() }),
  }),
});

/** Requests to the services apart from delivery. */
function servicesOf(
  { sandbox, telegram }: AlertsOptions,
  {
    channels,
    botApi,
    clock,
  }: { readonly channels: Channels; readonly botApi: BotApi | null; readonly clock: Pick<Clock, "nowMs"> },
): Pick<Alerts, "botName" | "pairingLink" | "trialDevice" | "refusedServices"> {
  let bot: { readonly name: Promise<string | null>; readonly untilMs: number } | null = null;
  return {
    async botName() {
      if (botApi === null) return null;
      if (bot === null || clock.nowMs() >= bot.untilMs) bot = { name: botApi.getMe(), untilMs: Infinity };
      const asked = bot;
      const name = await asked.name;
      // A known name is cached for ever, a failure for a minute.
      if (name === null && bot === asked) bot = { ...asked, untilMs: clock.nowMs() + BOT_KNOWN_MS };
      return name;
    },
    pairingLink: (name, code) =>
      telegram?.isSandbox === true && sandbox !== null
        ? `${sandbox.publicUrl}/boite?start=${code}`
        : `https://t.me/${name}?start=${code}`,
    async trialDevice(nom) {
      if (sandbox === null) return null;
      await using poster = createPoster();
      const answer = await poster.post(`${sandbox.url}/push/devices`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ nom }),
      });
      if (answer.kind !== "answered" || answer.status !== 200) return null;
      return trialAnswer.parse(JSON.parse(answer.text)).abonnement;
    },
    async refusedServices() {
      const checks = Object.entries(channels).map(async ([name, channel]) =>
        (await channel?.check?.()) === false ? [name] : [],
      );
      return (await Promise.all(checks)).flat();
    },
  };
}
