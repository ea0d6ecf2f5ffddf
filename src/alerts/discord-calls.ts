/** The calls to Discord: one host, no redirects, bounded in time and size. No error contains a webhook's address. */
import { Agent, request } from "undici";
import { describeError, type LogFields } from "#domain/log.ts";
import type { Secret } from "#domain/secret.ts";
import type { DiscordMessage } from "#presenters/purchase-alert.ts";

const DEADLINE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_CONNECTIONS = 4;
/** The wait when Discord gives no Retry-After. */
const DEFAULT_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

export type DiscordOutcome =
  | { readonly kind: "sent" }
  /** The webhook was deleted at Discord, or its key is wrong. */
  | { readonly kind: "gone" }
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "failed"; readonly cause: LogFields };

export interface DiscordCalls extends AsyncDisposable {
  /** Never throws. */
  post(webhook: Secret, message: DiscordMessage): Promise<DiscordOutcome>;
}

/** @param origin scheme and host; no setting and no person can change it */
export function createDiscordCalls(origin: string): DiscordCalls {
  const pool = new Agent({
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  return {
    async post(webhook, message) {
      try {
        const { statusCode, headers, body } = await request(`${origin}/api/webhooks/${webhook.reveal()}`, {
          dispatcher: pool,
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json" },
          body: JSON.stringify(message),
          signal: AbortSignal.timeout(DEADLINE_MS),
        });
        await body.dump({ limit: MAX_ANSWER_BYTES });
        return outcomeOf(statusCode, headers["retry-after"]);
      } catch (error) {
        return { kind: "failed", cause: describeError(error) };
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.destroy();
    },
  };
}

function outcomeOf(status: number, retryAfter: string | string[] | undefined): DiscordOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  if (status === 401 || status === 403 || status === 404) return { kind: "gone" };
  if (status === 429) {
    const seconds = typeof retryAfter === "string" ? Number(retryAfter) : Number.NaN;
    const waitMs = seconds >= 0 ? Math.ceil(seconds * 1_000) : DEFAULT_WAIT_MS;
    return { kind: "wait", waitMs: Math.min(waitMs, LONGEST_WAIT_MS) };
  }
  return { kind: "failed", cause: { status } };
}
