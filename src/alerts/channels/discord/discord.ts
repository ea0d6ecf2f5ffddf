/** Messages to a person's own Discord channel, through its webhook. */
import { Secret } from "#domain/secret.ts";
import type { Channel, OutgoingAlert } from "../../channel.ts";
import { createPoster, outcomeOf } from "../../post.ts";

const GONE = [401, 403, 404];
const SUPPRESS_NOTIFICATIONS = 4_096;
const GREY = 0x6e_76_81;

const REAL_ORIGIN = "https://discord.com";
const WEBHOOK_PATH = /^\/api\/webhooks\/(\d{15,22}\/[\w-]{40,100})$/u;
/** The sandbox accepts any id. */
const TRIAL_PATH = /^\/api\/webhooks\/([\w-]{1,64}\/[\w-]{1,100})$/u;
/** Prefix of a sandbox address; a real one begins with a digit. */
const TRIAL = "sandbox:";

/**
 * The secret part of a webhook's address, "id/key". Without the host, so that a person's input can never
 * choose which host is called. Null for any other text.
 * @param sandboxOrigins origins of the sandbox; empty outside of it
 */
export function readDiscordWebhook(text: string, sandboxOrigins: readonly string[]): Secret | null {
  const url = URL.parse(text);
  if (url === null || url.href !== text || `${url.search}${url.hash}${url.username}` !== "") return null;
  if (url.origin === REAL_ORIGIN) {
    const [, path] = WEBHOOK_PATH.exec(url.pathname) ?? [];
    return path === undefined ? null : new Secret(path);
  }
  const [, path] = sandboxOrigins.includes(url.origin) ? (TRIAL_PATH.exec(url.pathname) ?? []) : [];
  return path === undefined ? null : new Secret(`${TRIAL}${path}`);
}

/** @param origin of Discord, different in tests  @param sandboxUrl null outside of the sandbox */
export function createDiscord({
  origin = REAL_ORIGIN,
  sandboxUrl,
}: {
  readonly origin?: string | undefined;
  readonly sandboxUrl: string | null;
}): Channel {
  const poster = createPoster();
  return {
    async send(address, alert) {
      const path = address.reveal();
      const isTrial = path.startsWith(TRIAL);
      if (isTrial && sandboxUrl === null) return { kind: "gone" };
      const target = isTrial
        ? `${sandboxUrl}/api/webhooks/${path.slice(TRIAL.length)}`
        : `${origin}/api/webhooks/${path}`;
      const headers = { "content-type": "application/json", accept: "application/json" };
      return outcomeOf(await poster.post(target, { headers, body: JSON.stringify(messageOf(alert)) }), GONE);
    },
    [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
  };
}

/** The body of a webhook call, as Discord documents it. */
function messageOf({ message, isLoud, url }: OutgoingAlert): object {
  const { title, body, details, article } = message;
  const photoUrl = details?.photoUrl ?? article?.photoUrl ?? null;
  return {
    username: "Synapse",
    // A seller's text may contain mentions.
    allowed_mentions: { parse: [] },
    ...(isLoud ? {} : { flags: SUPPRESS_NOTIFICATIONS }),
    embeds: [
      {
        title: plainText(title),
        description: plainText(body),
        url,
        color: details?.colour ?? GREY,
        fields: (details?.fields ?? []).map(({ name, value }) => ({
          name,
          value: plainText(value),
          inline: true,
        })),
        ...(photoUrl === null ? {} : { image: { url: photoUrl } }),
      },
    ],
  };
}

/** Escapes a seller's text: no links, mentions or formatting. */
function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ").replaceAll(/[\\`*_~|<>@#[\]():/-]/gu, String.raw`\$&`);
}
