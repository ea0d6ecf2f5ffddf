/** Requests to outside services: one deadline, no redirects, bounded size. No error contains an address. */
import { Agent, request } from "undici";
import { codeOf, isBeforeFirstByte } from "#domain/network.ts";
import type { Outcome } from "./channel.ts";

const DEADLINE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1_024;
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

export interface Posting {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly deadlineMs?: number;
  /** How much of the answer is read: 64 KB unless given. */
  readonly maxBytes?: number;
}

export type PostResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly waitMs: number | null;
      readonly text: string;
    }
  | { readonly kind: "wait"; readonly waitMs: null }
  | { readonly kind: "unknown" };

export interface Poster extends AsyncDisposable {
  /** Never throws. */
  post(url: string, posting: Posting): Promise<PostResult>;
}

export function createPoster(): Poster {
  // Unlimited connections: delivery bounds the sends, and one slow host must not occupy them all.
  const pool = new Agent({
    connections: null,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  return {
    async post(url, { headers, body, deadlineMs = DEADLINE_MS, maxBytes = MAX_ANSWER_BYTES }) {
      try {
        const answer = await request(url, {
          dispatcher: pool,
          method: "POST",
          headers,
          body,
          signal: AbortSignal.timeout(deadlineMs),
        });
        const text = await textOf(answer.body, maxBytes);
        const waitMs = retryAfterMs(answer.headers["retry-after"]);
        return { kind: "answered", status: answer.statusCode, waitMs, text };
      } catch (error) {
        return wasNeverSent(error) ? { kind: "wait", waitMs: null } : { kind: "unknown" };
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.destroy();
    },
  };
}

/** Beyond the bound the connection is closed. */
async function textOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > maxBytes) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

const NO_ROUTE: ReadonlySet<string> = new Set(["EHOSTUNREACH", "ENETUNREACH"]);

/** Whether an error proves that no connection was made: the message cannot have arrived. */
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isBeforeFirstByte(error) || NO_ROUTE.has(codeOf(error))) return true;
  // Several addresses of one host, all of which failed.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(wasNeverSent);
  return wasNeverSent(error.cause);
}

/** Seconds or a date (RFC 9110, §10.2.3). */
function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== "string") return null;
  const seconds = Number(header);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, Math.ceil(waitMs)), LONGEST_WAIT_MS) : null;
}

/** The usual meaning of a status. @param gone statuses by which the service says that the address is gone */
export function outcomeOf(result: PostResult, gone: readonly number[]): Outcome {
  if (result.kind !== "answered") return result;
  const { status, waitMs } = result;
  if (status >= 200 && status < 300) return { kind: "sent" };
  if (gone.includes(status)) return { kind: "gone" };
  if (status === 429 || status >= 500) return { kind: "wait", waitMs };
  return { kind: "refused" };
}
