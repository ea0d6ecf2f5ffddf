import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { clientAddress, createNetworks, LOOPBACK, networksOf, plainAddress } from "#auth/networks.ts";
import type { Clock } from "#domain/clock.ts";
import type { EngineConnection, SocketServer } from "./admission.ts";

interface TokenBucket {
  /** True within the rate; false beyond it, and then nothing is deducted. */
  take(nowMs: number, count?: number): boolean;
}

/** Allows a `burst`, and `perSecond` in the long run. */
export function createTokenBucket(rate: { readonly perSecond: number; readonly burst: number }): TokenBucket {
  let tokens = rate.burst;
  let filledAtMs: number | null = null;
  return {
    take(nowMs, count = 1) {
      const elapsedMs = filledAtMs === null ? 0 : Math.max(0, nowMs - filledAtMs);
      filledAtMs = nowMs;
      tokens = Math.min(rate.burst, tokens + (elapsedMs / 1_000) * rate.perSecond);
      if (tokens < count) return false;
      tokens -= count;
      return true;
    },
  };
}

/** Many people behind one address reconnect together after a restart; an attacker continues beyond the burst. */
const HANDSHAKES_PER_SECOND = 5;
const HANDSHAKE_BURST = 120;
const MAX_SOURCES = 20_000;

interface HandshakePaceOptions {
  readonly trustedProxies: readonly string[];
  /** In the sandbox one machine acts as many people: its address is not counted. */
  readonly isSandbox: boolean;
  readonly clock: Pick<Clock, "nowMs">;
}

/** False if the address (IPv6: a /64, or a /48 with eight times the limit) opened too many connections. */
export function createHandshakePace(options: HandshakePaceOptions): (request: IncomingMessage) => boolean {
  const isProxy = createNetworks(options.trustedProxies);
  const isOwnMachine = createNetworks(LOOPBACK);
  const paces = new LRUCache<string, TokenBucket, number>({
    max: MAX_SOURCES,
    memoMethod: (_name, _stale, { context: share }) =>
      createTokenBucket({ perSecond: HANDSHAKES_PER_SECOND * share, burst: HANDSHAKE_BURST * share }),
  });

  return ({ headers, socket }) => {
    const forwarded = headers["x-forwarded-for"];
    const peer = plainAddress(socket.remoteAddress);
    const address = clientAddress({ peer, forwarded: [forwarded ?? []].flat().join(",") }, isProxy);
    if (options.isSandbox && isOwnMachine(address)) return true;
    const nowMs = options.clock.nowMs();
    return networksOf(address).every(({ name, share }) => paces.memo(name, { context: share }).take(nowMs));
  };
}

/** Far more than any page sends, heartbeats and transport upgrades included. */
const PACKETS_PER_SECOND = 20;
const PACKET_BURST = 100;
/**
 * Polls and heartbeats are some tens of bytes a second; several frames of maximum length still fit. Counted on the wire,
 * because WebSocket pings and probes are answered below the packet level: a client that sends them endlessly without
 * reading would make the answers pile up.
 */
const BYTES_PER_SECOND = 8 * 1024;
const BYTE_BURST = 96 * 1024;

/** Closes a connection whose client floods it with data of any kind. */
export function watchForFloods(
  io: SocketServer,
  deps: { readonly clock: Pick<Clock, "nowMs">; readonly cut: (connection: EngineConnection) => void },
): void {
  // Called for each WebSocket before its first byte is read, including those of an unfinished upgrade.
  io.engine.on("headers", (_headers: unknown, { headers, socket: wire }: IncomingMessage) => {
    if (headers.upgrade === undefined) return;
    const pace = createTokenBucket({ perSecond: BYTES_PER_SECOND, burst: BYTE_BURST });
    wire.on("data", (bytes: Uint8Array) => {
      if (!pace.take(deps.clock.nowMs(), bytes.byteLength)) wire.destroy();
    });
  });
  io.engine.on("connection", (connection: EngineConnection) => {
    const pace = createTokenBucket({ perSecond: PACKETS_PER_SECOND, burst: PACKET_BURST });
    connection.on("packet", () => {
      if (!pace.take(deps.clock.nowMs())) deps.cut(connection);
    });
  });
}

/** Data for a client that is still in this process. */
interface OutboundQueue {
  /** Calls back once nothing is queued, perhaps immediately. Only the latest callback is kept. */
  whenEmpty(action: () => void): void;
}

/** More queued data than this means that the client does not read. */
const MAX_QUEUED_BYTES = 256 * 1024;

/**
 * Counts at the connection, below the socket library, so that answers, pushes, acknowledgements and heartbeats are all
 * included.
 */
export function watchOutbound(connection: EngineConnection, onOverflow: () => void): OutboundQueue {
  let waitingBytes = 0;
  let leavingBytes = 0;
  let waiter: (() => void) | null = null;

  function settle(): void {
    if (waitingBytes + leavingBytes > 0 || waiter === null) return;
    const action = waiter;
    waiter = null;
    action();
  }

  connection.on("packetCreate", (packet: { readonly data?: unknown }) => {
    waitingBytes += typeof packet.data === "string" ? Buffer.byteLength(packet.data) : 1;
    if (waitingBytes + leavingBytes > MAX_QUEUED_BYTES) onOverflow();
  });
  connection.on("flush", () => {
    const bytes = waitingBytes;
    waitingBytes = 0;
    leavingBytes += bytes;
    // The connection's own "drain" means that the transport took the packets, not that it wrote them.
    connection.transport.once("drain", () => {
      leavingBytes = Math.max(0, leavingBytes - bytes);
      settle();
    });
  });
  connection.on("upgrade", () => {
    // A transport is replaced only once it has nothing in flight.
    leavingBytes = 0;
    settle();
  });

  return {
    whenEmpty(action) {
      waiter = action;
      settle();
    },
  };
}
