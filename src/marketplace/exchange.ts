import { Agent, buildConnector, Client, type Dispatcher } from "undici";
import { codeOf, isBeforeFirstByte } from "#domain/network.ts";
import { MarketplaceError } from "./errors.ts";

/** One request to the marketplace's host and its raw answer; read-answer.ts interprets it. */
export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** Begins with "/". */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly deadlineMs: number;
  /** Opens a new connection, never one left over from an earlier request; null: any. */
  readonly freshConnection: {
    /** Called once the connection is open; if true, nothing is written. */
    readonly isTooLate: () => boolean;
  } | null;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

export interface Exchange extends AsyncDisposable {
  /** Throws a MarketplaceError: `unreachable` and `too_late` only if not one byte can have been sent. */
  send(request: ExchangeRequest): Promise<ExchangeAnswer>;
}

const MAX_ANSWER_BYTES = 1_048_576;
const CONNECT_TIMEOUT_MS = 5_000;

/** Calls exactly one origin; no redirects, no retries, no decompression. */
export function createExchange(origin: string): Exchange {
  const pool = new Agent({
    connections: 16,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  return {
    async send(request) {
      const { freshConnection } = request;
      if (freshConnection === null) return await sendThrough(pool, origin, request, isBeforeFirstByte);
      const connection = { isOpen: false, ...freshConnection };
      const client = new Client(origin, { pipelining: 1, connect: observedConnector(connection) });
      try {
        return await sendThrough(client, origin, request, () => !connection.isOpen);
      } finally {
        // The answer was read completely or abandoned: nothing is in flight.
        await client.destroy();
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.destroy();
    },
  };
}

/**
 * Records whether the connection was ever open: before that, no byte of the request can have been written. A
 * connection that opens too late is closed unused.
 */
function observedConnector(connection: {
  isOpen: boolean;
  readonly isTooLate: () => boolean;
}): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error === null && connection.isTooLate()) {
        socket.destroy();
        return callback(new MarketplaceError("too_late"), null);
      }
      if (error === null) connection.isOpen = true;
      return callback(...result);
    });
  };
}

async function sendThrough(
  dispatcher: Dispatcher,
  origin: string,
  request: ExchangeRequest,
  isBeforeFirstByte: (error: unknown) => boolean,
): Promise<ExchangeAnswer> {
  try {
    const response = await dispatcher.request({
      origin,
      path: request.path,
      method: request.method,
      headers: { "accept-encoding": "identity", ...request.headers },
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: AbortSignal.timeout(request.deadlineMs),
      headersTimeout: request.deadlineMs,
      bodyTimeout: request.deadlineMs,
    });
    return {
      status: response.statusCode,
      retryAfter: singleHeader(response.headers["retry-after"]),
      text: await readBounded(response.body),
    };
  } catch (cause) {
    if (cause instanceof MarketplaceError) throw cause;
    if (isBeforeFirstByte(cause)) throw new MarketplaceError("unreachable", { cause });
    throw new MarketplaceError(isTimeout(cause) ? "timeout" : "broken_connection", { cause });
  }
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of body) {
    byteCount += chunk.byteLength;
    if (byteCount > MAX_ANSWER_BYTES) throw new MarketplaceError("unreadable");
    chunks.push(chunk);
  }
  // Buffer keeps a byte order mark, which makes JSON.parse fail: such an answer is invalid.
  return Buffer.concat(chunks).toString("utf8");
}

function singleHeader(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function isTimeout(error: unknown): boolean {
  if (error instanceof Error && error.name === "TimeoutError") return true;
  return ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"].includes(codeOf(error));
}
