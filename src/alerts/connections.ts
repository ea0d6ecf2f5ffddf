/** A person's destinations: adding, pairing, removing and testing. */
import type { Destination, JournaledAlert } from "#domain/alert.ts";
import { randomInt, randomUUID } from "node:crypto";
import { ALERT_CHANNELS, type AlertChannelName } from "#catalogue/alert-channels.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { SessionId, UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import { Secret } from "#domain/secret.ts";
import { TEST_ALERT } from "#presenters/alerte.ts";
import type { User } from "#domain/user.ts";
import type { AlertStore, Connected } from "#store/alert-store.ts";
import type { UserStore } from "#store/store.ts";
import type { Channels, SandboxServices } from "./channels.ts";
import { readDiscordWebhook } from "./channels/discord/discord.ts";
import { endpointOf, type PushSubscription, readSubscription } from "./channels/push/push.ts";
import { type Delivery, TEST_MS } from "./delivery.ts";

export interface ConnectionsDeps {
  readonly alerts: AlertStore;
  readonly users: Pick<UserStore, "byId">;
  readonly channels: Channels;
  readonly sandbox: SandboxServices | null;
  readonly delivery: Pick<Delivery, "settled" | "wake">;
  readonly events: Pick<EventBus, "publish">;
  /** Whether a failure is the store's, and transient. */
  readonly isStoreAway: (error: unknown) => boolean;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

type Added =
  | { readonly kind: "added"; readonly destination: Destination }
  | { readonly kind: "unreadable" }
  /** The person has no such device to renew. */
  | { readonly kind: "absent" }
  | { readonly kind: "full" };

export type Paired =
  | { readonly kind: "paired" }
  /** The code is unknown, used or expired. */
  | { readonly kind: "unknown" }
  /** The person has as many chats as are allowed; the code stays valid. */
  | { readonly kind: "full"; readonly limit: number };

type Tested =
  | { readonly kind: "absent" }
  /** The service asked to wait for longer than the owner of a test does. */
  | { readonly kind: "early"; readonly waitMs: number }
  /** Null: no outcome yet. */
  | { readonly kind: "tried"; readonly entry: JournaledAlert | null };

interface NewDevice {
  readonly userId: UserId;
  readonly sessionId: SessionId | null;
  readonly name: string;
  readonly subscription: PushSubscription;
  /** Renewed by the page without the person: only their own device, which another session may have added. */
  readonly isRenewal: boolean;
}

const MAX_DEVICES = 10;
const MAX_CHATS = 5;
const CODE_MS = 10 * 60_000;
/** Without characters that look alike; eight of 32 are 40 bits. */
const CODE_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

interface Adding {
  readonly userId: UserId;
  readonly channel: AlertChannelName;
  readonly name: string;
  readonly address: Secret;
  readonly identity: string;
  readonly sessionId?: SessionId | null;
  readonly code?: string;
}

/** The destinations of people's alerts: devices, chats, webhooks and mailboxes. */
export class Connections {
  readonly #deps: ConnectionsDeps;
  readonly #sandboxOrigins: readonly string[];
  /** People whose mailbox is known to be a destination. */
  readonly #withMail = new Set<UserId>();

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
    this.#sandboxOrigins = deps.sandbox?.origins ?? [];
  }

  /** Includes the person's mailbox, which is added automatically. */
  async of(userId: UserId): Promise<readonly Destination[]> {
    await this.ensureMail(userId);
    return await this.#deps.alerts.destinations.ofUser(userId);
  }

  /** Adds or renews a browser's subscription, and sends a test alert unless the page only renews it. */
  async addDevice(device: NewDevice): Promise<Added> {
    const { userId, sessionId, name, subscription, isRenewal } = device;
    const address = readSubscription(subscription, this.#sandboxOrigins);
    if (address === null) return { kind: "unreadable" };
    const identity = endpointOf(address);
    const added = await this.#add(
      { userId, channel: "push", name, address, identity, sessionId },
      isRenewal ? 0 : MAX_DEVICES,
    );
    if (isRenewal) return added.kind === "full" ? { kind: "absent" } : added;
    if (added.kind === "added") await this.#planTest(added.destination);
    return added;
  }

  /** @param text the full address of a webhook; null removes it */
  async setDiscord(userId: UserId, text: string | null): Promise<"saved" | "removed" | "unreadable"> {
    if (text === null) {
      const own = (await this.#deps.alerts.destinations.ofUser(userId)).find(
        ({ channel }) => channel === "discord",
      );
      if (own !== undefined) await this.remove(userId, own.id);
      return "removed";
    }
    const address = readDiscordWebhook(text, this.#sandboxOrigins);
    if (address === null) return "unreadable";
    await this.#add({ userId, channel: "discord", name: "Discord", address, identity: userId }, 1);
    return "saved";
  }

  discordAddress(userId: UserId): Promise<Secret | null> {
    return this.#deps.alerts.destinations.addressOf(userId, "discord");
  }

  /** A new code for a Telegram chat; replaces the last. */
  async newCode(userId: UserId): Promise<{ readonly code: string; readonly expiresAtMs: number }> {
    const signs = Array.from({ length: CODE_LENGTH }, () => CODE_SIGNS.charAt(randomInt(CODE_SIGNS.length)));
    const code = signs.join("");
    const expiresAtMs = this.#deps.clock.nowMs() + CODE_MS;
    await this.#deps.alerts.telegram.save(userId, code, expiresAtMs);
    return { code, expiresAtMs };
  }

  async pair(code: string, chatId: string, name: string): Promise<Paired> {
    const { alerts, clock } = this.#deps;
    const userId = await alerts.telegram.ownerOf(code, clock.nowMs());
    if (userId === null) return { kind: "unknown" };
    const address = new Secret(chatId);
    const added = await this.#add(
      { userId, channel: "telegram", name, address, identity: chatId, code },
      MAX_CHATS,
    );
    if (added.kind === "full") return { kind: "full", limit: MAX_CHATS };
    return { kind: added.kind === "added" ? "paired" : "unknown" };
  }

  async unpair(chatId: string): Promise<boolean> {
    const destination = await this.#deps.alerts.destinations.byIdentity("telegram", chatId);
    return destination !== null && (await this.remove(destination.userId, destination.id)) === "removed";
  }

  async ownerOfChat(chatId: string): Promise<UserId | null> {
    return (await this.#deps.alerts.destinations.byIdentity("telegram", chatId))?.userId ?? null;
  }

  async remove(userId: UserId, id: string): Promise<"removed" | "absent" | "fixed"> {
    const { alerts, clock, events } = this.#deps;
    const { destinations } = alerts;
    const own = (await destinations.ofUser(userId)).find((one) => one.id === id);
    if (own === undefined) return "absent";
    if (own.channel === "courriel") return "fixed";
    const removed = await destinations.remove(userId, id, clock.nowMs());
    if (removed === null) return "absent";
    await events.publish({ kind: "alerts_changed", userId });
    return "removed";
  }

  /** Sends a test alert and waits for its outcome, at most 10 s. */
  async test(userId: UserId, id: string): Promise<Tested> {
    const { alerts, clock, delivery } = this.#deps;
    const own = (await alerts.destinations.ofUser(userId)).find((one) => one.id === id);
    if (own === undefined) return { kind: "absent" };
    const waitMs = own.notBeforeMs - clock.nowMs();
    if (waitMs > TEST_MS) return { kind: "early", waitMs };
    const subject = await this.#planTest(own);
    const deadline = AbortSignal.timeout(TEST_MS);
    for (;;) {
      await delivery.settled(id, subject, POLL_MS);
      // Another node may have sent it: polls the store too.
      const entry = await alerts.outbox.entry(userId, id, subject);
      if (entry?.result !== "waiting" || deadline.aborted) return { kind: "tried", entry };
    }
  }

  async ensureMail(userId: UserId): Promise<void> {
    const { alerts, channels } = this.#deps;
    if (channels.courriel === null || this.#withMail.has(userId)) return;
    const own = await alerts.destinations.ofUser(userId);
    if (!own.some(({ channel }) => channel === "courriel")) {
      const user = await this.#readUser(userId);
      if (user === null || user.email === "") return;
      // The address is read at each sending, because a sign-in may change it.
      const address = new Secret("");
      await this.#connect({ userId, channel: "courriel", name: "E-mail", address, identity: userId }, 1);
    }
    this.#withMail.add(userId);
  }

  /** Null if the person does not exist or their profile cannot be read: their other channels still get alerts. */
  async #readUser(userId: UserId): Promise<User | null> {
    const { users, isStoreAway, log } = this.#deps;
    try {
      return await users.byId(userId);
    } catch (error) {
      if (isStoreAway(error)) throw error;
      log.error(
        { part: "alerts", userId, ...describeError(error) },
        "somebody's mailbox cannot be looked up",
      );
      return null;
    }
  }

  async #connect({ sessionId = null, ...adding }: Adding, limit: number): Promise<Connected> {
    const { events } = ALERT_CHANNELS[adding.channel];
    return await this.#deps.alerts.destinations.connect(
      { id: randomUUID(), ...adding, events, sessionId, nowMs: this.#deps.clock.nowMs() },
      limit,
    );
  }

  async #add(adding: Adding, limit: number): Promise<Added> {
    const { events } = this.#deps;
    const connected = await this.#connect(adding, limit);
    if (connected.kind === "full") return { kind: "full" };
    if (connected.kind === "absent") return { kind: "unreadable" };
    const { destination, movedFrom } = connected;
    for (const changed of movedFrom === null ? [destination] : [movedFrom, destination])
      await events.publish({ kind: "alerts_changed", userId: changed.userId });
    return { kind: "added", destination };
  }

  /** @returns the test's subject */
  async #planTest({ userId, id }: Destination): Promise<string> {
    const { alerts, clock, delivery } = this.#deps;
    const nowMs = clock.nowMs();
    const subject = `test:${randomUUID()}`;
    // Sent once: its owner waits for the outcome.
    const times = { plannedAtMs: nowMs, dueAtMs: nowMs, giveUpAtMs: nowMs };
    const alert = { userId, type: "test" as const, subject, message: TEST_ALERT, isLoud: true, ...times };
    await alerts.outbox.plan({ alerts: [{ ...alert, destinationId: id }], counters: [] });
    delivery.wake();
    return subject;
  }
}

const POLL_MS = 500;
