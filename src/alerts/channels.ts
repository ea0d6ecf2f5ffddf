/** The channels by name. A new one needs a line here, one in catalogue/alert-channels.ts and its folder. */
import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type { VapidKeys } from "#store/alert-store.ts";
import type { Channel } from "./channel.ts";
import { createCourriel, type MailServer } from "./channels/courriel/courriel.ts";
import { createDiscord } from "./channels/discord/discord.ts";
import { createPush } from "./channels/push/push.ts";
import type { BotApi } from "./channels/telegram/bot-api.ts";
import { createTelegram } from "./channels/telegram/telegram.ts";

/** Null: the channel is not configured. */
export type Channels = Readonly<Record<AlertChannelName, Channel | null>>;

export interface ChannelOptions {
  readonly vapidKeys: VapidKeys;
  /** Contact for push services: an https address or a mailbox. */
  readonly vapidSubject: string;
  /** Replaces the real services; null with an outside marketplace. */
  readonly sandbox: SandboxServices | null;
  /** Absent: Discord; tests set another. */
  readonly discordUrl?: string | undefined;
  readonly botApi: BotApi | null;
  /** Whether messages have links to the product: not with a local address and the real bot. */
  readonly areLinksShown: boolean;
  readonly mail: MailOptions | null;
}

export interface SandboxServices {
  /** Its address for this process. */
  readonly url: string;
  /** Its address for browsers. */
  readonly publicUrl: string;
  /** The origins of both, by every local name. */
  readonly origins: readonly string[];
}

export interface MailOptions {
  /** Null: not known yet. */
  readonly server: () => Promise<MailServer | null>;
  readonly from: string;
}

export function createChannels(options: ChannelOptions): Channels {
  const { vapidKeys, vapidSubject, sandbox, discordUrl, botApi, areLinksShown, mail } = options;
  const sandboxOrigins = sandbox?.origins ?? [];
  return {
    push: createPush({ keys: vapidKeys, subject: vapidSubject, sandboxOrigins }),
    telegram: botApi === null ? null : createTelegram(botApi, { areLinksShown }),
    discord: createDiscord({ origin: discordUrl, sandboxUrl: sandbox?.url ?? null }),
    courriel: mail === null ? null : createCourriel(mail.server, mail.from),
  };
}
