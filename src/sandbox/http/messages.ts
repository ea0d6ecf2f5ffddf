import { gzipSync } from "node:zlib";
import { REFUSALS, type RefusalCode } from "#marketplace/wire.ts";
import type { IncomingMessage } from "node:http";

/** A complete HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function jsonAnswer(status: number, content: unknown): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: JSON.stringify(content),
  };
}

/** An internal error: the client cannot know whether the call took effect. */
export const INTERNAL_ERROR: Answer = jsonAnswer(500, { code: 1, message_code: "internal_error" });

/** The marketplace's error format. */
export function refusalAnswer(code: RefusalCode): Answer {
  const { status, code: number } = REFUSALS[code];
  return jsonAnswer(status, { code: number, message_code: code, message: MESSAGES[code], errors: [] });
}

const MESSAGES: Readonly<Record<RefusalCode, string>> = {
  invalid_authentication_token: "Jeton d'accès invalide",
  invalid_refresh_token: "Jeton de rafraîchissement invalide",
  not_found: "Contenu introuvable",
  access_denied: "Accès refusé",
  too_many_requests: "Trop de requêtes",
  item_sold: "Cet article est déjà vendu",
  item_reserved: "Cet article est réservé",
  item_withdrawn: "Cet article n'est plus en vente",
  price_changed: "Le prix a changé",
  insufficient_funds: "Solde insuffisant",
  address_invalid: "Adresse invalide",
  payment_refused: "Paiement refusé",
  cancel_refused: "Annulation impossible",
  invalid_request: "Requête invalide",
};

/** An HTML page. Its policy allows only the sandbox's own pictures. */
export function htmlAnswer(status: number, html: string): Answer {
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
    body: html,
  };
}

const YEAR_S = 31_536_000;

/**
 * An SVG picture; its URL determines its content, so it may be cached forever.
 * @param acceptEncoding the request header; the SVG is compressed when it allows gzip
 */
export function pictureAnswer(svg: string, acceptEncoding: string | undefined): Answer {
  const isZipped = /\bgzip\b/.test(acceptEncoding ?? "");
  return {
    status: 200,
    headers: {
      "content-type": "image/svg+xml; charset=utf-8",
      "cache-control": `public, max-age=${YEAR_S}, immutable`,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "cross-origin-resource-policy": "cross-origin",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    },
    body: isZipped ? gzipSync(svg) : svg,
  };
}

export function redirectAnswer(location: string): Answer {
  return { status: 302, headers: { location, "cache-control": "no-store" }, body: "" };
}

/** An HTTP request with its complete body. */
export interface Incoming {
  readonly method: string;
  /** Without the query; not percent-decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The body before decoding, for binary payloads. */
  readonly bytes?: Uint8Array;
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
  const bytes = await readBody(request);
  return {
    method: request.method ?? "GET",
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    query: new URLSearchParams(queryAt < 0 ? "" : target.slice(queryAt + 1)),
    headers: request.headers,
    body: bytes.toString("utf8"),
    bytes,
    peerAddress: request.socket.remoteAddress ?? "",
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  const stream: AsyncIterable<Uint8Array> = request;
  for await (const chunk of stream) {
    byteCount += chunk.byteLength;
    if (byteCount > MAX_BODY_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
