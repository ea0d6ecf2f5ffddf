import { createHash } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import type { Secret } from "#domain/secret.ts";
import type { DiscordOutcome } from "./discord-calls.ts";

/**
 * Webhooks that Discord refuses: whoever goes on calling them is shut out by Discord altogether, by address, and nobody
 * of ours could sign in any more. Known to this process alone; a webhook that its owner saves instead has no rest, nor
 * has one that took a message since.
 */
export interface WebhookRests {
  /** How long it is still not to be called; 0: it may be. */
  restMs(webhook: Secret): number;
  note(webhook: Secret, outcome: DiscordOutcome): void;
}

/** It was deleted there: it does not come back, but a slip of Discord's must not silence it for ever. */
const GONE_REST_MS = 24 * 60 * 60_000;
const MAX_RESTING = 10_000;

export function createWebhookRests(clock: Pick<Clock, "nowMs">): WebhookRests {
  /** By a hash, so that no secret is kept; who rests since longest ago stands in front. */
  const restsUntilMs = new Map<string, number>();
  return {
    restMs: (webhook) => Math.max(0, (restsUntilMs.get(nameOf(webhook)) ?? 0) - clock.nowMs()),
    note(webhook, outcome) {
      if (outcome.kind === "failed") return;
      const name = nameOf(webhook);
      restsUntilMs.delete(name);
      if (outcome.kind === "sent") return;
      restsUntilMs.set(name, clock.nowMs() + (outcome.kind === "gone" ? GONE_REST_MS : outcome.waitMs));
      const [oldest] = restsUntilMs.keys();
      if (restsUntilMs.size > MAX_RESTING && oldest !== undefined) restsUntilMs.delete(oldest);
    },
  };
}

function nameOf(webhook: Secret): string {
  return createHash("sha256").update(webhook.reveal()).digest("base64url");
}
