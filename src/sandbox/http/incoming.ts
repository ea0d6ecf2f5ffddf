import type { IncomingMessage } from "node:http";

/** An HTTP request with its complete body. */
export interface Incoming {
  readonly method: string;
  /** Without the query; not percent-decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly peerAddress: string;
}

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

const MAX_BODY_BYTES = 4 * 1_048_576;

/** @throws BodyTooLarge, or a stream error when the client disconnects */
export async function readIncoming(request: IncomingMessage): Promise<Incoming> {
  const target = request.url ?? "/";
  const queryAt = target.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    query: new URLSearchParams(queryAt < 0 ? "" : target.slice(queryAt + 1)),
    headers: request.headers,
    body: await readBody(request),
    peerAddress: request.socket.remoteAddress ?? "",
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  const stream: AsyncIterable<Uint8Array> = request;
  for await (const chunk of stream) {
    byteCount += chunk.byteLength;
    if (byteCount > MAX_BODY_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Parses JSON; undefined when invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
