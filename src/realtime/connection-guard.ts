import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createPlainHttpGuard } from "#auth/networks.ts";
import { isHostOf, isOwnRequest } from "#auth/origin-guard.ts";
import { sessionIdOf } from "#auth/sessions.ts";
import type { SessionId } from "#domain/ids.ts";
import type { EngineConnection, SocketServer } from "./admission.ts";

/** An open connection below the sockets: the session that opened it, and its current transport. */
interface Opened {
  readonly sessionId: SessionId | null;
  readonly connection: EngineConnection;
  wire: Socket;
}

export interface ConnectionGuard {
  /** Closes a connection without waiting for a client that may never read. */
  readonly cut: (connection: EngineConnection) => void;
}

interface GuardOptions {
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
  /** Whether the address may open one more connection. */
  readonly isInPace: (request: IncomingMessage) => boolean;
}

const ID_BYTES = 18;
const PAYLOAD_TOO_LARGE = 413;

/**
 * Checks every request before the socket library: handshakes, upgrades and requests with a `sid` (`allowRequest` sees
 * only handshakes). A stolen `sid` is useless: the request must carry the cookie of the session that opened the
 * connection.
 */
export function guardConnections(
  io: SocketServer,
  { publicUrl, trustedProxies, isInPace }: GuardOptions,
): ConnectionGuard {
  const isSafelyArrived = createPlainHttpGuard(publicUrl, trustedProxies);
  const opened = new Map<string, Opened>();
  const idOfRequest = new WeakMap<IncomingMessage, string>();

  io.engine.generateId = (request: IncomingMessage): string => {
    const id = randomBytes(ID_BYTES).toString("base64url");
    idOfRequest.set(request, id);
    return id;
  };

  io.engine.on("connection", (connection: EngineConnection) => {
    const { request } = connection;
    const id = idOfRequest.get(request);
    if (id === undefined) return;
    const sessionId = sessionIdOf(request.headers.cookie);
    opened.set(id, { sessionId, connection, wire: request.socket });
    connection.once("close", () => opened.delete(id));
  });

  io.engine.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    const known = opened.get(connectionIdOf(request));
    const refusal = isSafelyArrived(request)
      ? (refusalOf(request, { publicUrl, known }) ??
        (known !== undefined || isInPace(request) ? null : TOO_MANY))
      : PLAIN_HTTP;
    if (refusal !== null) return refuse(request, response, refusal);
    if (known !== undefined) follow(known, request, response);
    next();
  });

  return {
    cut(connection) {
      const id = idOfRequest.get(connection.request);
      const wire = id === undefined ? undefined : opened.get(id)?.wire;
      connection.close(true);
      wire?.destroy();
    },
  };
}

/** The last `sid` parameter, as the library reads it; "" for a handshake. */
function connectionIdOf(request: IncomingMessage): string {
  const address = URL.parse(request.url ?? "", "http://socket");
  return address?.searchParams.getAll("sid").at(-1) ?? "";
}

const TOO_MANY: Refusal = {
  status: 429,
  reason: "Too Many Requests",
  error: "Trop de connexions : réessayez dans un instant.",
};
const PLAIN_HTTP: Refusal = { status: 403, reason: "Forbidden", error: "Synapse ne répond qu'en HTTPS." };

type Refusal = { readonly status: number; readonly reason: string; readonly error: string };

function refusalOf(
  request: IncomingMessage,
  facts: { readonly publicUrl: string; readonly known: Opened | undefined },
): Refusal | null {
  const { headers, method } = request;
  if (!isHostOf(headers.host ?? "", facts.publicUrl))
    return { status: 421, reason: "Misdirected Request", error: "Cette adresse n'est pas celle du site." };
  // The library's substitute for the response to an upgrade cannot be followed.
  const isUpgrade = headers.upgrade !== undefined;
  if (method !== "GET" && (method !== "POST" || isUpgrade))
    return { status: 405, reason: "Method Not Allowed", error: "Méthode refusée." };
  const isForeignSession = facts.known !== undefined && facts.known.sessionId !== sessionIdOf(headers.cookie);
  return isForeignSession || !isOwnRequest(headers, facts.publicUrl, "read")
    ? { status: 403, reason: "Forbidden", error: "Requête refusée." }
    : null;
}

function follow(known: Opened, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.upgrade !== undefined) known.wire = request.socket;
  // The library answers 413 and keeps the connection; a frame above the limit must close it.
  if (request.method === "POST")
    response.once("finish", () => {
      if (response.statusCode === PAYLOAD_TOO_LARGE) known.connection.close(true);
    });
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify({ error: refusal.error });
  if (request.headers.upgrade === undefined) {
    const length = Buffer.byteLength(body);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "content-length": length,
      ...(refusal.status === 405 ? { allow: "GET, POST" } : {}),
      ...(refusal.status === 429 ? { "retry-after": "1" } : {}),
    };
    response.writeHead(refusal.status, headers).end(body);
    return;
  }
  // An upgrade has no response object: the library's substitute cannot write a status.
  request.socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.reason}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
