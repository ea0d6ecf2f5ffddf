import { Secret } from "./secret.ts";

const DISCORD_WEBHOOK = /^https:\/\/discord\.com\/api\/webhooks\/(\d{15,22}\/[\w-]{40,100})$/u;

/**
 * The secret part of a Discord webhook's address, "id/key". The host is not part of it, so a person's input can never
 * choose whom the product calls. Null for any other text.
 */
export function readDiscordWebhook(text: string): Secret | null {
  const [, path] = DISCORD_WEBHOOK.exec(text) ?? [];
  return path === undefined ? null : new Secret(path);
}
