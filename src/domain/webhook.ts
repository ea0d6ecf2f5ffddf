import { Secret } from "./secret.ts";

const DISCORD_WEBHOOK = /^https:\/\/discord\.com\/api\/webhooks\/(\d{15,22}\/[\w-]{40,100})$/u;

/**
 * What is secret in the address of a Discord webhook, "id/key": the host is none of it, so that nothing a person
 * writes can say whom the product calls. Null for every other text, be it nearly one.
 */
export function readDiscordWebhook(text: string): Secret | null {
  const [, path] = DISCORD_WEBHOOK.exec(text) ?? [];
  return path === undefined ? null : new Secret(path);
}
