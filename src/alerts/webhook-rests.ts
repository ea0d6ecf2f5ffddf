import { createHash } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import type { Secret } from "#domain/secret.ts";
import type { DiscordOutcome } from "./discord-calls.ts";

/**
 * Webhooks that Discord refused. Discord bans addresses that keep calling them, and then sign-in would fail for everyone. Kept in
 * this process only; a newly saved webhook has no rest, and an accepted message ends one.
 */
export interface WebhookRests {
  /** The remaining time without calls; 0: it may be called. */
  restMs(webhook: Secret): number;
  note(webhook: Secret, outcome: DiscordOutcome): void;
}

/** A deleted webhook does not come back, but an error of Discord's must not silence it permanently. */
const GONE_REST_MS = 24 * 60 * 60_000;
const MAX_RESTING = 10_000;

export function createWebhookRests(clock: Pick<Clock, "nowMs">): WebhookRests {
  /** By hash, so that no secret is kept; the oldest rest comes first. */
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
